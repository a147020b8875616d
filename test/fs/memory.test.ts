/** The memory adapter: the conformance suite, and what is its own. */
import { describe, expect, it } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { registerConformance } from '../../src/testing/index.ts'
import {
  at,
  bytesOf,
  commit,
  hashOf,
  makeDirectory,
  move,
  plant,
  readText,
  remove,
  scanPaths,
  utf8,
  write,
} from '../../src/testing/setup.ts'

// `CONFORMANCE_RUNS=20000` makes a long run of random commands.
const runs = Number(process.env.CONFORMANCE_RUNS) || 60
registerConformance({ name: 'memory', persistent: false, create: () => ({ open: () => createMemoryFs() }) }, { describe, it }, { runs })

const HOUR = 60 * 60 * 1000

describe('memory', () => {
  it('says what it is', () => {
    const { limits: _, ...traits } = createMemoryFs().traits
    expect(traits).toEqual({
      adapter: 'memory',
      root: '',
      aliases: [],
      symlinks: true,
      modes: 'posix',
      caseSensitive: true,
      confinement: 'virtual',
      durability: 'memory',
      atomic: true,
      shared: false,
    })
  })

  it('holds to its limits', async () => {
    const fs = createMemoryFs({ limits: { fileBytes: 10, changes: 2 } })
    expect(fs.traits.limits).toMatchObject({ fileBytes: 10, changes: 2, inlineBytes: 1024 * 1024 })
    await commit(fs, write(fs, 'exact', '0123456789'), makeDirectory('d'))
    async function* pieces() {
      for (let piece = 0; piece < 3; piece++) yield utf8('01234')
    }
    await expect(fs.stage(utf8('0123456789+'))).rejects.toMatchObject({ code: 'too_large' })
    await expect(fs.stage(pieces())).rejects.toMatchObject({ code: 'too_large' })
    await expect(commit(fs, write(fs, 'f', '0123456789+'))).rejects.toMatchObject({ code: 'too_large' })
    await expect(commit(fs, ...['x', 'y', 'z'].map(makeDirectory))).rejects.toMatchObject({ code: 'too_large' })
    expect((await fs.stage(utf8('0123456789'))).size).toBe(10)
    expect(await scanPaths(fs, '')).toEqual(['d', 'exact'])
  })

  it('tells the time by the clock that it is given', async () => {
    let now = 1000
    const fs = createMemoryFs({ now: () => now })
    await plant(fs, { d: null, f: 'x' })
    now = 2000
    await plant(fs, { 'd/g': 'y' })
    await commit(fs, write(fs, 'f', 'z', hashOf(fs, 'x')))
    const times = (await fs.list(at(''), { stat: true })).map(({ path, mtimeMs, createdMs }) => [path, mtimeMs, createdMs])
    expect(times).toEqual([
      ['d', 2000, 1000],
      ['f', 2000, 1000],
    ])
    now = 3000
    const record = await commit(fs, remove('f', hashOf(fs, 'z')))
    expect(record.changes?.[0]?.backup?.id).toMatch(/^19700101T000003000Z-/)
    expect((await fs.stat(at(''))).mtimeMs).toBe(3000)
  })

  it('sweeps staged content that no commit used', async () => {
    let now = 0
    const fs = createMemoryFs({ now: () => now })
    const early = await fs.stage(utf8('early'))
    const used = await fs.stage(utf8('used'))
    await commit(fs, { kind: 'write', path: at('f'), content: used, expect: 'absent' })
    now = HOUR / 2
    const late = await fs.stage(utf8('late'))
    const again = await fs.stage(utf8('again'))
    now = HOUR
    await fs.stage(utf8('again'))
    await expect(fs.object(early.hash)).rejects.toMatchObject({ code: 'not_found' })
    expect(new TextDecoder().decode(await bytesOf(await fs.object(late.hash)))).toBe('late')
    now = HOUR * 1.5
    await fs.stage(utf8('last'))
    await expect(fs.object(late.hash)).rejects.toMatchObject({ code: 'not_found' })
    expect(new TextDecoder().decode(await bytesOf(await fs.object(again.hash)))).toBe('again')
    expect(await readText(fs, 'f')).toBe('used')
  })

  it('lets go of what nothing needs', async () => {
    const fs = createMemoryFs()
    await plant(fs, { a: 'shared', b: 'shared', c: 'shared' })
    const { hash } = hashOf(fs, 'shared')
    await commit(fs, { ...remove('a', { hash }), keep: false }, move('b', 'd', { hash }), {
      ...write(fs, 'c', 'other', { hash }),
      keep: false,
    })
    expect((await fs.object(hash)).size).toBe(6)
    await commit(fs, { ...remove('d', { hash }), keep: false })
    await expect(fs.object(hash)).rejects.toMatchObject({ code: 'not_found' })
    await commit(fs, write(fs, 'x', 'brief'), { ...remove('x', hashOf(fs, 'brief')), keep: false })
    await expect(fs.object(hashOf(fs, 'brief').hash)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('goes on with a scan in the tree that it began with', async () => {
    const fs = createMemoryFs()
    await plant(fs, { a: null, 'a/f': '1', b: null, 'b/g': '2' })
    const seen = await scanPaths(fs, '', {
      async filter(dir, children) {
        if (dir === 'a') await commit(fs, remove('b/g', hashOf(fs, '2')), remove('b', 'directory'), write(fs, 'c', '3'))
        return children
      },
    })
    expect(seen).toEqual(['a', 'a/f', 'b', 'b/g'])
    expect(await scanPaths(fs, '')).toEqual(['a', 'a/f', 'c'])
  })

  it('shows permission bits as access, and does not enforce them', async () => {
    const fs = createMemoryFs()
    await commit(fs, { ...write(fs, 'f', 'x'), mode: 0o444 }, { ...write(fs, 'g', 'x'), mode: 0o222 })
    const access = (await fs.list(at(''), { access: true })).map((entry) => entry.access)
    expect(access).toEqual([
      { read: true, write: false },
      { read: false, write: true },
    ])
    await commit(fs, write(fs, 'f', 'y', hashOf(fs, 'x')))
    expect(await readText(fs, 'f')).toBe('y')
  })
})
