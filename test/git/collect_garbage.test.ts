/** Garbage of repositories in memory and in SQLite: what is needed stays, what is not goes, whoever works beside and wherever it ends. */
import { afterEach, describe, expect, it } from 'vitest'
import type { Oid } from '../../src/core/repository.ts'
import type { Sql } from '../../src/core/sql.ts'
import { createSqliteGitFiles } from '../../src/fs/git/sqlite_files.ts'
import { createGitFs } from '../../src/fs/git.ts'
import { openNodeSql } from '../../src/fs/sqlite/node_sqlite.ts'
import { collectGarbage } from '../../src/git/collect_garbage.ts'
import type { GitDirectory } from '../../src/git/directory.ts'
import type { GitFiles } from '../../src/git/files.ts'
import { createMemoryGitFiles } from '../../src/git/memory_files.ts'
import { newObject } from '../../src/git/objects.ts'
import { createOidSet } from '../../src/git/oid_set.ts'
import { initGitDirectory, openGitDirectory } from '../../src/git/open.ts'
import { commit, draft, hashOf, keptContents, makeDirectory, objectBytes, write } from '../../src/testing/setup.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { ADA, type GitWorkspace } from '../fs/git/place.ts'
import { copyOut } from './copied.ts'
import { fsck, git, tempDir } from './real_git.ts'

const HOUR = 3600_000
const undo: (() => void)[] = []
afterEach(() => {
  for (const action of undo.splice(0)) action()
})

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Copies a repository out, where git must find nothing wrong; answers where. */
async function checked(files: GitFiles): Promise<string> {
  const { dir, remove } = tempDir()
  undo.push(remove)
  await copyOut(files, dir)
  fsck(dir)
  return dir
}

/** Names of what nothing leads to, as git sees it. */
function unreachable(dir: string): string[] {
  const lines = git(dir, 'fsck', '--unreachable', '--no-dangling', '--no-reflogs').split('\n')
  return lines.filter((line) => line.startsWith('unreachable ')).map((line) => line.split(' ')[2] as string)
}

async function looseCount(files: GitFiles): Promise<number> {
  let count = 0
  for (const dir of await files.list('objects')) if (/^[0-9a-f]{2}\/$/.test(dir)) count += (await files.list(`objects/${dir}`)).length
  return count
}

async function workspaceIn(directory: GitDirectory, workspace = 'main'): Promise<GitWorkspace> {
  return (await createGitFs({ git: directory, workspace })) as GitWorkspace
}

const STORAGES: readonly [string, (now: () => number) => GitFiles][] = [
  ['memory', (now) => createMemoryGitFiles(now)],
  [
    'SQLite',
    (now) => {
      const sql = openNodeSql(':memory:')
      undo.push(() => sql.close())
      return createSqliteGitFiles(sql, now)
    },
  ],
]

