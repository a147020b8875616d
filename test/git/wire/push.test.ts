/** Pushing to the real git, which says what it got. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cloneInto } from '../../../src/git/wire/clone.ts'
import { type PushRef, pushRefs } from '../../../src/git/wire/push.ts'
import { commitFiles, fsck, git, numbers, sampleRepository, sampleText } from '../real_git.ts'
import type { GitServer } from './http_server.ts'
import { createWorld, gitOnline, serving, type World, withGit } from './setup.ts'

let world: World
let server: GitServer
let remote: string
let dir: string

beforeAll(async () => {
  world = await createWorld(async ({ root, ours, remote: bare, server: serves }) => {
    sampleRepository(join(root, 'made'))
    git(root, 'clone', '-q', '--bare', 'made', bare)
    serving(bare)
    await withGit(ours, (repository) => cloneInto(repository, `${serves.url}/remote`, {}))
    git(ours, 'reset', '-q', '--hard')
  })
  server = world.server
  remote = world.remote
})
beforeEach(() => {
  world.renew()
  dir = world.ours
})
afterAll(() => world.close())

const push = (refs: readonly PushRef[], options: Partial<Parameters<typeof pushRefs>[1]> = {}) =>
  withGit(dir, (repository) => pushRefs(repository, { refs, ...options }))
const MAIN: PushRef = { from: 'refs/heads/main', to: 'refs/heads/main' }

describe('push', () => {
  test('a commit: the real git has it, and we know', async () => {
    const oid = commitFiles(dir, 'Ours', { 'src/long.txt': 'short\n' })
    const { refs, objects } = await push([MAIN])
    expect(refs).toMatchObject([{ name: 'refs/heads/main', kind: 'fast-forward', to: oid }])
    // A commit, two trees and a blob.
    expect(objects).toBe(4)
    expect(git(remote, 'rev-parse', 'main')).toBe(oid)
    expect(git(dir, 'rev-parse', 'origin/main')).toBe(oid)
    expect(git(dir, 'reflog', '-1', '--format=%gs', 'origin/main')).toBe('update by push')
    fsck(remote)
  })

  test('what the remote has is not sent again, also under another name', async () => {
    git(dir, 'mv', 'src', 'moved')
    commitFiles(dir, 'Moved', {})
    const { objects } = await push([MAIN])
    // The commit and the root: the folder is what it was.
    expect(objects).toBe(2)
    fsck(remote)
  })

  test('nothing new: nothing is sent', async () => {
    expect(await push([MAIN])).toMatchObject({ refs: [{ kind: 'up-to-date' }], objects: 0 })
    expect(server.seen.map(({ method }) => method)).toEqual(['GET'])
  })

  test('a branch, a tag object and a light one, and two that go', async () => {
    git(dir, 'checkout', '-q', '-b', 'feature')
    const oid = commitFiles(dir, 'Feature', { feature: 'x\n' })
    git(dir, 'tag', '-a', 'v3', '-m', 'Three')
    const { refs } = await push([
      { from: 'refs/heads/feature', to: 'refs/heads/feature' },
      { from: 'refs/tags/v3', to: 'refs/tags/v3' },
      { from: oid, to: 'refs/tags/light3' },
      { from: null, to: 'refs/heads/topic/one' },
      { from: null, to: 'refs/heads/never' },
    ])
    expect(refs.map(({ kind }) => kind)).toEqual(['new', 'new', 'new', 'removed', 'up-to-date'])
    expect(git(remote, 'rev-parse', 'feature', 'v3^{}', 'light3')).toBe([oid, oid, oid].join('\n'))
    expect(git(remote, 'branch', '--list', 'topic/one')).toBe('')
    expect(git(dir, 'branch', '-r', '--list', 'origin/topic/one')).toBe('')
    fsck(remote)
  })

  test('into an empty repository', async () => {
    git(world.root, 'init', '-q', '--bare', '-b', 'main', 'fresh')
    serving(join(world.root, 'fresh'))
    await push([MAIN], { remote: `${server.url}/fresh` })
    expect(git(join(world.root, 'fresh'), 'rev-parse', 'main')).toBe(git(dir, 'rev-parse', 'main'))
    fsck(join(world.root, 'fresh'))
  })

  test('large files', async () => {
    commitFiles(dir, 'Large', { large: sampleText(numbers(5), 60_000), small: 'x' })
    await push([MAIN])
    fsck(remote)
    expect(git(remote, 'rev-parse', 'main^{tree}')).toBe(git(dir, 'rev-parse', 'main^{tree}'))
  })

  test('from a shallow clone', async () => {
    dir = join(world.root, 'shallow')
    await withGit(dir, (repository) => cloneInto(repository, `${server.url}/remote`, { depth: 1 }))
    git(dir, 'reset', '-q', '--hard')
    const oid = commitFiles(dir, 'Ours', { ours: 'x\n' })
    expect((await push([MAIN])).objects).toBe(3)
    expect(git(remote, 'rev-parse', 'main')).toBe(oid)
    fsck(remote)
  })

  test('from a partial clone, without fetching anything for it', async () => {
    dir = join(world.root, 'partial')
    await withGit(dir, (repository) => cloneInto(repository, `${server.url}/remote`, { filter: 'blob:none' }))
    const blob = git(dir, 'rev-parse', 'main')
    await gitOnline(dir, 'read-tree', blob)
    const added = git(dir, 'hash-object', '-w', '--stdin')
    git(dir, 'update-index', '--add', '--cacheinfo', `100644,${added},new`)
    const tree = git(dir, 'write-tree', '--missing-ok')
    const oid = git(dir, 'commit-tree', '-p', blob, '-m', 'Ours', tree)
    git(dir, 'update-ref', 'refs/heads/main', oid)
    server.seen.splice(0)
    await push([MAIN])
    expect(git(remote, 'rev-parse', 'main')).toBe(oid)
    expect(server.seen.filter(({ url }) => url.includes('upload-pack'))).toEqual([])
    fsck(remote)
  })
})

describe('a push that is refused says why', () => {
  test('the remote has other commits, which are here', async () => {
    git(dir, 'reset', '-q', '--hard', 'HEAD~1')
    const oid = commitFiles(dir, 'Another way', { other: 'x\n' })
    expect((await push([MAIN])).refs).toMatchObject([{ kind: 'rejected', refusal: 'non-fast-forward' }])
    expect((await push([{ ...MAIN, force: true }])).refs).toMatchObject([{ kind: 'forced', to: oid }])
    expect(git(remote, 'rev-parse', 'main')).toBe(oid)
    fsck(remote)
  })

  test('the remote has commits that are not here', async () => {
    const made = join(world.root, 'made')
    commitFiles(made, 'Theirs', { theirs: 'x\n' })
    git(made, 'push', '-q', remote, 'main')
    commitFiles(dir, 'Ours', { ours: 'x\n' })
    expect((await push([MAIN])).refs).toMatchObject([{ kind: 'rejected', refusal: 'fetch-first' }])
  })

  test('the remote refuses what would lose commits, also by force', async () => {
    git(remote, 'config', 'receive.denyNonFastForwards', 'true')
    git(dir, 'reset', '-q', '--hard', 'HEAD~1')
    commitFiles(dir, 'Another way', { other: 'x\n' })
    expect((await push([{ ...MAIN, force: true }])).refs).toMatchObject([{ kind: 'rejected', refusal: 'non-fast-forward' }])
  })

  test('a hook declines one, and the other moves', async () => {
    const hook = join(remote, 'hooks/update')
    writeFileSync(hook, '#!/bin/sh\ncase "$1" in refs/heads/main) echo "main is protected" >&2; exit 1;; esac\n')
    chmodSync(hook, 0o755)
    commitFiles(dir, 'Ours', { ours: 'x\n' })
    const said: string[] = []
    const { refs } = await push([MAIN, { from: 'refs/heads/main', to: 'refs/heads/copy' }], { onProgress: (phase) => said.push(phase) })
    expect(refs).toMatchObject([{ kind: 'rejected', refusal: 'declined', why: 'hook declined' }, { kind: 'new' }])
    expect(said).toContain('main is protected')
    expect(git(dir, 'rev-parse', 'origin/copy')).toBe(git(dir, 'rev-parse', 'main'))
  })

  test('atomic: none moves when one cannot', async () => {
    const before = git(remote, 'for-each-ref')
    const oid = commitFiles(dir, 'Ours', { ours: 'x\n' })
    const both = [MAIN, { from: oid, to: 'refs/tags/light' }]
    expect((await push(both, { atomic: true })).refs).toMatchObject([
      { kind: 'rejected', refusal: 'atomic' },
      { kind: 'rejected', refusal: 'already-exists' },
    ])
    const hook = join(remote, 'hooks/update')
    writeFileSync(hook, '#!/bin/sh\ncase "$1" in refs/heads/main) exit 1;; esac\n')
    chmodSync(hook, 0o755)
    const { refs } = await push([MAIN, { from: oid, to: 'refs/heads/copy' }], { atomic: true })
    expect(refs.map(({ kind }) => kind)).toEqual(['rejected', 'rejected'])
    expect(git(remote, 'for-each-ref')).toBe(before)
  })

  test('somebody else was faster', async () => {
    commitFiles(dir, 'Ours', { ours: 'x\n' })
    server.instead = (request) => {
      if (request.method === 'POST') git(remote, 'update-ref', 'refs/heads/main', 'main~1')
      return false
    }
    expect((await push([MAIN])).refs).toMatchObject([{ kind: 'rejected', refusal: 'moved' }])
    expect(git(dir, 'rev-parse', 'origin/main')).toBe(git(dir, 'rev-parse', 'main~1'))
  })

  test('the pack arrives damaged', async () => {
    commitFiles(dir, 'Ours', { ours: 'x\n' })
    const spoil = async (url: string, init: RequestInit) => {
      if (init.method !== 'POST') return globalThis.fetch(url, init)
      const bytes = new Uint8Array(await new Response(init.body).arrayBuffer())
      bytes[bytes.length - 30] = (bytes[bytes.length - 30] as number) ^ 1
      return globalThis.fetch(url, { ...init, body: bytes })
    }
    expect((await push([MAIN], { fetch: spoil })).refs).toMatchObject([{ kind: 'rejected', refusal: 'unpack' }])
    expect(git(remote, 'rev-parse', 'main')).toBe(git(dir, 'rev-parse', 'origin/main'))
    fsck(remote)
  })

  test('the server does not take pushes', async () => {
    git(remote, 'config', 'http.receivepack', 'false')
    commitFiles(dir, 'Ours', { ours: 'x\n' })
    await expect(push([MAIN])).rejects.toMatchObject({ code: 'permission_denied' })
  })

  test('the answer breaks off', async () => {
    server.through = (request, body) => (request.method === 'POST' ? body.subarray(0, 10) : body)
    commitFiles(dir, 'Ours', { ours: 'x\n' })
    await expect(push([MAIN])).rejects.toMatchObject({ code: 'corrupt' })
  })

  test('what is not here, and names that are none', async () => {
    await expect(push([{ from: 'refs/heads/none', to: 'refs/heads/none' }])).rejects.toMatchObject({ code: 'not_found' })
    await expect(push([{ from: '1'.repeat(40), to: 'refs/heads/none' }])).rejects.toMatchObject({ code: 'not_found' })
    await expect(push([{ ...MAIN, to: 'main' }])).rejects.toMatchObject({ code: 'invalid_name' })
  })
})
