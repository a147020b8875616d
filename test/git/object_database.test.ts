/** Objects read from disk and from memory: everything that git itself reads there, with the real git as the judge. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { textOfBytes } from '../../src/core/name_bytes.ts'
import type { Oid } from '../../src/core/repository.ts'
import { createBrowserGitPlatform } from '../../src/git/browser_platform.ts'
import { parseCommit } from '../../src/git/commit.ts'
import { platformGit } from '../../src/git/host_platform.ts'
import { listTree } from '../../src/git/list_tree.ts'
import { createObjectDatabase } from '../../src/git/object_database.ts'
import { expectAgreement, inMemory, objectsOf, openObjects } from './object_reader.ts'
import { commitFiles, fsck, git, gitBytes, initRepository, numbers, sampleRepository, sampleText, tempDir } from './real_git.ts'

const temp = tempDir()
afterAll(temp.remove)
let count = 0
const newDir = (): string => join(temp.dir, `r${count++}`)
const NOWHERE = '1234567890123456789012345678901234567890' as Oid

const noise = (size: number, seed: number): Uint8Array => {
  const random = numbers(seed)
  return Uint8Array.from({ length: size }, () => Math.floor(random() * 256))
}

/** A pack with an index whose offsets are all large. */
function indexAgain(dir: string): void {
  const packs = join(dir, '.git/objects/pack')
  git(dir, 'gc', '-q')
  const name = readdirSync(packs).find((file) => file.endsWith('.pack')) as string
  for (const file of readdirSync(packs)) if (!file.endsWith('.pack')) rmSync(join(packs, file))
  git(dir, 'index-pack', '--index-version=2,0x40', join(packs, name))
}

const shapes: readonly (readonly [name: string, make: (dir: string) => void])[] = [
  ['loose objects', () => {}],
  ['one pack with deltas', (dir) => git(dir, 'gc', '-q')],
  ['long chains of deltas', (dir) => git(dir, 'repack', '-q', '-a', '-d', '-f', '--depth=50', '--window=50')],
  ['deltas by name', (dir) => git(dir, '-c', 'repack.useDeltaBaseOffset=false', 'repack', '-q', '-a', '-d', '-f')],
  ['an index of version 1', (dir) => git(dir, '-c', 'pack.indexVersion=1', 'repack', '-q', '-a', '-d', '-f')],
  ['offsets of 64 bits', indexAgain],
  ['packs without compression', (dir) => git(dir, '-c', 'pack.compression=0', 'repack', '-q', '-a', '-d', '-f', '-F')],
  ['large loose objects', (dir) => commitFiles(dir, 'Large', { large: sampleText(numbers(3), 20_000), noise: noise(700_000, 1) })],
  [
    'a pack and loose ones, not compressed',
    (dir) => {
      git(dir, 'gc', '-q')
      git(dir, 'config', 'core.looseCompression', '0')
      commitFiles(dir, 'Later', { 'later.txt': 'later\n' })
    },
  ],
  [
    'many packs with a common index',
    (dir) => {
      git(dir, 'repack', '-q', '-d')
      for (const name of ['x', 'y', 'z']) {
        commitFiles(dir, name, { [name]: `${name}\n` })
        git(dir, 'repack', '-q', '-d')
      }
      git(dir, 'multi-pack-index', 'write')
    },
  ],
  [
    'packs that are cut at a size',
    (dir) => {
      commitFiles(dir, 'Noise', { one: noise(900_000, 1), two: noise(900_000, 2), three: noise(900_000, 3) })
      git(dir, 'repack', '-q', '-a', '-d', '--max-pack-size=1m')
    },
  ],
]

describe.each(shapes)('%s', (_, make) => {
  const dir = newDir()
  test('are read as git reads them', async () => {
    sampleRepository(dir)
    make(dir)
    const all = objectsOf(dir)
    const objects = openObjects(dir)
    await expectAgreement(objects, all)
    // Also where nothing is kept, and where all must be waited for.
    await expectAgreement(openObjects(dir, { cacheBytes: 0 }), all)
    const files = await inMemory(join(dir, '.git'))
    const waiting = {
      ...files,
      read: async (path: string) => files.read(path),
      stamp: async (path: string) => files.stamp(path),
      list: async (path: string) => files.list(path),
      async open(path: string) {
        const file = await files.open(path)
        return file && { ...file, read: async (offset: number, length: number) => file.read(offset, length) }
      },
    }
    await expectAgreement(createObjectDatabase(waiting, await createBrowserGitPlatform()), all)
    await objects.close()
    fsck(dir)
  })
})

