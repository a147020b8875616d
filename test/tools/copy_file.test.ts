/** `copy_file`: P-70 to P-72, T-P-CP-01 to 12. */
import { linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FileSystem } from '../../src/core/file_system.ts'
import { ID } from '../../src/core/id.ts'
import type { Path } from '../../src/core/path.ts'
import { openNodeFs } from '../../src/fs/node.ts'
import { type Fixture, workspaceWith } from './setup.ts'
import { STORAGES, temporaryFolder } from './storages.ts'

const FILES = {
  'a.txt': 'hello\n',
  'b.txt': 'old\n',
  empty: '',
  run: { text: '#!\n', mode: 0o755 },
  'd/k': 'k',
  'src/a.txt': 'aa',
  'src/.hid': 'h',
  'src/sub/b.txt': 'bbb',
  'src/void': { directory: true },
  'src/l': { link: 'a.txt' },
  'src/up': { link: 'sub/../../a.txt' },
  'bad/a.txt': 'aa',
  'bad/z': { link: '../../outside' },
  'deep/x/a': 'a',
  'deep/x/l': { link: '../../a.txt' },
  link: { link: 'a.txt' },
  'dir-link': { link: 'src' },
  away: { link: '../outside' },
  dangling: { link: 'new.txt' },
  '.env': 'K=1',
  '.gitignore': 'out/\n*.log\n',
  'keys/.env': 'K=2',
} as const

const args = (source_path: string, destination_path: string, more: object = {}) => ({ source_path, destination_path, ...more })
const tree = { recursive: true }

