/** `create_directory` and `create_file`: P-151, T-P-HB-17, settled detail 29. */
import { describe, expect, test } from 'vitest'
import { workspaceWith } from './setup.ts'

const FILES = {
  a: 'A',
  'd/k': 'k',
  'd-link': { link: 'd' },
  'a-link': { link: 'a' },
  dangling: { link: 'new/dir' },
  away: { link: '../outside' },
  '.gitignore': 'out/\n',
} as const

describe('create_directory', () => {
  test.each<[string, object, object, string[]]>([
    ['a new one', { directory_path: 'n' }, { directory_path: '/n', created: true }, ['n']],
    ['with its parents, and a final slash', { directory_path: 'n/m/' }, { directory_path: '/n/m', created: true }, ['n', 'n/m']],
    ['where a link leads', { directory_path: 'dangling' }, { directory_path: '/new/dir', created: true }, ['new', 'new/dir']],
    ['one that is there', { directory_path: 'd' }, { directory_path: '/d', created: false }, []],
    ['one that is there, through a link', { directory_path: 'd-link' }, { directory_path: '/d', created: false }, []],
    ['the root', { directory_path: '.' }, { directory_path: '/', created: false }, []],
    ['in a dry run', { directory_path: 'n', dry_run: true }, { directory_path: '/n', created: true }, []],
    ['an ignored one, when allowed', { directory_path: 'out', allow_ignored: true }, { created: true }, ['out']],
    ['a sensitive one, when allowed', { directory_path: '.ssh/x', allow_sensitive: true }, { created: true }, ['.ssh', '.ssh/x']],
  ])('%s', async (_, args, expected, added) => {
    const { call, paths } = await workspaceWith(FILES)
    const before = await paths()
    const { result, code } = await call('create_directory', args)
    expect(code).toBeNull()
    expect(result).toMatchObject(expected)
    expect((await paths()).filter((path) => !before.includes(path))).toEqual(added)
  })

  test.each<[string, object, string]>([
    ['where a file is', { directory_path: 'a' }, 'not_directory'],
    ['where a link to a file is', { directory_path: 'a-link' }, 'not_directory'],
    ['below a file', { directory_path: 'a/b' }, 'not_directory'],
    ['outside', { directory_path: '../n' }, 'outside_root'],
    ['through a link that leads outside', { directory_path: 'away/n' }, 'outside_root'],
    ['that is ignored', { directory_path: 'out' }, 'ignored_path'],
    ['that is ignored, in a dry run', { directory_path: 'out/x', dry_run: true }, 'ignored_path'],
    ['that is sensitive', { directory_path: '.ssh/x' }, 'sensitive_path'],
    ['of git', { directory_path: 'd/.git', allow_ignored: true, allow_sensitive: true }, 'protected_path'],
    ['with a name that may not be made', { directory_path: 'a\tb' }, 'invalid_name'],
    ['without a path', {}, 'missing_argument'],
  ])('none %s', async (_, args, code) => {
    const { call, paths } = await workspaceWith(FILES)
    const before = await paths()
    const outcome = await call('create_directory', args)
    expect([outcome.code, outcome.result]).toMatchObject([code, { directory_path: '', created: false }])
    expect(await paths()).toEqual(before)
  })

  test('one undo takes it back with its parents', async () => {
    const { call, paths, workspace } = await workspaceWith(FILES)
    const before = await paths()
    await call('create_directory', { directory_path: 'n/m' })
    await workspace.undo('last')
    expect(await paths()).toEqual(before)
  })
})

describe('create_file', () => {
  test('writes a new file as write_file does', async () => {
    const { call, read } = await workspaceWith(FILES)
    const { result, code } = await call('create_file', { file_path: 'n/f', content: 'x\n' })
    expect(code).toBeNull()
    expect(result).toMatchObject({ file_path: '/n/f', created: true, bytes_written: 2, self_verified: true })
    expect(await read('n/f')).toBe('x\n')
  })

  test.each<[string, object]>([
    ['a file', { file_path: 'a' }],
    ['a file, forced', { file_path: 'a', overwrite: true, force_overwrite: true }],
    ['a file, to be extended', { file_path: 'a', append: true }],
    ['a file, in a dry run', { file_path: 'a', dry_run: true }],
    ['a file with the same content', { file_path: 'a', content: 'A' }],
    ['what a link leads to', { file_path: 'a-link' }],
    ['a directory', { file_path: 'd' }],
  ])('never replaces %s', async (_, args) => {
    const { call, read } = await workspaceWith(FILES)
    expect((await call('create_file', { content: 'x', ...args })).code).toBe('already_exists')
    expect(await read('a')).toBe('A')
  })

  test('is guarded, and a dry run makes nothing', async () => {
    const { call, paths } = await workspaceWith(FILES)
    const before = await paths()
    expect((await call('create_file', { file_path: '.env', content: 'x' })).code).toBe('sensitive_path')
    expect((await call('create_file', { file_path: 'n/f', content: 'x', dry_run: true })).result).toMatchObject({ created: true })
    expect(await paths()).toEqual(before)
  })
})
