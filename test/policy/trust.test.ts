/** Trusted automation: what a policy covers, and that it covers nothing by mistake. */
import { describe, expect, test } from 'vitest'
import type { Path } from '../../src/core/path.ts'
import { compileTrust, parseTrustPolicy, type TrustRule } from '../../src/policy/trust.ts'
import { compilePathGlobs } from '../../src/text/glob/glob.ts'

const rule: TrustRule = { operations: ['delete_file', 'move_file'], paths: ['dist/', '/notes/*.md', '!/notes/keep.md'] }

function covers(rules: readonly TrustRule[], operations: string | readonly string[], paths: readonly string[], subject = 'ci'): boolean {
  const isTrusted = compileTrust({ version: 1, rules }, (globs, field) => {
    const compiled = compilePathGlobs(globs, field)
    return (path, directory) => compiled.covers(path, directory)
  })
  const touched = paths.map((path) => ({ path: path.replace(/\/$/, '') as Path, directory: path.endsWith('/') }))
  return isTrusted({ operations: [operations].flat(), paths: touched, subject })
}

test.each([
  ['dist/a.txt', true],
  ['dist/deep/a.txt', true],
  ['dist/', true],
  ['packages/x/dist/a.txt', true],
  ['notes/a.md', true],
  ['notes/keep.md', false],
  ['notes/deep/a.md', false],
  ['notes/a.txt', false],
  ['distant/a.txt', false],
  ['dist', false],
  ['a.txt', false],
])('%s: %s', (path, expected) => {
  expect(covers([rule], 'delete_file', [path])).toBe(expected)
})

test('every path must be covered, each by any rule that fits', () => {
  const other: TrustRule = { operations: ['delete_file'], paths: ['/tmp/'] }
  expect(covers([rule], 'delete_file', ['dist/a', 'dist/b'])).toBe(true)
  expect(covers([rule], 'delete_file', ['dist/a', 'a.txt'])).toBe(false)
  expect(covers([rule, other], 'delete_file', ['dist/a', 'tmp/b'])).toBe(true)
  expect(covers([rule, other], 'move_file', ['dist/a', 'tmp/b'])).toBe(false)
  expect(covers([rule], 'delete_file', [])).toBe(true)
  expect(covers([rule], 'write_file', [])).toBe(false)
  expect(covers([], 'delete_file', ['dist/a'])).toBe(false)
})

test('every operation must be named in one rule: the batch, and what it performs', () => {
  const batch: TrustRule = { ...rule, operations: ['batch_file_ops', 'delete_file'] }
  expect(covers([batch], ['batch_file_ops', 'delete_file', 'delete_file'], ['dist/a'])).toBe(true)
  expect(covers([batch], ['batch_file_ops', 'write_file'], ['dist/a'])).toBe(false)
  expect(covers([batch], ['batch_file_ops', 'delete_file', 'write_file'], ['dist/a'])).toBe(false)
  expect(covers([rule], ['batch_file_ops', 'delete_file'], ['dist/a'])).toBe(false)
  expect(covers([rule], 'delete', ['dist/a'])).toBe(false)
  expect(covers([rule], 'constructor', ['dist/a'])).toBe(false)
})

test('subjects are compared exactly; without them a rule is for everyone', () => {
  const ci: TrustRule = { ...rule, subjects: ['ci', 'bot-1'] }
  expect(covers([ci], 'delete_file', ['dist/a'], 'ci')).toBe(true)
  for (const subject of ['CI', 'ci ', '', 'local', 'ci,bot-1']) expect(covers([ci], 'delete_file', ['dist/a'], subject)).toBe(false)
  expect(covers([rule], 'delete_file', ['dist/a'], 'anybody')).toBe(true)
})

describe('what is no policy', () => {
  const bad: unknown[] = [
    null,
    [],
    'x',
    {},
    { version: '1', rules: [] },
    { version: 2, rules: [] },
    { version: 1 },
    { version: 1, rules: {} },
    { version: 1, rules: [null] },
    { version: 1, rules: [{ operations: 'delete_file', paths: ['x'] }] },
    { version: 1, rules: [{ operations: [], paths: ['x'] }] },
    { version: 1, rules: [{ operations: ['x'], paths: [] }] },
    { version: 1, rules: [{ operations: ['x'], paths: [''] }] },
    { version: 1, rules: [{ operations: ['x'], paths: ['x'], subjects: [] }] },
    { version: 1, rules: [{ operations: ['x'], paths: ['x'], subject: ['ci'] }] },
    { version: 1, rules: [], default: 'allow' },
  ]
  test.each(bad)('%j', (value) => {
    expect(() => parseTrustPolicy(value)).toThrow(expect.objectContaining({ code: 'invalid_argument', field: 'trust-policy' }))
  })

  test('the place is named', () => {
    expect(() => parseTrustPolicy({ version: 1, rules: [rule, { ...rule, paths: [7] }] })).toThrow(/rules\[1\]\.paths\[0\]/)
  })

  test('a glob that is none', () => {
    expect(() => covers([{ ...rule, paths: ['[a'] }], 'delete_file', ['a'])).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })
})
