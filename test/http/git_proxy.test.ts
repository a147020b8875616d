/** The git proxy on Node, and behind the doors of the server, with the real git on the other side. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTransport } from '../../src/git/wire/transport.ts'
import type { AgentAnswer } from '../../src/http/routes.ts'
import { initRepository, type TempDir, tempDir } from '../git/real_git.ts'
import { type GitServer, serveGit } from '../git/wire/http_server.ts'
import { gitProxySuite } from './git_proxy_suite.ts'
import { createServer, HOST, ORIGIN, SECRET } from './setup.ts'

gitProxySuite()

describe('git proxy of a server', () => {
  let folder: TempDir
  let remote: GitServer

  beforeAll(async () => {
    folder = tempDir()
    initRepository(`${folder.dir}/sample`)
    remote = await serveGit(folder.dir)
  })
  afterAll(async () => {
    await remote.close()
    folder.remove()
  })

  const server = () => createServer({ gitProxy: { hosts: [new URL(remote.url).host], allowLoopback: true } })

  test('needs the token that all routes need, and is closed to agents', async () => {
    const { send } = server()
    const path = `/v1/git-proxy/${new URL(remote.url).host}/sample/info/refs?service=git-upload-pack`
    expect((await send('GET', path, { headers: { authorization: null } })).status).toBe(401)
    const agent = (await (await send('POST', '/v1/agents', { json: { name: 'Ada' } })).json()) as AgentAnswer
    expect((await send('GET', path, { headers: { authorization: `Bearer ${agent.token}` } })).status).toBe(403)
    expect((await send('GET', path)).status).toBe(200)
  })

  test('is not there unless the host wants it', async () => {
    expect((await createServer().send('GET', '/v1/git-proxy/github.com/a/info/refs?service=git-upload-pack')).status).toBe(404)
  })

  test('our client speaks through it, and tells both kinds of credentials apart', async () => {
    remote.credentials = 'ada:word'
    const { app } = server()
    const questions: unknown[] = []
    const transport = createTransport(`${remote.url}/sample`, {
      proxy: { url: `${ORIGIN}/v1/git-proxy`, headers: { authorization: `Bearer ${SECRET}` } },
      fetch: async (url, init) => app.fetch(new Request(url, { ...init, headers: { ...(init.headers as object), host: HOST } })),
      credentials: (question) => {
        questions.push(question)
        return { username: 'ada', password: 'word' }
      },
    })
    let text = ''
    for await (const piece of await transport.advertised('git-upload-pack', 'version=2')) text += new TextDecoder().decode(piece)
    expect(text).toContain('version 2')
    expect(questions).toEqual([{ url: `${remote.url}/sample`, realm: 'Test forge', attempt: 1 }])
    remote.credentials = null
  })
})
