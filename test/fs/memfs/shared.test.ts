/** The memfs adapter on a volume that other code reads and changes too. */
import * as nodeFs from 'node:fs'
import { createFsFromVolume, Volume } from 'memfs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import { createMemfsFs } from '../../../src/fs/memfs.ts'
import { changesOf, inverseOf, verifyChain } from '../../../src/testing/history.ts'
import {
  at,
  bytesOf,
  commit,
  draft,
  hashOf,
  listNames,
  makeDirectory,
  move,
  plant,
  readText,
  remove,
  scanPaths,
  write,
} from '../../../src/testing/setup.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'

let volume: Volume
let fs: FileSystem
beforeEach(() => {
  volume = new Volume()
  fs = createMemfsFs(createFsFromVolume(volume))
})
afterEach(() => {
  vi.useRealTimers()
})

async function kinds(storage: FileSystem, id: string | undefined) {
  const record = (await storage.records({ id: id ?? '' }))[0]
  if (!record) return null
  return [record.kind, ...(await changesOf(storage, record)).map(({ kind, path, kept }) => [kind, path, kept])]
}

describe('the root', () => {
  it('says what it is', () => {
    const { limits: _, ...traits } = fs.traits
    expect(traits).toEqual({
      adapter: 'memfs',
      root: '',
      aliases: [],
      symlinks: true,
      modes: 'posix',
      caseSensitive: true,
      confinement: 'check-after-open',
      durability: 'memory',
      atomic: false,
      shared: true,
    })
  })

  it('may be any folder, and nothing outside of it is reached', async () => {
    volume.fromJSON({ '/part/in.txt': 'inside', '/outside/secret.txt': 'secret' })
    volume.symlinkSync('/outside', '/part/out')
    volume.symlinkSync('/outside/secret.txt', '/part/secret')
    const part = createMemfsFs(createFsFromVolume(volume), { root: '/part/' })
    expect(part.traits.root).toBe('/part')
    expect(await scanPaths(part, '')).toEqual(['in.txt', 'out', 'secret'])
    for (const path of ['out/secret.txt', 'out/new.txt']) {
      await expect(part.stat(at(path))).rejects.toMatchObject({ code: 'not_directory' })
      await expect(part.open(at(path))).rejects.toMatchObject({ code: 'not_directory' })
      await expect(commit(part, write(part, path, 'x'))).rejects.toMatchObject({ code: 'not_directory' })
    }
    await expect(part.open(at('secret'))).rejects.toMatchObject({ code: 'not_regular' })
    await commit(part, move('secret', 'moved', { link: '/outside/secret.txt' }), remove('out', { link: '/outside' }))
    await commit(part, write(part, 'moved', 'mine', { link: '/outside/secret.txt' }))
    expect(volume.toJSON()).toEqual({ '/part/in.txt': 'inside', '/part/moved': 'mine', '/outside/secret.txt': 'secret' })
    const workspace = await openWorkspace({ profile: 'fileops', fs: part })
    expect((await workspace.call('view_file', { file_path: '/part/in.txt' })).result).toMatchObject({ file_path: '/part/in.txt' })
    expect((await workspace.call('view_file', { file_path: '/outside/secret.txt' })).error?.code).toBe('outside_root')
  })

  it.each([
    ['a relative path', 'work', 'invalid_argument'],
    ['a path that goes up', '/part/../outside', 'invalid_argument'],
    ['nothing', '/none', 'not_found'],
    ['a file', '/file', 'not_directory'],
    ['a link', '/link', 'not_directory'],
  ])('is not %s', (_, root, code) => {
    volume.fromJSON({ '/part/x': '', '/file': '' })
    volume.symlinkSync('/part', '/link')
    expect(() => createMemfsFs(createFsFromVolume(volume), { root })).toThrow(expect.objectContaining({ code }))
  })
})