describe.each(STORAGES)('in %s', (_, create) => {
  it('a long session stays bounded, and history is whole', { timeout: 60_000 }, async () => {
    let time = 1_000_000
    const files = create(() => time)
    const directory = await initGitDirectory(files)
    const fs = await workspaceIn(directory)
    await commit(fs, makeDirectory('a'))
    const sizes: number[] = []
    let text: string | null = null
    for (let turn = 0; turn < 120; turn++) {
      const next = `text ${turn % 3}`
      await commit(fs, write(fs, 'a/c.txt', next, text === null ? undefined : hashOf(fs, text)))
      text = next
      if (turn % 40 === 7) await fs.repository.makeCommit({ message: `Commit ${turn}`, author: ADA }, draft())
      if (turn === 50) await fs.repository.fork('other', draft())
      if (turn % 20 !== 19) continue
      await collectGarbage(directory)
      time += HOUR
      await collectGarbage(directory)
      sizes.push(await looseCount(files))
    }
    // Records of the journal stay, which come to little; states do not: each would be five objects and more.
    expect((sizes.at(-1) as number) - (sizes[0] as number)).toBeLessThan(100)
    const dir = await checked(files)
    expect(unreachable(dir)).toEqual([])
    expect((await fs.records({ limit: 1 }))[0]?.sequence).toBeGreaterThanOrEqual(120)
    const kept = await keptContents(fs)
    expect(kept.length).toBeGreaterThanOrEqual(3)
    for (const { hash, size } of kept) expect((await objectBytes(fs, hash)).length).toBe(size)
    const again = await workspaceIn(await openGitDirectory(files))
    expect((await again.records({ limit: 500 })).length).toBe((await fs.records({ limit: 500 })).length)
    expect(await keptContents(again)).toEqual(kept)
    expect(git(dir, 'log', '--format=%s', 'filewright/main').split('\n').length).toBe(3)
  })

  it('nothing goes before its time, and what is written or reused begins anew', async () => {
    let time = 1_000_000
    const files = create(() => time)
    const directory = await initGitDirectory(files)
    const { objects } = directory
    const [old, reused, written, staged] = ['old', 'reused', 'written', 'staged'].map((text) => newObject(objects, 'blob', bytes(text)))
    const all = [old, reused, written, staged].map((object) => object as NonNullable<typeof object>)
    await objects.write(all)
    expect(await collectGarbage(directory)).toMatchObject({ removed: 0, spared: 4 })
    time += HOUR - 1
    expect(await collectGarbage(directory)).toMatchObject({ removed: 0, spared: 4 })
    await objects.write([all[1] as NonNullable<typeof reused>])
    expect(await objects.keep((all[3] as NonNullable<typeof staged>).oid)).toBe(true)
    await files.write(
      `objects/${all[2]?.oid.slice(0, 2)}/${all[2]?.oid.slice(2)}`,
      (await files.read(`objects/${all[2]?.oid.slice(0, 2)}/${all[2]?.oid.slice(2)}`)) as Uint8Array,
    )
    time += 1
    const { removed, bytesFreed } = await collectGarbage(directory)
    expect([removed, bytesFreed > 0]).toEqual([1, true])
    expect(await Promise.all(all.map(({ oid }) => objects.has(oid)))).toEqual([false, true, true, true])
    await collectGarbage(directory)
    time += HOUR
    expect(await collectGarbage(directory)).toMatchObject({ removed: 3, spared: 0 })
    await checked(files)
  })

  it('what was needed meanwhile waits the whole time again', async () => {
    let time = 1_000_000
    const files = create(() => time)
    const directory = await initGitDirectory(files)
    const { objects, refs } = directory
    const blob = newObject(objects, 'blob', bytes('now and then'))
    await objects.write([blob])
    await collectGarbage(directory)
    await refs.update({ name: 'refs/tags/held', from: null, to: blob.oid })
    time += HOUR
    await collectGarbage(directory)
    await refs.update({ name: 'refs/tags/held', from: blob.oid, to: null })
    expect(await collectGarbage(directory)).toMatchObject({ removed: 0, spared: 1 })
    time += HOUR
    expect(await collectGarbage(directory)).toMatchObject({ removed: 1, spared: 0 })
  })

  it('packs go when nothing in them is needed, unless they are kept', async () => {
    let time = 1_000_000
    const files = create(() => time)
    const directory = await initGitDirectory(files)
    const { objects, refs } = directory
    const pack = async (name: string): Promise<readonly Oid[]> => {
      const many = Array.from({ length: 80 }, (_, index) => newObject(objects, 'blob', bytes(`${name} ${index}`)))
      await objects.write(many)
      return many.map(({ oid }) => oid)
    }
    const kept = await pack('kept')
    const [stem] = (await files.list('objects/pack')).filter((name) => name.endsWith('.pack'))
    await files.write(`objects/pack/${stem?.replace('.pack', '.keep')}`, new Uint8Array(0))
    const [gone, used] = [await pack('gone'), await pack('used')]
    await refs.update({ name: 'refs/tags/one', from: null, to: used[7] as Oid })
    await collectGarbage(directory)
    time += HOUR
    expect(await collectGarbage(directory)).toMatchObject({ removed: 1, spared: 0, reachable: 1 })
    const have = [kept, gone, used].map(async (oids) => (await Promise.all(oids.map((oid) => objects.has(oid)))).every(Boolean))
    expect(await Promise.all(have)).toEqual([true, false, true])
    expect((await files.list('objects/pack')).length).toBe(5)
    await checked(files)
  })

  it('a repository in which something is wrong is left as it is', async () => {
    let time = 1_000_000
    const files = create(() => time)
    const directory = await initGitDirectory(files)
    const blob = newObject(directory.objects, 'blob', bytes('x'))
    await directory.objects.write([blob])
    await collectGarbage(directory)
    time += HOUR
    await files.write('refs/heads/broken', bytes('nonsense\n'))
    await expect(collectGarbage(directory)).rejects.toMatchObject({ code: 'corrupt' })
    await files.write('refs/heads/broken', bytes(`${'1'.repeat(40)}\n`))
    await expect(collectGarbage(directory)).rejects.toMatchObject({ code: 'not_found' })
    await files.remove('refs/heads/broken')
    await files.write('index', bytes('DIRC'))
    await expect(collectGarbage(directory)).rejects.toMatchObject({ code: 'unsupported' })
    await files.remove('index')
    expect(await directory.objects.has(blob.oid)).toBe(true)
    expect(await collectGarbage(directory)).toMatchObject({ removed: 1 })
  })

  it('workspaces that write all the time lose nothing', { timeout: 60_000 }, async () => {
    let time = 1_000_000
    const files = create(() => time)
    const directory = await initGitDirectory(files)
    let isDone = false
    const writer = async (name: string): Promise<GitWorkspace> => {
      const fs = await workspaceIn(await openGitDirectory(files), name)
      for (let turn = 0; turn < 60; turn++) {
        const text = `${turn % 2}`
        await commit(fs, write(fs, 'same.txt', text, turn === 0 ? undefined : hashOf(fs, `${(turn - 1) % 2}`)))
        await new Promise((resolve) => setTimeout(resolve, 0))
      }
      return fs
    }
    const collector = async (): Promise<number> => {
      let removed = 0
      while (!isDone) {
        // An act is over before so many collections are.
        removed += (await collectGarbage(directory, { graceMs: 8000 })).removed
        time += 1000
        await new Promise((resolve) => setTimeout(resolve, 0))
      }
      return removed
    }
    const collecting = collector()
    await Promise.all([writer('one'), writer('two')]).finally(() => {
      isDone = true
    })
    expect(await collecting).toBeGreaterThan(0)
    await checked(files)
  })
})

