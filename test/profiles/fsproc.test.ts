/** The `fsproc` profile, by the rules of contract section 2. */
import { expect, test } from 'vitest'
import type { ErrorCode } from '../../src/core/errors.ts'
import type { Planted } from '../tools/setup.ts'
import { profileWith } from './setup.ts'

type Files = { readonly [path: string]: Planted }
const bytes = (...values: number[]): Uint8Array => new Uint8Array(values)
const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('')

const SUCCESSES: readonly (readonly [rule: string, tool: string, files: Files, args: object, data: object])[] = [
  [
    'F-15 numbers',
    'read_file',
    { f: 'a \nb' },
    { file: 'f' },
    { content: '   1: a \n   2: b', file: 'f', total_lines: 2, truncated: false },
  ],
  ['F-12 a range', 'read_file', { f: lines(2100) }, { file: 'f', start_line: 2100 }, { content: '2100: line 2100', truncated: false }],
  ['F-11 the cap', 'read_file', { f: lines(2001) }, { file: 'f' }, { truncated: true, showing: { start: 1, end: 2000, count: 2000 } }],
  ['F-11 at the cap', 'read_file', { f: lines(2000) }, { file: 'f' }, { truncated: false, showing: { start: 1, end: 2000, count: 2000 } }],
  ['F-14 past the end', 'read_file', { f: 'a\n' }, { file: 'f', start_line: 9 }, { content: '', showing: { start: 2, end: 1, count: 0 } }],
  ['F-14 end alone', 'read_file', { f: lines(5) }, { file: 'f', end_line: 1 }, { content: '   1: line 1', truncated: false }],
  ['F-16 empty', 'read_file', { f: '' }, { file: 'f' }, { content: '', total_lines: 0, showing: { start: 1, end: 0, count: 0 } }],
  ['C-15 line ends', 'read_file', { f: 'a\r\nb\rc\u2028d\r\n' }, { file: 'f' }, { content: '   1: a\n   2: b\rc\u2028d', total_lines: 2 }],
  ['C-14 a BOM', 'read_file', { f: '\ufeffx' }, { file: 'f' }, { content: '   1: x' }],
  ['F-6 a root', 'read_file', { f: 'out', 'd/f': 'in' }, { path: 'd', file: 'f' }, { content: '   1: in', file: 'f' }],
  ['F-6 absolute', 'read_file', { 'd/e/f': 'in' }, { path: 'd', file: '/d/e/f' }, { content: '   1: in' }],
  ['F-6 a link back', 'read_file', { 'd/f': 'in', 'd/l': { link: '/d/f' } }, { path: 'd', file: 'l' }, { content: '   1: in' }],
  ['F-5 unknown', 'read_file', { f: 'x' }, { file: 'f', nonsense: 1 }, { content: '   1: x' }],
  ['F-20 parents', 'write_file', {}, { file: 'a/b/c', content: 'é😀' }, { path: '/a/b/c', bytes: 6 }],
  ['F-20 below a root', 'write_file', { 'd/k': 'k' }, { path: 'd', file: 'n', content: '' }, { path: '/d/n', bytes: 0 }],
  ['F-21 the same again', 'write_file', { f: 'x' }, { file: 'f', content: 'x' }, { path: '/f', bytes: 1 }],
  ['C-37 not guarded', 'write_file', { '.gitignore': 'x\n' }, { file: 'x', content: '' }, { bytes: 0 }],
  ['C-37 not guarded', 'write_file', {}, { file: '.env', content: 'K' }, { bytes: 1 }],
  ['F-30 one', 'edit_file', { f: 'a\nb\n' }, { file: 'f', old: 'b', new: '$&' }, { path: '/f', replacements: 1, first_line: 2 }],
  ['F-31 all', 'edit_file', { f: 'a a a' }, { file: 'f', old: 'a', new: 'aa', count: -1 }, { replacements: 3, first_line: 1 }],
  ['F-31 some', 'edit_file', { f: 'a a a' }, { file: 'f', old: 'a', new: 'b', count: 2 }, { replacements: 2 }],
  ['F-31 fewer', 'edit_file', { f: 'a a a' }, { file: 'f', old: 'a', new: 'b', count: 9 }, { replacements: 3 }],
  ['C-28 no change', 'edit_file', { f: 'x\na\nb\n' }, { file: 'f', old: 'a\nb', new: 'a\nb' }, { replacements: 1, first_line: 2 }],
  ['C-18 other bytes', 'edit_file', { f: bytes(97, 10, 0xe9) }, { file: 'f', old: 'a', new: 'b' }, { replacements: 1 }],
  ['F-41 names', 'search_files', { 'd/a.md': 'x', 'a.txt': 'x' }, { pattern: 'x', include: ['*.md', 'd/*'] }, { count: 1 }],
  ['F-42 at the cap', 'search_files', { f: 'x\n'.repeat(50) }, { pattern: 'x' }, { count: 50, truncated: false }],
  ['F-42 over it', 'search_files', { f: 'x\n'.repeat(51) }, { pattern: 'x' }, { count: 50, truncated: true }],
  [
    'F-43 cut',
    'search_files',
    { f: `${'😀'.repeat(501)}x` },
    { pattern: 'x' },
    { matches: [{ file: 'f', line: 1, content: `${'😀'.repeat(500)}…[truncated]` }] },
  ],
  ['F-43 not cut', 'search_files', { f: `${'y'.repeat(499)}x  \t` }, { pattern: 'x' }, { matches: [{ content: `${'y'.repeat(499)}x` }] }],
  ['F-47 a flag', 'search_files', { f: 'FOO' }, { pattern: '(?i)foo', is_regex: true }, { count: 1 }],
  ['F-55 empty', 'list_dir', { d: { directory: true } }, { path: 'd' }, { entries: [], count: 0, truncated: false }],
]

