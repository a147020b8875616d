/** The git proxy of the worker as it is deployed: behind its doors, and closed to hosts that nobody allowed. */
import { env as bindings, exports } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { AgentAnswer, Problem } from '../../src/http/routes.ts'
import type { Env } from '../../worker/env.ts'

const env = bindings as unknown as Env
const PATH = '/v1/git-proxy/git.example.org/a/info/refs?service=git-upload-pack'

function send(method: string, path: string, token: string | null, body?: string): Promise<Response> {
  const { default: worker } = exports as unknown as { default: Fetcher }
  const headers = {
    host: env.FILEWRIGHT_HOSTS,
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  return worker.fetch(new Request(`http://${env.FILEWRIGHT_HOSTS}${path}`, { method, headers, ...(body !== undefined && { body }) }))
}

async function problemOf(answer: Response): Promise<Problem> {
  return (await answer.json()) as Problem
}

test('it wants a token', async () => {
  expect((await problemOf(await send('GET', PATH, null))).status).toBe(401)
})

test('an agent may not use it', async () => {
  const { token } = (await (await send('POST', '/v1/agents', env.FILEWRIGHT_SECRET, '{"name":"Ada"}')).json()) as AgentAnswer
  expect((await problemOf(await send('GET', PATH, token))).status).toBe(403)
})

test('it forwards to the well-known hosts only', async () => {
  const problem = await problemOf(await send('GET', PATH, env.FILEWRIGHT_SECRET))
  expect(problem).toMatchObject({ status: 403, code: 'permission_denied', detail: expect.stringContaining('operator') })
})

test('it forwards nothing but git', async () => {
  expect((await problemOf(await send('GET', '/v1/git-proxy/github.com/a/b', env.FILEWRIGHT_SECRET))).status).toBe(404)
})