/** A database that does no more after so many statements. */
function dying(sql: Sql, after: number): Sql {
  let count = 0
  return {
    ...sql,
    exec(query, ...values) {
      if (++count > after) throw new Error('The process is dead.')
      return sql.exec(query, ...values)
    },
  }
}

it('a collection that dies at any statement leaves the repository whole', { timeout: 120_000 }, async () => {
  for (let after = 5, isDone = false; !isDone; after += process.env.FILEWRIGHT_LONG ? 1 : 17) {
    const sql = openNodeSql(':memory:')
    let time = 1_000_000
    const fs = await workspaceIn(await initGitDirectory(createSqliteGitFiles(sql, () => time)))
    for (let turn = 0; turn < 4; turn++) {
      await commit(fs, write(fs, 'a.txt', `${turn}`, turn === 0 ? undefined : hashOf(fs, `${turn - 1}`)))
      await collectGarbage(await openGitDirectory(createSqliteGitFiles(sql, () => time)))
    }
    time += HOUR
    const act = async (): Promise<unknown> => collectGarbage(await openGitDirectory(createSqliteGitFiles(dying(sql, after), () => time)))
    isDone = await act().then(
      () => true,
      () => false,
    )
    const files = createSqliteGitFiles(sql, () => time)
    if (after % 4 === 1 || isDone) await checked(files)
    const again = await workspaceIn(await openGitDirectory(files))
    expect((await again.records({ limit: 9 })).length).toBe(4)
    expect((await keptContents(again)).length).toBe(3)
    await collectGarbage(await openGitDirectory(files))
    time += HOUR
    await collectGarbage(await openGitDirectory(files))
    if (isDone) expect(unreachable(await checked(files))).toEqual([])
    sql.close()
  }
})

it('undo and the check of the journal work after a collection', async () => {
  let time = 1_000_000
  const files = createMemoryGitFiles(() => time)
  const directory = await initGitDirectory(files)
  const workspace = await openWorkspace({ fs: await workspaceIn(directory), profile: 'native' })
  for (const text of ['one', 'two', 'three']) {
    expect((await workspace.call('write', { path: 'a.txt', content: text, overwrite: true })).error).toBeNull()
  }
  await collectGarbage(directory)
  time += HOUR
  expect((await collectGarbage(directory)).removed).toBeGreaterThan(5)
  await workspace.undo('last')
  await workspace.undo(2)
  expect((await workspace.verify()).records).toBe(5)
  await checked(files)
})

