/** Partial clones: what is missing comes when it is asked for, many objects by one request. */
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Oid } from '../../../src/core/repository.ts'
import type { GitDirectory } from '../../../src/git/directory.ts'
import { cloneInto } from '../../../src/git/wire/clone.ts'
import { fetchRemote } from '../../../src/git/wire/fetch.ts'
import { attachPromisor } from '../../../src/git/wire/promisor.ts'
import { commitFiles, fsck, git, manyFiles } from '../real_git.ts'
import type { GitServer } from './http_server.ts'
import { createWorld, gitOnline, objectsOf, serving, type World, withGit } from './setup.ts'

const FILES = 1500

let world: World
let server: GitServer
let remote: string
let dir: string
let blobs: Oid[]

beforeAll(async () => {
  world = await createWorld(async (made) => {
    manyFiles(made.remote, FILES)
    serving(made.remote)
    await gitOnline(made.root, 'clone', '-q', '-n', '--filter=blob:none', `${made.server.url}/remote`, made.ours)
    blobs = git(made.remote, 'ls-tree', '-r', '--format=%(objectname)', 'main').split('\n') as Oid[]
  })
  server = world.server
  remote = world.remote
  dir = world.ours
})
beforeEach(() => world.renew())
afterAll(() => world.close())

const posts = () => server.seen.filter(({ method }) => method === 'POST').length

/** Opens the clone, which the real git made. */
const opened = <T>(work: (repository: GitDirectory) => Promise<T>) =>
  withGit(dir, async (repository) => {
    expect(await attachPromisor(repository)).toBe(true)
    return work(repository)
  })

describe('a partial clone that git made', () => {
  test('one blob comes when it is read', async () => {
    await opened(async ({ objects }) => {
      const [oid] = blobs as [Oid]
      expect(await objects.has(oid)).toBe(false)
      expect(new TextDecoder().decode(await objects.readAs(oid, 'blob'))).toBe(`${git(remote, 'cat-file', 'blob', oid)}\n`)
      expect(await objects.has(oid)).toBe(true)
    })
    expect(posts()).toBe(1)
    fsck(dir)
  })

  test('rules for references do not count for what is read, also those that nobody can read', async () => {
    for (const rule of ['^refs/heads/x', 'main', 'a:b:c']) git(dir, 'config', '--add', 'remote.origin.fetch', rule)
    await opened(async ({ objects }) => objects.readAs((blobs as [Oid])[0], 'blob'))
    expect(posts()).toBe(1)
  })

  test('several remotes and addresses: one that cannot be reached is no end', async () => {
    git(dir, 'config', '--unset', 'remote.origin.promisor')
    git(dir, 'config', '--add', 'remote.origin.url', 'http://second.invalid/x')
    git(dir, 'config', 'remote.ours.url', 'git@host.invalid:x')
    git(dir, 'config', 'remote.ours.promisor', 'true')
    git(dir, 'config', 'extensions.partialclone', 'ours')
    const oid = (blobs as [Oid])[0]
    await opened(async ({ objects }) => objects.readAs(oid, 'blob'))
    const none = '1'.repeat(40) as Oid
    await expect(opened(async ({ objects }) => objects.readAs(none, 'blob'))).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('all of them come by a few requests, and git finds them in order', async () => {
    await opened(async ({ objects }) => {
      await objects.prefetch(blobs)
      for (const oid of blobs) expect(await objects.has(oid)).toBe(true)
    })
    expect(posts()).toBeLessThanOrEqual(Math.ceil(new Set(blobs).size / 512))
    fsck(dir)
    expect(objectsOf(dir).length).toBeGreaterThan(FILES)
  })

  test('those who ask at the same time are answered together', async () => {
    await opened(async ({ objects }) => {
      await Promise.all(blobs.slice(0, 200).map((oid) => objects.readAs(oid, 'blob')))
    })
    expect(posts()).toBeLessThanOrEqual(3)
  })

  test('what the server does not have is not found, and the others are there', async () => {
    await opened(async ({ objects }) => {
      const none = '0123456789012345678901234567890123456789' as Oid
      const [asked, other] = await Promise.allSettled([objects.readAs(none, 'blob'), objects.readAs(blobs[3] as Oid, 'blob')])
      expect(asked).toMatchObject({ status: 'rejected', reason: { code: 'not_found', details: { oid: none } } })
      expect(other.status).toBe('fulfilled')
    })
  })

  test('a server that is away: the call fails, and the next one works', async () => {
    await opened(async ({ objects }) => {
      server.instead = (_, response) => Boolean(response.writeHead(503).end())
      await expect(objects.readAs(blobs[0] as Oid, 'blob')).rejects.toMatchObject({ code: 'io_error' })
      server.instead = () => false
      await objects.readAs(blobs[0] as Oid, 'blob')
    })
  })

  test('fetching keeps it partial', async () => {
    const work = join(world.root, 'work')
    git(world.root, 'clone', '-q', remote, work)
    const oid = commitFiles(work, 'More', { more: 'more\n' })
    git(work, 'push', '-q', 'origin', 'HEAD:main')
    await opened(async (repository) => {
      await fetchRemote(repository)
      expect(await repository.objects.has(git(work, 'rev-parse', 'HEAD:more') as Oid)).toBe(false)
    })
    expect(git(dir, 'rev-parse', 'origin/main')).toBe(oid)
    fsck(dir)
  })
})

test('a clone of ours is attached at once, also one without trees', async () => {
  const ours = join(world.root, 'treeless')
  await withGit(ours, async (repository) => {
    await cloneInto(repository, `${server.url}/remote`, { filter: 'tree:0' })
    const tree = git(remote, 'rev-parse', 'main:d0') as Oid
    expect((await repository.objects.read(tree)).type).toBe('tree')
  })
  fsck(ours)
})

test('what ended the clone does not end what is read later, with the credentials of its address', async () => {
  server.credentials = 'ada:word'
  await withGit(join(world.root, 'later'), async (repository) => {
    const stop = new AbortController()
    const url = `${server.url.replace('//', '//ada:word@')}/remote`
    await cloneInto(repository, url, { filter: 'blob:none', signal: stop.signal })
    stop.abort()
    expect((await repository.objects.read(blobs[0] as Oid)).type).toBe('blob')
  })
})

test('another repository has no promise', async () => {
  await withGit(remote, async (repository) => {
    expect(await attachPromisor(repository)).toBe(false)
    const read = async () => repository.objects.readAs('0123456789012345678901234567890123456789' as Oid, 'blob')
    await expect(read()).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})
