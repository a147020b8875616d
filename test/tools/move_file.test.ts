/** `move_file`: P-80, P-81, T-P-MV-01 to 11. */
import { linkSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FilewrightError } from '../../src/core/errors.ts'
import type { FileSystem } from '../../src/core/file_system.ts'
import { ID } from '../../src/core/id.ts'
import type { Path } from '../../src/core/path.ts'
import { openNodeFs } from '../../src/fs/node.ts'
import { type Fixture, workspaceWith } from './setup.ts'
import { STORAGES, temporaryFolder } from './storages.ts'

const FILES = {
  a: 'A',
  b: 'B',
  run: { text: '#!\n', mode: 0o711 },
  Readme: 'r',
  'd/s/k': 'k',
  'd/.h': 'h',
  'e/m': 'm',
  l: { link: 'a' },
  'd-link': { link: 'd' },
  'sub/up': { link: '../a' },
  away: { link: '../outside' },
  circle: { link: 'circle' },
  '.env': 'K=1',
  '.gitignore': 'out/\n*.log\n',
  'out/a': 'A',
  '.git/config': 'c',
  'conf/x/.env': 'K=2',
} as const

const args = (source_path: string, destination_path: string, more: object = {}) => ({ source_path, destination_path, ...more })

describe.each(STORAGES)('on %s', (_, storage) => {
  const open = (): Promise<Fixture> => workspaceWith(FILES, { storage })

  describe('moves', () => {
    test.each<[string, object, string | null, string]>([
      ['MV-01 a file', args('a', 'c'), 'A', 'c'],
      ['MV-01 with the parents it needs', args('a', 'n/m/c'), 'A', 'n/m/c'],
      ['MV-03 to a name that differs in case only', args('Readme', 'README'), 'r', 'README'],
      ['MV-07 a sensitive file, when allowed', args('.env', 'plain', { allow_sensitive: true }), 'K=1', 'plain'],
      ['MV-07 to a sensitive name, when allowed', args('a', 'id_rsa', { allow_sensitive: true }), 'A', 'id_rsa'],
      ['MV-07 an ignored file, when allowed', args('out/a', 'c', { allow_ignored: true }), 'A', 'c'],
      ['MV-07 to an ignored name, when allowed', args('a', 'x.log', { allow_ignored: true }), 'A', 'x.log'],
    ])('%s', async (_, call, content, to) => {
      const fixture = await open()
      const { result, code, text } = await fixture.call('move_file', call)
      expect(code).toBeNull()
      expect(result).toMatchObject({ destination_path: fixture.at(to), moved: true, overwritten: false, dry_run: false })
      expect(result).not.toHaveProperty('backup_id')
      expect(text).toMatch(/^Moved \/.* to \/.*\.$/)
      expect(await fixture.read(to)).toBe(content)
      expect(await fixture.paths()).not.toContain((call as { source_path: string }).source_path)
    })

    test('MV-01 a directory with all that is in it, its mode and one undo', async () => {
      const fixture = await open()
      const before = await fixture.paths()
      expect((await fixture.call('move_file', args('d/', 'n/dir/'))).result).toMatchObject({ moved: true })
      expect([await fixture.read('n/dir/s/k'), await fixture.read('n/dir/.h'), await fixture.stat('d')]).toEqual(['k', 'h', null])
      await fixture.workspace.undo('last')
      expect(await fixture.paths()).toEqual(before)
    })

    test('MV-07 a directory with a sensitive file in it, when allowed', async () => {
      const fixture = await open()
      expect((await fixture.call('move_file', args('conf', 'settings', { allow_sensitive: true }))).code).toBeNull()
      expect(await fixture.read('settings/x/.env')).toBe('K=2')
    })

    test('the mode stays', async () => {
      const fixture = await open()
      await fixture.call('move_file', args('run', 'go'))
      expect((await fixture.stat('go'))?.mode).toBe(0o711)
    })

    test('MV-08 a link itself, its text unchanged', async () => {
      const fixture = await open()
      const { result } = await fixture.call('move_file', args('l', 's/l2'))
      expect(result).toMatchObject({ source_path: fixture.at('l'), destination_path: fixture.at('s/l2') })
      expect(await fixture.fs.readLink('s/l2' as Path)).toBe('a')
      expect([await fixture.read('a'), await fixture.stat('l')]).toEqual(['A', null])
    })

    test('a link of which nothing can be said but that it is one', async () => {
      const fixture = await open()
      expect((await fixture.call('move_file', args('circle', 'round'))).code).toBeNull()
      expect(await fixture.fs.readLink('round' as Path)).toBe('circle')
    })

    test('MV-05 over a file, with a backup that a rollback puts back at the destination', async () => {
      const fixture = await open()
      const { result } = await fixture.call('move_file', args('a', 'b', { overwrite: true, backup_label: 'why' }))
      expect(result).toMatchObject({ moved: true, overwritten: true, backup_id: expect.stringMatching(ID) })
      expect([await fixture.read('b'), await fixture.stat('a')]).toEqual(['A', null])
      await fixture.call('rollback_file', { file_path: 'b', backup_id: result.backup_id })
      expect([await fixture.read('b'), await fixture.stat('a')]).toEqual(['B', null])
    })

    test('MV-05 over a file, and undo brings both back', async () => {
      const fixture = await open()
      await fixture.call('move_file', args('a', 'b', { overwrite: true }))
      await fixture.workspace.undo('last')
      expect([await fixture.read('a'), await fixture.read('b')]).toEqual(['A', 'B'])
    })

    test('over a link: the link goes, what it led to stays', async () => {
      const fixture = await open()
      const { result } = await fixture.call('move_file', args('b', 'l', { overwrite: true }))
      expect(result).toMatchObject({ moved: true, overwritten: true, backup_id: expect.stringMatching(ID) })
      expect([await fixture.read('l'), await fixture.read('a'), (await fixture.stat('l'))?.kind]).toEqual(['B', 'A', 'file'])
    })

    test('P-3 without a backup there is no id, and no undo', async () => {
      const fixture = await open()
      const { result } = await fixture.call('move_file', args('a', 'b', { overwrite: true, create_backup: false }))
      expect(result).not.toHaveProperty('backup_id')
      await expect(fixture.workspace.undo('last')).rejects.toMatchObject({ code: 'unsupported' })
    })

    test('P-10 over a file, with the backup in a folder', async () => {
      const fixture = await open()
      const { result } = await fixture.call('move_file', args('a', 'b', { overwrite: true, backup_root: 'bk' }))
      expect(await fixture.read(`bk/${result.backup_id}.data`)).toBe('B')
      await fixture.workspace.undo('last')
      expect([await fixture.read('a'), await fixture.read('b')]).toEqual(['A', 'B'])
    })
  })

  describe('refuses, and changes nothing', () => {
    test.each<[string, object, string]>([
      ['MV-02 the same path', args('a', 'a'), 'invalid_argument'],
      ['MV-02 another spelling of the same path', args('a', './d/../a', { overwrite: true }), 'invalid_argument'],
      ['MV-04 a directory into itself', args('d', 'd/s/x'), 'invalid_argument'],
      ['MV-04 a directory into itself through a link', args('d', 'd-link/x'), 'invalid_argument'],
      ['MV-04 a directory onto itself', args('d', 'd/'), 'invalid_argument'],
      ['MV-05 an existing file', args('a', 'b'), 'already_exists'],
      ['P-81 a file over a directory', args('a', 'd', { overwrite: true }), 'is_directory'],
      ['P-81 a directory over a file', args('d', 'a', { overwrite: true }), 'not_directory'],
      ['P-81 a directory over another', args('d', 'e', { overwrite: true }), 'already_exists'],
      ['P-81 a directory over the one above it', args('d/s', 'd', { overwrite: true }), 'already_exists'],
      ['P-81 the root', args('.', 'x'), 'invalid_argument'],
      ['P-81 onto the root', args('a', '.', { overwrite: true }), 'is_directory'],
      ['a link over what it leads to', args('l', 'a', { overwrite: true }), 'invalid_argument'],
      ['a link that would lead outside', args('sub/up', 'up'), 'outside_root'],
      ['a file to the name of a directory', args('a', 'new/'), 'is_directory'],
      ['MV-07 a sensitive source', args('.env', 'plain'), 'sensitive_path'],
      ['MV-07 a sensitive destination', args('a', 'id_rsa'), 'sensitive_path'],
      ['MV-07 a sensitive file in a directory', args('conf', 'settings'), 'sensitive_path'],
      ['MV-07 a directory whose files become sensitive', args('d', 'home/.ssh'), 'sensitive_path'],
      ['MV-07 an ignored source', args('out/a', 'c'), 'ignored_path'],
      ['MV-07 an ignored directory', args('out', 'in'), 'ignored_path'],
      ['MV-07 an ignored destination', args('a', 'x.log', { dry_run: true }), 'ignored_path'],
      ['MV-10 a missing source', args('no', 'c'), 'not_found'],
      ['MV-10 a missing source in a dry run', args('no', 'c', { dry_run: true }), 'not_found'],
      ['MV-10 a missing parent', args('a', 'n/c', { create_dirs: false }), 'not_found'],
      ['C-6 a link that leads outside', args('away', 'c'), 'outside_root'],
      ['C-1 a destination outside', args('a', '../c'), 'outside_root'],
      ['C-39b git as a source', args('.git', 'g', { allow_sensitive: true, allow_ignored: true }), 'protected_path'],
      ['C-39b git as a destination', args('a', '.git/x', { allow_sensitive: true, allow_ignored: true }), 'protected_path'],
      ['a backup that cannot be made', args('a', 'b', { overwrite: true, backup_root: 'run' }), 'not_directory'],
      ['a misspelt argument', args('a', 'c', { recursive: true }), 'invalid_argument'],
    ])('%s', async (_, call, code) => {
      const fixture = await open()
      const before = await fixture.paths()
      const outcome = await fixture.call('move_file', call)
      expect(outcome.code).toBe(code)
      expect(outcome.result).toMatchObject({ source_path: '', moved: false, overwritten: false })
      expect(await fixture.paths()).toEqual(before)
      expect([await fixture.read('a'), await fixture.read('b')]).toEqual(['A', 'B'])
    })
  })

  test.each<[string, object, object]>([
    ['a free name', args('a', 'n/c'), { moved: false, overwritten: false }],
    ['a file that is there', args('a', 'b', { overwrite: true, backup_root: 'bk' }), { moved: false, overwritten: true }],
  ])('MV-09 a dry run to %s says so, and does nothing', async (_, call, expected) => {
    const fixture = await open()
    const before = await fixture.paths()
    const { result, text } = await fixture.call('move_file', { ...call, dry_run: true })
    expect(result).toMatchObject({ ...expected, dry_run: true })
    expect(result).not.toHaveProperty('backup_id')
    expect(text).toContain('Would move')
    expect(await fixture.paths()).toEqual(before)
    expect(await fixture.workspace.log()).toHaveLength(1)
  })
})

