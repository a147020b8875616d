/** Clones beside those of the real git: the same references, the same objects, and git goes on with them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CloneOptions, cloneInto } from '../../../src/git/wire/clone.ts'
import { commitFiles, fsck, git, gitBytes, initRepository, sampleRepository, type TempDir, tempDir, tryGit } from '../real_git.ts'
import { type GitServer, serveGit } from './http_server.ts'
import { gitOnline, objectsOf, refsOf, serving, withGit } from './setup.ts'

let folder: TempDir
let server: GitServer

beforeAll(async () => {
  folder = tempDir()
  sampleRepository(join(folder.dir, 'sample'))
  serving(join(folder.dir, 'sample'))
  initRepository(join(folder.dir, 'empty'), '--bare')
  server = await serveGit(folder.dir)
})
afterAll(async () => {
  await server.close()
  folder.remove()
})

let count = 0

/** Clones with both; the folders of ours and of git's. */
async function cloneBoth(options: CloneOptions, ...args: string[]) {
  const [ours, theirs] = [join(folder.dir, `ours${++count}`), join(folder.dir, `theirs${count}`)]
  const result = await withGit(ours, (repository) => cloneInto(repository, `${server.url}/sample`, options))
  await gitOnline(folder.dir, 'clone', '-q', '--no-checkout', ...args, `${server.url}/sample`, theirs)
  return { ours, theirs, result }
}

