/** The `builtin` profile, by the rules of contract sections 4.0 to 4.6. */
import { expect, test } from 'vitest'
import type { Planted } from '../tools/setup.ts'
import { profileWith } from './setup.ts'

type Files = { readonly [path: string]: Planted }
const bytes = (...values: number[]): Uint8Array => new Uint8Array(values)

const SUCCESSES: readonly (readonly [rule: string, tool: string, files: Files, args: object, result: object])[] = [
  ['B-10', 'read', { f: 'a\nb\r\nc' }, { path: 'f', offset: 1, limit: 1 }, { content: 'b\r\n', size: 6, encoding: 'utf-8' }],
  ['B-10', 'read', { f: 'a\nb' }, { path: 'f', offset: 1 }, { content: 'b', size: 3, encoding: 'utf-8' }],
  ['B-10', 'read', { f: 'a\n' }, { path: 'f', offset: 9, limit: null }, { content: '', size: 2, encoding: 'utf-8' }],
  ['B-10', 'read', { f: 'a\n' }, { path: 'f', limit: 0 }, { content: '', size: 2, encoding: 'utf-8' }],
  ['B-11', 'read', { f: '\ufeffa\0\r\n' }, { path: 'f' }, { content: '\ufeffa\0\r\n', size: 7, encoding: 'utf-8' }],
  ['B-11', 'read', { f: '\ufeffa' }, { path: 'f', encoding: 'UTF-8-SIG' }, { content: 'a', size: 4, encoding: 'UTF-8-SIG' }],
  ['B-2', 'read', { 'd/f': 'in' }, { path: '/d/f', sandbox_root: 'd' }, { content: 'in', size: 2, encoding: 'utf-8' }],
  ['W-5', 'read', { f: 'x' }, { path: 'f', nonsense: 1 }, { content: 'x', size: 1, encoding: 'utf-8' }],
  ['B-20', 'write', {}, { path: 'a/b', content: 'é', encoding: 'latin-1' }, { path: '/a/b', size: 1, created: true }],
  ['B-20', 'write', { f: 'x' }, { path: 'f', content: '' }, { path: '/f', size: 0, created: false }],
  ['B-30', 'edit', { f: 'x x x' }, { path: 'f', old_text: 'x', new_text: '$&' }, { path: '/f', replacements: 1 }],
  ['B-30', 'edit', { f: 'aaa' }, { path: 'f', old_text: 'a', new_text: 'aa', replace_all: true }, { path: '/f', replacements: 3 }],
  ['B-40', 'delete', { f: '' }, { path: 'f' }, { path: '/f', existed: true }],
  ['B-40', 'delete', {}, { path: 'f' }, { path: '/f', existed: false }],
  ['B-50', 'list', { d: { directory: true } }, { path: 'd' }, { files: [] }],
  [
    'B-50',
    'list',
    { 'd/a/x.py': 'x', 'd/a.py': '', 'd/.h.py': '', 'd/c': '' },
    { path: 'd', pattern: '*.py', recursive: true },
    {
      files: [
        { name: '.h.py', path: '/d/.h.py', size: 0, is_dir: false },
        { name: 'a.py', path: '/d/a.py', size: 0, is_dir: false },
        { name: 'x.py', path: '/d/a/x.py', size: 1, is_dir: false },
      ],
    },
  ],
  [
    'B-50 links',
    'list',
    { 'd/a': { link: '../e' }, 'd/b': { link: '../e/f' }, 'd/c': { link: '/../x' }, 'e/f': 'xy' },
    { path: 'd' },
    {
      files: [
        { name: 'a', path: '/d/a', size: 0, is_dir: true },
        { name: 'b', path: '/d/b', size: 2, is_dir: false },
      ],
    },
  ],
  ['B-50 paths', 'list', { 'd/a': '', 'd/b': '' }, { path: '.', pattern: 'd/[a]', recursive: true }, { files: [expect.anything()] }],
  [
    'B-60',
    'search',
    { 'd/z': 'foo\r\n', 'd/a/x': 'f0o', 'd/.h': 'foo', 'd/node_modules/m': 'foo', 'd/bin': 'foo\0', foo: 'foo' },
    { path: 'd', pattern: 'f.o' },
    {
      matches: [
        { file: 'd/.h', line: 1, content: 'foo' },
        { file: 'd/z', line: 1, content: 'foo' },
        { file: 'd/a/x', line: 1, content: 'f0o' },
      ],
    },
  ],
  ['B-60', 'search', { f: 'x\nx\nx' }, { path: '.', pattern: 'x', max_results: 2 }, { matches: [{ line: 1 }, { line: 2 }] }],
  ['B-60', 'search', { f: 'x', 'g.md': 'x' }, { path: '.', pattern: 'x', include: '*.md' }, { matches: [{ file: 'g.md' }] }],
]