describe('what is not here', () => {
  test('is told by its name, and is found once it came', async () => {
    const dir = newDir()
    sampleRepository(dir)
    const objects = openObjects(dir)
    for (const read of [objects.read, objects.header, objects.stream]) {
      await expect((async () => read(NOWHERE))()).rejects.toMatchObject({ code: 'not_found', details: { oid: NOWHERE } })
    }
    expect(await objects.has(NOWHERE)).toBe(false)
    const commit = commitFiles(dir, 'Later', { later: 'later\n' }) as Oid
    expect(await objects.has(commit)).toBe(true)
    git(dir, 'gc', '-q', '--prune=now')
    expect((await objects.read(commit)).type).toBe('commit')
    const second = commitFiles(dir, 'Last', { last: 'last\n' }) as Oid
    git(dir, 'repack', '-q', '-a', '-d')
    expect((await objects.readAs(second, 'commit')).length).toBeGreaterThan(0)
    await expect((async () => objects.readAs(second, 'tree'))()).rejects.toMatchObject({ code: 'corrupt', details: { oid: second } })
  })

  test('a pack that is open stays readable when it is removed, as long as it is read', async () => {
    const dir = newDir()
    initRepository(dir)
    const bytes = noise(3_000_000, 9)
    commitFiles(dir, 'Large', { large: bytes })
    git(dir, 'repack', '-q', '-a', '-d')
    const objects = openObjects(dir)
    const blob = git(dir, 'rev-parse', 'HEAD:large') as Oid
    const { chunks } = await objects.stream(blob)
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) {
      parts.push(chunk.slice())
      if (parts.length === 1) {
        commitFiles(dir, 'More', { more: 'more\n' })
        git(dir, 'repack', '-q', '-a', '-d')
        await objects.refresh()
      }
    }
    expect(Buffer.compare(Buffer.concat(parts), bytes)).toBe(0)
    expect((await objects.read(blob)).bytes.length).toBe(3_000_000)
  })

  test('is asked of the promisor: one by one, and many at once', async () => {
    const [full, dir] = [newDir(), newDir()]
    sampleRepository(full)
    git(full, 'config', 'uploadpack.allowFilter', 'true')
    git(full, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
    git(temp.dir, 'clone', '-q', '--bare', '--filter=blob:none', `file://${full}`, dir)
    const objects = openObjects(dir)
    const blobs = objectsOf(full).filter(({ type }) => type === 'blob')
    const asked: number[] = []
    expect(await objects.has((blobs[0] as { oid: Oid }).oid)).toBe(false)
    await expect((async () => objects.read((blobs[0] as { oid: Oid }).oid))()).rejects.toMatchObject({ code: 'not_found' })
    objects.promise(async (missing) => {
      asked.push(missing.length)
      git(dir, 'fetch', '-q', '--no-tags', '--no-write-fetch-head', '--filter=blob:none', 'origin', ...missing)
    })
    const [first, second, ...rest] = blobs as [(typeof blobs)[0], (typeof blobs)[0], ...typeof blobs]
    expect(Buffer.compare((await objects.read(first.oid)).bytes, first.bytes)).toBe(0)
    await objects.prefetch([first.oid, second.oid])
    expect(asked).toEqual([1, 1])
    const seen = new Set<Oid>()
    const all = blobs.map(({ oid }) => oid)
    await objects.readEach(all, 1e9, (oid, { bytes }) => {
      seen.add(oid)
      return bytes !== null
    })
    expect(seen.size).toBe(blobs.length)
    expect(asked).toEqual([1, 1, rest.length])
    objects.promise(async () => {})
    await expect((async () => objects.read(NOWHERE))()).rejects.toMatchObject({ code: 'not_found', details: { oid: NOWHERE } })
  })
})

describe('alternates', () => {
  test('are followed, also relative ones and in circles', async () => {
    const [first, second, third] = [newDir(), newDir(), newDir()]
    sampleRepository(first)
    git(first, 'gc', '-q')
    git(temp.dir, 'clone', '-q', '--shared', '--bare', first, second)
    initRepository(third)
    mkdirSync(join(third, '.git/objects/info'), { recursive: true })
    writeFileSync(
      join(third, '.git/objects/info/alternates'),
      `# a remark\n"../../../${second.slice(temp.dir.length + 1)}/objects"\n/nowhere\n`,
    )
    mkdirSync(join(first, '.git/objects/info'), { recursive: true })
    writeFileSync(join(first, '.git/objects/info/alternates'), `${third}/.git/objects\n`)
    for (const dir of [second, third]) await expectAgreement(openObjects(dir), objectsOf(first))
    const closed = createObjectDatabase(await inMemory(second), platformGit())
    await expect((async () => closed.read(NOWHERE))()).rejects.toMatchObject({ code: 'unsupported' })
    rmSync(join(first, '.git/objects/info/alternates'))
    writeFileSync(join(third, '.git/objects/info/alternates'), `${second}/objects\n`)
    for (const dir of [first, second, third]) fsck(dir)
  })
})

