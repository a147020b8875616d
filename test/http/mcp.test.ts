/** MCP below a workspace over HTTP: the guards before it, whose calls they are, and who may approve. */
import { describe, expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { makeOneTimeToken } from '../../src/http/credentials.ts'
import type { AgentAnswer, ApprovalList, SessionAnswer } from '../../src/http/routes.ts'
import { createWorkspaceApp } from '../../src/http/workspace_app.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { connectMcp, ERAS, type Era, type McpClientOptions } from './mcp_client.ts'
import { createServer, ORIGIN, SECRET, type TestServer } from './setup.ts'

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const ACCEPT = { accept: 'application/json, text/event-stream' }

interface Opened {
  readonly server: TestServer
  readonly id: string
  readonly path: string
  readonly tokens: { readonly operator: string; readonly person: string; readonly agent: string }
  connect(who: keyof Opened['tokens'], era: Era, answer?: McpClientOptions['answer']): ReturnType<typeof connectMcp>
}

async function open(): Promise<Opened> {
  const server = createServer()
  const id = await server.create()
  const path = `/v1/workspaces/${id}/mcp`
  const once = { json: { token: await makeOneTimeToken(SECRET) }, headers: { authorization: null } }
  const { token: person } = (await (await server.send('POST', '/v1/session', once)).json()) as SessionAnswer
  const { token: agent } = (await (await server.send('POST', '/v1/agents', { json: { name: 'bot' } })).json()) as AgentAnswer
  const tokens = { operator: SECRET, person, agent }
  return {
    server,
    id,
    path,
    tokens,
    connect: (who, era, answer) =>
      connectMcp({
        url: ORIGIN + path,
        token: tokens[who],
        era,
        fetch: (request) => server.app.fetch(request),
        ...(answer && { answer }),
      }),
  }
}

describe.each(ERAS)('a client of %s', (era) => {
  test.each(['operator', 'person', 'agent'] as const)('lists and calls with the token of the %s', async (who) => {
    const { server, id, connect } = await open()
    const client = await connect(who, era)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('write_file')
    const written = await client.callTool({ name: 'write_file', arguments: { file_path: 'a.txt', content: 'x' } })
    expect(written).toMatchObject({ isError: false })
    const [entry] = (await server.host.opened.get(id)?.workspace.log({ limit: 1 })) ?? []
    expect(entry?.record.subject).toBe(who === 'agent' ? 'bot' : 'local')
    await client.close()
  })

  test.each(['operator', 'agent'] as const)('that may not approve is not asked, and its call waits (%s)', async (who) => {
    const { server, id, connect, tokens } = await open()
    let asked = 0
    const client = await connect(who, era, () => {
      asked++
      return { action: 'accept', content: { decision: 'approve' } }
    })
    const call = (operation: string, config: object = {}) =>
      client.callTool({ name: 'file_ops_hub', arguments: { operation, path: 'a.txt', config } })
    await call('write_file', { content: 'x' })
    const refused = await call('delete_file')
    expect(refused).toMatchObject({ isError: true, structuredContent: { error_kind: 'approval_required' } })
    expect(asked).toBe(0)
    const headers = { authorization: `Bearer ${tokens.person}` }
    const { approvals } = (await (await server.send('GET', `/v1/workspaces/${id}/approvals`, { headers })).json()) as ApprovalList
    expect(approvals).toMatchObject([{ status: 'pending' }])
    await client.close()
  })
})

test("a person's own client is asked, and its answer counts", async () => {
  const { connect } = await open()
  const client = await connect('person', '2026', () => ({ action: 'accept', content: { decision: 'approve' } }))
  const call = (operation: string, config: object = {}) =>
    client.callTool({ name: 'file_ops_hub', arguments: { operation, path: 'a.txt', config } })
  await call('write_file', { content: 'x' })
  expect(await call('delete_file')).toMatchObject({ isError: false })
  await client.close()
})

test('an agent cannot answer a form that a person was asked', async () => {
  const { server, path, tokens, connect } = await open()
  const writer = await connect('person', '2026')
  await writer.callTool({ name: 'write_file', arguments: { file_path: 'a.txt', content: 'x' } })
  const params = {
    name: 'file_ops_hub',
    arguments: { operation: 'delete_file', path: 'a.txt', config: {} },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    },
  }
  const call = async (token: string, more: object = {}) => {
    const answer = await server.send('POST', path, {
      json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, ...more } },
      headers: {
        ...ACCEPT,
        authorization: `Bearer ${token}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'file_ops_hub',
      },
    })
    return (await answer.json()) as { result: { requestState?: string; isError?: boolean; structuredContent?: { error_kind?: string } } }
  }
  const { requestState } = (await call(tokens.person)).result
  expect(requestState).toBeTypeOf('string')
  const inputResponses = { approval: { action: 'accept', content: { decision: 'approve' } } }
  const forged = await call(tokens.agent, { inputResponses, requestState })
  expect(forged.result?.isError).not.toBe(false)
  expect((await call(tokens.person, { inputResponses, requestState })).result).toMatchObject({ isError: false })
})

describe('calls at work at once are bounded', () => {
  const event = new TextEncoder().encode(': begun\n\n')

  /** An app whose endpoint answers with streams that the test ends. */
  async function streaming() {
    const ends: (() => void)[] = []
    const workspace = await openWorkspace({ fs: createMemoryFs() })
    const app = createWorkspaceApp(workspace, {
      mcp: async () => {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(event)
            ends.push(() => controller.close())
          },
        })
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      },
    })
    const send = (method: string, named = method) =>
      app.fetch(
        new Request(`${ORIGIN}/v1/workspaces/x/mcp`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'mcp-method': named },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
        }),
      )
    return { ends, send }
  }

  test('a call whose answer is a stream keeps its place until it is over, though nobody reads', async () => {
    const { ends, send } = await streaming()
    const answers = Array.from({ length: 9 }, () => send('tools/call'))
    await Promise.all(answers.slice(0, 8))
    expect(ends).toHaveLength(8)
    ends[0]?.()
    await answers[8]
    expect(ends).toHaveLength(9)
    expect(await (await answers[0])?.text()).toBe(': begun\n\n')
  })

  test('a client that goes away leaves its place', async () => {
    const { ends, send } = await streaming()
    const answers = Array.from({ length: 9 }, () => send('tools/call'))
    await (await answers[3])?.body?.cancel()
    await answers[8]
    expect(ends).toHaveLength(9)
  })

  test('a call that only its header calls a subscription keeps its place too', async () => {
    const { ends, send } = await streaming()
    const answers = Array.from({ length: 9 }, () => send('tools/call', 'subscriptions/listen'))
    await Promise.all(answers.slice(0, 8))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(ends).toHaveLength(8)
    ends[0]?.()
    await answers[8]
  })

  test('a subscription takes none', async () => {
    const { ends, send } = await streaming()
    await Promise.all(Array.from({ length: 20 }, () => send('subscriptions/listen')))
    expect(ends).toHaveLength(20)
  })
})

describe('the guards stand before it', () => {
  test.each([
    ['no token', { authorization: null }, 401],
    ['a wrong token', { authorization: 'Bearer agent.bot~1.00' }, 401],
    ['another host', { host: 'evil.example' }, 403],
    ['another origin', { origin: 'http://evil.example' }, 403],
    ['an opaque origin', { origin: 'null' }, 403],
    ['a compressed body', { 'content-encoding': 'gzip' }, 415],
  ] as const)('%s', async (_, headers, status) => {
    const { server, path } = await open()
    const before = server.host.answered
    expect((await server.send('POST', path, { json: LIST, headers: { ...ACCEPT, ...headers } })).status).toBe(status)
    expect(server.host.answered).toBe(before)
  })

  test.each(['GET', 'DELETE', 'PUT', 'HEAD'])('%s is not a method of it', async (method) => {
    const { server, path } = await open()
    const answer = await server.send(method, path, { headers: { accept: 'text/event-stream' } })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test.each([
    ['not JSON', '{', 'application/json', 400],
    ['another type', '{}', 'text/plain', 415],
    ['too large', ' '.repeat(9 * 1024 * 1024), 'application/json', 413],
  ])('a body that is %s', async (_, body, type, status) => {
    const { server, path } = await open()
    expect((await server.send('POST', path, { body, headers: { ...ACCEPT, 'content-type': type } })).status).toBe(status)
  })

  test('a workspace that is not there', async () => {
    const { server } = await open()
    expect((await server.send('POST', '/v1/workspaces/nosuchworkspace/mcp', { json: LIST, headers: ACCEPT })).status).toBe(404)
  })
})
