/** Objects that are damaged, and objects that others move about while they are read: never a wrong answer. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { concatBytes } from '../../src/core/bytes.ts'
import { isFilewrightError } from '../../src/core/errors.ts'
import type { Oid } from '../../src/core/repository.ts'
import type { GitFiles } from '../../src/git/files.ts'
import { platformGit } from '../../src/git/host_platform.ts'
import { packHead } from '../../src/git/incoming/pack_format.ts'
import { createPackRows } from '../../src/git/incoming/pack_rows.ts'
import { createMemoryGitFiles } from '../../src/git/memory_files.ts'
import { createObjectDatabase } from '../../src/git/object_database.ts'
import { oidBytes } from '../../src/git/oid.ts'
import type { Sha1 } from '../../src/git/platform.ts'
import { inMemory, type KnownObject, objectsOf, openObjects } from './object_reader.ts'
import { commitFiles, fsck, GIT_ENVIRONMENT, git, initRepository, numbers, sampleRepository, tempDir } from './real_git.ts'

/** Places at which bytes are changed, of each file. `FILEWRIGHT_FAULTS=10000` for a long run. */
const FAULTS = Number(process.env.FILEWRIGHT_FAULTS ?? 60)

const temp = tempDir()
afterAll(temp.remove)

/** Reads all objects; each is as it should be, or refused with a code that fits. Answers how many were refused. */
async function readAll(files: GitFiles, all: readonly KnownObject[]): Promise<number> {
  const objects = createObjectDatabase(files, platformGit(), { maxObjectBytes: 10_000_000 })
  let refused = 0
  for (const { oid, type, bytes } of all) {
    for (const way of ['read', 'stream', 'header'] as const) {
      try {
        if (way === 'read') {
          const object = await objects.read(oid)
          expect(object.type).toBe(type)
          expect(Buffer.compare(object.bytes, bytes)).toBe(0)
        } else if (way === 'stream') {
          const parts: Uint8Array[] = []
          for await (const chunk of (await objects.stream(oid)).chunks) parts.push(chunk.slice())
          expect(Buffer.compare(Buffer.concat(parts), bytes)).toBe(0)
        } else {
          await objects.header(oid)
        }
      } catch (error) {
        if (!isFilewrightError(error)) throw error
        expect(['corrupt', 'too_large', 'unsupported', 'not_found']).toContain(error.code)
        if (error.code === 'corrupt') expect(error.details).toMatchObject({ oid })
        refused++
      }
    }
  }
  return refused
}