test.each(SUCCESSES)('%s: %s', async (_, tool, files, args, data) => {
  const { call } = await profileWith('fsproc', files)
  const { result, text, code } = await call(tool, args)
  expect({ result, code }).toMatchObject({ result: { success: true, data }, code: null })
  expect(text).toMatch(/\S/)
})

const FAILURES: readonly (readonly [rule: string, tool: string, args: object, code: ErrorCode, message: RegExp])[] = [
  ['F-5', 'read_file', {}, 'missing_argument', /file/],
  ['F-13', 'read_file', { file: 'f', start_line: 0 }, 'invalid_argument', /start_line/],
  ['F-13', 'read_file', { file: 'f', start_line: 5, end_line: 2 }, 'invalid_argument', /invalid range/],
  ['F-17', 'read_file', { file: 'd' }, 'is_directory', /not found/],
  ['F-17', 'read_file', { file: 'none' }, 'not_found', /not found/],
  ['F-10', 'read_file', { file: 'bin' }, 'binary_file', /binary/],
  ['F-10', 'read_file', { file: 'bad' }, 'invalid_utf8', /UTF-8/],
  ['F-2', 'read_file', { path: 'none', file: 'f' }, 'not_directory', /^root is not a directory/],
  ['F-2', 'list_dir', { path: 'f' }, 'not_directory', /^root is not a directory/],
  ['F-6', 'read_file', { path: '..', file: 'f' }, 'outside_root', /escapes/],
  ['F-6', 'read_file', { path: 'd', file: '../f' }, 'outside_root', /escapes/],
  ['F-6', 'read_file', { path: 'd', file: '../d/k' }, 'outside_root', /escapes/],
  ['F-6', 'read_file', { path: 'd', file: '/f' }, 'outside_root', /escapes/],
  ['F-6', 'read_file', { path: 'd', file: 'up' }, 'outside_root', /escapes/],
  ['F-6', 'write_file', { path: 'd', file: '../d-evil', content: 'x' }, 'outside_root', /escapes/],
  ['F-22', 'write_file', { file: 'd', content: 'x' }, 'is_directory', /^write failed/],
  ['F-22', 'write_file', { file: 'f/x', content: 'x' }, 'not_directory', /^write failed/],
  ['C-22', 'write_file', { file: 'n', content: '\ud800' }, 'invalid_argument', /content/],
  ['C-39b', 'write_file', { path: 'd', file: '.git/config', content: 'x' }, 'protected_path', /protected/],
  ['F-30', 'edit_file', { file: 'f', old: 'none', new: 'x' }, 'no_match', /not found/],
  ['F-30', 'edit_file', { file: 'f', old: 'x', new: 'y' }, 'ambiguous_match', /2 occurrences/],
  ['F-32', 'edit_file', { file: 'f', old: 'x', new: 'y', count: 0 }, 'invalid_argument', /count/],
  ['F-32', 'edit_file', { file: 'f', old: 'x', new: 'y', count: -2 }, 'invalid_argument', /count/],
  ['F-33', 'edit_file', { file: 'f', old: '', new: 'y', count: -1 }, 'invalid_argument', /old/],
  ['C-18', 'edit_file', { file: 'bin', old: 'a', new: 'y' }, 'binary_file', /binary/],
  ['F-35', 'edit_file', { file: 'none', old: 'a', new: 'y' }, 'not_found', /not found/],
  ['F-40', 'search_files', { pattern: '' }, 'invalid_argument', /pattern/],
  ['F-47', 'search_files', { pattern: '[', is_regex: true }, 'invalid_regex', /regular/],
  ['F-61', 'file_bytes', { path: 'f', encoding: 'latin-1' }, 'invalid_argument', /encoding/],
  ['F-67', 'file_bytes', { path: 'd' }, 'is_directory', /not found/],
]

