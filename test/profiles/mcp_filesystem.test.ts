/** The `mcp-filesystem` profile where `/` is the root: what it publishes, and how it tells what happened. */
import { expect, test } from 'vitest'
import type { ErrorCode } from '../../src/core/errors.ts'
import type { Path } from '../../src/core/path.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createMcpFactory } from '../../src/mcp/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { OperatorSettings } from '../../src/workspace/workspace.ts'
import { connect } from '../mcp/connection.ts'
import { plant } from '../tools/setup.ts'
import { profileWith } from './setup.ts'

const FILES = { 'a.txt': 'one\ntwo\n', 'sub/b.txt': 'b', out: { link: '../outside' }, 'pic.png': new Uint8Array([1, 2, 3]) }

test('no result is published beside the text', async () => {
  const { workspace, call } = await profileWith('mcp-filesystem', FILES)
  expect(workspace.tools()).toHaveLength(14)
  for (const { outputSchema } of workspace.tools()) expect(outputSchema).toBeNull()
  expect(await call('read_text_file', { path: '/a.txt' })).toEqual({ result: { content: 'one\ntwo\n' }, text: 'one\ntwo\n', code: null })
})

test('a large file is sent once', async () => {
  const fs = createMemoryFs()
  await plant(fs, { 'large.txt': 'x'.repeat(1024 * 1024) })
  const client = await connect(createMcpFactory(await openWorkspace({ fs, profile: 'mcp-filesystem' })), '2025')
  const result = await client.callTool({ name: 'read_text_file', arguments: { path: 'large.txt' } })
  expect(result.content).toEqual([{ type: 'text', text: 'x'.repeat(1024 * 1024) }])
  expect(JSON.stringify(result).length).toBeLessThan(1024 * 1024 + 200)
  await client.close()
})

test.each([
  ['pic.png', { type: 'image', mimeType: 'image/png', data: 'AQID' }],
  ['a.txt', { type: 'file', mimeType: 'text/plain', path: '/a.txt', data: 'b25lCnR3bwo=' }],
])('read_media_file attaches %s, and says nothing beside it', async (path, attachment) => {
  const { workspace } = await profileWith('mcp-filesystem', FILES)
  expect(await workspace.call('read_media_file', { path })).toMatchObject({ text: '', attachments: [attachment], error: null })
})

const REFUSED: readonly (readonly [tool: string, args: object, code: ErrorCode, text: string | RegExp, settings?: OperatorSettings])[] = [
  ['read_text_file', { path: 'none' }, 'not_found', /^ENOENT: no such file or directory, open '\/none'\n/],
  ['read_text_file', { path: '/sub/none' }, 'not_found', /^ENOENT: no such file or directory, open '\/sub\/none'\n/],
  ['read_text_file', { path: './sub//../none' }, 'not_found', /^ENOENT: no such file or directory, open '\/sub\/\.\.\/none'\n/],
  ['read_text_file', { path: 'sub' }, 'is_directory', /^EISDIR: illegal operation on a directory, read\n/],
  ['write_file', { path: 'sub', content: '' }, 'is_directory', /^EISDIR: illegal operation on a directory, write '\/sub'\n/],
  ['read_text_file', { path: 'a.txt/x' }, 'not_directory', /^ENOTDIR: not a directory, realpath '\/a.txt\/x'\n/],
  ['directory_tree', { path: 'a.txt' }, 'not_directory', /^ENOTDIR: not a directory, scandir '\/a.txt'\n/],
  ['get_file_info', { path: 'none' }, 'not_found', /^ENOENT: no such file or directory, stat '\/none'\n/],
  ['move_file', { source: 'none', destination: 'x' }, 'not_found', /^ENOENT: no such file or directory, rename '\/none' -> '\/x'\n/],
  ['move_file', { source: 'a.txt', destination: 'sub/b.txt' }, 'already_exists', /^Destination already exists: \/sub\/b\.txt\n/],
  [
    'move_file',
    { source: 'a.txt', destination: '../x' },
    'outside_root',
    /^Access denied - path outside allowed directories: \.\.\/x not in \/\n/,
  ],
  [
    'move_file',
    { source: 'out', destination: 'x' },
    'outside_root',
    /^Access denied - symlink target outside allowed directories: out not in \/\n/,
  ],
  ['read_text_file', { path: 'a\0' }, 'invalid_argument', /^Access denied - path outside allowed directories: \/a\0 not in \/\n/],
  ['read_text_file', { path: '~' }, 'outside_root', /^Access denied - path outside allowed directories: ~ not in \/\n/],
  ['write_file', { path: 'C:/x', content: '' }, 'outside_root', /^Access denied - Windows-style path received on a POSIX host: C:\/x\n/],
  [
    'write_file',
    { path: 'x' },
    'missing_argument',
    /^Input validation error: Invalid arguments for tool write_file: content is required\./,
  ],
  ['write_file', { path: 'x', content: '\ud800' }, 'invalid_argument', /^Input validation error: .* lone surrogate/],
  [
    'edit_file',
    { path: 'a.txt', edits: [{ oldText: 'x' }] },
    'missing_argument',
    /^Input validation error: .*: edits\[0\]\.newText is required\./,
  ],
  ['write_file', { path: '.git/config', content: '' }, 'protected_path', /protected/],
  ['write_file', { path: 'x', content: '' }, 'read_only', /^The workspace is read-only/, { readOnly: true }],
  ['write_file', { path: 'x', content: '' }, 'unsupported', /disabled write_file/, { disabled: ['write_file'] }],
]

