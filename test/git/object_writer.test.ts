/** Objects that we write, read by git, by isomorphic-git and by ourselves, on every storage. */
import { spawn } from 'node:child_process'
import fs, { chmodSync, existsSync, readdirSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as isomorphic from 'isomorphic-git'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Oid } from '../../src/core/repository.ts'
import { initNodeGitDirectory } from '../../src/fs/git/node_directory.ts'
import { createSqliteGitFiles } from '../../src/fs/git/sqlite_files.ts'
import { openNodeSql } from '../../src/fs/sqlite/node_sqlite.ts'
import { createBrowserGitPlatform } from '../../src/git/browser_platform.ts'
import type { GitDirectory } from '../../src/git/directory.ts'
import { createMemoryGitFiles } from '../../src/git/memory_files.ts'
import { type NewObject, newObject } from '../../src/git/objects.ts'
import { initGitDirectory, openGitDirectory } from '../../src/git/open.ts'
import { copyOut } from './copied.ts'
import { temporaryFolder } from './folder.ts'
import { fsck, GIT_ENVIRONMENT, git, gitBytes, numbers, sampleText } from './real_git.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A commit of a tree of so many files; all its objects, the commit last. */
function commitOf(git: GitDirectory, count: number): NewObject[] {
  const random = numbers(count + 1)
  const blobs = Array.from({ length: count }, () => newObject(git.objects, 'blob', bytes(sampleText(random, 8))))
  const entries = blobs.map(({ oid }, at) => [`100644 file${String(at).padStart(6, '0')}\0`, oid] as const)
  const tree = newObject(
    git.objects,
    'tree',
    Buffer.concat(entries.map(([head, oid]) => Buffer.concat([Buffer.from(head), Buffer.from(oid, 'hex')]))),
  )
  const who = 'Ada <ada@example.com> 1767319446 +0000'
  return [...blobs, tree, newObject(git.objects, 'commit', bytes(`tree ${tree.oid}\nauthor ${who}\ncommitter ${who}\n\nmessage\n`))]
}

async function* parts(body: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}

interface Storage {
  readonly name: string
  open(): Promise<GitDirectory>
}

const STORAGES: readonly Storage[] = [
  { name: 'a folder', open: () => initNodeGitDirectory(temporaryFolder(), { bare: true }) },
  { name: 'memory', open: () => initGitDirectory(createMemoryGitFiles()) },
  {
    name: 'SQLite',
    async open() {
      const sql = openNodeSql(':memory:')
      onTestFinished(() => sql.close())
      return initGitDirectory(createSqliteGitFiles(sql))
    },
  },
  {
    name: 'memory, as in a browser',
    open: async () => initGitDirectory(createMemoryGitFiles(), { platform: await createBrowserGitPlatform() }),
  },
]

for (const { name, open } of STORAGES) {
  describe(`writing objects: ${name}`, () => {
    for (const count of [3, 200]) {
      it(`a commit of ${count} files is what git and isomorphic-git read, and we do`, async () => {
        const repository = await open()
        const objects = commitOf(repository, count)
        await repository.objects.write(objects)
        await repository.objects.write(objects)
        const commit = objects.at(-1) as NewObject
        expect(await repository.refs.update({ name: 'refs/heads/main', from: null, to: commit.oid })).toBe(true)
        const again = await openGitDirectory(repository.files, { platform: repository.platform })
        for (const { oid, type, bytes: wanted } of objects) {
          const found = await again.objects.read(oid)
          expect([found.type, Buffer.compare(found.bytes, wanted)]).toEqual([type, 0])
        }
        const dir = temporaryFolder()
        await copyOut(repository.files, dir)
        fsck(dir)
        expect(git(dir, 'ls-tree', 'main').split('\n')).toHaveLength(count)
        const packs = existsSync(join(dir, 'objects/pack')) ? readdirSync(join(dir, 'objects/pack')) : []
        expect(packs.map((file) => file.replace(/.*\./, '')).sort()).toEqual(count > 64 ? ['idx', 'pack'] : [])
        const log = await isomorphic.log({ fs, gitdir: dir, ref: 'main' })
        expect(log[0]?.oid).toBe(commit.oid)
        const blob = await isomorphic.readBlob({ fs, gitdir: dir, oid: (objects[0] as NewObject).oid })
        expect(Buffer.compare(blob.blob, (objects[0] as NewObject).bytes)).toBe(0)
      })
    }

    it('a blob of any size is written as it comes', async () => {
      const repository = await open()
      const dir = temporaryFolder()
      for (const size of [0, 1, 100_000, 4 * 1024 * 1024 + 1, 9_000_000]) {
        const body = new Uint8Array(size)
        for (let at = 0; at < size; at++) body[at] = (at * 7) >> 5
        const made = await repository.objects.writeBlob(parts(body, 65_537))
        expect(made).toEqual({ oid: gitBytes(dir, ['hash-object', '--stdin'], { input: body }).toString().trim(), size })
        expect(await repository.objects.writeBlob(parts(body, 100_000))).toEqual(made)
        const { bytes: found } = await repository.objects.read(made.oid)
        expect(Buffer.compare(found, body)).toBe(0)
      }
      await expect(
        repository.objects.writeBlob(
          (async function* () {
            yield new Uint8Array(6_000_000)
            throw new Error('the sender is gone')
          })(),
        ),
      ).rejects.toThrow()
      expect((await repository.files.list('objects')).filter((entry) => entry.startsWith('tmp'))).toEqual([])
    })
  })
}