it('processes that share a database leave each other what they write', { timeout: 60_000 }, async () => {
  const { dir, remove } = tempDir()
  undo.push(remove)
  let time = 1_000_000
  const openFiles = (): GitFiles => {
    const sql = openNodeSql(`${dir}/shared.db`)
    undo.unshift(() => sql.close())
    return createSqliteGitFiles(sql, () => time)
  }
  const [one, two] = [openFiles(), openFiles()]
  const [writer, cleaner] = [await initGitDirectory(one), await initGitDirectory(two)]
  const blob = newObject(writer.objects, 'blob', bytes('written twice'))
  await writer.objects.write([blob])
  await collectGarbage(cleaner)
  time += HOUR
  // Known to be needless for its whole time; but somebody is about to use it.
  await writer.objects.write([blob])
  expect(await collectGarbage(cleaner)).toMatchObject({ removed: 0, spared: 1 })
  await writer.refs.update({ name: 'refs/tags/used', from: null, to: blob.oid })
  time += HOUR
  expect(await collectGarbage(cleaner)).toMatchObject({ removed: 0, spared: 0 })
  await writer.refs.update({ name: 'refs/tags/used', from: blob.oid, to: null })
  await collectGarbage(cleaner)
  time += HOUR
  expect(await collectGarbage(cleaner)).toMatchObject({ removed: 1 })
  // What another process removed is written once more.
  await writer.objects.write([blob])
  expect(await cleaner.objects.has(blob.oid)).toBe(true)
  await checked(one)
})

it('what a server promised may be missing, and is not asked for', async () => {
  const files = createMemoryGitFiles()
  const directory = await initGitDirectory(files)
  const { objects, refs } = directory
  const tree = newObject(objects, 'tree', Uint8Array.from([...bytes('40000 gone\0'), ...new Uint8Array(20).fill(7)]))
  await objects.write([tree])
  await refs.update({ name: 'refs/tags/tree', from: null, to: tree.oid })
  objects.promise(async () => {
    throw new Error('Nothing may be fetched.')
  })
  await files.write('objects/pack/pack-x.promisor', new Uint8Array(0))
  expect(await collectGarbage(directory)).toMatchObject({ reachable: 2, removed: 0, spared: 0 })
})

it('what a workspace gives up goes with its garbage', async () => {
  let time = 1_000_000
  const files = createMemoryGitFiles(() => time)
  const directory = await initGitDirectory(files)
  const workspace = await openWorkspace({ fs: await workspaceIn(directory), profile: 'native' })
  for (const content of ['one', 'two', 'three']) await workspace.call('write', { path: 'a.txt', content, overwrite: true })
  const blob = newObject(directory.objects, 'blob', bytes('one'))
  expect(await directory.objects.has(blob.oid)).toBe(true)
  expect((await workspace.collect({ keepRecords: 1 })).objectsDropped).toBe(1)
  time += HOUR
  expect((await workspace.collect({})).objectsDropped).toBe(0)
  expect(await directory.objects.has(blob.oid)).toBe(false)
  expect((await workspace.verify()).records).toBe(3)
  await checked(files)
})

it('a workspace cleans its repository by itself', { timeout: 60_000 }, async () => {
  let time = 1_000_000
  const files = createMemoryGitFiles(() => time)
  const fs = await workspaceIn(await initGitDirectory(files))
  let most = 0
  for (let turn = 0; turn < 1500; turn++) {
    await commit(fs, write(fs, 'a.txt', `${turn % 2}`, turn === 0 ? undefined : hashOf(fs, `${(turn - 1) % 2}`)))
    time += HOUR / 50
    if (turn % 50 === 0) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      most = Math.max(most, await looseCount(files))
    }
  }
  // Without it there would be five for every commit.
  expect(most).toBeLessThan(4500)
  await checked(files)
})

it('a set of names holds what was added, and nothing else', () => {
  const set = createOidSet()
  const name = (index: number): Oid =>
    ((index * 2654435761) % 2 ** 32)
      .toString(16)
      .padStart(8, '0')
      .padEnd(40, index % 2 ? '0' : 'f') as Oid
  const all = Array.from({ length: 5000 }, (_, index) => name(index))
  expect(all.every((oid) => set.add(oid))).toBe(true)
  expect(all.some((oid) => set.add(oid))).toBe(false)
  expect(all.every((oid) => set.has(oid))).toBe(true)
  expect(all.some((_, index) => set.has(name(index + 5000)))).toBe(false)
  expect(set.size).toBe(5000)
})
