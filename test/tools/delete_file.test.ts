/** `delete_file`: P-90, T-P-DL-01 to 09. */
import { describe, expect, test } from 'vitest'
import { ID } from '../../src/core/id.ts'
import type { Path } from '../../src/core/path.ts'
import { readAll } from '../../src/core/read.ts'
import { sha, workspaceWith } from './setup.ts'

const FILES = {
  'a.txt': 'hello\n',
  'd/k': 'k',
  'empty/': { directory: true },
  link: { link: 'a.txt' },
  'dir-link': { link: 'd' },
  dangling: { link: 'gone' },
  circle: { link: 'circle' },
  outside: { link: '../away' },
  '.env': 'K=1',
  '.gitignore': 'out/\n',
  'out/a': 'A',
  '.git/index': 'i',
} as const

const { 'empty/': _, ...rest } = FILES
const files = { ...rest, empty: { directory: true } as const }

describe('deletes', () => {
  test.each<[string, object, string, object]>([
    ['DL-01 a file', { file_path: 'a.txt' }, 'a.txt', { file_path: '/a.txt', deleted: true, file_size_bytes: 6, dry_run: false }],
    ['an absolute path', { file_path: '/d/k' }, 'd/k', { file_path: '/d/k', file_size_bytes: 1 }],
    ['DL-07 a link, not its target', { file_path: 'link' }, 'link', { file_path: '/link', file_size_bytes: 5 }],
    ['a link to a directory', { file_path: 'dir-link' }, 'dir-link', { deleted: true }],
    ['a link to nothing', { file_path: 'dangling' }, 'dangling', { deleted: true }],
    ['a link to itself', { file_path: 'circle' }, 'circle', { deleted: true }],
    ['DL-05 sensitive, when allowed', { file_path: '.env', allow_sensitive: true }, '.env', { deleted: true }],
    ['DL-05 ignored, when allowed', { file_path: 'out/a', allow_ignored: true }, 'out/a', { deleted: true }],
  ])('%s', async (_, args, path, expected) => {
    const fixture = await workspaceWith(files)
    const before = await fixture.paths()
    const { result, code, text } = await fixture.call('delete_file', args)
    expect(code).toBeNull()
    expect(result).toMatchObject({ ...expected, backup_id: expect.stringMatching(ID) })
    expect(result).not.toHaveProperty('error')
    expect(await fixture.paths()).toEqual(before.filter((one) => one !== path))
    expect(text).toMatch(/^Deleted \/.* \(\d+ bytes?\)\.$/)
  })

  test('DL-01 undo brings back the same bytes and mode', async () => {
    const fixture = await workspaceWith({ run: { text: '#!\n', mode: 0o750 } })
    await fixture.call('delete_file', { file_path: 'run' })
    await fixture.workspace.undo('last')
    expect(await fixture.read('run')).toBe('#!\n')
    expect((await fixture.stat('run'))?.mode).toBe(0o750)
  })

  test('DL-04 without a backup there is no id, and no undo', async () => {
    const fixture = await workspaceWith(files)
    const { result } = await fixture.call('delete_file', { file_path: 'a.txt', create_backup: false })
    expect(result).not.toHaveProperty('backup_id')
    await expect(fixture.workspace.undo('last')).rejects.toMatchObject({ code: 'unsupported' })
  })
})