test.each(FAILURES)('%s: %s %j', async (_, tool, args, code, message) => {
  const files = { f: 'x x\n', bin: 'a\0', bad: bytes(65, 0xc3, 0x28), 'd/k': 'k', 'd/up': { link: '../f' } }
  const { call, read, workspace } = await profileWith('fsproc', files)
  const outcome = await call(tool, args)
  expect(outcome).toMatchObject({ result: { success: false, error: expect.stringMatching(message) }, code })
  expect(outcome.result).not.toHaveProperty('data')
  expect(await read('f')).toBe('x x\n')
  expect(await workspace.log()).toHaveLength(1)
})

test('F-44, F-45: files before directories, links to files read, hidden and built ones passed over', async () => {
  const { call } = await profileWith('fsproc', {
    'b.txt': 'hit',
    'a/z.txt': 'hit',
    'l.txt': { link: 'a/z.txt' },
    dir: { link: 'a' },
    '.env': 'hit',
    'node_modules/m.js': 'hit',
    '.git/x': 'hit',
    'bin.dat': 'hit\0',
  })
  const { result } = await call('search_files', { pattern: 'hit' })
  const files = (result.data as { matches: { file: string }[] }).matches.map(({ file }) => file)
  expect(files).toEqual(['b.txt', 'l.txt', 'a/z.txt'])
})

test('F-50 to F-54: depth first in code-point order, links by what they lead to', async () => {
  const { call } = await profileWith('fsproc', {
    B: 'xy',
    'a/f': '',
    é: '',
    '.x': '',
    node_modules: { directory: true },
    out: { link: '../x' },
    nowhere: { link: 'none' },
    up: { link: 'a' },
  })
  const { result } = await call('list_dir', { max_depth: 9 })
  expect(result.data).toMatchObject({
    entries: [
      { path: 'B', type: 'file', size_bytes: 2 },
      { path: 'a', type: 'dir', size_bytes: null },
      { path: 'a/f', name: 'f', type: 'file', size_bytes: 0 },
      { path: 'nowhere', type: 'file', size_bytes: null },
      { path: 'up', type: 'dir', size_bytes: null },
      { path: 'é', type: 'file', size_bytes: 0 },
    ],
    count: 6,
    truncated: false,
  })
  expect((await call('list_dir', { max_depth: -5 })).result).toMatchObject({ data: { count: 5 } })
})

