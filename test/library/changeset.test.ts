/** Registration and change capture, by contract section 4.7 (B-70 to B-73). */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { openNodeFs } from '../../src/fs/node.ts'
import * as library from '../../src/library/builtin.ts'
import { ChangeSetCapture, type FileTool, registerFileTools, registerFileToolsWithChangeset } from '../../src/library/builtin.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { OperatorSettings, Workspace } from '../../src/workspace/workspace.ts'
import { type Planted, plant } from '../tools/setup.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

interface Registered {
  readonly workspace: Workspace
  readonly tools: Map<string, FileTool>
  readonly capture: ChangeSetCapture
  /** Calls `builtin/file-…`. */
  call(tool: string, args: object): Promise<{ readonly [key: string]: unknown }>
}

async function registered(files: { readonly [path: string]: Planted } = {}, settings: OperatorSettings = {}): Promise<Registered> {
  const fs = createMemoryFs()
  await plant(fs, files)
  const workspace = await openWorkspace({ fs, profile: 'builtin', settings })
  const tools = new Map<string, FileTool>()
  const capture = ChangeSetCapture('plan')
  registerFileToolsWithChangeset(tools, capture, workspace)
  return { workspace, tools, capture, call: (tool, args) => (tools.get(`builtin/file-${tool}`) as FileTool).execute(args) }
}

describe('registration', () => {
  test('B-1, B-71: the six tools, with what they may do and their schemas', async () => {
    const { tools } = await registered()
    expect([...tools.values()].map(({ name, metadata }) => [name, metadata.effect])).toEqual([
      ['builtin/file-read', 'read_only'],
      ['builtin/file-write', 'writes'],
      ['builtin/file-edit', 'writes'],
      ['builtin/file-delete', 'writes'],
      ['builtin/file-list', 'read_only'],
      ['builtin/file-search', 'read_only'],
    ])
    for (const { inputSchema, outputSchema } of tools.values()) {
      expect(inputSchema).toMatchObject({ properties: { sandbox_root: { type: 'string' } } })
      expect(outputSchema).toMatchObject({ type: 'object', required: expect.any(Array) })
    }
  })

  test('B-71: registering twice is an error, and registers nothing', async () => {
    const { workspace, tools } = await registered()
    expect(() => registerFileTools(tools, workspace)).toThrow(library.ValueError)
    const other = new Map([['builtin/file-search', tools.get('builtin/file-search') as FileTool]])
    expect(() => registerFileTools(other, workspace)).toThrow(/builtin\/file-search/)
    expect(other.size).toBe(1)
  })

  test('B-71: the names of the contract are the same functions', () => {
    expect(library.register_file_tools).toBe(registerFileTools)
    expect(library.register_file_tools_with_changeset).toBe(registerFileToolsWithChangeset)
  })

  test('a workspace of another profile is refused, a disabled tool is left out', async () => {
    const workspace = await openWorkspace({ fs: createMemoryFs(), profile: 'fileops' })
    expect(() => registerFileTools(new Map(), workspace)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
    const { tools } = await registered({}, { disabled: ['builtin/file-delete'] })
    expect([...tools.keys()]).not.toContain('builtin/file-delete')
  })
})

describe('failures are thrown (B-3, C-47)', () => {
  const files = { f: 'x', 'd/x': '', bad: new Uint8Array([0xe9]) }
  test.each([
    ['read', { path: '../x' }, library.ValueError, 'outside_root'],
    ['read', {}, library.ValueError, 'missing_argument'],
    ['read', { path: 'none' }, library.FileNotFoundError, 'not_found'],
    ['read', { path: 'd' }, library.IsADirectoryError, 'is_directory'],
    ['list', { path: 'f' }, library.NotADirectoryError, 'not_directory'],
    ['write', { path: '.git/x', content: '' }, library.PermissionError, 'protected_path'],
    ['read', { path: 'bad' }, library.UnicodeDecodeError, 'invalid_utf8'],
    ['write', { path: 'f', content: 'é', encoding: 'ascii' }, library.UnicodeEncodeError, 'invalid_argument'],
    ['read', { path: 'f', encoding: 'nope' }, library.LookupError, 'unsupported'],
  ] as const)('%s %j throws %o', async (tool, args, expected, code) => {
    const { call, capture } = await registered(files)
    const thrown = await call(tool, args).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(expected)
    expect(thrown).toBeInstanceOf(Error)
    expect(thrown).toMatchObject({ name: expected.name, code, message: expect.any(String) })
    expect(capture.entries).toEqual([])
  })

  test('a call that waits for a person says which request that is', async () => {
    const { call, workspace } = await registered({ f: 'x' }, { approval: 'risky' })
    const thrown = await call('delete', { path: 'f' }).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ name: 'PermissionError', code: 'approval_required', approvalId: expect.any(String) })
    expect(await workspace.approvals.get((thrown as library.PermissionError).approvalId as string)).toMatchObject({ status: 'pending' })
  })
})