describe('what other code changes', () => {
  it('is recorded before the commit that comes to it', async () => {
    await plant(fs, { f: 'one', d: null, 'd/g': 'two', h: 'three' })
    volume.writeFileSync('/f', 'theirs')
    volume.chmodSync('/d/g', 0o600)
    volume.unlinkSync('/h')
    await commit(fs, write(fs, 'f', 'mine', hashOf(fs, 'theirs')), remove('d/g', hashOf(fs, 'two')), makeDirectory('h'))
    const [mine, theirs] = await fs.records()
    expect(mine?.sequence).toBe(3)
    expect(await kinds(fs, theirs?.id)).toEqual(['external', ['remove', 'h', false], ['write', 'd/g', false], ['write', 'f', false]])
    expect(await readText(fs, 'f')).toBe('mine')
    expect(await verifyChain(fs)).toBe(3)
  })

  it('is no change where nothing differs', async () => {
    await plant(fs, { f: 'one' })
    volume.writeFileSync('/f', 'one')
    volume.renameSync('/f', '/g')
    volume.renameSync('/g', '/f')
    expect(await fs.observe?.()).toBe(null)
    await commit(fs, write(fs, 'f', 'two', hashOf(fs, 'one')))
    expect((await fs.records()).map(({ kind }) => kind)).toEqual(['call', 'call'])
  })

  it('is observed, and can be taken back where that is sure', async () => {
    volume.fromJSON({ '/before/x': 'x' })
    await plant(fs, { f: 'one', d: null, 'd/g': 'two' })
    await commit(fs, { kind: 'snapshot', path: at('f'), expect: hashOf(fs, 'one'), keep: { id: 'first' } })
    expect(await fs.observe?.()).toBe(null)
    volume.writeFileSync('/f', 'theirs')
    volume.rmSync('/d', { recursive: true })
    volume.mkdirSync('/new/deep', { recursive: true })
    volume.writeFileSync('/new/deep/file', 'new')
    volume.mkdirSync('/.git')
    volume.writeFileSync('/.git/index', 'git')
    volume.writeFileSync('/before/x', 'other')
    const seen = await fs.observe?.()
    expect(await kinds(fs, seen?.id)).toEqual([
      'external',
      ['remove', 'd/g', false],
      ['remove', 'd', true],
      ['write', 'before/x', false],
      ['write', 'f', true],
      ['makeDirectory', 'new', true],
      ['makeDirectory', 'new/deep', true],
      ['write', 'new/deep/file', true],
    ])
    expect(await fs.observe?.()).toBe(null)
    const back = inverseOf((await changesOf(fs, seen as NonNullable<typeof seen>)).filter(({ kept }) => kept))
    await fs.commit(back, draft({ kind: 'undo' }))
    expect(await scanPaths(fs, '')).toEqual(['.git', '.git/index', 'before', 'before/x', 'd', 'f'])
    expect(await readText(fs, 'f')).toBe('one')
  })

  it('is observed where it is asked for, and below', async () => {
    await plant(fs, { d: null, 'd/f': 'one', e: 'two' })
    volume.writeFileSync('/d/f', 'theirs')
    volume.writeFileSync('/d/new', 'new')
    volume.writeFileSync('/e', 'theirs too')
    const seen = await fs.observe?.([at('d'), at('nowhere')])
    expect(await kinds(fs, seen?.id)).toEqual(['external', ['write', 'd/f', false], ['write', 'd/new', false]])
    expect(await kinds(fs, (await fs.observe?.())?.id)).toEqual(['external', ['write', 'e', false]])
  })

  it('is a conflict for whoever saw an earlier version, however alike and however fast', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_700_000_000_000 })
    volume.writeFileSync('/old', 'aaaa')
    vi.setSystemTime(1_700_000_100_000)
    volume.writeFileSync('/young', 'aaaa')
    await plant(fs, { mine: 'aaaa' })
    for (const name of ['old', 'young', 'mine']) {
      const { version } = await fs.stat(at(name))
      expect((await fs.stat(at(name))).version).toBe(version)
      volume.writeFileSync(`/${name}`, 'bbbb')
      expect((await fs.stat(at(name))).version, name).not.toBe(version)
      await expect(commit(fs, remove(name, { version: version as NonNullable<typeof version> }))).rejects.toMatchObject({
        code: 'conflict',
      })
      const { version: next } = await fs.stat(at(name))
      await commit(fs, write(fs, name, 'cccc', { version: next as NonNullable<typeof next> }))
      expect(volume.readFileSync(`/${name}`, 'utf8')).toBe('cccc')
    }
  })

  it('keeps a version while nothing changes, however young the file is', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_700_000_000_000 })
    volume.writeFileSync('/f', 'x')
    const { version } = await fs.stat(at('f'))
    for (const later of [0, 1, 19, 20, 1000]) {
      vi.setSystemTime(1_700_000_000_000 + later)
      expect((await fs.stat(at('f'))).version, `${later} ms later`).toBe(version)
    }
  })

  it('does not reach an open reader, or tells it', async () => {
    const large = new Uint8Array(17 * 1024 * 1024).fill(1)
    volume.writeFileSync('/small', 'first')
    volume.writeFileSync('/large', large)
    const [small, replaced, changed] = [await fs.open(at('small')), await fs.open(at('large')), await fs.open(at('large'))]
    await commit(fs, { ...write(fs, 'large', 'short', hashOf(fs, large)), keep: false })
    volume.writeFileSync('/small', 'other')
    expect(new TextDecoder().decode(await bytesOf(small))).toBe('first')
    expect((await bytesOf(replaced)).length).toBe(large.length)
    await changed.close()
    expect(() => changed.read(0, new Uint8Array(1))).toThrow(expect.objectContaining({ code: 'unsupported' }))
    volume.writeFileSync('/large', large)
    const again = await fs.open(at('large'))
    volume.truncateSync('/large', 5)
    expect(() => again.read(0, new Uint8Array(1))).toThrow(expect.objectContaining({ code: 'conflict' }))
    await again.close()
  })

  it('cannot lead a scan out by a link in the place of a directory', async () => {
    volume.fromJSON({ '/a/x': '1', '/b/y': '2', '/outside/secret': '3' })
    const part = createMemfsFs(createFsFromVolume(volume))
    const seen = await scanPaths(part, '', {
      async filter(dir, children) {
        if (dir !== '') return children
        volume.rmSync('/b', { recursive: true })
        volume.symlinkSync('/outside', '/b')
        return children.filter(({ path }) => path !== 'outside')
      },
    })
    expect(seen).toEqual(['a', 'a/x', 'b'])
  })
})

