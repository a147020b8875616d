/** The same clone into memory, into SQLite, and with the browser's own zlib and SHA-1; git finds all of them in order. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Oid } from '../../../src/core/repository.ts'
import { createSqliteGitFiles } from '../../../src/fs/git/sqlite_files.ts'
import { openNodeSql } from '../../../src/fs/sqlite/node_sqlite.ts'
import { createBrowserGitPlatform } from '../../../src/git/browser_platform.ts'
import type { GitFiles } from '../../../src/git/files.ts'
import { createMemoryGitFiles } from '../../../src/git/memory_files.ts'
import { openGitDirectory } from '../../../src/git/open.ts'
import { cloneRepository } from '../../../src/git/wire/clone.ts'
import { fetchRemote } from '../../../src/git/wire/fetch.ts'
import { attachPromisor } from '../../../src/git/wire/promisor.ts'
import { pushRefs } from '../../../src/git/wire/push.ts'
import { copyOut } from '../copied.ts'
import { commitFiles, fsck, git, sampleRepository } from '../real_git.ts'
import { createWorld, refsOf, serving, type World } from './setup.ts'

let world: World

beforeAll(async () => {
  world = await createWorld(async ({ remote }) => {
    sampleRepository(remote)
    serving(remote)
    git(remote, 'config', 'receive.denyCurrentBranch', 'ignore')
  })
})
afterAll(() => world.close())

/** Named after what is at work, with the files and the platform. */
const PLACES = [
  { name: 'memory', files: async (): Promise<GitFiles> => createMemoryGitFiles(), platform: undefined },
  {
    name: 'SQLite',
    files: async (): Promise<GitFiles> => createSqliteGitFiles(openNodeSql(join(world.root, 'ours.sqlite'))),
    platform: undefined,
  },
  {
    name: "memory, with the browser's platform",
    files: async (): Promise<GitFiles> => createMemoryGitFiles(),
    platform: createBrowserGitPlatform,
  },
]

describe.each(PLACES)('$name', ({ files: make, platform: makePlatform }) => {
  test('clones, fetches and pushes', async () => {
    world.renew()
    const { remote, root, server } = world
    const files = await make()
    const options = makePlatform ? { platform: await makePlatform() } : {}
    const repository = await cloneRepository(files, `${server.url}/remote`, options)
    const oid = commitFiles(remote, 'Later', { 'later.txt': 'later\n' })
    await fetchRemote(repository)
    expect(await repository.refs.read('refs/remotes/origin/main')).toBe(oid)
    expect(await pushRefs(repository, { refs: [{ from: oid, to: 'refs/heads/pushed' }] })).toMatchObject({
      refs: [{ kind: 'new' }],
      objects: 0,
    })
    expect(git(remote, 'rev-parse', 'pushed')).toBe(oid)
    const copy = join(root, 'copy')
    mkdirSync(copy)
    await copyOut(files, copy)
    fsck(copy)
    expect(refsOf(copy)).toContain(`refs/remotes/origin/main ${oid}`)
    await repository.close()
  })

  test('keeps a partial clone, and goes on with it when it is opened again', async () => {
    world.renew()
    const { remote, server } = world
    const files = await make()
    const options = makePlatform ? { platform: await makePlatform() } : {}
    await cloneRepository(files, `${server.url}/remote`, { ...options, depth: 1, filter: 'blob:none' })
    const again = await openGitDirectory(files, options)
    await attachPromisor(again)
    const oid = git(remote, 'rev-parse', 'HEAD:README.md') as Oid
    expect(await again.objects.has(oid)).toBe(false)
    expect(new TextDecoder().decode(await again.objects.readAs(oid, 'blob'))).toBe('# Sample\n')
    await again.close()
  })
})