describe.each(STORAGES)('on %s', (_, storage) => {
  const open = (): Promise<Fixture> => workspaceWith(FILES, { storage })

  describe('copies', () => {
    test.each<[string, object, string, object]>([
      ['CP-01 a file', args('a.txt', 'c.txt'), 'hello\n', { bytes_copied: 6 }],
      ['CP-06 with the parents it needs', args('a.txt', 'n/m/c.txt'), 'hello\n', { bytes_copied: 6 }],
      ['CP-12 an empty file', args('empty', 'c'), '', { bytes_copied: 0 }],
      ['28 what a link points to', args('link', 'c'), 'hello\n', { bytes_copied: 6 }],
      ['C-4 through a link to nothing', args('a.txt', 'dangling'), 'hello\n', { bytes_copied: 6 }],
      ['CP-07 a sensitive source', args('.env', 'plain.txt'), 'K=1', { bytes_copied: 3 }],
      ['CP-07 to a sensitive name, when allowed', args('a.txt', 'x/.env', { allow_sensitive: true }), 'hello\n', {}],
      ['CP-07 to an ignored name, when allowed', args('a.txt', 'out/c', { allow_ignored: true }), 'hello\n', {}],
    ])('%s', async (_, call, content, expected) => {
      const fixture = await open()
      const { result, code, text } = await fixture.call('copy_file', call)
      expect(code).toBeNull()
      expect(result).toMatchObject({ is_dir: false, created: true, overwritten: false, dry_run: false, ...expected })
      expect(result).not.toHaveProperty('backup_id')
      expect(text).toMatch(/^Copied \/.* to \/.* \(\d+ bytes?\)\.$/)
      const path = (result.destination_path as string).slice(fixture.at('').length)
      expect(await fixture.read(path)).toBe(content)
      expect(await fixture.read('a.txt')).toBe('hello\n')
    })

    test('CP-12 the mode comes along', async () => {
      const fixture = await open()
      await fixture.call('copy_file', args('run', 'run2'))
      expect((await fixture.stat('run2'))?.mode).toBe(0o755)
    })

    test('CP-02 over a file only when told to, with a backup that a rollback puts back', async () => {
      const fixture = await open()
      expect((await fixture.call('copy_file', args('a.txt', 'b.txt'))).code).toBe('already_exists')
      const { result } = await fixture.call('copy_file', args('a.txt', 'b.txt', { overwrite: true }))
      expect(result).toMatchObject({ created: false, overwritten: true, backup_id: expect.stringMatching(ID) })
      expect(await fixture.read('b.txt')).toBe('hello\n')
      await fixture.call('rollback_file', { file_path: 'b.txt', backup_id: result.backup_id })
      expect(await fixture.read('b.txt')).toBe('old\n')
      expect(await fixture.read('a.txt')).toBe('hello\n')
    })

    test('P-3 without a backup there is no id, and no undo', async () => {
      const fixture = await open()
      const { result } = await fixture.call('copy_file', args('a.txt', 'b.txt', { overwrite: true, create_backup: false }))
      expect(result).not.toHaveProperty('backup_id')
      await expect(fixture.workspace.undo('last')).rejects.toMatchObject({ code: 'unsupported' })
    })

    test('CP-03 a tree: dotfiles, empty directories and links too', async () => {
      const fixture = await open()
      expect((await fixture.call('copy_file', args('src', 'dst'))).code).toBe('is_directory')
      const { result, code } = await fixture.call('copy_file', args('src', 'n/dst', tree))
      expect(code).toBeNull()
      expect(result).toMatchObject({ is_dir: true, bytes_copied: 6, created: true, overwritten: false })
      const below = (root: string, paths: string[]) => paths.filter((path) => path.startsWith(root)).map((path) => path.slice(root.length))
      const paths = await fixture.paths()
      expect(below('n/dst/', paths)).toEqual(below('src/', paths))
      expect(await fixture.read('n/dst/sub/b.txt')).toBe('bbb')
      expect(await fixture.fs.readLink('n/dst/l' as Path)).toBe('a.txt')
    })

    test('CP-03 a tree through a link is the tree that it leads to', async () => {
      const fixture = await open()
      const { result } = await fixture.call('copy_file', args('dir-link', 'dst/', tree))
      expect(result).toMatchObject({ source_path: fixture.at('src'), destination_path: fixture.at('dst'), bytes_copied: 6 })
    })

    test('one undo takes a tree back, one redo brings it again', async () => {
      const fixture = await open()
      const before = await fixture.paths()
      await fixture.call('copy_file', args('src', 'n/dst', tree))
      const after = await fixture.paths()
      await fixture.workspace.undo('last')
      expect(await fixture.paths()).toEqual(before)
      await fixture.workspace.redo()
      expect(await fixture.paths()).toEqual(after)
    })
  })

  describe('refuses, and changes nothing', () => {
    test.each<[string, object, string, string]>([
      ['CP-02 an existing file', args('a.txt', 'b.txt'), 'already_exists', 'destination_path'],
      ['CP-04 a directory into itself', args('src', 'src/sub/x', tree), 'invalid_argument', 'destination_path'],
      ['CP-04 a directory into itself through a link', args('src', 'dir-link/new/x', tree), 'invalid_argument', 'destination_path'],
      ['CP-04 a directory onto itself', args('src', 'src', { ...tree, overwrite: true }), 'invalid_argument', 'destination_path'],
      ['CP-04 the root into itself', args('.', 'all', tree), 'invalid_argument', 'destination_path'],
      ['CP-05 a file onto itself', args('a.txt', './d/../a.txt', { overwrite: true }), 'invalid_argument', 'destination_path'],
      ['CP-05 a file onto a link to it', args('a.txt', 'link', { overwrite: true }), 'invalid_argument', 'destination_path'],
      ['CP-05 a link onto its target', args('link', 'a.txt', { overwrite: true }), 'invalid_argument', 'destination_path'],
      ['CP-06 a missing parent', args('a.txt', 'n/b', { create_dirs: false }), 'not_found', 'destination_path'],
      ['CP-08 a destination outside', args('a.txt', '../b'), 'outside_root', ''],
      ['CP-08 a source outside', args('../b', 'c'), 'outside_root', ''],
      ['CP-08 a link that leads outside', args('away', 'c'), 'outside_root', ''],
      ['P-71 a file into a directory', args('a.txt', 'd', { overwrite: true }), 'is_directory', 'destination_path'],
      ['P-71 a file to the name of a directory', args('a.txt', 'new/'), 'is_directory', 'destination_path'],
      ['P-71 a directory over a file', args('d', 'a.txt', { ...tree, overwrite: true }), 'not_directory', 'destination_path'],
      ['P-71 a directory over another', args('d', 'src', { ...tree, overwrite: true }), 'already_exists', 'destination_path'],
      [
        'P-71 a directory over the one above it',
        args('src/sub', 'src', { ...tree, overwrite: true }),
        'already_exists',
        'destination_path',
      ],
      ['28 a final slash on a file', args('a.txt/', 'c'), 'not_directory', ''],
      ['CP-07 a sensitive destination', args('a.txt', '.env', { overwrite: true }), 'sensitive_path', ''],
      ['CP-07 a sensitive destination in a dry run', args('a.txt', 'x/.env', { dry_run: true }), 'sensitive_path', ''],
      ['CP-07 an ignored destination', args('a.txt', 'out/c'), 'ignored_path', ''],
      ['CP-07 a directory that is ignored', args('src/void', 'out', tree), 'ignored_path', ''],
      ['28 a sensitive file in a tree', args('keys', 'other', tree), 'sensitive_path', ''],
      ['28 also below a folder for backups', args('keys', 'bk/other', { ...tree, backup_root: 'bk' }), 'sensitive_path', ''],
      ['CP-10 a tree with a link that leads outside', args('bad', 'dst', tree), 'outside_root', 'source_path'],
      ['CP-10 a tree whose link would lead outside', args('deep/x', 'y', tree), 'outside_root', 'destination_path'],
      ['C-39b the store', args('a.txt', '.filewright/x', { allow_ignored: true }), 'protected_path', ''],
      ['C-39b git', args('src', '.git', { ...tree, allow_ignored: true, allow_sensitive: true }), 'protected_path', ''],
      ['38 a name that may not be made', args('a.txt', 'a\nb'), 'invalid_name', ''],
      ['a missing source', args('no.txt', 'c'), 'not_found', 'source_path'],
      ['a backup that cannot be made', args('a.txt', 'b.txt', { overwrite: true, backup_root: 'run' }), 'not_directory', 'backup_root'],
      ['a misspelt argument', { source_path: 'a.txt', destination: 'c' }, 'invalid_argument', 'destination'],
    ])('%s', async (_, call, code, field) => {
      const fixture = await open()
      const before = await fixture.paths()
      const outcome = await fixture.call('copy_file', call)
      expect(outcome.code).toBe(code)
      if (field !== '') expect(outcome.field).toBe(field)
      expect(outcome.result).toMatchObject({ destination_path: '', bytes_copied: 0, created: false, overwritten: false })
      expect(await fixture.paths()).toEqual(before)
      expect([await fixture.read('a.txt'), await fixture.read('b.txt')]).toEqual(['hello\n', 'old\n'])
      expect(await fixture.workspace.log()).toHaveLength(1)
    })
  })

  test.each<[string, object, object]>([
    ['a new file', args('a.txt', 'n/c'), { created: true, overwritten: false, bytes_copied: 6 }],
    ['a replaced file', args('a.txt', 'b.txt', { overwrite: true, backup_root: 'bk' }), { created: false, overwritten: true }],
    ['a tree', args('src', 'dst', tree), { created: true, is_dir: true, bytes_copied: 6 }],
  ])('CP-09 a dry run tells what it would do with %s, and does nothing', async (_, call, expected) => {
    const fixture = await open()
    const before = await fixture.paths()
    const { result, text } = await fixture.call('copy_file', { ...call, dry_run: true })
    expect(result).toMatchObject({ ...expected, dry_run: true })
    expect(result).not.toHaveProperty('backup_id')
    expect(text).toContain('Would copy')
    expect(await fixture.paths()).toEqual(before)
    expect(await fixture.workspace.log()).toHaveLength(1)
  })

  test('31 a folder of backups is not copied with what is around it', async () => {
    const fixture = await open()
    await fixture.call('backup_file', { file_path: 'a.txt', backup_root: 'src/bk' })
    await fixture.call('copy_file', args('src', 'dst', tree))
    expect(await fixture.stat('dst/bk')).toBeNull()
    expect(await fixture.stat('dst/sub')).not.toBeNull()
  })
})

