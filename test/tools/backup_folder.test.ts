/** Backups in a folder of the workspace: P-10, P-12, settled detail 31, T-P-BK-07 and 08. */
import { describe, expect, test } from 'vitest'
import type { Change } from '../../src/core/change.ts'
import type { FileSystem } from '../../src/core/file_system.ts'
import type { Path } from '../../src/core/path.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { type Fixture, type Planted, plant, sha, workspaceWith } from './setup.ts'
import { STORAGES } from './storages.ts'

const FILES = { a: 'v1\n', b: 'B', run: { text: '#!\n', mode: 0o711 }, l: { link: 'a' }, '.env': 'K=1', 'src/x': 'x' } as const

const ID = '20250101T000000000Z-00000001'

/** What a description tells of a file. */
function describing(fs: FileSystem, path: string, text: string, more: object = {}): string {
  const facts = { kind: 'file', size: text.length, sha256: sha(fs, text), mode: 0o644, created_at: '2025-01-01T00:00:00.000Z' }
  return JSON.stringify({ id: ID, original_path: `/${path}`, relative_path: path, ...facts, label: null, operation: 'x', ...more })
}

async function backUp(fixture: Fixture, file_path: string, more: object = {}): Promise<string> {
  const { result, code } = await fixture.call('backup_file', { file_path, backup_root: 'bk', ...more })
  expect(code).toBeNull()
  return result.backup_id as string
}

const rollBack = (fixture: Fixture, file_path: string, backup_id: string, more: object = {}) =>
  fixture.call('rollback_file', { file_path, backup_id, backup_root: 'bk', ...more })

const rewrite = (fixture: Fixture, file_path: string) =>
  fixture.call('write_file', { file_path, content: 'v2\n', force_overwrite: true, create_backup: false, allow_sensitive: true })