test.each(SUCCESSES)('%s: %s', async (_, tool, files, args, result) => {
  const { call } = await profileWith('builtin', files)
  const outcome = await call(`builtin/file-${tool}`, args)
  expect(outcome).toMatchObject({ result, code: null })
  expect(outcome.result).not.toHaveProperty('error')
})

const FAILURES: readonly (readonly [rule: string, tool: string, args: object, type: string])[] = [
  ['B-3', 'read', { path: '../x' }, 'ValueError'],
  ['B-2', 'read', { path: '../f', sandbox_root: 'd' }, 'ValueError'],
  ['B-2', 'read', { path: 'f', sandbox_root: 'none' }, 'NotADirectoryError'],
  ['B-10', 'read', { path: 'f', offset: -1 }, 'ValueError'],
  ['B-10', 'read', { path: 'f', limit: -1 }, 'ValueError'],
  ['B-12', 'read', { path: 'none' }, 'FileNotFoundError'],
  ['B-12', 'read', { path: 'd' }, 'IsADirectoryError'],
  ['B-12', 'read', { path: 'bad' }, 'UnicodeDecodeError'],
  ['B-5', 'read', { path: 'f', encoding: 'nope' }, 'LookupError'],
  ['B-5', 'write', { path: 'f', content: 'a', encoding: 'shift_jis' }, 'LookupError'],
  ['B-20', 'write', { path: 'f', content: 'é', encoding: 'ascii' }, 'UnicodeEncodeError'],
  ['B-20', 'write', { path: 'n/m', content: 'a', create_dirs: false }, 'FileNotFoundError'],
  ['B-20', 'write', { path: 'd', content: 'a' }, 'IsADirectoryError'],
  ['C-39b', 'write', { path: '.git/x', content: 'a' }, 'PermissionError'],
  ['B-30', 'edit', { path: 'f', old_text: 'none', new_text: '' }, 'ValueError'],
  ['B-30', 'edit', { path: 'f', old_text: '', new_text: 'x', replace_all: true }, 'ValueError'],
  ['B-30', 'edit', { path: 'none', old_text: 'x', new_text: '' }, 'FileNotFoundError'],
  ['B-30', 'edit', { path: 'bad', old_text: 'a', new_text: '' }, 'UnicodeDecodeError'],
  ['B-30', 'edit', { path: 'nul', old_text: 'a', new_text: '' }, 'UnicodeDecodeError'],
  ['B-40', 'delete', { path: 'd' }, 'IsADirectoryError'],
  ['B-40', 'delete', { path: '.' }, 'IsADirectoryError'],
  ['B-40', 'delete', { path: 'out' }, 'ValueError'],
  ['B-50', 'list', { path: 'f' }, 'NotADirectoryError'],
  ['B-50', 'list', { path: 'none' }, 'FileNotFoundError'],
  ['detail 42', 'list', { path: '.', pattern: '[a' }, 'ValueError'],
  ['detail 42', 'list', { path: '.', pattern: '{a' }, 'ValueError'],
  ['B-60', 'search', { path: '.', pattern: '[' }, 'ValueError'],
  ['B-60', 'search', { path: '.', pattern: '' }, 'ValueError'],
  ['B-60', 'search', { path: '.', pattern: 'a', max_results: 0 }, 'ValueError'],
  ['B-60', 'search', { path: 'f', pattern: 'a' }, 'NotADirectoryError'],
  ['detail 42', 'read', {}, 'ValueError'],
]

test.each(FAILURES)('%s: %s %j is a failure, and nothing changes', async (_, tool, args, type) => {
  const files = { f: 'x', 'd/x': '', bad: bytes(97, 0xe9), nul: 'a\0', out: { link: '../x' } }
  const { call, workspace } = await profileWith('builtin', files)
  const { result, code } = await call(`builtin/file-${tool}`, args)
  expect(result).toEqual({ error: expect.any(String), error_type: type })
  expect(code).not.toBeNull()
  expect(await workspace.log()).toHaveLength(1)
})

test('B-40: a link is removed, what it leads to stays', async () => {
  const { call, read, workspace } = await profileWith('builtin', { 'd/f': 'x', l: { link: 'd/f' } })
  expect(await call('builtin/file-delete', { path: 'l' })).toMatchObject({ result: { existed: true } })
  expect(await read('d/f')).toBe('x')
  await workspace.undo('last')
  expect(await call('builtin/file-read', { path: 'l' })).toMatchObject({ result: { content: 'x' } })
})
