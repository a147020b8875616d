/** The `sessions` profile, by the rules of contract section 3. */
import { expect, test } from 'vitest'
import type { Planted } from '../tools/setup.ts'
import { profileWith } from './setup.ts'

const bytes = (...values: number[]): Uint8Array => new Uint8Array(values)
const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('')
const FILE = 'sessions/a'

const READS: readonly (readonly [rule: string, files: { readonly [path: string]: Planted }, path: string, text: string | RegExp])[] = [
  ['S-10', { f: 'a\nb\n' }, 'f', 'f (2 lines)\n\na\nb\n'],
  ['S-10', { f: '\ufeffa\r\n' }, 'f', 'f (1 line)\n\na\r\n'],
  ['S-11', { f: lines(200) }, 'f', `f (200 lines)\n\n${lines(200)}`],
  ['S-11', { f: lines(201) }, 'f', `f (201 lines)\n\n${lines(200)}… [truncated: showing 200 of 201 lines]`],
  ['S-12', { 'd/b': 'x', 'd/a': '', 'd/c/x': '', 'd/l': { link: 'b' } }, 'd', 'd/ (4 entries)\na (0 bytes)\nb (1 byte)\nc/\nl -> b'],
  ['S-12', { d: { directory: true } }, '/d/', 'd/ (0 entries)\n(empty)'],
  ['S-12', { f: 'x' }, '.', './ (1 entry)\nf (1 byte)'],
  ['S-12', Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`f${i}`, ''])), '/', /\n… \[1 more\]$/],
  ['S-13', { f: 'a\0' }, 'f', 'Error: f is a binary file (2 bytes) and cannot be shown as text.'],
  ['S-13', { f: bytes(97, 0xe9) }, 'f', /^Error: f is not valid UTF-8/],
  ['S-14', {}, './none', 'Error: path not found: none'],
  ['S-15', { f: '' }, 'f', 'f (0 lines)'],
  ['S-15', { f: `${'😀'.repeat(2001)}\r\nx` }, 'f', `f (2 lines)\n\n${'😀'.repeat(2000)}… [line truncated]\r\nx`],
  ['S-15', { f: 'y'.repeat(2000) }, 'f', `f (1 line)\n\n${'y'.repeat(2000)}`],
  ['S-3', {}, '../x', /^Error: /],
]

test.each(READS)('%s: read_file %#', async (_, files, path, text) => {
  const { call } = await profileWith('sessions', files)
  const outcome = await call('read_file', { path })
  expect(outcome.text).toEqual(typeof text === 'string' ? text : expect.stringMatching(text))
  expect(outcome.result).toEqual({ text: outcome.text })
  expect(outcome.code !== null).toBe(outcome.text.startsWith('Error:'))
})

const WRITES: readonly (readonly [rule: string, before: string | null, tool: string, args: object, text: string, after: string])[] = [
  ['S-20', null, 'write_file', { content: 'x\ny' }, `Wrote ${FILE} (2 lines, 3 characters)`, 'x\ny'],
  ['S-20', 'old', 'write_file', { content: '😀' }, `Overwrote ${FILE} (1 line, 1 character)`, '😀'],
  ['S-20', 'x', 'write_file', { content: 'x' }, `Overwrote ${FILE} (1 line, 1 character)`, 'x'],
  ['S-30', 'a\nb\n', 'edit_file', { old_text: 'b', new_text: '$&' }, `Edited ${FILE} (line 2)`, 'a\n$&\n'],
  ['C-19', 'x\r\ny\r\n', 'edit_file', { old_text: 'x\ny', new_text: 'p\nq' }, `Edited ${FILE} (line 1)`, 'p\r\nq\r\n'],
  ['S-40', null, 'append_file', { content: 'b' }, `Created ${FILE} (1 line)`, 'b'],
  ['S-40', 'a\n', 'append_file', { content: 'b' }, `Appended 1 line to ${FILE}`, 'a\n\nb'],
  ['S-40', '', 'append_file', { content: 'b' }, `Appended 1 line to ${FILE}`, '\nb'],
  ['S-40', 'a', 'append_file', { content: '\nb' }, `Appended 2 lines to ${FILE}`, 'a\nb'],
  ['S-42', 'a\r\n', 'append_file', { content: 'b' }, `Appended 1 line to ${FILE}`, 'a\r\n\r\nb'],
  ['S-42', 'a', 'append_file', { content: '\r\nb' }, `Appended 2 lines to ${FILE}`, 'a\r\nb'],
  ['S-42', 'a', 'append_file', { content: '' }, `Appended 0 lines to ${FILE}`, 'a'],
]