describe.each(STORAGES)('on %s', (_, storage) => {
  const open = (): Promise<Fixture> => workspaceWith(FILES, { storage })

  test('BK-08 what was put there is fetched from there, and the store does not know it', async () => {
    const fixture = await open()
    const { result } = await fixture.call('backup_file', { file_path: 'a', backup_root: 'n/bk', label: 'why' })
    const id = result.backup_id as string
    expect(result).toMatchObject({ backup_path: fixture.at(`n/bk/${id}.data`), bytes_copied: 3 })
    await rewrite(fixture, 'a')
    expect((await fixture.call('list_backups', {})).result.backups).toEqual([])
    expect((await fixture.call('rollback_file', { file_path: 'a', backup_id: id })).code).toBe('not_found')
    const there = { backup_root: 'n/bk' }
    expect((await fixture.call('list_backups', { file_path: 'a', ...there })).result.backups).toEqual([
      {
        backup_id: id,
        file_path: fixture.at('a'),
        kind: 'file',
        size_bytes: 3,
        sha256: sha(fixture.fs, 'v1\n'),
        created_at: expect.any(String),
        label: 'why',
        operation: 'backup_file',
      },
    ])
    const back = await fixture.call('rollback_file', { file_path: 'a', backup_id: 'last', ...there })
    expect(back.result).toMatchObject({ backup_id: id, restored: true, diff: expect.stringContaining('-v2\n+v1\n') })
    expect(await fixture.read('a')).toBe('v1\n')
  })

  test.each<[string, string, object]>([
    ['an edit', 'edit_file', { file_path: 'a', replacements: [{ old_content: 'v1', new_content: 'v2' }] }],
    ['a write', 'write_file', { file_path: 'a', content: 'v2\n', force_overwrite: true }],
    ['a deletion', 'delete_file', { file_path: 'a' }],
    ['a copy', 'copy_file', { source_path: 'b', destination_path: 'a', overwrite: true }],
    ['a move', 'move_file', { source_path: 'b', destination_path: 'a', overwrite: true }],
  ])('P-3 %s keeps its backup there and nothing in the store, and undo works', async (_, tool, args) => {
    const fixture = await open()
    const { result } = await fixture.call(tool, { ...args, backup_root: 'bk' })
    expect((await fixture.call('list_backups', {})).result.backups).toEqual([])
    const { backups } = (await fixture.call('list_backups', { backup_root: 'bk' })).result
    expect(backups).toMatchObject([{ backup_id: result.backup_id, operation: tool, file_path: fixture.at('a') }])
    expect((await rollBack(fixture, 'a', 'last')).code).toBeNull()
    expect(await fixture.read('a')).toBe('v1\n')
    await fixture.workspace.undo('last')
    await fixture.workspace.undo('last')
    expect([await fixture.read('a'), await fixture.read('b')]).toEqual(['v1\n', 'B'])
  })

  test('a deleted file comes back with its mode, a deleted link as a link', async () => {
    const fixture = await open()
    for (const file_path of ['run', 'l']) await fixture.call('delete_file', { file_path, backup_root: 'bk' })
    for (const file_path of ['run', 'l']) expect((await rollBack(fixture, file_path, 'last')).code).toBeNull()
    expect((await fixture.stat('run'))?.mode).toBe(0o711)
    expect(await fixture.fs.readLink('l' as Path)).toBe('a')
  })

  test('a file larger than what is read whole goes there and back', async () => {
    const fixture = await workspaceWith(
      { big: 'x'.repeat(5000) },
      { storage, over: (fs) => ({ ...fs, traits: { ...fs.traits, limits: { ...fs.traits.limits, textBytes: 1000 } } }) },
    )
    await fixture.call('delete_file', { file_path: 'big', backup_root: 'bk' })
    expect((await rollBack(fixture, 'big', 'last')).result).toMatchObject({ restored: true, diff: null })
    expect(await fixture.read('big')).toBe('x'.repeat(5000))
  })

  test('31 the folder is there for backup tools only, also in the next session', async () => {
    const fixture = await open()
    const id = await backUp(fixture, 'a')
    const again = await openWorkspace({ profile: 'fileops', fs: fixture.fs })
    for (const workspace of [fixture.workspace, again]) {
      const result = async (tool: string, args: object) => (await workspace.call(tool, args)).result
      expect((await result('file_tree', { root_path: '.', show_hidden: true })).tree).not.toContain('bk')
      expect(await result('file_info', { path: `bk/${id}.data` })).toMatchObject({ exists: false })
      expect(await result('search_files', { search_path: '.', query: 'v1' })).toMatchObject({ matched_files: 1 })
      expect((await workspace.call('view_file', { file_path: `bk/${id}.json` })).error?.code).toBe('not_found')
      expect((await workspace.call('write_file', { file_path: 'bk/x', content: '' })).error?.code).toBe('protected_path')
      expect(
        (await workspace.call('copy_file', { source_path: 'a', destination_path: `bk/${id}.data`, overwrite: true })).error?.code,
      ).toBe('protected_path')
    }
    expect((await fixture.call('list_backups', { backup_root: 'bk' })).result.backups).toHaveLength(1)
  })

  test('31 nor do tools see it that have a root of their own', async () => {
    const fixture = await open()
    const id = await backUp(fixture, 'a', { backup_root: 'src/bk' })
    const { call } = await openWorkspace({ fs: fixture.fs, profile: 'fsproc' })
    const read = await call('read_file', { path: 'src', file: `bk/${id}.data` })
    expect(read.error?.code).toBe('not_found')
    expect((await call('read_file', { path: 'src', file: 'x' })).error).toBeNull()
  })

  test('31 it does not go elsewhere with the directory that it is in', async () => {
    const fixture = await open()
    await backUp(fixture, 'a', { backup_root: 'src/bk' })
    const moved = await fixture.call('move_file', { source_path: 'src', destination_path: 'lib' })
    expect(moved.code).toBe('protected_path')
    expect((await fixture.call('move_file', { source_path: 'src/x', destination_path: 'x' })).code).toBeNull()
  })
})

describe('a folder is not taken for backups', () => {
  test.each<[string, string, string]>([
    ['when it holds other things', 'src', 'invalid_argument'],
    ['when it is the root', '.', 'invalid_argument'],
    ['when it is a file', 'b', 'not_directory'],
    ['when it is outside', '../bk', 'outside_root'],
    ['when it is protected', '.git/bk', 'protected_path'],
    ['a place where all is sensitive', '.ssh', 'sensitive_path'],
  ])('%s', async (_, backup_root, code) => {
    const fixture = await workspaceWith(FILES)
    const before = await fixture.paths()
    for (const [tool, args] of [
      ['backup_file', { file_path: 'a' }],
      ['delete_file', { file_path: 'a' }],
      ['delete_file', { file_path: 'a', dry_run: true }],
      ['delete_file', { file_path: 'a', create_backup: false }],
    ] as const) {
      const outcome = await fixture.call(tool, { ...args, backup_root })
      expect([outcome.code, await fixture.paths()]).toEqual([code, before])
    }
  })

  test('it may be ignored, be empty, or hold backups of an earlier workspace', async () => {
    const fixture = await workspaceWith({ ...FILES, '.gitignore': 'out/\n', none: { directory: true }, [`old/${ID}.data`]: 'x' })
    for (const backup_root of ['out', 'none', 'old']) await backUp(fixture, 'a', { backup_root })
    expect((await fixture.call('list_directory', { directory_path: '.' })).result.total_entries).toBe(5)
  })
})