describe('what memfs does otherwise', () => {
  it('a hard link is broken by a replacement, and known as one before', async () => {
    volume.writeFileSync('/a', 'one')
    volume.linkSync('/a', '/b')
    const [a, b] = await fs.list(at(''), { stat: true })
    expect([a?.identity, typeof a?.identity]).toEqual([b?.identity, 'string'])
    await commit(fs, write(fs, 'a', 'two', hashOf(fs, 'one')))
    expect([volume.readFileSync('/a', 'utf8'), volume.readFileSync('/b', 'utf8')]).toEqual(['two', 'one'])
    expect((await fs.stat(at('a'))).identity).toBe(undefined)
  })

  it('a directory that it counts wrong is not removed, and nothing else either', async () => {
    await plant(fs, { d: null, 'd/f': 'one', 'd/g': 'two', x: '3' })
    // A rename over a file leaves the count of the directory one too high.
    volume.renameSync('/d/f', '/d/g')
    await expect(
      commit(fs, remove('x', hashOf(fs, '3')), remove('d/g', hashOf(fs, 'one')), remove('d', 'directory')),
    ).rejects.toMatchObject({ code: 'io_error' })
    expect(await scanPaths(fs, '')).toEqual(['d', 'd/g', 'x'])
  })

  it('an fs without constants will do', async () => {
    const bare = createMemfsFs(volume)
    await plant(bare, { f: 'x', d: null, l: { link: 'f' } })
    const seen: string[] = []
    await bare.readEach(['f', 'd', 'l', 'none'].map(at), { maxBytes: 9 }, (_, bytes, problem) => {
      seen.push(bytes ? new TextDecoder().decode(bytes) : (problem?.code ?? ''))
      return true
    })
    expect(seen).toEqual(['x', 'is_directory', 'not_regular', 'not_found'])
    expect(await listNames(bare, '')).toEqual(['d', 'f', 'l'])
  })

  it("Node's own fs is one of that shape", () => {
    expect(createMemfsFs(nodeFs, { root: import.meta.dirname }).traits.root).toBe(import.meta.dirname)
  })
})