describe('refuses, and changes nothing', () => {
  test.each<[string, object, string]>([
    ['DL-02 a directory', { file_path: 'd' }, 'is_directory'],
    ['DL-02 an empty directory', { file_path: 'empty' }, 'is_directory'],
    ['DL-02 with a final slash', { file_path: 'empty/' }, 'is_directory'],
    ['a link to a directory with a final slash', { file_path: 'dir-link/' }, 'is_directory'],
    ['the root', { file_path: '.' }, 'is_directory'],
    ['DL-05 sensitive', { file_path: '.env' }, 'sensitive_path'],
    ['DL-05 sensitive in a dry run', { file_path: '.env', dry_run: true }, 'sensitive_path'],
    ['DL-05 ignored', { file_path: 'out/a' }, 'ignored_path'],
    ['DL-06 nothing there', { file_path: 'gone' }, 'not_found'],
    ['DL-06 nothing there in a dry run', { file_path: 'gone', dry_run: true }, 'not_found'],
    ['C-6 a link that leads outside', { file_path: 'outside' }, 'outside_root'],
    ['C-39b git', { file_path: '.git/index', allow_ignored: true, allow_sensitive: true }, 'protected_path'],
    ['DL-08 a backup that cannot be made', { file_path: 'a.txt', backup_root: 'd/k' }, 'not_directory'],
    ['31 a backup outside', { file_path: 'a.txt', backup_root: '../bk' }, 'outside_root'],
    ['31 a label that is too long', { file_path: 'a.txt', backup_label: 'é'.repeat(201) }, 'invalid_argument'],
    ['a misspelt dry run', { file_path: 'a.txt', dryrun: true }, 'invalid_argument'],
    ['a final slash on a file', { file_path: 'a.txt/' }, 'not_directory'],
  ])('%s', async (_, args, code) => {
    const fixture = await workspaceWith(files)
    const before = await fixture.paths()
    const outcome = await fixture.call('delete_file', args)
    expect(outcome.code).toBe(code)
    expect(outcome.result).toMatchObject({ file_path: '', deleted: false, dry_run: false })
    expect(await fixture.paths()).toEqual(before)
  })
})

test('DL-03 a dry run tells that it could be deleted, and keeps everything', async () => {
  const fixture = await workspaceWith(files)
  const before = await fixture.paths()
  const { result, text } = await fixture.call('delete_file', { file_path: 'a.txt', dry_run: true, backup_root: 'bk' })
  expect(result).toEqual({ file_path: '/a.txt', deleted: true, file_size_bytes: 6, dry_run: true })
  expect(text).toContain('Would delete')
  expect(await fixture.paths()).toEqual(before)
  expect(await fixture.workspace.log()).toHaveLength(1)
})

describe('P-10 a folder for the backup', () => {
  test.each<[string, string, string, object]>([
    ['of a file', 'a.txt', 'hello\n', { kind: 'file', size: 6, original_path: '/a.txt', relative_path: 'a.txt' }],
    ['of a link', 'link', 'a.txt', { kind: 'symlink', size: 5, original_path: '/link' }],
  ])('%s', async (_, path, data, description) => {
    const fixture = await workspaceWith(files)
    const { result } = await fixture.call('delete_file', { file_path: path, backup_root: 'bk/deep', backup_label: 'why' })
    const id = result.backup_id as string
    expect(id).toMatch(ID)
    expect(await fixture.read(`bk/deep/${id}.data`)).toBe(data)
    expect(JSON.parse((await fixture.read(`bk/deep/${id}.json`)) ?? '')).toMatchObject({
      ...description,
      id,
      label: 'why',
      operation: 'delete_file',
      sha256: sha(fixture.fs, data),
    })
    expect(await fixture.read(path)).toBeNull()
  })

  test('the label is free text of 200 characters, in the record', async () => {
    const fixture = await workspaceWith(files)
    const label = '😀'.repeat(200)
    const { result } = await fixture.call('delete_file', { file_path: 'a.txt', backup_label: label })
    const { changes } = await fixture.workspace.show('last')
    expect(changes[0]?.backup).toEqual({ id: result.backup_id, label })
  })
})

test('a file changed by somebody else in between is deleted as it is then, with its bytes kept', async () => {
  const fixture = await workspaceWith(files)
  await Promise.all([
    fixture.call('write_file', { file_path: 'a.txt', content: 'newer\n', force_overwrite: true }),
    fixture.call('delete_file', { file_path: 'a.txt' }),
  ])
  await fixture.workspace.undo('last')
  expect(await fixture.read('a.txt')).toBe('newer\n')
  const { changes } = await fixture.workspace.show('last')
  const after = changes[0]?.after
  if (after?.kind !== 'file') throw new Error('Nothing was put back.')
  expect(new TextDecoder().decode(await readAll(await fixture.fs.object(after.hash), 100, 'object'))).toBe('newer\n')
  expect(changes[0]?.path).toBe('a.txt' as Path)
})