test.runIf(existsSync('/proc/self/fd'))('files are closed again, also after a part of an object', async () => {
  const dir = newDir()
  initRepository(dir)
  commitFiles(dir, 'Large', { large: noise(700_000, 5) })
  const oid = git(dir, 'rev-parse', 'HEAD:large') as Oid
  const open = (): number => readdirSync('/proc/self/fd').length
  for (const pack of [false, true]) {
    if (pack) git(dir, 'gc', '-q')
    const before = open()
    const objects = openObjects(dir)
    for (let i = 0; i < 30; i++) {
      expect(await objects.header(oid)).toEqual({ type: 'blob', size: 700_000 })
      await objects.readEach([oid], 10, (_, { bytes }) => bytes === null)
      for await (const chunk of (await objects.stream(oid)).chunks) if (chunk.length > 0) break
    }
    await objects.close()
    await expect.poll(open).toBeLessThan(before + 5)
  }
})

test('chains of thousands of deltas are read', async () => {
  const dir = newDir()
  initRepository(dir, '--bare')
  const lines = sampleText(numbers(4), 60)
  const versions = 3000
  const parts: string[] = []
  for (let at = 0; at < versions; at++) {
    const text = `${lines}version ${at}\n`
    parts.push(
      `commit refs/heads/main\ncommitter C <c@example.com> ${1767319446 + at} +0000\ndata 1\nx\nM 100644 inline file\ndata ${text.length}\n${text}\n`,
    )
  }
  gitBytes(dir, ['fast-import', '--quiet', '--depth=4000'], { input: parts.join('') })
  const packs = readdirSync(join(dir, 'objects/pack')).filter((name) => name.endsWith('.idx'))
  const longest = git(dir, 'verify-pack', '-s', `objects/pack/${packs[0]}`)
  expect(longest).toContain(`chain length = ${versions - 1}`)
  const objects = openObjects(dir, { cacheBytes: 0 })
  const last = git(dir, 'rev-parse', 'main:file') as Oid
  expect(Buffer.from((await objects.read(last)).bytes).toString()).toBe(`${lines}version ${versions - 1}\n`)
  expect(await objects.header(last)).toMatchObject({ type: 'blob' })
  const blobs = objectsOf(dir).filter(({ type }) => type === 'blob')
  const expected = new Map(blobs.map(({ oid, bytes }) => [oid, bytes]))
  let count = 0
  await openObjects(dir).readEach(
    blobs.map(({ oid }) => oid),
    1e6,
    (oid, { bytes }) => {
      count++
      return Buffer.compare(bytes as Uint8Array, expected.get(oid) as Buffer) === 0
    },
  )
  expect(count).toBe(versions)
})

test('names are found by their first digits, loose and packed', async () => {
  const dir = newDir()
  sampleRepository(dir)
  git(dir, 'gc', '-q')
  commitFiles(dir, 'Later', { later: 'later\n' })
  const objects = openObjects(dir)
  const all = objectsOf(dir).map(({ oid }) => oid)
  for (const oid of all) {
    for (const length of [4, 5, 7, 40]) {
      const prefix = oid.slice(0, length)
      expect(await objects.withPrefix(prefix, 100)).toEqual(all.filter((other) => other.startsWith(prefix)).sort())
    }
  }
  expect(await objects.withPrefix('0000', 100)).toEqual(all.filter((oid) => oid.startsWith('0000')))
  await expect(objects.withPrefix('abc', 10)).rejects.toMatchObject({ code: 'invalid_argument' })
})

test('a tree is listed as git lists it, with names that are not UTF-8', async () => {
  const dir = newDir()
  sampleRepository(dir)
  const bytes = Buffer.concat([Buffer.from('caf'), Buffer.of(0xe9, 0x2f, 0xff, 0xed, 0xa0, 0x80, 0x20, 0xf0)])
  mkdirSync(Buffer.concat([Buffer.from(`${dir}/`), bytes.subarray(0, 4)]))
  writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), bytes]), 'not UTF-8\n')
  for (const name of ['a', 'a-b', 'a.b', 'ab', 'a0', '\ufffd', 'ä'.repeat(60)]) mkdirSync(join(dir, 'order', name), { recursive: true })
  for (const name of ['a', 'a0']) renameSync(join(dir, 'order', name), join(dir, 'order', `${name}x`))
  for (const name of readdirSync(join(dir, 'order'))) writeFileSync(join(dir, 'order', name, 'file'), name)
  writeFileSync(join(dir, 'order', 'a'), 'a file beside a-b and a.b\n')
  const commit = commitFiles(dir, 'Names', {}) as Oid
  const objects = openObjects(dir)
  const { tree } = parseCommit(await objects.readAs(commit, 'commit'), commit)
  const listed: string[] = []
  await listTree(objects, tree, (path, mode, oid) => {
    listed.push(`${mode} ${mode === '040000' ? 'tree' : 'blob'} ${oid}\t${path}`)
    return true
  })
  const said = gitBytes(dir, ['ls-tree', '-r', '-t', '-z', tree]).toString('latin1')
  const expected = said.split('\0').slice(0, -1)
  expect(listed).toEqual(expected.map((line) => textOfBytes(Buffer.from(line, 'latin1'))))
  expect(listed.some((line) => line.includes('caf\udce9/\udcff'))).toBe(true)
})