describe('damage', () => {
  const dir = join(temp.dir, 'damage')
  sampleRepository(dir)
  const loose = objectsOf(dir).filter(({ bytes }) => bytes.length < 20_000)
  const looseFiles = inMemory(join(dir, '.git'))
  git(dir, 'repack', '-q', '-a', '-f', '--depth=20')
  const packDir = join(dir, '.git/objects/pack')
  const packs = readdirSync(packDir).filter((name) => /\.(?:idx|pack)$/.test(name))
  const packed = new Map(packs.map((name) => [name, new Uint8Array(readFileSync(join(packDir, name)))]))
  const sample = loose.filter((_, at) => at % 6 === 0)

  async function withPack(change: (name: string, bytes: Uint8Array) => Uint8Array): Promise<GitFiles> {
    const files = createMemoryGitFiles()
    for (const [name, bytes] of packed) await files.write(`objects/pack/${name}`, change(name, bytes))
    return files
  }

  test('nothing is refused where nothing is damaged', async () => {
    expect(await readAll(await withPack((_, bytes) => bytes), loose)).toBe(0)
    expect(await readAll(await looseFiles, loose)).toBe(0)
  })

  test.each(['.idx', '.pack'])('bytes of a %s are changed', async (ending) => {
    const random = numbers(ending.length)
    let refused = 0
    for (let round = 0; round < FAULTS; round++) {
      const files = await withPack((name, bytes) => {
        if (!name.endsWith(ending)) return bytes
        const changed = bytes.slice()
        // The beginning of files is met more often than chance would.
        const at = round % 4 === 0 ? round / 4 : Math.floor(random() * bytes.length)
        changed[at] = (changed[at] as number) ^ (1 << Math.floor(random() * 8))
        return changed
      })
      refused += await readAll(files, sample)
    }
    expect(refused).toBeGreaterThan(0)
  })

  test('objects that are proved by the checksums of their index: a kind that is changed is noticed', async () => {
    const many = join(temp.dir, 'many')
    initRepository(many)
    commitFiles(many, 'Many', Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`file${at}`, `content ${at}\n`])))
    // No object is stored as a difference.
    git(many, 'repack', '-q', '-a', '-d', '-f', '--window=0')
    const folder = join(many, '.git/objects/pack')
    const name = (readdirSync(folder).find((file) => file.endsWith('.idx')) as string).slice(0, -4)
    const [index, pack] = ['.idx', '.pack'].map((end) => new Uint8Array(readFileSync(join(folder, name + end)))) as [Uint8Array, Uint8Array]
    const blobs = objectsOf(many).filter(({ type }) => type === 'blob')
    const victims = blobs.slice(300, 320)
    for (const { oid } of victims) {
      const entry = /^(\S+) blob +\d+ \d+ (\d+)$/m.exec(
        git(many, 'verify-pack', '-v', join(folder, `${name}.idx`))
          .split('\n')
          .find((line) => line.startsWith(oid)) as string,
      )
      const at = Number(entry?.[2])
      // A blob is told to be a tag; its content and the sum behind it stay as they were.
      pack[at] = (pack[at] as number) ^ 0x70
    }
    const files = createMemoryGitFiles()
    await files.write(`objects/pack/${name}.idx`, index)
    await files.write(`objects/pack/${name}.pack`, pack)
    const objects = createObjectDatabase(files, platformGit())
    for (const { oid, bytes } of blobs.slice(0, 300)) expect(Buffer.compare((await objects.read(oid)).bytes, bytes)).toBe(0)
    for (const { oid } of victims) {
      const read = (async () => objects.read(oid))()
      await expect(read).rejects.toMatchObject({ code: 'corrupt', details: { oid } })
    }
  })

  test.each(['.idx', '.pack'])('a %s is cut', async (ending) => {
    const random = numbers(5)
    for (let round = 0; round < FAULTS / 4; round++) {
      const files = await withPack((name, bytes) => {
        return name.endsWith(ending) ? bytes.subarray(0, round < 5 ? round * 5 : Math.floor(random() * bytes.length)) : bytes
      })
      expect(await readAll(files, sample)).toBe(sample.length * 3)
    }
  })

  test('an index is of another pack', async () => {
    const other = join(temp.dir, 'other')
    sampleRepository(other)
    commitFiles(other, 'More', { more: 'more\n' })
    git(other, 'repack', '-q', '-a')
    const name = readdirSync(join(other, '.git/objects/pack')).find((file) => file.endsWith('.idx')) as string
    const index = new Uint8Array(readFileSync(join(other, '.git/objects/pack', name)))
    const files = await withPack((file, bytes) => (file.endsWith('.idx') ? index : bytes))
    expect(await readAll(files, sample)).toBe(sample.length * 3)
  })

  test('loose objects are changed, cut, or followed by something', async () => {
    const random = numbers(11)
    for (let round = 0; round < FAULTS; round++) {
      const { oid, bytes } = loose[round % loose.length] as KnownObject
      const path = `objects/${oid.slice(0, 2)}/${oid.slice(2)}`
      const whole = (await (await looseFiles).read(path)) as Uint8Array
      const at = Math.floor(random() * whole.length)
      const flipped = whole.slice()
      flipped[at] = (flipped[at] as number) ^ (1 << Math.floor(random() * 8))
      for (const damaged of [flipped, whole.subarray(0, at), new Uint8Array([...whole, 0])]) {
        const files = createMemoryGitFiles()
        await files.write(path, damaged)
        const objects = createObjectDatabase(files, platformGit())
        // Not every bit of a zlib stream says something.
        const read = (async () => (await objects.read(oid)).bytes)().catch((error: unknown) => error)
        const result = await read
        if (result instanceof Uint8Array) expect(Buffer.compare(result, bytes)).toBe(0)
        else expect(result).toMatchObject({ code: 'corrupt', details: { oid } })
        if (damaged !== flipped) expect(result).toMatchObject({ code: 'corrupt' })
      }
    }
  })

  test('a loose object is another one', async () => {
    const [one, two] = loose as [KnownObject, KnownObject]
    const files = createMemoryGitFiles()
    const from = (await (await looseFiles).read(`objects/${two.oid.slice(0, 2)}/${two.oid.slice(2)}`)) as Uint8Array
    await files.write(`objects/${one.oid.slice(0, 2)}/${one.oid.slice(2)}`, from)
    expect(await readAll(files, [one])).toBe(2)
  })
})

