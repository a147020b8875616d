/** The registry of profiles, and the shape of `fileops`. */
import { expect, test } from 'vitest'
import { FilewrightError, isFilewrightError } from '../../src/core/errors.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { allProfiles, profileNamed } from '../../src/profiles/index.ts'
import { listBytes } from '../../src/profiles/listed.ts'
import { TOOLS } from '../../src/tools/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { storageOf } from './storage_of.ts'

test('a profile is found by its name, and an unknown one is refused', async () => {
  for (const profile of await allProfiles()) expect(await profileNamed(profile.name)).toBe(profile)
  for (const name of ['', 'nope', 'constructor']) {
    await expect(profileNamed(name)).rejects.toSatisfy((error) => isFilewrightError(error, 'invalid_argument'))
  }
})

test('profiles are combined by name, in the order in which they are named', async () => {
  const [native, fsproc, git] = await Promise.all(['native', 'fsproc', 'git'].map(profileNamed))
  const both = await profileNamed('native+git')
  expect(both).toMatchObject({ name: 'native+git', guarded: true })
  expect(both.tools).toEqual([...(native?.tools ?? []), ...(git?.tools ?? [])])
  expect((await profileNamed('fsproc+git')).guarded).toBe(Boolean(fsproc?.guarded) || Boolean(git?.guarded))
  for (const name of ['fsproc+sessions', 'git+git', 'native+git+native', 'git+', '+git', 'native+nope', 'native git']) {
    await expect(profileNamed(name), name).rejects.toSatisfy((error) => isFilewrightError(error, 'invalid_argument'))
  }
  await expect(profileNamed('fsproc+sessions')).rejects.toThrow(/ fsproc and sessions both have a tool (read_file|write_file|edit_file)/)
})

test('where there is a repository its tools come along unless a profile is named; elsewhere they are not listed, and unsupported', async () => {
  const storage = await storageOf('git')
  expect((await openWorkspace({ fs: storage })).profile.name).toBe('native+git')
  expect((await openWorkspace({ fs: storage, profile: 'native' })).profile.name).toBe('native')
  expect((await openWorkspace({ fs: createMemoryFs() })).profile.name).toBe('native')
  const without = await openWorkspace({ fs: createMemoryFs(), profile: 'fileops+git' })
  expect(without.tools().some(({ tool }) => tool.needs === 'repository')).toBe(false)
  for (const tool of ['git_status', 'git_diff', 'git_log', 'git_branch']) {
    const { error } = await without.call(tool, {})
    expect(error?.code).toBe('unsupported')
    expect(error?.message).toContain('--fs git')
  }
  expect((await without.call('git_commit', { message: 'm' })).error?.code).toBe('unsupported')
})

test('a list of tools for models stays short', async () => {
  expect(listBytes((await profileNamed('native')).tools)).toBeLessThan(8000)
  expect(listBytes((await profileNamed('git')).tools)).toBeLessThan(7000)
})

test('fileops offers every tool under its own name, in the documented order', async () => {
  const documented = [
    'file_ops_hub',
    'view_file',
    'write_file',
    'edit_file',
    'patch_file',
    'copy_file',
    'move_file',
    'delete_file',
    'diff_file',
    'validate_file',
    'file_info',
    'file_tree',
    'list_directory',
    'search_files',
    'backup_file',
    'rollback_file',
  ]
  const { tools } = await profileNamed('fileops')
  expect(tools.map(({ tool }) => tool.name)).toEqual(documented.filter((name) => name in TOOLS || name === 'file_ops_hub'))
})

test('fileops renders a success as it is, and a failure with its error as the text', async () => {
  const bound = (await profileNamed('fileops')).tools.find(({ tool }) => tool.name === 'delete_file')
  const result = { file_path: '/a', deleted: true, file_size_bytes: 1, dry_run: false }
  const finished = { sent: {}, receipt: null, disabled: () => false, correction: null, display: String }
  expect(bound?.render({ ...finished, result, error: null })).toEqual({ result, text: 'Deleted /a (1 byte).' })
  const failed = { file_path: '', deleted: false, dry_run: false, error: 'not_found: a does not exist.' }
  expect(bound?.render({ ...finished, result: failed, error: new FilewrightError('not_found', 'a does not exist.') })).toEqual({
    result: failed,
    text: failed.error,
  })
})
