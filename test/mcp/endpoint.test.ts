/** The HTTP endpoint: sessions of the older era and whose they are, and calls that end with their client. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { McpServer } from '@modelcontextprotocol/server'
import { afterEach, describe, expect, test } from 'vitest'
import { listenMcp, type McpListener } from '../../src/cli/mcp_listener.ts'
import { createMcpEndpoint, type McpEndpoint } from '../../src/mcp/endpoint.ts'
import { clientOf, type Era } from './connection.ts'

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
const ME = { mayApprove: true }
const TOKEN = 'a-token-of-the-tests-that-is-long-enough'

/** Servers with a tool that waits until it is canceled. `canceled` tells for each call whether it was. */
function createWaiting(): { make: () => McpServer; started: number; canceled: number } {
  const state = {
    started: 0,
    canceled: 0,
    make() {
      const server = new McpServer({ name: 'test', version: '1' })
      server.registerTool('wait', { description: 'Waits' }, async ({ mcpReq }) => {
        state.started++
        await new Promise((done) => mcpReq.signal.addEventListener('abort', done))
        state.canceled++
        return { content: [] }
      })
      return server
    },
  }
  return state
}

describe('sessions', () => {
  const open = (limits: { most?: number; idleMs?: number } = {}): McpEndpoint =>
    createMcpEndpoint(() => createWaiting().make(), {
      bodyBytes: 1e6,
      streams: 4,
      sessions: { most: limits.most ?? 8, idleMs: limits.idleMs ?? 60_000 },
    })

  function send(
    endpoint: McpEndpoint,
    method: string,
    body?: object,
    session?: string,
    caller: { subject?: string } = {},
  ): Promise<Response> {
    const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' })
    if (session !== undefined) headers.set('mcp-session-id', session)
    const sent = body && JSON.stringify({ jsonrpc: '2.0', id: 1, ...body })
    return endpoint.answer(new Request('http://localhost/mcp', { method, headers, ...(sent && { body: sent }) }), { ...ME, ...caller })
  }

  async function begin(endpoint: McpEndpoint, caller: { subject?: string } = {}): Promise<string> {
    const answer = await send(endpoint, 'POST', { method: 'initialize', params: INITIALIZE }, undefined, caller)
    expect(answer.status).toBe(200)
    await answer.text()
    return answer.headers.get('mcp-session-id') ?? ''
  }

  const list = { method: 'tools/list', params: {} }

  test('have ids of 128 bits, each its own', async () => {
    const endpoint = open()
    const ids = [await begin(endpoint), await begin(endpoint)]
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(new Set(ids).size).toBe(2)
    expect((await send(endpoint, 'POST', list, ids[0])).status).toBe(200)
  })

  test('are of the caller that began them, whoever knows their id', async () => {
    const endpoint = open()
    const id = await begin(endpoint, { subject: 'bot' })
    for (const [caller, status] of [
      [{ subject: 'bot' }, 200],
      [{ subject: 'other' }, 404],
      [{}, 404],
    ] as const) {
      expect((await send(endpoint, 'POST', list, id, caller)).status).toBe(status)
    }
    expect((await send(endpoint, 'DELETE', undefined, id)).status).toBe(404)
    expect((await send(endpoint, 'POST', list, id, { subject: 'bot' })).status).toBe(200)
  })

  test.each(['', 'x', '0'.repeat(32)])('an id that nobody was given is 404: %j', async (id) => {
    const endpoint = open()
    await begin(endpoint)
    for (const method of ['POST', 'GET', 'DELETE']) {
      expect((await send(endpoint, method, method === 'POST' ? list : undefined, id)).status).toBe(404)
    }
  })

  test('end when the client says so, and with the endpoint', async () => {
    const endpoint = open()
    const [first, second] = [await begin(endpoint), await begin(endpoint)]
    expect((await send(endpoint, 'DELETE', undefined, first)).status).toBe(200)
    expect((await send(endpoint, 'POST', list, first)).status).toBe(404)
    const stream = await send(endpoint, 'GET', undefined, second)
    await endpoint.close()
    expect(await stream.text()).toBe('')
    expect((await send(endpoint, 'POST', list, second)).status).toBe(404)
  })

  test('one whose stream is open is not silent: its call goes on, and others make room', async () => {
    const waiting = createWaiting()
    const endpoint = createMcpEndpoint(waiting.make, { bodyBytes: 1e6, streams: 4, sessions: { most: 2, idleMs: 60_000 } })
    const busy = await begin(endpoint)
    const call = await send(endpoint, 'POST', { method: 'tools/call', params: { name: 'wait' } }, busy)
    await expect.poll(() => waiting.started).toBe(1)
    const others = [await begin(endpoint), await begin(endpoint), await begin(endpoint)]
    expect(waiting.canceled).toBe(0)
    const statusOf = async (id = '') => {
      const answer = await send(endpoint, 'POST', list, id)
      await answer.text()
      return answer.status
    }
    expect([await statusOf(busy), await statusOf(others[0])]).toEqual([200, 404])
    // Its reader goes away: now it is silent like any other, and for the longest time.
    await call.body?.cancel()
    await new Promise((wake) => setTimeout(wake, 5))
    await begin(endpoint)
    await new Promise((wake) => setTimeout(wake, 5))
    await begin(endpoint)
    expect(await statusOf(busy)).toBe(404)
    await endpoint.close()
  })

  test('are bounded: the one that was silent longest makes room, and silence ends them', async () => {
    const endpoint = open({ most: 2 })
    const [first, second] = [await begin(endpoint), await begin(endpoint)]
    await new Promise((wake) => setTimeout(wake, 5))
    await send(endpoint, 'POST', list, first)
    const third = await begin(endpoint)
    const statusOf = async (id: string) => (await send(endpoint, 'POST', list, id)).status
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([200, 404, 200])
    const short = open({ idleMs: 20 })
    const silent = await begin(short)
    await new Promise((wake) => setTimeout(wake, 60))
    await begin(short)
    expect((await send(short, 'POST', list, silent)).status).toBe(404)
  })

  test('are begun by `initialize` alone; what else comes without one is answered by itself', async () => {
    const endpoint = open()
    const answer = await send(endpoint, 'POST', list)
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null])
    const wrong = await send(endpoint, 'POST', { method: 'initialize', params: {} })
    expect(wrong.headers.get('mcp-session-id')).toBeNull()
  })
})

