/** Objects read from disk: everything git itself reads there, with the real git as the judge. */
import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Oid } from '../../src/core/repository.ts'
import { openNodeGitFiles } from '../../src/fs/git/node_files.ts'
import type { OpenAlternate } from '../../src/git/alternates.ts'
import { platformGit } from '../../src/git/host_platform.ts'
import { createObjectDatabase, type ObjectDatabaseOptions, type OwnedObjectDatabase } from '../../src/git/object_database.ts'
import { commitFiles, fsck, git, gitBytes, sampleRepository, tempDir } from './real_git.ts'

const temp = tempDir()
afterAll(temp.remove)
let count = 0
const newDir = (): string => join(temp.dir, `r${count++}`)

function open(dir: string, options: ObjectDatabaseOptions = {}): OwnedObjectDatabase {
  const openAlternate: OpenAlternate = (path) => {
    const parent = dirname(isAbsolute(path) ? path : join(dir, '.git', path))
    return existsSync(parent) ? { files: openNodeGitFiles(parent), dir: 'objects/' } : null
  }
  return createObjectDatabase(openNodeGitFiles(dir), platformGit(), { openAlternate, ...options })
}

interface Known {
  readonly oid: Oid
  readonly type: string
  readonly size: number
  readonly bytes: Buffer
}

/** All objects, as git reads them. */
function objectsOf(dir: string): Known[] {
  const out = gitBytes(dir, ['cat-file', '--batch', '--batch-all-objects'])
  const all: Known[] = []
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(10, at)
    const [oid, type, size] = out.toString('latin1', at, end).split(' ') as [Oid, string, string]
    all.push({ oid, type, size: Number(size), bytes: out.subarray(end + 1, end + 1 + Number(size)) })
    at = end + 2 + Number(size)
  }
  return all
}

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk.slice())
  return Buffer.concat(all)
}

/** Every way of reading gives what git gives. */
async function agree(dir: string, objects: OwnedObjectDatabase): Promise<Known[]> {
  const all = objectsOf(dir)
  expect(all.length).toBeGreaterThan(0)
  for (const { oid, type, size, bytes } of all) {
    expect(await objects.header(oid)).toEqual({ type, size })
    const object = await objects.read(oid)
    expect(object.type).toBe(type)
    expect(Buffer.compare(object.bytes, bytes), oid).toBe(0)
    expect(await objects.has(oid)).toBe(true)
    const stream = await objects.stream(oid)
    expect(stream).toMatchObject({ type, size })
    expect(Buffer.compare(await gather(stream.chunks), bytes), oid).toBe(0)
    expect(objects.name(object.type, object.bytes)).toBe(oid)
  }
  const seen = new Map<Oid, number | null>()
  await objects.readEach(
    all.map(({ oid }) => oid),
    300,
    (oid, { size, bytes }) => {
      seen.set(oid, bytes ? bytes.length : null)
      expect(bytes === null).toBe(size > 300)
      return true
    },
  )
  expect(seen.size).toBe(all.length)
  return all
}

describe('repositories that git made', () => {
  const shapes: readonly (readonly [name: string, make: (dir: string) => void])[] = [
    ['loose objects', () => {}],
    ['one pack with deltas', (dir) => git(dir, 'gc', '-q')],
    ['long chains of deltas', (dir) => git(dir, 'repack', '-q', '-a', '-d', '-f', '--depth=50', '--window=50')],
    ['deltas by name', (dir) => git(dir, '-c', 'repack.useDeltaBaseOffset=false', 'repack', '-q', '-a', '-d', '-f')],
    ['an index of version 1', (dir) => git(dir, '-c', 'pack.indexVersion=1', 'repack', '-q', '-a', '-d', '-f')],
    ['packs without compression', (dir) => git(dir, '-c', 'pack.compression=0', 'repack', '-q', '-a', '-d', '-f', '-F')],
    ['loose ones without compression', (dir) => git(dir, '-c', 'core.looseCompression=0', 'hash-object', '-w', 'README.md')],
    [
      'a pack and loose ones',
      (dir) => {
        git(dir, 'gc', '-q')
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
  ]
  test.each(shapes)('%s', async (_, make) => {
    const dir = newDir()
    sampleRepository(dir)
    make(dir)
    const objects = open(dir)
    await agree(dir, objects)
    await objects.close()
    fsck(dir)
  })
})