describe('limits', () => {
  test('hold for objects read whole, not for those read as streams', async () => {
    const dir = join(temp.dir, 'limits')
    sampleRepository(dir)
    commitFiles(dir, 'Large', { large: 'line\n'.repeat(200_000) })
    const oid = git(dir, 'rev-parse', 'HEAD:large') as Oid
    for (const pack of [false, true]) {
      if (pack) git(dir, 'gc', '-q')
      const objects = openObjects(dir, { maxObjectBytes: 500_000 })
      await expect((async () => objects.read(oid))()).rejects.toMatchObject({ code: 'too_large', details: { oid } })
      expect(await objects.header(oid)).toEqual({ type: 'blob', size: 1_000_000 })
      let size = 0
      for await (const chunk of (await objects.stream(oid)).chunks) size += chunk.length
      expect(size).toBe(1_000_000)
    }
    const shallow = openObjects(dir, { maxDeltaDepth: 1 })
    git(dir, 'repack', '-q', '-a', '-d', '-f', '--depth=50')
    const codes = new Set<string>()
    for (const { oid } of objectsOf(dir)) {
      try {
        await shallow.read(oid)
      } catch (error) {
        codes.add(isFilewrightError(error) ? error.code : 'other')
      }
    }
    expect([...codes]).toEqual(['corrupt'])
  })
})

test('an object that says it is huge takes no memory', async () => {
  const files = createMemoryGitFiles()
  const { sha1, zlib } = platformGit()
  const oid = '1234567890123456789012345678901234567890' as Oid
  // Sizes of 256 MB and of 2 to the power of 60, of an object and of what a delta makes.
  for (const head of [
    [0xb0, 0x80, 0x80, 0x80, 0x01],
    [0xb0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f],
  ]) {
    const content = zlib.deflate(new Uint8Array(100))
    const { pack, index } = packOf(oid, Uint8Array.from([...head, ...content]), sha1)
    await files.write('objects/pack/pack-1.pack', pack)
    await files.write('objects/pack/pack-1.idx', index)
    const before = process.memoryUsage.rss()
    const objects = createObjectDatabase(files, platformGit())
    await expect((async () => objects.read(oid))()).rejects.toMatchObject({ details: { oid } })
    await expect((async () => objects.read(oid))()).rejects.toMatchObject({ code: expect.stringMatching(/corrupt|too_large/) })
    expect(process.memoryUsage.rss() - before).toBeLessThan(100e6)
  }
  // A loose object that inflates to a gigabyte of zeros.
  const bomb = createMemoryGitFiles()
  async function* zeros(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('blob 1073741824\0')
    for (let at = 0; at < 1024; at++) yield new Uint8Array(1024 * 1024)
  }
  await bomb.write(`objects/${oid.slice(0, 2)}/${oid.slice(2)}`, zlib.deflateStream(zeros()))
  const objects = createObjectDatabase(bomb, platformGit(), { maxObjectBytes: 10_000_000 })
  const before = process.memoryUsage.rss()
  await expect((async () => objects.read(oid))()).rejects.toMatchObject({ code: 'too_large', details: { oid } })
  expect(process.memoryUsage.rss() - before).toBeLessThan(200e6)
})

/** A pack with one object, and its index. */
function packOf(oid: Oid, entry: Uint8Array, sha1: Sha1): { readonly pack: Uint8Array; readonly index: Uint8Array } {
  const body = concatBytes([packHead(1), entry])
  const hash = sha1.hash(body)
  const rows = createPackRows()
  rows.setOid(rows.add(12, 0), oidBytes(oid))
  return { pack: concatBytes([body, hash]), index: rows.index(hash, sha1) }
}

test('objects never go away while git collects garbage and packs anew', async () => {
  const dir = join(temp.dir, 'gc')
  sampleRepository(dir)
  const all = objectsOf(dir)
  const before = Number(git(dir, 'rev-list', '--count', 'HEAD'))
  const script = `
    for i in $(seq 1 200); do
      echo $i > file$i; git add file$i; git commit -q -m $i
      git gc -q --prune=now; git repack -q -a -d -f
      [ -e stop ] && exit 0
    done`
  const child = spawn('bash', ['-c', script], { cwd: dir, env: GIT_ENVIRONMENT, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.on('close', resolve))
  const objects = openObjects(dir, { cacheBytes: 0 })
  const until = Date.now() + Number(process.env.FILEWRIGHT_GC_MS ?? 2500)
  let rounds = 0
  try {
    for (; Date.now() < until; rounds++) {
      const fresh = rounds % 3 === 0 ? openObjects(dir) : objects
      for (const { oid, size } of all) {
        expect((await fresh.read(oid)).bytes.length).toBe(size)
        expect(await fresh.has(oid)).toBe(true)
      }
      await fresh.readEach(
        all.map(({ oid }) => oid),
        1e9,
        (_, { bytes }) => {
          expect(bytes).not.toBeNull()
          return true
        },
      )
      if (fresh !== objects) await fresh.close()
      // Lets the other processes run.
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  } finally {
    writeFileSync(join(dir, 'stop'), '')
    await ended
  }
  expect(rounds).toBeGreaterThan(1)
  // Both sides did something.
  expect(Number(git(dir, 'rev-list', '--count', 'HEAD'))).toBeGreaterThan(before + 1)
  fsck(dir)
})