describe('a large tree', () => {
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`big/${index % 20}/f${index}`, 'x']))

  test('tells how far it is', async () => {
    const { workspace } = await workspaceWith(many)
    const told: [number, number | null][] = []
    await workspace.call('copy_file', args('big', 'copy', tree), { onProgress: (done, total) => told.push([done, total]) })
    expect(told).toEqual([
      [0, 620],
      [256, 620],
      [512, 620],
    ])
  })

  test('can be canceled, and then nothing is there', async () => {
    const fixture = await workspaceWith(many)
    const stop = new AbortController()
    const { error } = await fixture.workspace.call('copy_file', args('big', 'copy', tree), {
      signal: stop.signal,
      onProgress: () => stop.abort(),
    })
    expect(error?.code).toBe('canceled')
    expect(await fixture.stat('copy')).toBeNull()
  })

  test('of more entries than a commit holds is refused', async () => {
    const fixture = await workspaceWith(many, { fs: { limits: { changes: 621 } } })
    expect((await fixture.call('copy_file', args('big', 'copy', tree))).code).toBeNull()
    expect((await fixture.call('copy_file', args('big', 'n/copy', tree))).code).toBe('too_large')
  })
})

test('CP-11 a directory that cannot be read is no empty directory', async () => {
  const locked = (fs: FileSystem): FileSystem => ({
    ...fs,
    scan: (dir, options = {}) =>
      fs.scan(dir, { ...options, filter: (at, all) => (at === 'src/sub' ? [] : (options.filter?.(at, all) ?? all)) }),
  })
  const fixture = await workspaceWith(FILES, { over: locked })
  expect((await fixture.call('copy_file', args('src', 'dst', tree))).code).toBe('permission_denied')
  expect(await fixture.stat('dst')).toBeNull()
})