test('undo brings back what an unguarded write replaced', async () => {
  const { call, read, workspace } = await profileWith('fsproc', { f: 'old' })
  await call('write_file', { file: 'f', content: 'new' })
  await workspace.undo('last')
  expect(await read('f')).toBe('old')
})

test('an operator who asks for approvals is asked about overwriting, not about small edits or names', async () => {
  const { call } = await profileWith('fsproc', { f: 'old', '.env': 'a' }, { approval: 'risky' })
  expect(await call('write_file', { file: 'f', content: 'new' })).toMatchObject({ code: 'approval_required', result: { success: false } })
  expect(await call('write_file', { file: 'id_rsa', content: 'x' })).toMatchObject({ code: null })
  expect(await call('edit_file', { file: '.env', old: 'a', new: 'b' })).toMatchObject({ code: null })
})

test('a disabled tool answers in the envelope', async () => {
  const { call, workspace } = await profileWith('fsproc', {}, { disabled: ['read_file'] })
  expect(workspace.tools().map(({ tool }) => tool.name)).not.toContain('read_file')
  expect(await call('read_file', { file: 'f' })).toMatchObject({ code: 'unsupported', result: { success: false } })
})

const VERDICTS: readonly (readonly [content: string | Uint8Array, args: object, data: object])[] = [
  ['café', { expect_escaped: true }, { verdict: 'literal_where_escaped_expected', non_ascii: [{ line: 1, col: 4, byte_offset: 3 }] }],
  [
    'x\n\\u00e9',
    {},
    { verdict: 'escaped_where_literal_expected', literal_escapes: [{ line: 2, col: 1, sequence: '\\u00e9', byte_offset: 2 }] },
  ],
  ['\\\\u00e9 \\x4 \\n', {}, { verdict: 'ok', literal_escapes_total: 0, hint: null }],
  ['\\U0001F600\\x41', {}, { literal_escapes: [{ sequence: '\\U0001F600' }, { sequence: '\\x41', col: 11 }] }],
  ['a', { expected: 'a' }, { verdict: 'ok', mismatch: null }],
  ['\\u0041', { expected: '\\u0041' }, { verdict: 'escaped_where_literal_expected', mismatch: null }],
  [
    'a\r\n',
    { expected: 'a\n' },
    { verdict: 'mismatch', mismatch: { first_diff_offset: 1, expected_repr: 'a\\n', actual_repr: 'a\\r\\n' } },
  ],
  ['😀é', { expected: '😀' }, { verdict: 'mismatch', mismatch: { first_diff_offset: 1, actual_repr: '\\U0001f600\\xe9' } }],
  ['😀', { expected: '😁' }, { verdict: 'mismatch', mismatch: { first_diff_offset: 0, expected_repr: '\\U0001f601' } }],
  ['\ufeffa', {}, { verdict: 'ok', non_ascii: [{ codepoint: 'U+FEFF', byte_offset: 0 }], size_bytes: 4 }],
  ['é'.repeat(120), {}, { non_ascii_total: 120 }],
  [bytes(0xff, 0xfe, 0, 0x9c), { expected: 'x' }, { verdict: 'decode_error', encoding_ok: false, mismatch: null }],
]

test.each(VERDICTS)('file_bytes of %j with %j (F-61 to F-67)', async (content, args, data) => {
  const { call } = await profileWith('fsproc', { f: content })
  const { result } = await call('file_bytes', { path: '/f', ...args })
  expect(result).toMatchObject({ success: true, data })
  expect((result.data as { non_ascii: unknown[] }).non_ascii.length).toBeLessThanOrEqual(50)
})