describe('a clone is as git makes it', () => {
  test.each<[string, CloneOptions, string[]]>([
    ['whole', {}, []],
    ['of one branch', { singleBranch: true }, ['--single-branch']],
    ['of another branch', { branch: 'topic/one' }, ['--branch', 'topic/one']],
    ['of only another branch', { branch: 'topic/one', singleBranch: true }, ['--single-branch', '--branch', 'topic/one']],
    ['of one commit', { depth: 1 }, ['--depth', '1']],
    ['of three commits of all branches', { depth: 3, singleBranch: false }, ['--depth', '3', '--no-single-branch']],
    ['without blobs', { filter: 'blob:none' }, ['--filter=blob:none']],
    ['without large blobs', { filter: 'blob:limit=1k' }, ['--filter=blob:limit=1k']],
    ['without trees', { filter: 'tree:0' }, ['--filter=tree:0']],
    ['of one commit without blobs', { depth: 1, filter: 'blob:none' }, ['--depth', '1', '--filter=blob:none']],
    ['without tags', { tags: false }, ['--no-tags']],
    ['with another name for the remote', { remote: 'up' }, ['--origin', 'up']],
    ['at a tag', { branch: 'v1.0' }, ['--branch', 'v1.0']],
  ])('%s', async (_, options, args) => {
    const { ours, theirs, result } = await cloneBoth(options, ...args)
    expect(refsOf(ours)).toEqual(refsOf(theirs))
    expect(git(ours, 'rev-parse', 'HEAD')).toBe(git(theirs, 'rev-parse', 'HEAD'))
    expect(result.head).toBe(git(theirs, 'rev-parse', 'HEAD'))
    expect(tryGit(ours, ['symbolic-ref', 'HEAD']).stdout).toEqual(tryGit(theirs, ['symbolic-ref', 'HEAD']).stdout)
    expect(objectsOf(ours)).toEqual(objectsOf(theirs))
    for (const key of ['^remote', '^branch', 'core.repositoryformatversion']) {
      const lines = (dir: string) => tryGit(dir, ['config', '--get-regexp', key]).stdout.toString().split('\n').sort()
      expect(lines(ours)).toEqual(lines(theirs))
    }
    const shallow = (dir: string) =>
      existsSync(join(dir, '.git/shallow')) ? readFileSync(join(dir, '.git/shallow'), 'utf8').split('\n').sort() : null
    expect(shallow(ours)).toEqual(shallow(theirs))
    fsck(ours)
    expect(await gitOnline(ours, 'log', '--format=%H %s')).toBe(await gitOnline(theirs, 'log', '--format=%H %s'))
  })

  test('of an empty repository', async () => {
    const dir = join(folder.dir, 'cloned-empty')
    const result = await withGit(dir, (repository) => cloneInto(repository, `${server.url}/empty`, {}))
    expect(result).toEqual({ branch: 'main', head: null, objects: 0 })
    expect(git(dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')
    expect(git(dir, 'config', 'remote.origin.url')).toBe(`${server.url}/empty`)
    fsck(dir)
  })

  test('of a repository with a detached HEAD', async () => {
    const from = join(folder.dir, 'detached')
    initRepository(from)
    const oid = commitFiles(from, 'First', { a: 'a\n' })
    commitFiles(from, 'Second', { a: 'b\n' })
    git(from, 'checkout', '-q', '--detach', 'HEAD~1')
    const dir = join(folder.dir, 'cloned-detached')
    const result = await withGit(dir, (repository) => cloneInto(repository, `${server.url}/detached`, {}))
    expect(result).toMatchObject({ branch: null, head: oid })
    expect(git(dir, 'rev-parse', 'HEAD')).toBe(oid)
    fsck(dir)
  })
})

describe('the real git goes on with a clone', () => {
  test('it fetches, checks out and commits', async () => {
    const from = join(folder.dir, 'going')
    sampleRepository(from)
    const dir = join(folder.dir, 'going-clone')
    await withGit(dir, (repository) => cloneInto(repository, `${server.url}/going`, {}))
    const next = commitFiles(from, 'Later', { later: 'later\n' })
    await gitOnline(dir, 'fetch', '-q')
    expect(git(dir, 'rev-parse', 'origin/main')).toBe(next)
    git(dir, 'checkout', '-q', '-f', 'main')
    git(dir, 'merge', '-q', 'origin/main')
    expect(git(dir, 'status', '--short', '--branch')).toBe('## main...origin/main')
    expect(readFileSync(join(dir, 'later'), 'utf8')).toBe('later\n')
    fsck(dir)
  })

  test('it fetches what a partial clone lacks', async () => {
    const dir = join(folder.dir, 'lazy-clone')
    await withGit(dir, (repository) => cloneInto(repository, `${server.url}/sample`, { filter: 'blob:none' }))
    await gitOnline(dir, 'checkout', '-q', '-f', 'main')
    expect(git(dir, 'status', '--short')).toBe('')
    expect(readFileSync(join(dir, 'README.md'), 'utf8')).toBe('# Sample\n')
  })

  test('it deepens a shallow one', async () => {
    const dir = join(folder.dir, 'deepened-clone')
    await withGit(dir, (repository) => cloneInto(repository, `${server.url}/sample`, { depth: 1 }))
    await gitOnline(dir, 'fetch', '-q', '--unshallow')
    expect(git(dir, 'rev-list', '--count', 'HEAD')).toBe(git(join(folder.dir, 'sample'), 'rev-list', '--count', 'main'))
    fsck(dir)
  })
})

describe('a clone that cannot be', () => {
  const into = async (options: CloneOptions, path = 'sample', url = server.url) => {
    const dir = join(folder.dir, `refused${++count}`)
    try {
      return await withGit(dir, (repository) => cloneInto(repository, `${url}/${path}`, options))
    } finally {
      fsck(dir)
      expect(refsOf(dir)).toBe('')
    }
  }

  test('of a branch that is not there', async () => {
    await expect(into({ branch: 'none' })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of a repository that is not there', async () => {
    await expect(into({}, 'nothing')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of a server of an older version', async () => {
    server.oldProtocol = true
    await expect(into({})).rejects.toMatchObject({ code: 'unsupported' })
    server.oldProtocol = false
  })

  test('of a repository with SHA-256 names', async () => {
    initRepository(join(folder.dir, 'long'), '--object-format=sha256')
    await expect(into({}, 'long')).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('of a server that lists a name within another one', async () => {
    server.through = (_, body) => Buffer.from(body.toString('latin1').replaceAll('refs/heads/topic/one', 'refs/heads/main/abcd'), 'latin1')
    await expect(into({})).rejects.toMatchObject({ code: 'corrupt' })
    server.reset()
  })

  test('partial, where the server does not offer it', async () => {
    initRepository(join(folder.dir, 'whole'))
    commitFiles(join(folder.dir, 'whole'), 'First', { a: 'a\n' })
    await expect(into({ filter: 'blob:none' }, 'whole')).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('into a repository that is not empty', async () => {
    const dir = join(folder.dir, 'taken')
    await withGit(dir, (repository) => cloneInto(repository, `${server.url}/sample`, {}))
    const before = refsOf(dir)
    await expect(withGit(dir, (repository) => cloneInto(repository, `${server.url}/sample`, {}))).rejects.toMatchObject({
      code: 'already_exists',
    })
    expect(refsOf(dir)).toBe(before)
  })

  test('can be tried again in the same place', async () => {
    const dir = join(folder.dir, 'again')
    server.cutAfter = 2000
    await expect(withGit(dir, (repository) => cloneInto(repository, `${server.url}/sample`, {}))).rejects.toMatchObject({
      code: expect.stringMatching(/corrupt|io_error/),
    })
    server.cutAfter = null
    await withGit(dir, (repository) => cloneInto(repository, `${server.url}/sample`, {}))
    fsck(dir)
  })

  test('because it is given up', async () => {
    server.trickle = true
    const stop = new AbortController()
    const waiting = into({ signal: stop.signal })
    setTimeout(() => stop.abort(), 200)
    await expect(waiting).rejects.toMatchObject({ code: 'canceled' })
    server.trickle = false
  })
})

test('credentials in the address do not reach the settings or the log', async () => {
  server.credentials = 'ada:word'
  const dir = join(folder.dir, 'secret')
  await withGit(dir, (repository) => cloneInto(repository, `${server.url.replace('//', '//ada:word@')}/sample`, {}))
  server.credentials = null
  for (const file of ['config', 'logs/HEAD', 'logs/refs/heads/main'])
    expect(readFileSync(join(dir, '.git', file), 'utf8')).not.toContain('word')
  expect(git(dir, 'config', 'remote.origin.url')).toBe(`${server.url}/sample`)
})

test('progress is told in figures', async () => {
  const phases = new Set<string>()
  const dir = join(folder.dir, 'progress')
  await withGit(dir, (repository) => cloneInto(repository, `${server.url}/sample`, { onProgress: (phase) => phases.add(phase) }))
  expect([...phases]).toContain('remote: Counting objects')
})

test.each(['.git', '.GIT', 'git~1', '.g\u200cit', '.git ', '.git::$INDEX_ALLOCATION', '..\\x'])(
  'a tree with the name %s is not taken in',
  async (name) => {
    const from = join(folder.dir, `hostile${++count}`)
    initRepository(from)
    const blob = gitBytes(from, ['hash-object', '-w', '--stdin'], { input: 'evil\n' }).toString().trim()
    const tree = gitBytes(from, ['mktree', '-z'], { input: `100644 blob ${blob}\t${name}\0` })
      .toString()
      .trim()
    git(from, 'update-ref', 'refs/heads/main', git(from, 'commit-tree', '-m', 'Evil', tree))
    const dir = join(folder.dir, `refused${count}`)
    const clone = withGit(dir, (repository) => cloneInto(repository, `${server.url}/hostile${count}`, {}))
    await expect(clone).rejects.toMatchObject({ code: 'corrupt' })
    expect(refsOf(dir)).toBe('')
  },
)