describe('capture', () => {
  test('T-B-CS-01 to T-B-CS-06', async () => {
    const { call, capture, workspace } = await registered()
    const now = (): string => capture.entries.at(-1)?.metadata.timestamp as string
    await call('write', { path: 'a/f', content: 'one' })
    expect(capture.entries).toEqual([
      {
        operation: 'create',
        path: '/a/f',
        before_hash: null,
        after_hash: sha256('one'),
        metadata: { tool: 'builtin/file-write', size_before: null, size_after: 3, timestamp: now(), change_id: expect.any(String) },
      },
    ])
    expect(new Date(now()).toISOString()).toBe(now())
    await call('write', { path: 'a/f', content: 'second' })
    expect(capture.entries.at(-1)).toMatchObject({ operation: 'modify', before_hash: sha256('one'), after_hash: sha256('second') })
    await call('edit', { path: 'a/f', old_text: 'second', new_text: '2nd' })
    expect(capture.entries.at(-1)).toMatchObject({
      operation: 'modify',
      before_hash: sha256('second'),
      after_hash: sha256('2nd'),
      metadata: { tool: 'builtin/file-edit', size_before: 6, size_after: 3 },
    })
    await call('delete', { path: 'a/f' })
    expect(capture.entries.at(-1)).toMatchObject({ operation: 'delete', path: '/a/f', before_hash: sha256('2nd'), after_hash: null })
    const ids = capture.entries.map(({ metadata }) => metadata.change_id)
    expect(ids).toEqual((await workspace.log()).map(({ record }) => record.id).reverse())

    await expect(call('edit', { path: 'a/f', old_text: 'x', new_text: 'y' })).rejects.toThrow()
    expect(await call('delete', { path: 'a/f' })).toMatchObject({ existed: false })
    await call('list', { path: '.' })
    await call('search', { path: '.', pattern: 'x' })
    expect(capture.summary()).toEqual({ plan_id: 'plan', total: 4, create: 1, modify: 2, delete: 1, move: 0, paths: ['/a/f'] })
  })

  test('B-72: the same bytes again are a modify with equal hashes, although nothing is committed', async () => {
    const { call, capture, workspace } = await registered({ f: 'same' })
    await call('write', { path: 'f', content: 'same' })
    await call('edit', { path: 'f', old_text: 'same', new_text: 'same' })
    const metadata = { size_before: 4, size_after: 4, change_id: null }
    const entry = { operation: 'modify', path: '/f', before_hash: sha256('same'), after_hash: sha256('same'), metadata }
    expect(capture.entries).toMatchObject([entry, entry])
    expect(await workspace.log()).toHaveLength(1)
  })

  test('T-B-CS-07: captures do not mix, and each call has its own sandbox', async () => {
    const { workspace, capture, call } = await registered({ 'd/f': 'inner', f: 'outer' })
    const others = new Map<string, FileTool>()
    const other = ChangeSetCapture('other')
    registerFileToolsWithChangeset(others, other, workspace)
    await call('write', { path: 'f', content: 'x', sandbox_root: 'd' })
    await others.get('builtin/file-delete')?.execute({ path: '/f', sandbox_root: '/' })
    expect(capture.entries).toMatchObject([{ operation: 'modify', path: '/d/f', before_hash: sha256('inner') }])
    expect(other.entries).toMatchObject([{ operation: 'delete', path: '/f', before_hash: sha256('outer') }])
    expect([capture.plan_id, other.plan_id]).toEqual(['plan', 'other'])
  })

  test('T-B-CS-08: plain registration records nothing', async () => {
    const { workspace, capture } = await registered()
    const plain = new Map<string, FileTool>()
    registerFileTools(plain, workspace)
    await plain.get('builtin/file-write')?.execute({ path: 'f', content: 'x' })
    expect(capture.entries).toEqual([])
  })

  test('parallel writes: each replaced what the one before it left', async () => {
    const { call, capture } = await registered({ f: 'start' })
    await Promise.all(Array.from({ length: 20 }, (_, index) => call('write', { path: 'f', content: `${index}` })))
    const { entries } = capture
    expect(entries.map(({ before_hash }) => before_hash)).toEqual([
      sha256('start'),
      ...entries.slice(0, -1).map(({ after_hash }) => after_hash),
    ])
  })

  test('on disk: what another program left is what was replaced; through a link, the file behind it; a link itself has no bytes', async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'filewright-changeset-')))
    const fs = await openNodeFs({ root })
    try {
      const workspace = await openWorkspace({ fs, profile: 'builtin' })
      await workspace.importFiles([{ path: 'link', link: 'f' }], { operator: true })
      const capture = ChangeSetCapture('disk', { now: () => 0 })
      const tools = new Map<string, FileTool>()
      registerFileToolsWithChangeset(tools, capture, workspace)
      const write = tools.get('builtin/file-write') as FileTool
      await write.execute({ path: 'f', content: 'ours' })
      writeFileSync(join(root, 'f'), 'theirs')
      await write.execute({ path: 'link', content: 'ours again' })
      await tools.get('builtin/file-delete')?.execute({ path: 'link' })
      expect(readFileSync(join(root, 'f'), 'utf8')).toBe('ours again')
      expect(capture.entries).toMatchObject([
        { operation: 'create', path: join(root, 'f'), metadata: { timestamp: '1970-01-01T00:00:00.000Z' } },
        { operation: 'modify', path: join(root, 'f'), before_hash: sha256('theirs'), after_hash: sha256('ours again') },
        { operation: 'delete', path: join(root, 'link'), before_hash: null, after_hash: null, metadata: { size_before: null } },
      ])
      await workspace.close()
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })

  test('B-73: a host notes what the tools of other profiles did, moves too', async () => {
    const fs = createMemoryFs()
    await plant(fs, { 'd/a': 'x', b: 'y' })
    const workspace = await openWorkspace({ fs, profile: 'fileops' })
    const capture = ChangeSetCapture('host')
    const call = async (tool: string, args: object): Promise<void> => capture.record(tool, await workspace.call(tool, args))
    await call('move_file', { source_path: 'b', destination_path: 'new/c' })
    await call('move_file', { source_path: 'd', destination_path: 'e' })
    await call('copy_file', { source_path: 'new/c', destination_path: 'copy' })
    await call('backup_file', { file_path: 'copy' })
    await call('write_file', { file_path: 'copy', content: 'z', force_overwrite: true, dry_run: true })
    expect(capture.entries).toMatchObject([
      { operation: 'move', path: '/new/c', before_hash: sha256('y'), after_hash: sha256('y'), metadata: { from: '/b' } },
      { operation: 'move', path: '/e', before_hash: null, after_hash: null, metadata: { from: '/d', size_before: null } },
      { operation: 'create', path: '/copy', before_hash: null, after_hash: sha256('y') },
    ])
    expect(capture.entries[2]?.metadata).not.toHaveProperty('from')
    expect(capture.summary()).toMatchObject({ total: 3, create: 1, move: 2 })
  })
})
