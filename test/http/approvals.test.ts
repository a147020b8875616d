/** Approvals over HTTP: who may decide, what an agent's token opens, and what watchers are told. */
import { beforeEach, describe, expect, test } from 'vitest'
import { makeOneTimeToken } from '../../src/http/credentials.ts'
import type { AgentAnswer, ApprovalAnswer, ApprovalList, Problem, SessionAnswer, ToolAnswer } from '../../src/http/routes.ts'
import { createServer, SECRET, type Sent, type TestServer } from './setup.ts'

let server: TestServer
let workspace: string
/** Requests under each token. */
let person: (method: string, path: string, sent?: Sent) => Promise<Response>
let agent: typeof person

const as =
  (token: string): typeof person =>
  (method, path, sent = {}) =>
    server.send(method, path, { ...sent, headers: { authorization: `Bearer ${token}`, ...sent.headers } })

async function agentNamed(name: string): Promise<typeof person> {
  const answer = (await (await person('POST', '/v1/agents', { json: { name } })).json()) as AgentAnswer
  expect(answer).toEqual({ name, token: expect.stringMatching(/^agent\./) })
  return as(answer.token)
}

const remove = { operation: 'delete_file', path: 'a.txt' }
const call = (by: typeof person, tool = 'file_ops_hub', json: object = remove) => by('POST', `${workspace}/tools/${tool}`, { json })
const list = async (): Promise<ApprovalList['approvals']> =>
  ((await (await person('GET', `${workspace}/approvals`)).json()) as ApprovalList).approvals
/** A call of the agent that waits; the id of its request. */
async function asked(by = agent): Promise<string> {
  const answer = await call(by)
  expect(answer.status).toBe(403)
  const body = (await answer.json()) as Problem & ToolAnswer
  expect(body).toMatchObject({ code: 'approval_required', details: { approval_id: body.approvalId } })
  return String(body.approvalId)
}

beforeEach(async () => {
  server = createServer()
  const session = await server.send('POST', '/v1/session', { json: { token: await makeOneTimeToken(SECRET) } })
  person = as(((await session.json()) as SessionAnswer).token)
  workspace = `/v1/workspaces/${await server.create()}`
  agent = await agentNamed('bot-1')
  expect((await agent('PUT', `${workspace}/files/a.txt`, { body: 'one\n' })).status).toBe(201)
})

describe('deciding', () => {
  test('a person sees the exact change and grants it; the same call runs, once', async () => {
    const id = await asked()
    expect(await asked()).toBe(id)
    const [request] = await list()
    expect(request).toMatchObject({ id, status: 'pending', tool: 'delete_file', subject: 'bot-1' })
    expect(request?.preview.changes[0]).toMatchObject({ kind: 'remove', path: 'a.txt', diff: expect.stringContaining('-one') })
    expect(await (await person('GET', `${workspace}/approvals/${id}`)).json()).toEqual({ approval: request })
    const answer = await person('POST', `${workspace}/approvals/${id}/grant`)
    expect(answer.status).toBe(200)
    expect(((await answer.json()) as ApprovalAnswer).approval).toMatchObject({ id, status: 'granted', decidedBy: 'person' })
    expect((await call(agent)).status).toBe(200)
    const changes = await (await person('GET', `${workspace}/changes`)).json()
    expect(changes).toMatchObject({ changes: [{ record: { tool: 'delete_file', subject: 'bot-1', approval: id } }, {}] })
    expect((await person('POST', `${workspace}/approvals/${id}/grant`)).status).toBe(409)
  })

  test('a person denies it', async () => {
    const id = await asked()
    expect((await person('POST', `${workspace}/approvals/${id}/deny`)).status).toBe(200)
    const refused = await call(agent)
    expect([refused.status, ((await refused.json()) as Problem).code]).toEqual([403, 'approval_denied'])
  })

  test('a change that came after the grant is 409 approval_stale', async () => {
    await person('POST', `${workspace}/approvals/${await asked()}/grant`)
    const etag = (await agent('GET', `${workspace}/files/a.txt`)).headers.get('etag')
    await agent('PUT', `${workspace}/files/a.txt`, { body: 'two\n', headers: { 'if-match': etag } })
    const refused = await call(agent)
    expect([refused.status, ((await refused.json()) as Problem).code]).toEqual([409, 'approval_stale'])
  })

  test("T11 an agent's own token, another agent's, and the secret of programs cannot decide", async () => {
    const id = await asked()
    for (const by of [agent, await agentNamed('bot-2'), as(SECRET)]) {
      for (const decision of ['grant', 'deny']) {
        const refused = await by('POST', `${workspace}/approvals/${id}/${decision}`, { headers: { 'filewright-caller': 'person' } })
        expect([refused.status, ((await refused.json()) as Problem).code]).toEqual([403, 'permission_denied'])
      }
      for (const path of ['', `/${id}`]) expect((await by('GET', `${workspace}/approvals${path}`)).status).toBe(403)
    }
    expect((await list())[0]?.status).toBe('pending')
  })

  test("T6 another agent's same call waits for itself", async () => {
    await person('POST', `${workspace}/approvals/${await asked()}/grant`)
    await asked(await agentNamed('bot-2'))
    expect((await call(agent)).status).toBe(200)
  })

  test('what is no request is 404', async () => {
    for (const id of ['x', '0000000000000000-0000000000000000', '%2e%2e%2fid']) {
      expect((await person('POST', `${workspace}/approvals/${id}/grant`)).status).toBe(404)
    }
  })
})

