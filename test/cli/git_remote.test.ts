/** Clone, fetch and push on the command line, against the real `git http-backend` on loopback. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { credentialsOf } from '../../src/cli/git/credentials.ts'
import { commitFiles, fsck, git } from '../git/real_git.ts'
import { type GitServer, serveGit } from '../git/wire/http_server.ts'
import { temporaryFolder } from './command.ts'
import { repository, repositoryAt, run, type TestRepository } from './git_repository.ts'

let folder: string
let origin: TestRepository
let bare: string
let server: GitServer
let url: string
beforeEach(async () => {
  folder = temporaryFolder()
  origin = repository()
  const served = temporaryFolder()
  bare = join(served, 'p.git')
  git(served, 'clone', '-q', '--bare', origin.dir, bare)
  git(bare, 'config', 'http.receivepack', 'true')
  git(bare, 'config', 'uploadpack.allowFilter', 'true')
  git(bare, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
  server = await serveGit(served)
  onTestFinished(() => server.close())
  url = `${server.url}/p.git`
})

describe('a clone', () => {
  test('is a repository that git uses, and fetch, merge and push go on from there', async () => {
    const dir = join(folder, 'c.git')
    const cloned = await run(['git', 'clone', url, dir, '--json'])
    expect(cloned).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(cloned.stdout)).toMatchObject({ branch: 'main', head: git(bare, 'rev-parse', 'main'), repository: dir })
    const clone = repositoryAt(dir)
    expect(clone.git('log', '--format=%s', 'origin/main')).toBe('Second\nFirst')
    await clone.write('mine', 'mine\n')
    await clone.text('git', 'commit', '-m', 'Mine')

    commitFiles(origin.dir, 'Third', { 'a.txt': 'other\n' })
    git(origin.dir, 'push', '-q', bare, 'main')
    expect(await clone.text('git', 'fetch')).toMatch(
      /^Fetched 3 objects\.\n {3}[0-9a-f]{7}\.\.[0-9a-f]{7} +refs\/heads\/main -> refs\/remotes\/origin\/main\n$/,
    )
    expect(await clone.text('git', 'fetch')).toBe('Nothing new.\n')
    await clone.text('git', 'merge', 'origin/main')
    await clone.text('git', 'commit', '-m', 'Merge')
    expect(await clone.text('git', 'push', 'origin', 'filewright/main:topic')).toMatch(/ \* \[new\] +topic\n$/)
    expect(git(bare, 'log', '-1', '--format=%s', 'topic')).toBe('Merge')
    expect(git(bare, 'ls-tree', '--name-only', 'topic')).toContain('mine')
    await clone.text('git', 'push', 'origin', 'filewright/main:topic')
    expect(await clone.text('git', 'push', 'origin', ':topic')).toMatch(/\[removed\] +topic/)
    expect(git(bare, 'branch', '--list', 'topic')).toBe('')
    fsck(bare)
  })

  test('with a filter has no file before it is read', async () => {
    const dir = join(folder, 'c.git')
    expect(await run(['git', 'clone', '--filter', 'blob:none', url, dir])).toMatchObject({ status: 0 })
    expect(git(dir, 'rev-list', '--objects', '--missing=print', 'main')).toMatch(/^\?/m)
    const clone = repositoryAt(dir)
    expect(await clone.text('git', 'status')).toContain('nothing to commit')
    expect(await clone.text('call', 'read', '{"path": "a.txt"}')).toContain('four')
    await clone.write('src/b.txt', 'B\n')
    await clone.text('git', 'commit', '-m', 'B')
    expect(clone.git('diff', '--name-only', 'main', 'filewright/main')).toBe('src/b.txt')
    await server.close()
    expect(await clone.at('call', 'read', '{"path": "bin/run"}')).toMatchObject({ status: expect.toBeOneOf([3, 6]) })
    expect(await clone.text('call', 'read', '{"path": "a.txt"}')).toContain('four')
  })

  test('goes to a database, with a depth, and leaves nothing when it fails', async () => {
    const db = join(folder, 'c.sqlite')
    expect(await run(['git', 'clone', '--depth', '1', url, '--db', db])).toMatchObject({ status: 0 })
    expect((await run(['git', 'log', '--oneline', '--db', db])).stdout.trim().split('\n')).toHaveLength(1)
    expect((await run(['call', 'read', '{"path":"a.txt"}', '--fs', 'git', '--db', db])).stdout).toContain('four')
    expect(await run(['git', 'clone', `${server.url}/none.git`, join(folder, 'n.git')])).toMatchObject({ status: 3 })
    expect(await run(['git', 'clone', `${server.url}/none.git`, '--db', join(folder, 'n.sqlite')])).toMatchObject({ status: 3 })
    expect(await run(['git', 'clone', 'ssh://example.org/p.git', join(folder, 'n.git')])).toMatchObject({ status: 4 })
    expect(await run(['git', 'clone', url, join(folder, 'n.git'), '--branch', 'none'])).toMatchObject({ status: 3 })
    expect(readdirSync(folder).filter((name) => name.startsWith('n.'))).toEqual([])
    writeFileSync(join(folder, 'full'), '')
    expect(await run(['git', 'clone', url, folder])).toMatchObject({ status: 5 })
    expect(existsSync(join(folder, 'full'))).toBe(true)
  })
})

test('a push that would lose commits is refused, and says so by its exit status', async () => {
  const dir = join(folder, 'c.git')
  await run(['git', 'clone', url, dir])
  const clone = repositoryAt(dir)
  await clone.write('x', 'x')
  await clone.text('git', 'commit', '-m', 'X')
  commitFiles(origin.dir, 'Third', { c: 'c' })
  git(origin.dir, 'push', '-q', bare, 'main')
  expect(await clone.at('git', 'push', 'origin', 'filewright/main:main')).toMatchObject({
    status: 5,
    stdout: expect.stringContaining(' ! '),
  })
  writeFileSync(join(bare, 'hooks/pre-receive'), '#!/bin/sh\necho no such luck >&2\nexit 1\n', { mode: 0o755 })
  expect(await clone.at('git', 'push', 'origin', 'filewright/main:topic')).toMatchObject({ status: 4 })
  expect(await clone.at('git', 'push', 'origin', 'none')).toMatchObject({ status: 3 })
  expect(await clone.at('git', 'push', 'origin', ':')).toMatchObject({ status: 2 })
  expect(await clone.at('git', 'push', 'nowhere')).toMatchObject({ status: 3 })
})

describe('credentials', () => {
  const secret = 'tok-S3cret'

  test('come from the environment or from git, and are printed nowhere', async () => {
    server.credentials = `x-access-token:${secret}`
    const dir = join(folder, 'c.git')
    const refused = await run(['git', 'clone', url, dir])
    expect(refused).toMatchObject({ status: 4, stderr: expect.stringContaining('FILEWRIGHT_GIT_TOKEN') })
    vi.stubEnv('FILEWRIGHT_GIT_TOKEN', 'wrong')
    expect(await run(['git', 'clone', url, dir])).toMatchObject({ status: 4 })
    vi.stubEnv('FILEWRIGHT_GIT_TOKEN', secret)
    const cloned = await run(['git', 'clone', url, dir])
    expect(cloned).toMatchObject({ status: 0 })
    expect(cloned.stdout + cloned.stderr).not.toContain(secret)
    expect(git(dir, 'config', '--list')).not.toContain(secret)

    // The settings of a repository may be anybody's: no secret follows them to a host that the person did not name.
    const trap = await run(['git', 'fetch', '--repo', dir])
    expect(trap).toMatchObject({ status: 4, stderr: expect.stringContaining('FILEWRIGHT_GIT_CREDENTIALS_FOR=127.0.0.1') })
    vi.stubEnv('FILEWRIGHT_GIT_CREDENTIALS_FOR', new URL(url).host)
    expect(await run(['git', 'fetch', '--repo', dir])).toMatchObject({ status: 0 })

    vi.stubEnv('FILEWRIGHT_GIT_TOKEN', undefined)
    server.credentials = `ana:${secret}`
    const helper = `!f() { test "$1" = get && echo username=ana && echo password=${secret}; }; f`
    for (const [name, value] of Object.entries({ COUNT: '1', KEY_0: 'credential.helper', VALUE_0: helper }))
      vi.stubEnv(`GIT_CONFIG_${name}`, value)
    expect(await run(['git', 'fetch', '--repo', dir])).toMatchObject({ status: 4 })
    expect(await run(['git', 'fetch', '--repo', dir, '--credentials'])).toMatchObject({ status: 0 })
  })

  test('of helpers are those of the person: a program that the settings of the current folder name is not run', async () => {
    const dir = temporaryFolder()
    git(dir, 'init', '-q')
    const program = (file: string) => `!f() { touch '${join(folder, file)}'; echo username=u; echo password=p; }; f`
    git(dir, 'config', 'credential.helper', program('theirs'))
    git(dir, 'config', '--file', join(folder, 'own'), 'credential.helper', program('own'))
    const before = process.cwd()
    process.chdir(dir)
    onTestFinished(() => process.chdir(before))
    const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: join(folder, 'own'), GIT_CONFIG_SYSTEM: '/dev/null' }
    const request = { url: 'https://example.org/p.git', realm: null, attempt: 1 }
    expect(await credentialsOf({ helpers: true, env })(request)).toEqual({ username: 'u', password: 'p' })
    expect([existsSync(join(folder, 'theirs')), existsSync(join(folder, 'own'))]).toEqual([false, true])
  })

  test('of the environment are a token, or a name and a password, and not half of them', async () => {
    const request = { url: 'https://example.org/p.git', realm: null, attempt: 1 }
    const ask = (env: NodeJS.ProcessEnv) => credentialsOf({ helpers: false, named: request.url, env })(request)
    expect(await ask({ FILEWRIGHT_GIT_TOKEN: 't' })).toEqual({ token: 't' })
    expect(await ask({ FILEWRIGHT_GIT_USERNAME: 'a', FILEWRIGHT_GIT_PASSWORD: 'b' })).toEqual({ username: 'a', password: 'b' })
    await expect(ask({ FILEWRIGHT_GIT_USERNAME: 'a' })).rejects.toMatchObject({ code: 'invalid_argument' })
    const elsewhere = { FILEWRIGHT_GIT_TOKEN: 't', FILEWRIGHT_GIT_CREDENTIALS_FOR: 'Example.net, example.com:8443' }
    const from = (url: string) => credentialsOf({ helpers: false, env: elsewhere })({ ...request, url })
    expect(await from('https://example.net/p.git')).toEqual({ token: 't' })
    expect(await from('https://example.com:8443/p.git')).toEqual({ token: 't' })
    for (const url of ['https://example.org/p.git', 'https://example.com/p.git', 'https://sub.example.net/p.git'])
      await expect(from(url)).rejects.toMatchObject({ code: 'permission_denied', message: expect.stringContaining(new URL(url).host) })
    await expect(ask({})).rejects.toMatchObject({ code: 'permission_denied' })
    await expect(credentialsOf({ helpers: true, env: { PATH: '/nonexistent' } })(request)).rejects.toMatchObject({ code: 'unsupported' })
  })
})