describe('loose objects on disk', () => {
  it('that are good are never replaced, and count as new again; those that are damaged are', async () => {
    const dir = temporaryFolder()
    const repository = await initNodeGitDirectory(dir)
    const blob = newObject(repository.objects, 'blob', bytes('some content\n'))
    await repository.objects.write([blob])
    const path = join(dir, '.git/objects', blob.oid.slice(0, 2), blob.oid.slice(2))
    const { ino, mode } = statSync(path)
    expect(mode & 0o777).toBe(0o444)
    utimesSync(path, 1_600_000_000, 1_600_000_000)
    await repository.objects.write([blob])
    expect(statSync(path).ino).toBe(ino)
    expect(Date.now() - statSync(path).mtimeMs).toBeLessThan(60_000)
    for (const damage of [0, 5, 'swapped'] as const) {
      chmodSync(path, 0o644)
      if (damage === 'swapped') writeFileSync(path, repository.platform.zlib.deflate(bytes('blob 13\0none content\n')))
      else truncateSync(path, damage)
      await repository.objects.write([blob])
      fsck(dir)
      expect(git(dir, 'cat-file', '-p', blob.oid)).toBe('some content')
    }
  })

  it('a pack that holds what is written again counts as new', async () => {
    const dir = temporaryFolder()
    const repository = await initNodeGitDirectory(dir, { bare: true })
    const objects = commitOf(repository, 100)
    await repository.objects.write(objects)
    const pack = join(dir, 'objects/pack', readdirSync(join(dir, 'objects/pack')).find((name) => name.endsWith('.pack')) as string)
    utimesSync(pack, 1_600_000_000, 1_600_000_000)
    await repository.objects.write(objects.slice(0, 1))
    expect(Date.now() - statSync(pack).mtimeMs).toBeLessThan(60_000)
    expect(readdirSync(join(dir, 'objects/pack'))).toHaveLength(2)
  })

  it('what git gc moves or drops while we write is written anew', async () => {
    const dir = temporaryFolder()
    const repository = await initNodeGitDirectory(dir)
    let tip: Oid | null = null
    for (let round = 0; round < 4; round++) {
      const objects = commitOf(repository, 3 + 70 * (round % 2))
      await repository.objects.write(objects)
      // Nothing refers to them yet: they are dropped.
      if (round % 2 === 0) git(dir, 'gc', '-q', '--prune=now')
      await repository.objects.write(objects)
      const commit = (objects.at(-1) as NewObject).oid
      expect(await repository.refs.update({ name: 'refs/filewright/w', from: tip, to: commit })).toBe(true)
      tip = commit
      git(dir, 'gc', '-q', '--prune=now')
      fsck(dir)
      expect(await repository.refs.read('refs/filewright/w')).toBe(commit)
      for (const { oid, type } of objects) expect((await repository.objects.read(oid)).type).toBe(type)
    }
  })

  it('git gc that runs all the while takes nothing from us', { timeout: 120_000 }, async () => {
    const dir = temporaryFolder()
    const repository = await initNodeGitDirectory(dir)
    let isDone = false
    const collecting = (async () => {
      let runs = 0
      while (!isDone) {
        await new Promise<void>((done) => {
          spawn('git', ['gc', '-q'], { cwd: dir, env: GIT_ENVIRONMENT, stdio: 'ignore' }).on('close', () => done())
        })
        runs++
      }
      return runs
    })()
    let tip: Oid | null = null
    const written: NewObject[] = []
    for (let round = 0; round < 25; round++) {
      // The same blobs again and again: loose, packed, or about to be moved.
      const objects = commitOf(repository, round % 3 === 0 ? 70 : 5 + (round % 5))
      await repository.objects.write(objects)
      const { oid } = objects.at(-1) as NewObject
      expect(await repository.refs.update({ name: `refs/filewright/w${round % 2}`, from: tip, to: oid })).toBe(true)
      tip = await repository.refs.read(`refs/filewright/w${(round + 1) % 2}`)
      written.push(...objects)
      await new Promise((done) => setTimeout(done, 10))
    }
    isDone = true
    expect(await collecting).toBeGreaterThan(0)
    fsck(dir)
    for (const { oid, type } of written) expect((await repository.objects.read(oid)).type).toBe(type)
    await repository.close()
  })
})
