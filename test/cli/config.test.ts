/** Settings come from flags and a file; flags win, and nothing unknown is let through (contract W-4, W-7). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../src/cli/config.ts'
import { SETTINGS } from '../../src/cli/settings.ts'
import type { ErrorCode } from '../../src/core/errors.ts'

let folder: string
let file: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'))
  file = join(folder, 'filewright.json')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function configured(text: string, flags: object = {}): object {
  writeFileSync(file, text)
  return readSettings({ ...flags, config: file })
}

test('every setting can stand in the file under the name of its flag', () => {
  const all = {
    root: 'work',
    fs: 'sqlite',
    db: '/data/w.sqlite',
    repo: 'project',
    workspace: 'idea',
    branch: 'agents/idea',
    base: 'v1.0~2',
    credentials: true,
    seed: 'seed',
    export: 'out',
    durability: 'process',
    profile: 'fileops',
    'read-only': true,
    disable: ['write_file', 'delete_file'],
    approval: 'trusted',
    'trust-policy': 'policy.json',
    'allow-git-internals': true,
    'portable-names': false,
    'unconfined-file-bytes': true,
    runner: 'local',
    subject: 'ci',
    author: 'Ana <ana@example.org>',
    output: 'text',
    'result-limit': '1M',
    'client-roots': 'ignore',
    watch: true,
    http: '127.0.0.1:8080',
    'http-hosts': ['files.example:443'],
    'keep-records': 1000,
    'keep-days': '90',
    'keep-bytes': '2G',
  }
  expect(Object.keys(all)).toEqual(SETTINGS.map((row) => row.name))
  expect(configured(JSON.stringify(all))).toEqual({
    root: join(folder, 'work'),
    fs: 'sqlite',
    db: '/data/w.sqlite',
    repo: join(folder, 'project'),
    workspace: 'idea',
    branch: 'agents/idea',
    base: 'v1.0~2',
    credentials: true,
    seed: join(folder, 'seed'),
    export: join(folder, 'out'),
    durability: 'process',
    profile: 'fileops',
    readOnly: true,
    disable: ['write_file', 'delete_file'],
    approval: 'trusted',
    trustPolicy: join(folder, 'policy.json'),
    allowGitInternals: true,
    portableNames: false,
    unconfinedFileBytes: true,
    runner: 'local',
    subject: 'ci',
    author: 'Ana <ana@example.org>',
    output: 'text',
    resultLimit: 1024 * 1024,
    clientRoots: 'ignore',
    watch: true,
    http: '127.0.0.1:8080',
    httpHosts: ['files.example:443'],
    keepRecords: 1000,
    keepDays: 90,
    keepBytes: 2 * 1024 ** 3,
  })
})

test('flags win, and their paths start at the working directory', () => {
  expect(configured('{"root": "a", "approval": "risky"}', { root: 'b', readOnly: true })).toEqual({
    root: resolve('b'),
    approval: 'risky',
    readOnly: true,
  })
})

test('a list may be one text', () => {
  expect(configured('{"disable": "write_file, delete_file"}')).toEqual({ disable: ['write_file', 'delete_file'] })
})

describe('refused', () => {
  const cases: readonly [what: string, text: string, code: ErrorCode, field: string][] = [
    ['an unknown key', '{"readonly": true}', 'invalid_argument', 'readonly'],
    ['a key of JavaScript', '{"__proto__": {}}', 'invalid_argument', '__proto__'],
    ['a text for a switch', '{"read-only": "yes"}', 'invalid_argument', 'read-only'],
    ['a number for a path', '{"root": 1}', 'invalid_argument', 'root'],
    ['an empty path', '{"root": ""}', 'invalid_argument', 'root'],
    ['an unknown choice', '{"fs": "floppy"}', 'invalid_argument', 'fs'],
    ['a number for a revision', '{"base": 1}', 'invalid_argument', 'base'],
    ['a text for credentials, which are not for a file', '{"credentials": "name:password"}', 'invalid_argument', 'credentials'],
    ['an unknown mode of approval', '{"approval": "always"}', 'invalid_argument', 'approval'],
    ['an empty path of a policy', '{"trust-policy": ""}', 'invalid_argument', 'trust-policy'],
    ['a list of numbers', '{"disable": [1]}', 'invalid_argument', 'disable'],
    ['a negative number', '{"keep-days": -1}', 'invalid_argument', 'keep-days'],
    ['a size for a count', '{"keep-records": "5M"}', 'invalid_argument', 'keep-records'],
    ['a size in another unit', '{"keep-bytes": "5 parsecs"}', 'invalid_argument', 'keep-bytes'],
    ['null', '{"profile": null}', 'invalid_argument', 'profile'],
    ['text that is not JSON', '{root: 1}', 'invalid_argument', 'config'],
    ['a list', '[]', 'invalid_argument', 'config'],
  ]
  test.each(cases)('%s', (_, text, code, field) => {
    expect(() => configured(text)).toThrow(expect.objectContaining({ code, field }))
  })

  test('a file that is not there', () => {
    expect(() => readSettings({ config: join(folder, 'none.json') })).toThrow(
      expect.objectContaining({ code: 'invalid_argument', field: 'config' }),
    )
  })
})
