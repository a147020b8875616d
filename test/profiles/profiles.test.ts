/** The registry of profiles, and the shape of `fileops`. */
import { expect, test } from 'vitest'
import { FilewrightError, isFilewrightError } from '../../src/core/errors.ts'
import { allProfiles, profileNamed } from '../../src/profiles/index.ts'
import { TOOLS } from '../../src/tools/index.ts'

test('a profile is found by its name, and an unknown one is refused', async () => {
  for (const profile of await allProfiles()) expect(await profileNamed(profile.name)).toBe(profile)
  for (const name of ['', 'nope', 'constructor']) {
    await expect(profileNamed(name)).rejects.toSatisfy((error) => isFilewrightError(error, 'invalid_argument'))
  }
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