describe('a client that goes away', () => {
  let listener: McpListener | undefined
  afterEach(() => listener?.close())

  async function connect(make: () => McpServer, era: Era) {
    listener = await listenMcp(make, { host: '127.0.0.1', port: 0, token: TOKEN })
    const client = clientOf(era)
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(listener.url), { requestInit }))
    return client
  }

  test.each(['2025', '2026'] as const)('cancels its call, on a real connection (%s)', async (era) => {
    const waiting = createWaiting()
    const client = await connect(waiting.make, era)
    const stop = new AbortController()
    const call = client.callTool({ name: 'wait', arguments: {} }, { signal: stop.signal })
    await expect.poll(() => waiting.started).toBe(1)
    stop.abort()
    await expect(call).rejects.toThrow()
    await expect.poll(() => waiting.canceled).toBe(1)
    await client.close()
  })

  test.each([
    ['2025', {}, {}],
    [
      '2026',
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'wait' },
      { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } },
    ],
  ])('cancels it without a word, too (%s)', async (_, headers, params) => {
    const waiting = createWaiting()
    listener = await listenMcp(waiting.make, { host: '127.0.0.1', port: 0, token: TOKEN })
    const stop = new AbortController()
    const call = fetch(listener.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', arguments: {}, ...params } }),
      signal: stop.signal,
    })
    call.catch(() => {})
    await expect.poll(() => waiting.started).toBe(1)
    stop.abort()
    await expect.poll(() => waiting.canceled).toBe(1)
  })

  test('the end of the server cancels what runs', async () => {
    const waiting = createWaiting()
    const client = await connect(waiting.make, '2026')
    const call = client.callTool({ name: 'wait', arguments: {} })
    const failed = expect(call).rejects.toThrow()
    await expect.poll(() => waiting.started).toBe(1)
    await listener?.close()
    listener = undefined
    await failed
    expect(waiting.canceled).toBe(1)
  })
})