test.each(WRITES)('%s: on %j, %s %j', async (_, before, tool, args, text, after) => {
  const { call, read } = await profileWith('sessions', before === null ? {} : { [FILE]: before })
  expect(await call(tool, { path: FILE, ...args })).toEqual({ result: { text }, text, code: null })
  expect(await read(FILE)).toBe(after)
})

const REFUSED: readonly (readonly [rule: string, tool: string, args: object, text: RegExp])[] = [
  ['S-30', 'edit_file', { path: FILE, old_text: 'none', new_text: '' }, /^Error: text not found in sessions\/a/],
  ['S-30', 'edit_file', { path: FILE, old_text: 'x', new_text: '' }, /^Error: found 2 matches in sessions\/a; .* matches$/],
  ['S-30', 'edit_file', { path: 'sessions/none', old_text: 'x', new_text: '' }, /^Error: file not found: sessions\/none$/],
  ['C-26', 'edit_file', { path: FILE, old_text: '', new_text: 'y' }, /^Error: /],
  ['S-42', 'append_file', { path: 'sessions/bin', content: '' }, /^Error: /],
  ['S-42', 'append_file', { path: 'sessions/bad', content: 'x' }, /^Error: /],
  ['C-39b', 'write_file', { path: 'sessions/.git/x', content: 'x' }, /^Error: /],
  ['W-5', 'write_file', { path: 5, content: 'x' }, /^Error: /],
  ['S-1', 'write_file', {}, /^Error: /],
  ...['README', 'sessions', 'sessions/', '.', 'sessions-old/x', 'sessions/../README', 'sessions/link/x', 'sessions/in'].flatMap((path) =>
    (['write_file', 'append_file'] as const).map(
      (tool) => ['S-21', tool, { path, content: 'x' }, /^Error: .*must be inside sessions\//] as const,
    ),
  ),
  ['S-20', 'write_file', { path: 'sessions/d', content: 'x' }, /^Error: /],
]

test.each(REFUSED)('%s: %s %j is refused, and nothing changes', async (_, tool, args, text) => {
  const { call, workspace } = await profileWith('sessions', {
    [FILE]: 'x x',
    README: 'r',
    'docs/x': '',
    'sessions/d/x': '',
    'sessions/bin': 'a\0',
    'sessions/bad': bytes(97, 0xe9),
    'sessions/link': { link: '../docs' },
    'sessions/in': { link: '../README' },
  })
  const outcome = await call(tool, args)
  expect(outcome.text).toMatch(text)
  expect(outcome.code).not.toBeNull()
  expect(await workspace.log()).toHaveLength(1)
})

test('S-3: a link at sessions/ itself makes nothing else writable', async () => {
  const { call, read } = await profileWith('sessions', { README: 'r', sessions: { link: '.' } })
  expect(await call('write_file', { path: 'sessions/README', content: 'x' })).toMatchObject({ code: 'outside_root' })
  expect(await read('README')).toBe('r')
})

test('S-1: no result but the text is published', async () => {
  const { workspace } = await profileWith('sessions', {})
  expect(workspace.tools().map(({ tool, outputSchema }) => [tool.name, outputSchema])).toEqual(
    ['read_file', 'write_file', 'edit_file', 'append_file'].map((name) => [name, null]),
  )
})
