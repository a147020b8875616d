/** A workspace from the outside: calls, receipts, the journal, undo and redo, imports. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { FileSystem } from '../../src/core/file_system.ts'
import { ID } from '../../src/core/id.ts'
import type { Path } from '../../src/core/path.ts'
import { readAll } from '../../src/core/read.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { CallResult, Workspace, WorkspaceEvent } from '../../src/workspace/workspace.ts'

let fs: FileSystem
let workspace: Workspace

const text = async (path: string): Promise<string> => {
  const reader = await fs.open(path as Path)
  return new TextDecoder().decode(await readAll(reader, 1e9, path))
}
const paths = async (): Promise<string[]> => {
  const found: string[] = []
  for await (const page of fs.scan('' as Path)) found.push(...page.map((entry) => entry.path))
  return found
}
const write = (file_path: string, content: string, more: object = {}): Promise<CallResult> =>
  workspace.call('write_file', { file_path, content, ...more })
const edit = (file_path: string, old_content: string, new_content: string, more: object = {}): Promise<CallResult> =>
  workspace.call('edit_file', { file_path, replacements: [{ old_content, new_content }], ...more })
const stage = async (content: string) => workspace.stage(new TextEncoder().encode(content))

beforeEach(async () => {
  fs = createMemoryFs()
  workspace = await openWorkspace({ profile: 'fileops', fs, subject: 'tester' })
})

describe('call', () => {
  it('commits a plan, verifies it and names the record', async () => {
    const { result, error, changeId } = await write('src/a.txt', 'one\n')
    expect(error).toBeNull()
    expect(result).toMatchObject({ created: true, self_verified: true })
    expect(changeId).toMatch(ID)
    expect(await text('src/a.txt')).toBe('one\n')
    const { record, changes } = await workspace.show('last')
    expect(record).toMatchObject({ id: changeId, sequence: 1, kind: 'call', tool: 'write_file', subject: 'tester', previous: null })
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual(['makeDirectory src', 'write src/a.txt'])
    expect(changes[1]?.diff).toBe('--- /dev/null\n+++ b/src/a.txt\n@@ -0,0 +1 @@\n+one\n')
  })

  it('answers failures, and changes nothing by them', async () => {
    await write('a.txt', 'one\n')
    const { result, text: line, error, changeId } = await write('a.txt', 'two\n')
    expect(error?.code).toBe('already_exists')
    expect(result.error).toBe(line)
    expect(line).toMatch(/^already_exists: /)
    expect(changeId).toBeNull()
    expect(await workspace.log()).toHaveLength(1)
  })

  it('refuses unknown tools, unknown arguments and arguments that are no object', async () => {
    expect((await workspace.call('rename_universe', {})).error?.code).toBe('unsupported')
    expect((await write('a.txt', 'x', { contents: 'y' })).error).toMatchObject({ code: 'invalid_argument', field: 'contents' })
    for (const args of [7, 'text', [], true]) expect((await workspace.call('view_file', args)).error?.code).toBe('invalid_argument')
    expect((await workspace.call('view_file', {})).error).toMatchObject({ code: 'missing_argument', field: 'file_path' })
    expect(await paths()).toEqual([])
  })

  it('keeps all of many parallel edits of one file', async () => {
    const tokens = Array.from({ length: 20 }, (_, i) => `token${String(i).padStart(2, '0')}`)
    await write('a.txt', tokens.join('\n'))
    const results = await Promise.all(tokens.map((token) => edit('a.txt', token, token.toUpperCase())))
    expect(results.filter(({ error }) => error)).toEqual([])
    expect(await text('a.txt')).toBe(tokens.join('\n').toUpperCase())
    expect((await workspace.verify()).records).toBe(21)
  })

  it('keeps edits of two workspaces on one storage', async () => {
    const other = await openWorkspace({ profile: 'fileops', fs })
    await write('a.txt', Array.from({ length: 20 }, (_, i) => `[${i}]`).join('\n'))
    const calls = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? workspace : other).call('edit_file', {
        file_path: 'a.txt',
        replacements: [{ old_content: `[${i}]`, new_content: `<${i}>` }],
      }),
    )
    for (const { error } of await Promise.all(calls)) expect(error).toBeNull()
    expect(await text('a.txt')).toBe(Array.from({ length: 20 }, (_, i) => `<${i}>`).join('\n'))
  })

  it('stops before the commit when it is canceled', async () => {
    const stop = new AbortController()
    stop.abort()
    const { error } = await workspace.call('write_file', { file_path: 'a.txt', content: 'x' }, { signal: stop.signal })
    expect(error?.code).toBe('canceled')
    expect(await paths()).toEqual([])
  })

  it('tells listeners of each change until they leave', async () => {
    const events: WorkspaceEvent[] = []
    const leave = workspace.subscribe((event) => events.push(event))
    await write('a.txt', 'x')
    await write('a.txt', 'y')
    leave()
    await write('b.txt', 'x')
    expect(events.map((event) => event.type === 'change' && event.record.sequence)).toEqual([1])
  })
})

describe('operator settings', () => {
  it('read-only refuses every change and no reading', async () => {
    await write('a.txt', 'x')
    const closed = await openWorkspace({ profile: 'fileops', fs, settings: { readOnly: true } })
    expect((await closed.call('write_file', { file_path: 'b.txt', content: 'x' })).error?.code).toBe('read_only')
    await expect(closed.undo('last')).rejects.toMatchObject({ code: 'read_only' })
    await expect(closed.importFiles([])).rejects.toMatchObject({ code: 'read_only' })
    expect((await closed.call('view_file', { file_path: 'a.txt' })).error).toBeNull()
  })
  it('disabled tools are neither listed nor run', async () => {
    const narrow = await openWorkspace({ profile: 'fileops', fs, settings: { disabled: ['delete_file'] } })
    expect(narrow.tools().map(({ tool }) => tool.name)).not.toContain('delete_file')
    expect((await narrow.call('delete_file', { file_path: 'a' })).error?.code).toBe('unsupported')
  })
  it('approval asks for what is not small and reversible', async () => {
    await write('a.txt', 'alpha\n')
    const careful = await openWorkspace({ profile: 'fileops', fs, settings: { approval: 'risky' } })
    const call = async (tool: string, args: object) => (await careful.call(tool, args)).error?.code ?? 'ran'
    expect(await call('write_file', { file_path: 'new.txt', content: 'x' })).toBe('ran')
    expect(await call('edit_file', { file_path: 'a.txt', replacements: [{ old_content: 'alpha', new_content: 'beta' }] })).toBe('ran')
    expect(
      await call('edit_file', { file_path: 'a.txt', replacements: [{ old_content: 'beta', new_content: 'b' }], create_backup: false }),
    ).toBe('approval_required')
    expect(await call('write_file', { file_path: 'a.txt', content: 'x', append: true })).toBe('approval_required')
    expect(await call('write_file', { file_path: '.env', content: 'x', allow_sensitive: true })).toBe('approval_required')
    expect(await call('delete_file', { file_path: 'a.txt' })).toBe('approval_required')
    expect(await call('delete_file', { file_path: 'a.txt', dry_run: true })).toBe('ran')
    expect(await text('a.txt')).toBe('beta\n')
  })
  it('only the operator lifts the protection of git', async () => {
    expect((await write('.git/config', 'x')).error?.code).toBe('protected_path')
    expect((await write('.git/config', 'x', { allow_ignored: true, allow_sensitive: true })).error?.code).toBe('protected_path')
    const lifted = await openWorkspace({ profile: 'fileops', fs, settings: { allowGitInternals: true } })
    expect((await lifted.call('write_file', { file_path: '.git/config', content: 'x' })).error).toBeNull()
    expect((await lifted.call('write_file', { file_path: '.filewright/x', content: 'x' })).error?.code).toBe('protected_path')
  })
  it('portable names are asked for', async () => {
    const portable = await openWorkspace({ profile: 'fileops', fs, settings: { portableNames: true } })
    expect((await portable.call('write_file', { file_path: 'CON', content: 'x' })).error?.code).toBe('invalid_name')
    expect((await write('CON', 'x')).error).toBeNull()
  })
})

describe('undo and redo', () => {
  it('restore bytes, absence and directories', async () => {
    await write('x/y/a.txt', 'one\n')
    await edit('x/y/a.txt', 'one', 'two')
    await workspace.call('delete_file', { file_path: 'x/y/a.txt' })
    await workspace.undo('last')
    expect(await text('x/y/a.txt')).toBe('two\n')
    await workspace.undo('last')
    expect(await text('x/y/a.txt')).toBe('one\n')
    await workspace.undo('last')
    expect(await paths()).toEqual([])
    await expect(workspace.undo('last')).rejects.toMatchObject({ code: 'not_found' })
    await workspace.redo()
    await workspace.redo()
    expect(await text('x/y/a.txt')).toBe('two\n')
    expect((await workspace.log()).map(({ record, undone }) => `${record.sequence} ${record.kind}${undone ? ' undone' : ''}`)).toEqual([
      '8 redo',
      '7 redo',
      '6 undo',
      '5 undo',
      '4 undo',
      '3 call undone',
      '2 call',
      '1 call',
    ])
    expect((await workspace.verify()).records).toBe(8)
  })

  it('refuse when the files moved on, naming what differs, and change nothing', async () => {
    await write('a.txt', 'one\n')
    await edit('a.txt', 'one', 'two')
    await edit('a.txt', 'two', 'three')
    await expect(workspace.undo(2)).rejects.toMatchObject({ code: 'conflict', details: { differing: [{ path: 'a.txt' }] } })
    await expect(workspace.undo(1)).rejects.toMatchObject({ code: 'conflict' })
    expect(await text('a.txt')).toBe('three\n')
  })

  it('refuse to remove a directory that something else uses now', async () => {
    await write('new/a.txt', 'x')
    await write('new/b.txt', 'x')
    await expect(workspace.undo(1)).rejects.toMatchObject({ code: 'conflict' })
    expect(await paths()).toEqual(['new', 'new/a.txt', 'new/b.txt'])
  })

  it('refuse what was not kept, and what is undone already', async () => {
    await write('a.txt', 'one\n')
    await edit('a.txt', 'one', 'two', { create_backup: false })
    await expect(workspace.undo('last')).rejects.toMatchObject({ code: 'unsupported' })
    await write('b.txt', 'x')
    await workspace.undo(3)
    await expect(workspace.undo(3)).rejects.toMatchObject({ code: 'conflict' })
    await expect(workspace.undo(99)).rejects.toMatchObject({ code: 'not_found' })
    await expect(workspace.undo('nonsense')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('what a journal from elsewhere may not do', () => {
  it('an undo or redo puts nothing into git, unless the operator lifts that', async () => {
    const files = [{ path: '.git/hooks/post-checkout', content: await stage('#!/bin/sh\n'), mode: 0o755 }]
    await workspace.importFiles(files, { operator: true })
    await workspace.undo('last')
    await expect(workspace.redo()).rejects.toMatchObject({ code: 'protected_path' })
    expect(await paths()).toEqual([])
    const lifted = await openWorkspace({ profile: 'fileops', fs, settings: { allowGitInternals: true } })
    await lifted.redo()
    expect(await text('.git/hooks/post-checkout')).toBe('#!/bin/sh\n')
  })
})

describe('import', () => {
  it('brings many files in as one change, and takes them back as one', async () => {
    const files = []
    for (let i = 0; i < 3000; i++)
      files.push({ path: `pkg/dir${i % 50}/file${i}.txt`, content: await stage(`content ${i % 7}\n`), mode: 0o755, mtimeMs: 1e12 })
    const record = await workspace.importFiles([
      ...files,
      { path: 'pkg/empty', directory: true },
      { path: 'pkg/link', link: 'dir0/file0.txt' },
    ])
    expect(record).toMatchObject({ kind: 'import', count: 3000 + 50 + 1 + 1 + 1, changes: null })
    expect(await fs.stat('pkg/dir1/file1.txt' as Path)).toMatchObject({ mode: 0o755, mtimeMs: 1e12 })
    expect((await workspace.verify()).records).toBe(1)
    expect((await workspace.show('last', { offset: 10, limit: 5 })).changes).toHaveLength(5)
    await workspace.undo('last')
    expect(await paths()).toEqual([])
    await workspace.redo()
    expect(await paths()).toHaveLength(3053)
  })

  const bad: readonly (readonly [string, object, string])[] = [
    ['a path that climbs', { path: '../x' }, 'outside_root'],
    ['git internals', { path: 'sub/.git/config' }, 'protected_path'],
    ['the store', { path: '.filewright/x' }, 'protected_path'],
    ['a link that leads outside', { path: 'link', link: '../secret' }, 'outside_root'],
    ['a link that climbs and comes back', { path: 'd/link', link: '../../ws/x' }, 'outside_root'],
    ['an absolute link', { path: 'link', link: '/etc/passwd' }, 'outside_root'],
    ['a file below a file', { path: 'ok.txt/x' }, 'not_directory'],
    ['a control character', { path: 'a\nb' }, 'invalid_name'],
    ['a file twice', { path: 'ok.txt' }, 'already_exists'],
  ]
  it.each(bad)('refuses %s, and then all of it', async (_, file, code) => {
    const content = await stage('x')
    const files = [{ path: 'ok.txt', content }, { content, ...file } as never]
    await expect(workspace.importFiles(files)).rejects.toMatchObject({ code })
    expect(await paths()).toEqual([])
  })

  it('of the operator brings every name along', async () => {
    await workspace.importFiles(
      [
        { path: 'new\nline.txt', content: await stage('x') },
        { path: '.git/config', content: await stage('y') },
      ],
      { operator: true },
    )
    expect(await paths()).toEqual(['.git', '.git/config', 'new\nline.txt'])
  })

  it('keeps the modes of directories that it lists', async () => {
    await workspace.importFiles([
      { path: 'a/b', directory: true, mode: 0o750 },
      { path: 'a/b/f', content: await stage('x') },
    ])
    expect(await fs.stat('a/b' as Path)).toMatchObject({ kind: 'directory', mode: 0o750 })
    await expect(
      workspace.importFiles([
        { path: 'n', content: await stage('x') },
        { path: 'n', directory: true },
      ]),
    ).rejects.toMatchObject({ code: 'not_directory' })
  })

  it('replaces only when it may', async () => {
    await write('a.txt', 'mine\n')
    const files = [{ path: 'a.txt', content: await stage('theirs\n') }]
    await expect(workspace.importFiles(files)).rejects.toMatchObject({ code: 'already_exists' })
    await workspace.importFiles(files, { replace: true })
    expect(await text('a.txt')).toBe('theirs\n')
    await workspace.undo('last')
    expect(await text('a.txt')).toBe('mine\n')
  })
})
