/** `backup_file`, `list_backups` and `rollback_file` over the workspace store: P-10 to P-14, P-140, T-P-BK-01 to 13. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ID } from '../../src/core/id.ts'
import type { Path } from '../../src/core/path.ts'
import { openNodeFs } from '../../src/fs/node.ts'
import { type Fixture, sha, workspaceWith } from './setup.ts'
import { STORAGES, temporaryFolder } from './storages.ts'

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const FILES = {
  a: 'v1\n',
  b: 'B',
  bin: ALL_BYTES,
  empty: '',
  crlf: '\ufeffx\r\ny\r',
  run: { text: '#!\n', mode: 0o711 },
  's/t/deep': 'deep',
  l: { link: 'a' },
  away: { link: '../outside' },
  '.env': 'K=1',
  '.gitignore': 'out/\n',
} as const

interface Listed {
  readonly backup_id: string
  readonly file_path: string
}

async function backUp(fixture: Fixture, file_path: string, more: object = {}): Promise<string> {
  const { result, code } = await fixture.call('backup_file', { file_path, ...more })
  expect(code).toBeNull()
  return result.backup_id as string
}

async function rewrite(fixture: Fixture, file_path: string, content: string): Promise<void> {
  const how = { force_overwrite: true, create_backup: false, allow_sensitive: true }
  expect((await fixture.call('write_file', { file_path, content, ...how })).code).toBeNull()
}

async function listed(fixture: Fixture, args: object = {}): Promise<Listed[]> {
  return (await fixture.call('list_backups', args)).result.backups as Listed[]
}

const ids = (backups: readonly Listed[]) => backups.map(({ backup_id }) => backup_id)

describe.each(STORAGES)('on %s', (_, storage) => {
  const open = (): Promise<Fixture> => workspaceWith(FILES, { storage })

  test('BK-01 what was backed up comes back, and the diff shows what that costs', async () => {
    const fixture = await open()
    const { result, text } = await fixture.call('backup_file', { file_path: 'a' })
    const id = result.backup_id as string
    expect(result).toEqual({
      backup_id: expect.stringMatching(ID),
      backup_path: `backup:${id}`,
      bytes_copied: 3,
      file_path: fixture.at('a'),
    })
    expect(text).toContain(id)
    await rewrite(fixture, 'a', 'v2\n')
    const back = await fixture.call('rollback_file', { file_path: 'a', backup_id: id })
    const diff = '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-v2\n+v1\n'
    expect(back.result).toEqual({ file_path: fixture.at('a'), backup_id: id, diff, restored: true, dry_run: false })
    expect(sha(fixture.fs, (await fixture.read('a')) ?? '')).toBe('2d27fbdf4e8ca207afbfa388ca9172fbcc6c70e534af2476b3b704f87debadcf')
  })

  test('BK-02 last is the last of this file', async () => {
    const fixture = await open()
    await backUp(fixture, 'a')
    await rewrite(fixture, 'a', 'v2\n')
    const second = await backUp(fixture, 'a')
    await rewrite(fixture, 'a', 'v3\n')
    await backUp(fixture, 'b')
    expect((await fixture.call('rollback_file', { file_path: 'a', backup_id: 'last' })).result.backup_id).toBe(second)
    expect(await fixture.read('a')).toBe('v2\n')
  })

  test('BK-03 a backup of another file takes an override, and keeps that file as it was otherwise', async () => {
    const fixture = await open()
    const id = await backUp(fixture, 'run')
    const refused = await fixture.call('rollback_file', { file_path: 'b', backup_id: id })
    expect([refused.code, refused.result.restored]).toEqual(['invalid_argument', false])
    await fixture.call('rollback_file', { file_path: 'b', backup_id: id, allow_target_override: true })
    await fixture.call('rollback_file', { file_path: 'n/new', backup_id: id, allow_target_override: true })
    expect([await fixture.read('b'), (await fixture.stat('b'))?.mode]).toEqual(['#!\n', 0o644])
    expect([await fixture.read('n/new'), (await fixture.stat('n/new'))?.mode]).toEqual(['#!\n', 0o711])
    const last = { file_path: 's/t/deep', backup_id: 'last', allow_target_override: true }
    expect((await fixture.call('rollback_file', last)).code).toBe('not_found')
  })

  test.each<[string, object, string]>([
    ['a sensitive name', { file_path: 'x/.env' }, 'sensitive_path'],
    ['an ignored name', { file_path: 'out/x' }, 'ignored_path'],
    ['git', { file_path: '.git/hooks/x' }, 'protected_path'],
    ['the store', { file_path: '.filewright/x' }, 'protected_path'],
    ['outside', { file_path: '../x' }, 'outside_root'],
    ['a directory', { file_path: 's' }, 'is_directory'],
  ])('BK-03 an override is guarded: %s', async (_, args, code) => {
    const fixture = await open()
    const id = await backUp(fixture, 'a')
    const before = await fixture.paths()
    const how = { backup_id: id, allow_target_override: true }
    expect((await fixture.call('rollback_file', { ...args, ...how })).code).toBe(code)
    expect((await fixture.call('rollback_file', { ...args, ...how, dry_run: true })).code).toBe(code)
    expect(await fixture.paths()).toEqual(before)
  })

  test('BK-03 what stood at its own path comes back there unguarded', async () => {
    const fixture = await open()
    const { result } = await fixture.call('write_file', { file_path: '.env', content: 'K=2', force_overwrite: true, allow_sensitive: true })
    expect((await fixture.call('rollback_file', { file_path: '.env', backup_id: 'last' })).result.backup_id).toBe(result.backup_id)
    expect(await fixture.read('.env')).toBe('K=1')
  })

  test('BK-04 a dry run tells what it would do, and does nothing', async () => {
    const fixture = await open()
    const id = await backUp(fixture, 's/t/deep')
    await fixture.call('delete_file', { file_path: 's/t/deep', create_backup: false })
    const before = await fixture.paths()
    const { result, text } = await fixture.call('rollback_file', { file_path: 's/t/deep', backup_id: id, dry_run: true })
    const diff = '--- /dev/null\n+++ b/s/t/deep\n@@ -0,0 +1 @@\n+deep\n\\ No newline at end of file\n'
    expect(result).toEqual({ file_path: fixture.at('s/t/deep'), backup_id: id, diff, restored: true, dry_run: true })
    expect(text).toContain('Would restore')
    expect(await fixture.paths()).toEqual(before)
  })

  test.each<[string, string, string]>([
    ['an unknown id', '20200101T000000000Z-00000000', 'not_found'],
    ['last without any', 'last', 'not_found'],
    ['a path', '../../x', 'invalid_argument'],
    ['nothing', '', 'invalid_argument'],
    ['an id with more behind it', '20200101T000000000Z-00000000/x', 'invalid_argument'],
    ['an id with a line end', '20200101T000000000Z-00000000\n', 'invalid_argument'],
  ])('BK-05 %s is no backup', async (_, backup_id, code) => {
    const fixture = await open()
    await backUp(fixture, 'b')
    const outcome = await fixture.call('rollback_file', { file_path: 'a', backup_id })
    expect([outcome.code, outcome.field]).toEqual([code, 'backup_id'])
    expect(await fixture.read('a')).toBe('v1\n')
  })

  test('BK-06 a deleted file comes back with its directories and its mode', async () => {
    const fixture = await open()
    const id = await backUp(fixture, 'run')
    await fixture.call('move_file', { source_path: 'run', destination_path: 'elsewhere' })
    await fixture.call('rollback_file', { file_path: 'run', backup_id: id })
    expect([(await fixture.stat('run'))?.mode, await fixture.read('elsewhere')]).toEqual([0o711, '#!\n'])
    await fixture.call('delete_file', { file_path: 's/t/deep' })
    await fixture.fs.commit(
      ['s/t', 's'].map((path) => ({ kind: 'remove', path: path as Path, expect: 'directory' as const })),
      { id: 'x', time: '', kind: 'call', subject: '', tool: 'x', call: null },
    )
    await fixture.call('rollback_file', { file_path: 's/t/deep', backup_id: 'last' })
    expect(await fixture.read('s/t/deep')).toBe('deep')
  })

  test('BK-06 a deleted link comes back as the link that it was', async () => {
    const fixture = await open()
    const { result } = await fixture.call('delete_file', { file_path: 'l' })
    expect(await listed(fixture, { file_path: 'l' })).toMatchObject([{ kind: 'symlink', size_bytes: 1, sha256: sha(fixture.fs, 'a') }])
    const back = await fixture.call('rollback_file', { file_path: 'l', backup_id: result.backup_id })
    expect(back.result).toMatchObject({ file_path: fixture.at('l'), diff: null, restored: true })
    expect(await fixture.fs.readLink('l' as Path)).toBe('a')
  })

  test('BK-06 a file that a link took the place of comes back in the place of the link', async () => {
    const fixture = await open()
    const { result } = await fixture.call('move_file', { source_path: 'l', destination_path: 'b', overwrite: true })
    const back = await fixture.call('rollback_file', { file_path: 'b', backup_id: result.backup_id })
    expect(back.code).toBeNull()
    expect([await fixture.read('b'), await fixture.read('a')]).toEqual(['B', 'v1\n'])
    await fixture.workspace.undo('last')
    expect((await fixture.stat('b'))?.kind).toBe('link')
  })

  test('through a link, its target is backed up, listed and restored', async () => {
    const fixture = await open()
    const { result } = await fixture.call('backup_file', { file_path: 'l' })
    expect(result.file_path).toBe(fixture.at('a'))
    await rewrite(fixture, 'a', 'v2\n')
    expect(ids(await listed(fixture, { file_path: 'l' }))).toEqual([result.backup_id])
    await fixture.call('rollback_file', { file_path: 'l', backup_id: 'last' })
    expect([await fixture.read('a'), (await fixture.stat('l'))?.kind]).toEqual(['v1\n', 'link'])
  })

  test.each<[string, string, string]>([
    ['a directory', 's', 'is_directory'],
    ['nothing', 'no', 'not_found'],
    ['a link that leads outside', 'away', 'outside_root'],
    ['outside', '../x', 'outside_root'],
    ['a file with a final slash', 'a/', 'not_directory'],
  ])('BK-09 %s is not backed up', async (_, file_path, code) => {
    const fixture = await open()
    const outcome = await fixture.call('backup_file', { file_path })
    expect([outcome.code, outcome.result]).toMatchObject([code, { backup_id: '', backup_path: '', bytes_copied: 0, file_path: '' }])
    expect(await listed(fixture)).toEqual([])
  })

  test.each<[string, Uint8Array, string | null]>([
    ['bin', ALL_BYTES, null],
    ['empty', new Uint8Array(), '--- a/empty\n+++ b/empty\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n'],
    ['crlf', new TextEncoder().encode('\ufeffx\r\ny\r'), expect.stringContaining('+y\r')],
  ])('BK-10 %s comes back byte for byte', async (path, bytes, diff) => {
    const fixture = await open()
    await backUp(fixture, path)
    await rewrite(fixture, path, 'x')
    expect((await fixture.call('rollback_file', { file_path: path, backup_id: 'last' })).result.diff).toEqual(diff)
    expect(await fixture.bytes(path)).toEqual(bytes)
  })

  test('BK-11 fifty backups in a loop have fifty ids, in the order in which they were made', async () => {
    const fixture = await open()
    const made: string[] = []
    for (let index = 0; index < 50; index++) made.push(await backUp(fixture, 'a'))
    expect(new Set(made).size).toBe(50)
    expect([...made].sort()).toEqual(made)
    expect(ids(await listed(fixture, { file_path: 'a' }))).toEqual(made.reverse())
  })

  test('BK-12 after two edits, last is the state before the second', async () => {
    const fixture = await open()
    const edit = (old_content: string, new_content: string) =>
      fixture.call('edit_file', { file_path: 'a', replacements: [{ old_content, new_content }] })
    await edit('v1', 'v2')
    const { result } = await edit('v2', 'v3')
    expect((await fixture.call('rollback_file', { file_path: 'a', backup_id: 'last' })).result.backup_id).toBe(result.backup_id)
    expect(await fixture.read('a')).toBe('v2\n')
  })

  test('P-140 a rollback makes no backup, so last stays what it was; undo takes it back, and that makes none either', async () => {
    const fixture = await open()
    const id = await backUp(fixture, 'a')
    await rewrite(fixture, 'a', 'v2\n')
    for (let round = 0; round < 2; round++) {
      expect((await fixture.call('rollback_file', { file_path: 'a', backup_id: 'last' })).result.backup_id).toBe(id)
      expect(await fixture.read('a')).toBe('v1\n')
      await fixture.workspace.undo('last')
      expect(await fixture.read('a')).toBe('v2\n')
    }
    expect(ids(await listed(fixture))).toEqual([id])
  })

  test('P-140 what is there already is restored by doing nothing', async () => {
    const fixture = await open()
    const id = await backUp(fixture, 'a')
    const before = await fixture.stat('a')
    expect((await fixture.call('rollback_file', { file_path: 'a', backup_id: id })).result).toMatchObject({ diff: '', restored: true })
    expect(await fixture.stat('a')).toEqual(before)
    expect(await fixture.workspace.log()).toHaveLength(2)
  })

  test('a backup changes nothing, so there is nothing to undo in it', async () => {
    const fixture = await open()
    await fixture.call('write_file', { file_path: 'n', content: 'new' })
    await backUp(fixture, 'a')
    await expect(fixture.workspace.undo('3')).rejects.toMatchObject({ code: 'unsupported' })
    await fixture.workspace.undo('last')
    expect(await fixture.stat('n')).toBeNull()
  })

  test('a content that history gave up cannot be restored', async () => {
    const fixture = await open()
    const id = await backUp(fixture, 'a')
    await rewrite(fixture, 'a', 'v2\n')
    await fixture.fs.forget([fixture.fs.hasher.hash(new TextEncoder().encode('v1\n'))])
    expect((await fixture.call('rollback_file', { file_path: 'a', backup_id: id })).code).toBe('not_found')
    expect(await fixture.read('a')).toBe('v2\n')
  })
})

describe('the list', () => {
  test('tells what each backup is, the newest first', async () => {
    const fixture = await workspaceWith(FILES)
    const edited = await fixture.call('edit_file', { file_path: 'a', replacements: [{ old_content: 'v1', new_content: 'v2' }] })
    const labelled = await backUp(fixture, 'a', { label: 'by hand' })
    const other = await backUp(fixture, 'b')
    const { result, text } = await fixture.call('list_backups', {})
    const facts = { file_path: '/a', kind: 'file', size_bytes: 3, created_at: expect.stringMatching(/^\d{4}-.*Z$/) }
    expect(result).toEqual({
      truncated: false,
      backups: [
        expect.objectContaining({ backup_id: other, file_path: '/b', label: null, operation: 'backup_file' }),
        { backup_id: labelled, ...facts, sha256: sha(fixture.fs, 'v2\n'), label: 'by hand', operation: 'backup_file' },
        { backup_id: edited.result.backup_id, ...facts, sha256: sha(fixture.fs, 'v1\n'), label: null, operation: 'edit_file' },
      ],
    })
    expect(text).toContain('3 backups.')
    expect(ids(await listed(fixture, { path: 'b' }))).toEqual([other])
    expect((await fixture.call('list_backups', { path: 'a', file_path: 'b' })).code).toBe('invalid_argument')
    expect((await fixture.call('list_backups', { file_path: '../x' })).code).toBe('outside_root')
  })

  test('P-3 holds nothing of a change that made no backup', async () => {
    const fixture = await workspaceWith(FILES)
    await rewrite(fixture, 'a', 'v2\n')
    await fixture.call('delete_file', { file_path: 'b', create_backup: false })
    await fixture.call('write_file', { file_path: 'n', content: 'new' })
    expect(await listed(fixture)).toEqual([])
  })

  test('goes by the path that a file had then', async () => {
    const fixture = await workspaceWith(FILES)
    const id = await backUp(fixture, 'a')
    await fixture.call('move_file', { source_path: 'a', destination_path: 'moved' })
    expect([ids(await listed(fixture, { file_path: 'a' })), await listed(fixture, { file_path: 'moved' })]).toEqual([[id], []])
  })
})

test('P-14 a label is free text of 200 characters', async () => {
  const fixture = await workspaceWith(FILES)
  expect((await fixture.call('backup_file', { file_path: 'a', label: '😀'.repeat(200) })).code).toBeNull()
  expect((await fixture.call('backup_file', { file_path: 'a', label: '😀'.repeat(201) })).code).toBe('invalid_argument')
})

test('BK-07 a kept content that was tampered with is not restored', async () => {
  const root = temporaryFolder()
  writeFileSync(join(root, 'a'), 'v1\n')
  const fixture = await workspaceWith({}, { storage: () => openNodeFs({ root, durability: 'process' }) })
  const id = await backUp(fixture, 'a')
  await rewrite(fixture, 'a', 'v2\n')
  writeFileSync(join(root, '.filewright/objects', sha(fixture.fs, 'v1\n')), 'x1\n')
  expect((await fixture.call('rollback_file', { file_path: 'a', backup_id: id })).code).toBe('corrupt')
  expect(await fixture.read('a')).toBe('v2\n')
})

test('P-159 a rollback asks when what is risky does, a backup and a dry run do not', async () => {
  const fixture = await workspaceWith(FILES, { settings: { approval: 'risky' } })
  await backUp(fixture, 'a')
  expect((await fixture.call('rollback_file', { file_path: 'a', backup_id: 'last' })).code).toBe('approval_required')
  await fixture.call('edit_file', { file_path: 'a', replacements: [{ old_content: 'v1', new_content: 'v2' }] })
  expect((await fixture.call('rollback_file', { file_path: 'a', backup_id: 'last' })).code).toBe('approval_required')
  expect((await fixture.call('rollback_file', { file_path: 'a', backup_id: 'last', dry_run: true })).code).toBeNull()
})

test('a rollback that a person allowed is made, also where there is nothing to change', async () => {
  const fixture = await workspaceWith(FILES, { settings: { approval: 'risky' } })
  const id = await backUp(fixture, 'a')
  const call = { file_path: 'a', backup_id: id }
  for (const records of [2, 4]) {
    const waiting = await fixture.workspace.call('rollback_file', call)
    await fixture.workspace.approvals.grant(waiting.approvalId as string, { by: 'person' })
    expect((await fixture.call('rollback_file', call)).result).toMatchObject({ restored: true })
    expect(await fixture.workspace.log()).toHaveLength(records)
    if (records === 2) await fixture.call('edit_file', { file_path: 'a', replacements: [{ old_content: 'v1', new_content: 'v2' }] })
  }
  expect(await fixture.read('a')).toBe('v1\n')
})