test('MV-11 two names of one file: a plain rename would do nothing and report success', async () => {
  const root = temporaryFolder()
  writeFileSync(join(root, 'a'), 'A')
  linkSync(join(root, 'a'), join(root, 'h'))
  const { call } = await workspaceWith({}, { storage: () => openNodeFs({ root, durability: 'process' }) })
  expect((await call('move_file', args('a', 'h', { overwrite: true }))).code).toBe('invalid_argument')
  expect([readFileSync(join(root, 'a'), 'utf8'), readFileSync(join(root, 'h'), 'utf8')]).toEqual(['A', 'A'])
})

test('MV-03 where case does not count, a change of case is one rename and no replacement', async () => {
  const staged: object[] = []
  const folding = (fs: FileSystem): FileSystem => ({
    ...fs,
    traits: { ...fs.traits, caseSensitive: false },
    stat: (path, want) => fs.stat(path === 'README' ? ('Readme' as Path) : path, want),
    async commit(changes) {
      staged.push(...changes)
      throw new FilewrightError('io_error', 'Not carried out here.')
    },
  })
  const { call } = await workspaceWith(FILES, { over: folding })
  await call('move_file', args('Readme', 'README'))
  expect(staged).toEqual([expect.objectContaining({ kind: 'move', path: 'Readme', to: 'README' })])
})

test('MV-03 where case does not count, the old name that leads to the new one is no fault', async () => {
  const folding = (fs: FileSystem): FileSystem => ({
    ...fs,
    traits: { ...fs.traits, caseSensitive: false },
    stat: async (path, want) => {
      const names = (await fs.list('' as Path)).map((entry) => entry.path)
      return fs.stat(names.find((name) => name.toLowerCase() === path.toLowerCase()) ?? path, want)
    },
  })
  const { call } = await workspaceWith({ Readme: 'text' }, { over: folding })
  expect((await call('move_file', args('Readme', 'README'))).result).toMatchObject({ moved: true, overwritten: false })
})

test('P-159 a move asks when what is risky does, a dry run does not', async () => {
  const { call } = await workspaceWith(FILES, { settings: { approval: 'risky' } })
  expect((await call('move_file', args('a', 'c'))).code).toBe('approval_required')
  expect((await call('move_file', args('a', 'c', { dry_run: true }))).code).toBeNull()
})
