/** What tests of object reading share: a repository opened, and what the real git reads in it. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { expect } from 'vitest'
import type { Oid } from '../../src/core/repository.ts'
import { openNodeGitFiles } from '../../src/fs/git/node_files.ts'
import type { OpenAlternate } from '../../src/git/alternates.ts'
import type { GitFiles } from '../../src/git/files.ts'
import { platformGit } from '../../src/git/host_platform.ts'
import { createMemoryGitFiles } from '../../src/git/memory_files.ts'
import { createObjectDatabase, type ObjectDatabaseOptions, type OwnedObjectDatabase } from '../../src/git/object_database.ts'
import type { ObjectDatabase } from '../../src/git/objects.ts'
import { gitBytes } from './real_git.ts'

/** The objects of a repository on disk. */
export function openObjects(dir: string, options: ObjectDatabaseOptions = {}): OwnedObjectDatabase {
  const gitDir = existsSync(join(dir, '.git')) ? join(dir, '.git') : dir
  const openAlternate: OpenAlternate = (path) => {
    const parent = dirname(isAbsolute(path) ? path : join(gitDir, path))
    return existsSync(join(parent, 'HEAD')) ? { files: openNodeGitFiles(parent), dir: 'objects/' } : null
  }
  return createObjectDatabase(openNodeGitFiles(dir), platformGit(), { openAlternate, ...options })
}

/** An object as git reads it. */
export interface KnownObject {
  readonly oid: Oid
  readonly type: string
  readonly size: number
  readonly bytes: Buffer
}

/** All objects of a repository, also those it borrows. */
export function objectsOf(dir: string): KnownObject[] {
  const out = gitBytes(dir, ['cat-file', '--batch', '--batch-all-objects'])
  const all: KnownObject[] = []
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(10, at)
    const [oid, type, size] = out.toString('latin1', at, end).split(' ') as [Oid, string, string]
    all.push({ oid, type, size: Number(size), bytes: out.subarray(end + 1, end + 1 + Number(size)) })
    at = end + 2 + Number(size)
  }
  return all
}

export async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk.slice())
  return Buffer.concat(all)
}

/** Expects that every way of reading gives what git gives. */
export async function expectAgreement(objects: ObjectDatabase, all: readonly KnownObject[]): Promise<void> {
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
  const seen = new Set<Oid>()
  const visit: Parameters<ObjectDatabase['readEach']>[2] = (oid, { size, bytes }) => {
    seen.add(oid)
    expect(bytes === null).toBe(size > 300)
    return true
  }
  await objects.readEach(
    all.map(({ oid }) => oid),
    300,
    visit,
  )
  expect(seen.size).toBe(all.length)
}

/** The files of a git directory, copied to memory. `change` may answer other bytes. */
export async function inMemory(
  gitDir: string,
  change: (path: string, bytes: Uint8Array) => Uint8Array = (_, bytes) => bytes,
): Promise<GitFiles> {
  const files = createMemoryGitFiles()
  for (const path of readdirSync(gitDir, { recursive: true, encoding: 'utf8' })) {
    if (statSync(join(gitDir, path)).isFile()) await files.write(path, change(path, new Uint8Array(readFileSync(join(gitDir, path)))))
  }
  return files
}
