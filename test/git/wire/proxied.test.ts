/** A page's way: clone, fetch and push through the git proxy of the server, which has doors of its own. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryGitFiles } from '../../../src/git/memory_files.ts'
import { cloneRepository } from '../../../src/git/wire/clone.ts'
import { fetchRemote } from '../../../src/git/wire/fetch.ts'
import { pushRefs } from '../../../src/git/wire/push.ts'
import type { WireOptions } from '../../../src/git/wire/transport.ts'
import { createServer, HOST, ORIGIN, SECRET } from '../../http/setup.ts'
import { commitFiles, git, sampleRepository } from '../real_git.ts'
import { createWorld, serving, type World } from './setup.ts'

let world: World
let options: WireOptions

beforeAll(async () => {
  world = await createWorld(async ({ remote }) => {
    sampleRepository(remote)
    serving(remote)
  })
  world.renew()
  const { app } = createServer({ gitProxy: { hosts: [new URL(world.server.url).host], allowLoopback: true } })
  options = {
    proxy: { url: `${ORIGIN}/v1/git-proxy`, headers: { authorization: `Bearer ${SECRET}` } },
    fetch: async (url, init) => app.fetch(new Request(url, { ...init, headers: { ...(init.headers as object), host: HOST } })),
    credentials: ({ rejected }) => (rejected ? null : { username: 'ada', password: 'word' }),
  }
})
afterAll(() => world.close())

test('everything goes through it', async () => {
  world.server.credentials = 'ada:word'
  const url = `${world.server.url}/remote`
  const repository = await cloneRepository(createMemoryGitFiles(), url, options)
  expect((await repository.config()).get('remote.origin.url')).toBe(url)
  const oid = commitFiles(world.remote, 'Later', { later: 'x\n' })
  await fetchRemote(repository, options)
  expect(await repository.refs.read('refs/remotes/origin/main')).toBe(oid)
  const { refs } = await pushRefs(repository, { ...options, refs: [{ from: oid, to: 'refs/heads/copy' }] })
  expect(refs).toMatchObject([{ kind: 'new' }])
  expect(git(world.remote, 'rev-parse', 'copy')).toBe(oid)
  await repository.close()
})

test('a redirect that the proxy tells is followed by the same rules', async () => {
  world.server.reset()
  world.server.instead = (request, response) => {
    if (!request.url?.startsWith('/old')) return false
    response.writeHead(301, { location: (request.url ?? '').slice('/old'.length) }).end()
    return true
  }
  const repository = await cloneRepository(createMemoryGitFiles(), `${world.server.url}/old/remote`, options)
  expect((await repository.refs.head()).branch).toBe('refs/heads/main')
  await repository.close()
})

test('what the proxy refuses is told as its own', async () => {
  const refused = cloneRepository(createMemoryGitFiles(), 'https://git.example.org/a', options)
  await expect(refused).rejects.toMatchObject({ code: 'permission_denied', message: expect.stringContaining('proxy') })
})