describe('BK-07 what a folder says of itself is not believed', () => {
  const planted = async (files: { readonly [path: string]: Planted }): Promise<Fixture> => {
    const fixture = await workspaceWith(FILES)
    await plant(fixture.fs, { bk: { directory: true }, ...files })
    return fixture
  }

  test('a content that was changed is not restored', async () => {
    const fixture = await workspaceWith(FILES)
    const id = await backUp(fixture, 'a')
    await rewrite(fixture, 'a')
    const path = `bk/${id}.data` as Path
    const bytes = new TextEncoder().encode('x1\n')
    const content = { hash: fixture.fs.hasher.hash(bytes), size: 3, bytes }
    const tamper: Change = { kind: 'write', path, content, expect: { hash: fixture.fs.hasher.hash(new TextEncoder().encode('v1\n')) } }
    await fixture.fs.commit([tamper], { id: 'x', time: '', kind: 'external', subject: '', tool: 'x', call: null })
    expect((await rollBack(fixture, 'a', id)).code).toBe('corrupt')
    expect(await fixture.read('a')).toBe('v2\n')
  })

  test('a forged backup does not get round the guards', async () => {
    const { fs } = await workspaceWith({})
    const fixture = await planted({ [`bk/${ID}.data`]: 'K=666', [`bk/${ID}.json`]: describing(fs, '.env', 'K=666') })
    expect((await rollBack(fixture, '.env', ID)).code).toBe('invalid_argument')
    expect((await rollBack(fixture, '.env', ID, { allow_target_override: true })).code).toBe('sensitive_path')
    expect(await fixture.read('.env')).toBe('K=1')
    expect((await rollBack(fixture, 'plain', ID, { allow_target_override: true })).code).toBeNull()
    expect(await fixture.read('plain')).toBe('K=666')
  })

  test('a true backup of a sensitive file comes back unguarded', async () => {
    const fixture = await workspaceWith(FILES)
    const id = await backUp(fixture, '.env')
    await rewrite(fixture, '.env')
    expect((await rollBack(fixture, '.env', id)).code).toBeNull()
    expect(await fixture.read('.env')).toBe('K=1')
  })

  test('a forged link does not lead outside', async () => {
    const { fs } = await workspaceWith({})
    const told = describing(fs, 'l', '../away', { kind: 'symlink' })
    const fixture = await planted({ [`bk/${ID}.data`]: '../away', [`bk/${ID}.json`]: told })
    expect((await rollBack(fixture, 'm', ID, { allow_target_override: true })).code).toBe('outside_root')
    expect(await fixture.stat('m')).toBeNull()
  })

  test.each<[string, (fs: FileSystem) => string]>([
    ['no JSON', () => '{'],
    ['nothing', () => '{}'],
    ['of another id', (fs) => describing(fs, 'a', 'x', { id: ID.replace(/1$/, '2') })],
    ['with a path that climbs', (fs) => describing(fs, '../a', 'x')],
    ['with no hash', (fs) => describing(fs, 'a', 'x', { sha256: 'x' })],
    ['that is too long', (fs) => describing(fs, 'a', 'x', { label: 'x'.repeat(100_000) })],
  ])('a description that is %s is left out', async (_, told) => {
    const { fs } = await workspaceWith({})
    const fixture = await planted({ [`bk/${ID}.data`]: 'x', [`bk/${ID}.json`]: told(fs) })
    expect((await fixture.call('list_backups', { backup_root: 'bk' })).result.backups).toEqual([])
    expect((await rollBack(fixture, 'a', ID)).code).toBe('not_found')
  })

  test('a description whose content is gone says so', async () => {
    const { fs } = await workspaceWith({})
    const fixture = await planted({ [`bk/${ID}.json`]: describing(fs, 'a', 'x') })
    expect((await rollBack(fixture, 'a', ID)).code).toBe('not_found')
  })
})

test('a batch that restores the backup it makes in a folder can be approved, whatever the names of its backups', async () => {
  const fixture = await workspaceWith(FILES)
  const write = { operation: 'write_file', path: 'a', config: { content: 'new', force_overwrite: true, backup_root: 'bk' } }
  const restore = { operation: 'rollback_file', path: 'a', config: { backup_id: 'last', backup_root: 'bk', allow_target_override: true } }
  const call = { operation: 'batch_file_ops', config: { operations: [write, restore] } }
  const waiting = await fixture.workspace.call('file_ops_hub', call)
  expect(waiting.error?.code).toBe('approval_required')
  await fixture.workspace.approvals.grant(waiting.approvalId as string, { by: 'somebody' })
  const before = await fixture.read('a')
  expect((await fixture.workspace.call('file_ops_hub', call)).error).toBeNull()
  expect(await fixture.read('a')).toBe(before)
})