describe("an agent's token", () => {
  test('opens tools, files and what is read', async () => {
    for (const path of [
      '/v1/workspaces',
      workspace,
      `${workspace}/info`,
      `${workspace}/tree`,
      `${workspace}/changes`,
      `${workspace}/files/a.txt`,
    ]) {
      expect((await agent('GET', path)).status).toBe(200)
    }
    expect((await agent('POST', `${workspace}/verify`)).status).toBe(200)
    expect((await call(agent, 'view_file', { file_path: 'a.txt' })).status).toBe(200)
  })

  test('opens nothing else', async () => {
    const closed: [method: string, path: string][] = [
      ['POST', '/v1/agents'],
      ['POST', '/v1/workspaces'],
      ['PATCH', workspace],
      ['DELETE', workspace],
      ['POST', `${workspace}/changes/last/undo`],
      ['POST', `${workspace}/redo`],
      ['POST', `${workspace}/import`],
      ['POST', `${workspace}/import/content`],
      ['GET', `${workspace}/approvals`],
      ['GET', `${workspace}/%61pprovals`],
      ['GET', `${workspace}/files/../approvals`],
      ['POST', `${workspace}/tools/../redo`],
      ['POST', `${workspace}/anything`],
      ['GET', `${workspace}//approvals`],
    ]
    for (const [method, path] of closed) {
      const refused = await agent(method, path, method === 'GET' ? {} : { json: {} })
      expect([path, refused.status, ((await refused.json()) as Problem).code]).toEqual([path, 403, 'permission_denied'])
    }
    expect((await person('GET', workspace)).status).toBe(200)
  })

  test('is refused when it is changed, cut, or of another secret', async () => {
    const { token } = (await (await person('POST', '/v1/agents', { json: { name: 'bot-1' } })).json()) as AgentAnswer
    const [kind, id, mac] = token.split('.') as [string, string, string]
    const wrong = [
      `${kind}.${id.replace('bot-1', 'bot-2')}.${mac}`,
      `session.${id}.${mac}`,
      token.slice(0, -1),
      `${kind}.${id}`,
      `${kind}..${mac}`,
    ]
    for (const one of wrong) expect((await as(one)('GET', '/v1/workspaces')).status).toBe(401)
    server = createServer({ secret: `${SECRET}-renewed` })
    expect((await as(token)('GET', '/v1/workspaces')).status).toBe(401)
  })

  test('has a name of its own', async () => {
    for (const name of ['', 'a b', 'a.b', 'a~b', 'local', 'Person', 'host', 'x'.repeat(65), 'bot\n', 7]) {
      expect((await person('POST', '/v1/agents', { json: { name } })).status).toBe(400)
    }
    expect((await as(SECRET)('POST', '/v1/agents', { json: { name: 'bot' } })).status).toBe(201)
  })
})

test('watchers are told of requests, without what they show', async () => {
  const stop = new AbortController()
  const stream = await person('GET', `${workspace}/events`, { signal: stop.signal })
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
  const next = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value)
  expect(await next()).toContain('event: ready')
  const reading = next()
  const id = await asked()
  const told = await reading
  expect(told).toMatch(/^id: 1\nevent: approval\n/)
  expect(told).toContain(`"id":"${id}","status":"pending"`)
  expect(told).not.toContain('preview')
  const deciding = next()
  await person('POST', `${workspace}/approvals/${id}/grant`)
  expect(await deciding).toContain('"status":"granted"')
  stop.abort()
})
