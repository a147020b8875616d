/** Globs that are compared with whole relative paths. */
import { expect, test } from 'vitest'
import { isFilewrightError } from '../../../src/core/errors.ts'
import { compileRelativeGlob, compileRelativeGlobs } from '../../../src/tools/mcp_filesystem/relative_globs.ts'

const MATCHES: readonly (readonly [glob: string, paths: readonly string[], others: readonly string[]])[] = [
  ['*.ts', ['a.ts', '.ts'], ['d/a.ts', 'a.TS']],
  ['**/*.ts', ['a.ts', 'd/a.ts', '.d/.a.ts'], ['a.tsx']],
  ['**/a', ['a', 'd/a'], ['ab', 'd/ba']],
  ['**/d/a', ['d/a', 'e/d/a'], ['a', 'ed/a']],
  ['{d,**}/a', ['a', 'd/a'], ['b']],
  ['d/**', ['d/a', 'd/e/a'], ['d', 'dd/a']],
  ['**', ['a', 'd/a'], []],
  ['d/*', ['d/a'], ['d/e/a', 'd']],
  ['./a', ['a'], ['d/a']],
  ['/a', ['a'], ['d/a']],
  ['!*.ts', ['a.js', 'd/a.ts'], ['a.ts']],
  ['@(a|b).ts', ['a.ts', 'b.ts'], ['c.ts', '@(a|b).ts']],
  ['@(a).ts', ['a.ts'], ['b.ts']],
  ['a?(b|c)', ['a', 'ab', 'ac'], ['ad', 'abc']],
  ['@(a,b|c)', ['a,b', 'c'], ['a', 'b']],
  ['{a,d/b}', ['a', 'd/b'], ['d/a']],
  ['{a,b}.ts', ['a.ts', 'b.ts'], ['c.ts', 'a.tsx']],
  ['a\\.*s', ['a.ts', 'a.s'], ['ats']],
  ['d[./]a', ['d.a'], ['d/a']],
  ['\\+(a)', ['+(a)'], ['a']],
  ['(a)', ['(a)'], ['a']],
]

test.each(MATCHES)('%s', (glob, paths, others) => {
  const matches = compileRelativeGlob(glob, 'pattern')
  expect(paths.filter((path) => !matches(path, false))).toEqual([])
  expect(others.filter((path) => matches(path, false))).toEqual([])
})

test('so many that a walk would take long are refused', () => {
  const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `{a${i},b${i}}`)
  expect(compileRelativeGlobs(names(500), 'patterns')('b499', false)).toBe(true)
  expect(() => compileRelativeGlobs(names(501), 'patterns')).toThrow(
    expect.objectContaining({ code: 'invalid_argument', field: 'patterns' }),
  )
})

test('any of several', () => {
  const matches = compileRelativeGlobs(['a', '!b*'], 'patterns')
  expect(['a', 'b', 'c'].map((path) => matches(path, false))).toEqual([true, false, true])
  expect(compileRelativeGlobs([], 'patterns')('a', false)).toBe(false)
})

test.each(['', '!', '/', '+(a)', '!(a)', '*(a|b)', '[', 'a\\'])('%j is refused', (glob) => {
  expect(() => compileRelativeGlob(glob, 'pattern')).toThrow(expect.toSatisfy((error) => isFilewrightError(error, 'invalid_argument')))
})

test.each(['@('.repeat(50_000), '*('.repeat(50_000), '{'.repeat(50_000)])('a long one is refused at once', (glob) => {
  expect(() => compileRelativeGlob(glob, 'pattern')).toThrow()
})
