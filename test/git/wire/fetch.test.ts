/** Fetching what is new, from the real git. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cloneInto } from '../../../src/git/wire/clone.ts'
import { fetchRemote } from '../../../src/git/wire/fetch.ts'
import { commitFiles, fsck, git, gitBytes, initRepository, numbers, sampleRepository, sampleText, writeTree } from '../real_git.ts'
import type { GitServer } from './http_server.ts'
import { createWorld, gitOnline, objectsOf, refsOf, serving, type World, withGit } from './setup.ts'

let world: World
let server: GitServer
let remote: string
let dir: string

beforeAll(async () => {
  world = await createWorld(async (made) => {
    sampleRepository(made.remote)
    serving(made.remote)
    await withGit(made.ours, (repository) => cloneInto(repository, `${made.server.url}/remote`, {}))
  })
  server = world.server
  remote = world.remote
})
beforeEach(() => {
  world.renew()
  dir = world.ours
})
afterAll(() => world.close())

const fetch = (options: Parameters<typeof fetchRemote>[1] = {}) => withGit(dir, (repository) => fetchRemote(repository, options))

describe('fetch', () => {
  test('nothing new: nothing is asked for', async () => {
    const { refs, objects } = await fetch()
    expect(objects).toBe(0)
    expect(refs.every(({ kind }) => kind === 'up-to-date')).toBe(true)
    expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'POST'])
  })

  test('a new commit: only what is new travels, and as little as with git', async () => {
    const theirs = join(world.root, 'theirs')
    await gitOnline(world.root, 'clone', '-q', '-n', `${server.url}/remote`, theirs)
    writeTree(remote, { 'large.txt': sampleText(numbers(3), 5000) })
    commitFiles(remote, 'Large', {})
    await fetch()
    await gitOnline(theirs, 'fetch', '-q')
    commitFiles(remote, 'Small change', { 'src/long.txt': 'short\n' })
    server.sent()
    const { refs, objects } = await fetch()
    const ours = server.sent()
    await gitOnline(theirs, 'fetch', '-q')
    expect(ours).toBeLessThan(server.sent() * 1.1)
    // A commit, two trees and a blob.
    expect(objects).toBe(4)
    expect(refs.find(({ remote: name }) => name === 'refs/heads/main')).toMatchObject({
      kind: 'fast-forward',
      name: 'refs/remotes/origin/main',
    })
    expect(refsOf(dir)).toBe(refsOf(theirs))
    expect(objectsOf(dir)).toEqual(objectsOf(theirs))
    fsck(dir)
  })

  test('new branches and tags come, tags only of what is here', async () => {
    git(remote, 'checkout', '-q', '-b', 'new')
    commitFiles(remote, 'On new', { new: 'new\n' })
    git(remote, 'tag', '-a', 'v2.0', '-m', 'Two')
    git(remote, 'tag', 'light2')
    const tree = git(remote, 'rev-parse', 'HEAD^{tree}')
    git(remote, 'tag', 'stray', git(remote, 'commit-tree', '-m', 'stray', tree))
    const { refs } = await fetch()
    const names = refs.filter(({ kind }) => kind === 'new').map(({ name }) => name)
    expect(names.sort()).toEqual(['refs/remotes/origin/new', 'refs/tags/light2', 'refs/tags/v2.0'])
    const all = await fetch({ tags: 'all' })
    expect(all.refs.filter(({ kind }) => kind === 'new').map(({ name }) => name)).toEqual(['refs/tags/stray'])
    fsck(dir)
  })

  test('a tag of ours is not moved', async () => {
    const before = git(dir, 'rev-parse', 'v1.0')
    git(remote, 'tag', '-f', '-a', 'v1.0', '-m', 'Another', 'HEAD')
    const { refs } = await fetch({ tags: 'all' })
    expect(refs.find(({ name }) => name === 'refs/tags/v1.0')).toMatchObject({ kind: 'rejected' })
    expect(git(dir, 'rev-parse', 'v1.0')).toBe(before)
  })

  test('history that was rewritten is taken where the rule says so', async () => {
    git(remote, 'reset', '-q', '--hard', 'HEAD~2')
    const rewritten = commitFiles(remote, 'Rewritten', { rewritten: 'x\n' })
    const kept = git(dir, 'rev-parse', 'origin/main')
    const strict = await fetch({ refspecs: ['refs/heads/main:refs/remotes/origin/main'] })
    expect(strict.refs[0]).toMatchObject({ kind: 'rejected', from: kept, to: rewritten })
    expect(git(dir, 'rev-parse', 'origin/main')).toBe(kept)
    const { refs } = await fetch()
    expect(refs.find(({ name }) => name === 'refs/remotes/origin/main')).toMatchObject({ kind: 'forced', to: rewritten })
    expect(git(dir, 'reflog', '-1', '--format=%gs', 'origin/main')).toBe('fetch origin: forced-update')
    fsck(dir)
  })

  test('history goes on whatever the clocks of committers said', async () => {
    const tree = git(remote, 'rev-parse', 'HEAD^{tree}')
    const late = { GIT_COMMITTER_DATE: '2001-01-01T00:00:00Z' }
    const slow = gitBytes(remote, ['commit-tree', tree, '-p', 'main', '-m', 'A slow clock'], { env: late }).toString().trim()
    const tip = git(remote, 'commit-tree', tree, '-p', slow, '-m', 'Now')
    git(remote, 'update-ref', 'refs/heads/main', tip)
    const { refs } = await fetch({ refspecs: ['refs/heads/main:refs/remotes/origin/main'] })
    expect(refs[0]).toMatchObject({ kind: 'fast-forward', to: tip })
  })

  test('a rule for all references leaves workspaces, and moves what is no commit only by force', async () => {
    git(dir, 'update-ref', 'refs/filewright/mine', 'HEAD')
    git(remote, 'update-ref', 'refs/filewright/theirs', 'HEAD')
    const all = { refspecs: ['+refs/heads/*:refs/mirror/*', '+refs/tags/*:refs/mirrored/*', '+refs/filewright/*:refs/filewright/*'] }
    const { refs } = await fetch({ ...all, prune: true })
    expect(refs.filter(({ name }) => name?.startsWith('refs/filewright/')).map(({ kind }) => kind)).not.toContain('pruned')
    expect(git(dir, 'for-each-ref', '--format=%(refname)', 'refs/filewright')).toBe('refs/filewright/mine')
    git(remote, 'tag', '-f', '-a', '-m', 'again', 'v1.0', 'HEAD')
    const again = await fetch(all)
    expect(again.refs.find(({ name }) => name === 'refs/mirrored/v1.0')?.kind).toMatch(/^(forced|fast-forward)$/)
    fsck(dir)
  })

  test('a branch that a worktree has checked out stays', async () => {
    commitFiles(remote, 'More', { more: 'x\n' })
    const { refs } = await fetch({ refspecs: ['+refs/heads/main:refs/heads/main'] })
    expect(refs[0]).toMatchObject({ kind: 'rejected' })
  })

  test('branches that are gone are pruned, when that is wanted', async () => {
    git(remote, 'branch', '-D', '-q', 'topic/one')
    expect((await fetch()).refs.some(({ kind }) => kind === 'pruned')).toBe(false)
    // One that stands where the old one was.
    git(remote, 'branch', 'topic')
    const { refs } = await fetch({ prune: true })
    expect(refs.filter(({ kind }) => kind === 'pruned').map(({ name }) => name)).toEqual(['refs/remotes/origin/topic/one'])
    expect(refs.find(({ name }) => name === 'refs/remotes/origin/topic')).toMatchObject({ kind: 'new' })
    expect(git(dir, 'symbolic-ref', 'refs/remotes/origin/HEAD')).toBe('refs/remotes/origin/main')
    fsck(dir)
  })

  test('commits of our own are told in rounds, until both have met', async () => {
    // Our branch went on alone for longer than one round, so that the server has to be asked more than once.
    const commits = Array.from({ length: 600 }, (_, at) => {
      const message = `ours ${at}`
      const from = at === 0 ? 'from refs/remotes/origin/main\n' : ''
      return `commit refs/heads/alone\ncommitter C <c@x.y> ${1_900_000_000 + at} +0000\ndata ${message.length}\n${message}\n${from}M 100644 inline own\ndata 2\n${at % 10}\n\n`
    })
    gitBytes(dir, ['fast-import', '--quiet'], { input: commits.join('') })
    commitFiles(remote, 'Theirs', { theirs: 'x\n' })
    server.seen.splice(0)
    const { objects } = await fetch()
    expect(objects).toBe(3)
    expect(server.seen.filter(({ method }) => method === 'POST').length).toBeGreaterThan(3)
    fsck(dir)
  })

  test('histories that share nothing', async () => {
    const other = join(world.root, 'other')
    initRepository(other)
    const oid = commitFiles(other, 'Other', { other: 'x\n' })
    const { refs } = await fetch({ remote: `${server.url}/other`, refspecs: ['refs/heads/main:refs/remotes/other/main'] })
    expect(refs[0]).toMatchObject({ kind: 'new', to: oid })
    fsck(dir)
  })

  test('a remote that is not there', async () => {
    await expect(fetch({ remote: 'none' })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('rules as git takes them: what is left out, short names, an object', async () => {
    git(remote, 'branch', 'secret/one')
    const theirs = join(world.root, 'theirs')
    await gitOnline(world.root, 'clone', '-q', '-n', '--no-tags', '--branch', 'main', '--single-branch', `${server.url}/remote`, theirs)
    git(theirs, 'config', '--unset', 'remote.origin.tagopt')
    git(theirs, 'update-ref', 'refs/remotes/origin/secret/old', 'HEAD')
    const id = git(remote, 'rev-parse', 'main~1')
    const rules = [
      '+refs/heads/*:refs/remotes/origin/*',
      '^refs/heads/secret/*',
      '^main',
      'main:short',
      'v1.0:tags/other',
      ':head',
      `${id}:id`,
    ]
    git(theirs, 'config', '--unset-all', 'remote.origin.fetch')
    for (const rule of rules) git(theirs, 'config', '--add', 'remote.origin.fetch', rule)
    dir = join(world.root, 'copy')
    cpSync(theirs, dir, { recursive: true })
    await gitOnline(theirs, 'fetch', '-q', '--prune')
    await fetch({ prune: true })
    expect(refsOf(dir)).toBe(refsOf(theirs))
    expect(git(dir, 'rev-parse', 'short', 'head', 'id')).toBe(git(remote, 'rev-parse', 'main', 'HEAD', id))
    expect(refsOf(dir)).toContain('refs/remotes/origin/secret/old')
    fsck(dir)
  })

  test.each(['refs/heads/*:refs/x', 'refs/heads/..:refs/x/y', '', '^', '^a:b', '+^a', 'a:b:c', 'refs/heads/*/*:refs/x/*/*'])(
    'the rule %s is refused',
    async (rule) => {
      await expect(fetch({ refspecs: [rule] })).rejects.toMatchObject({ code: 'invalid_argument' })
    },
  )
})

describe('a server that does not keep its word: no reference moves', () => {
  const refused = async () => {
    const before = refsOf(dir)
    commitFiles(remote, 'More', { more: sampleText(numbers(1), 2000) })
    const failure = await fetch().catch((error: unknown) => error)
    expect(refsOf(dir)).toBe(before)
    fsck(dir)
    return failure
  }
  const isPack = (body: Buffer) => body.includes('packfile')

  test.each([1, 20, 300, 3000])('it breaks off after %i bytes of a pack', async (bytes) => {
    server.through = (_, body) => (isPack(body) ? body.subarray(0, body.indexOf('packfile') + 10 + bytes) : body)
    expect(await refused()).toMatchObject({ code: 'corrupt' })
  })

  test('the connection breaks', async () => {
    server.cutAfter = 1500
    expect(await refused()).toMatchObject({ code: expect.stringMatching(/^(corrupt|io_error)$/) })
  })

  test('a bit of the pack is wrong', async () => {
    server.through = (_, body) => {
      if (isPack(body)) body.writeUInt8(body.readUInt8(body.length - 400) ^ 1, body.length - 400)
      return body
    }
    expect(await refused()).toMatchObject({ code: 'corrupt' })
  })

  test('the pack lacks what was wanted', async () => {
    const other = gitBytes(remote, ['pack-objects', '--stdout', '-q'], { input: git(remote, 'rev-parse', 'HEAD:README.md') })
    const line = (bytes: Buffer) => Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
    server.through = (_, body) =>
      isPack(body)
        ? Buffer.concat([line(Buffer.from('packfile\n')), line(Buffer.concat([Buffer.of(1), other])), Buffer.from('0000')])
        : body
    expect(await refused()).toMatchObject({ code: 'corrupt' })
  })

  test('the pack lacks a tree that its commit leads to', async () => {
    server.through = (_, body) => {
      if (!isPack(body)) return body
      const only = gitBytes(remote, ['pack-objects', '--stdout', '-q'], { input: git(remote, 'rev-parse', 'HEAD') })
      const line = (bytes: Buffer) => Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
      return Buffer.concat([line(Buffer.from('packfile\n')), line(Buffer.concat([Buffer.of(1), only])), Buffer.from('0000')])
    }
    expect(await refused()).toMatchObject({ code: 'corrupt' })
  })

  test('the pack is no pack', async () => {
    server.through = (_, body) => (isPack(body) ? Buffer.from(`000dpackfile\n0015\x01${'no pack at all'.padEnd(16)}0000`) : body)
    expect(await refused()).toMatchObject({ code: 'corrupt' })
  })

  test('references with names that git refuses are left out', async () => {
    server.through = (_, body) => Buffer.from(body.toString('latin1').replaceAll('refs/heads/topic/one', 'refs/heads/../../evi'), 'latin1')
    const { refs } = await fetch()
    expect(refs.some(({ remote: name }) => name?.includes('evi'))).toBe(false)
  })

  test('a reference that is listed twice', async () => {
    server.through = (_, body) =>
      Buffer.from(body.toString('latin1').replaceAll(/([0-9a-f]{4}[0-9a-f]{40} refs\/heads\/main[^\n]*\n)/g, '$1$1'), 'latin1')
    expect(await refused()).toMatchObject({ code: 'corrupt' })
  })

  test('a list before the pack that never ends', async () => {
    server.through = (_, body) =>
      isPack(body) ? Buffer.from(`0013acknowledgments\n${`0031ACK ${'1'.repeat(40)}\n`.repeat(3000)}`.replace('0013', '0014')) : body
    commitFiles(remote, 'More', { more: 'x' })
    await expect(fetch({ limits: { listBytes: 100_000 } })).rejects.toMatchObject({ code: 'too_large' })
  })

  test('more references than are taken', async () => {
    await expect(fetch({ limits: { refs: 3 } })).rejects.toMatchObject({ code: 'too_large' })
  })

  test('more bytes than are taken', async () => {
    commitFiles(remote, 'Large', { large: sampleText(numbers(1), 5000) })
    await expect(fetch({ limits: { bytes: 10_000 } })).rejects.toMatchObject({ code: 'too_large' })
    fsck(dir)
  })
})

describe('shallow', () => {
  const depthOf = (at: string) => Number(git(at, 'rev-list', '--count', '--first-parent', 'origin/main'))
  const shallowClone = async (options: object) => {
    dir = join(world.root, 'shallow')
    await withGit(dir, (repository) => cloneInto(repository, `${server.url}/remote`, options))
  }

  test('deepens, step by step, to the end', async () => {
    await shallowClone({ depth: 1 })
    expect(depthOf(dir)).toBe(1)
    await fetch({ depth: 3 })
    expect(depthOf(dir)).toBe(3)
    await fetch({ depth: 2, relative: true })
    // Two more behind each end, and the merged branch ended two commits earlier.
    expect(depthOf(dir)).toBe(7)
    fsck(dir)
    await fetch({ unshallow: true })
    expect(git(dir, 'rev-parse', '--is-shallow-repository')).toBe('false')
    expect(git(dir, 'rev-list', '--count', 'origin/main')).toBe(git(remote, 'rev-list', '--count', 'main'))
    fsck(dir)
  })

  test('fetches what is new, and stays shallow', async () => {
    await shallowClone({ depth: 2 })
    commitFiles(remote, 'More', { more: 'x\n' })
    await fetch()
    expect(depthOf(dir)).toBe(3)
    expect(git(dir, 'rev-parse', '--is-shallow-repository')).toBe('true')
    fsck(dir)
  })

  test('from a date on', async () => {
    gitBytes(remote, ['commit', '--allow-empty', '-q', '-m', 'Late'], { env: { GIT_COMMITTER_DATE: '2030-01-01T00:00:00Z' } })
    await shallowClone({ sinceMs: Date.UTC(2029, 0, 1) })
    expect(depthOf(dir)).toBe(1)
    fsck(dir)
  })
})