describe('C-12 where case does not count', () => {
  const folding = (fs: FileSystem): FileSystem => ({ ...fs, traits: { ...fs.traits, caseSensitive: false } })

  test.each<[string, object]>([
    ['another spelling is the file itself', args('a.txt', 'A.TXT', { overwrite: true })],
    ['a directory does not go into another spelling of itself', args('src', 'SRC/new', tree)],
  ])('%s', async (_, call) => {
    const fixture = await workspaceWith(FILES, { over: folding })
    expect((await fixture.call('copy_file', call)).code).toBe('invalid_argument')
  })
})

describe('on a disk', () => {
  test('CP-05 two names of one file are one file', async () => {
    const root = temporaryFolder()
    writeFileSync(join(root, 'a.txt'), 'keep\n')
    linkSync(join(root, 'a.txt'), join(root, 'h.txt'))
    const { call } = await workspaceWith({}, { storage: () => openNodeFs({ root, durability: 'process' }) })
    expect((await call('copy_file', args('a.txt', 'h.txt', { overwrite: true }))).code).toBe('invalid_argument')
    expect(readFileSync(join(root, 'h.txt'), 'utf8')).toBe('keep\n')
  })

  test.skipIf(process.getuid?.() === 0)('CP-11 a file that cannot be read leaves no part of the tree', async () => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'src'))
    writeFileSync(join(root, 'src/a'), 'a')
    writeFileSync(join(root, 'src/locked'), 'x', { mode: 0 })
    const { call, stat } = await workspaceWith({}, { storage: () => openNodeFs({ root, durability: 'process' }) })
    expect((await call('copy_file', args('src', 'dst', tree))).code).toBe('permission_denied')
    expect(await stat('dst')).toBeNull()
  })
})

describe('P-159 approval, when what is risky asks', () => {
  test.each<[string, object, string | null]>([
    ['a new path does not ask', args('a.txt', 'c'), null],
    ['a new tree does not ask', args('src', 'dst', tree), null],
    ['a replacement asks', args('a.txt', 'b.txt', { overwrite: true }), 'approval_required'],
    ['a dry run does not ask', args('a.txt', 'b.txt', { overwrite: true, dry_run: true }), null],
  ])('%s', async (_, call, code) => {
    const fixture = await workspaceWith(FILES, { settings: { approval: 'risky' } })
    expect((await fixture.call('copy_file', call)).code).toBe(code)
  })
})