const ROWS = REFUSED.map(([tool, args, code, text, settings = {}]) => [tool, args, code, text, settings] as const)

test.each(ROWS)('%s %j is refused as %s', async (tool, args, code, text, settings) => {
  const { call, workspace } = await profileWith('mcp-filesystem', FILES, settings)
  const outcome = await call(tool, args)
  expect(outcome).toMatchObject({ code, text: expect.stringMatching(text), result: { content: outcome.text } })
  expect(await workspace.log()).toHaveLength(1)
})

test('every refusal says what to do next', async () => {
  const { call } = await profileWith('mcp-filesystem', FILES)
  for (const [tool, args, , , settings] of REFUSED) if (!settings) expect((await call(tool, args)).text).toMatch(/[.!]$/)
})

test('a link that would lead outside where it is moved to is refused for that place', async () => {
  const { call } = await profileWith('mcp-filesystem', { a: '', 'sub/up': { link: '../a' } })
  expect(await call('move_file', { source: 'sub/up', destination: 'up' })).toMatchObject({
    code: 'outside_root',
    text: expect.stringMatching(/^Access denied - symlink target outside allowed directories: up not in \/\n/),
  })
})

test('roots of the client are the allowed directories', async () => {
  const { workspace } = await profileWith('mcp-filesystem', FILES)
  const call = (tool: string, args: object) => workspace.call(tool, args, { within: async () => ['sub' as Path] })
  expect(await call('list_allowed_directories', {})).toMatchObject({ text: 'Allowed directories:\n/sub' })
  expect(await call('read_text_file', { path: 'sub/b.txt' })).toMatchObject({ text: 'b' })
  expect(await call('read_text_file', { path: 'a.txt' })).toMatchObject({
    error: { code: 'outside_root' },
    text: expect.stringMatching(/^Access denied - path outside allowed directories: a\.txt\na\.txt is outside the roots of the client/),
  })
})

test('twenty edits at once are all made', async () => {
  const { workspace, read } = await profileWith('mcp-filesystem', { f: Array.from({ length: 20 }, (_, i) => `<${i}>\n`).join('') })
  const edits = Array.from({ length: 20 }, (_, i) => [{ oldText: `<${i}>`, newText: `[${i}]` }])
  const answers = await Promise.all(edits.map((one) => workspace.call('edit_file', { path: 'f', edits: one })))
  expect(answers.filter(({ error }) => error)).toEqual([])
  expect(await read('f')).toBe(Array.from({ length: 20 }, (_, i) => `[${i}]\n`).join(''))
})

test('an edit is one change that can be taken back; a dry run and one that changes nothing are none', async () => {
  const { workspace, read } = await profileWith('mcp-filesystem', FILES)
  const edit = (newText: string, more: object = {}) =>
    workspace.call('edit_file', { path: 'a.txt', edits: [{ oldText: 'one', newText }], ...more })
  expect(await edit('1', { dryRun: true })).toMatchObject({ changeId: null, text: expect.stringContaining('-one\n+1\n') })
  expect(await edit('one')).toMatchObject({ changeId: null, text: expect.stringContaining('Nothing changed') })
  const { changeId } = await edit('1')
  expect(await read('a.txt')).toBe('1\ntwo\n')
  await workspace.undo(changeId as string)
  expect(await read('a.txt')).toBe('one\ntwo\n')
})
