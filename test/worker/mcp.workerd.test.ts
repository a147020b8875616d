/** MCP at the edge: clients of both eras reach a workspace's object through the worker, and are told what changes in it. */
import { evictDurableObject } from 'cloudflare:test'
import { env as bindings, exports } from 'cloudflare:workers'
import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import type { AgentAnswer, WorkspaceEntry } from '../../src/http/routes.ts'
import type { Env } from '../../worker/env.ts'
import { connectMcp, ERAS, type Era } from '../http/mcp_client.ts'

const env = bindings as unknown as Env
const ORIGIN = `http://${env.FILEWRIGHT_HOSTS}`
const { default: worker } = exports as unknown as { default: Fetcher }

async function post<Answer>(path: string, json: unknown): Promise<Answer> {
  const headers = { host: env.FILEWRIGHT_HOSTS, authorization: `Bearer ${env.FILEWRIGHT_SECRET}`, 'content-type': 'application/json' }
  const answer = await worker.fetch(new Request(ORIGIN + path, { method: 'POST', headers, body: JSON.stringify(json) }))
  expect(answer.ok, path).toBe(true)
  return (await answer.json()) as Answer
}

const createWorkspace = async (): Promise<string> => (await post<WorkspaceEntry>('/v1/workspaces', { name: 'test', profile: 'fileops' })).id

function connect(id: string, token: string, era: Era): Promise<Client> {
  const url = `${ORIGIN}/v1/workspaces/${id}/mcp`
  return connectMcp({ url, token, era, fetch: (request) => worker.fetch(request) })
}

const write = (client: Client, path: string, content: string) =>
  client.callTool({ name: 'write_file', arguments: { file_path: path, content, force_overwrite: true } })

describe.each(ERAS)('a client of %s', (era) => {
  test('lists and calls, also after its object was evicted between two calls', async () => {
    const id = await createWorkspace()
    const { token } = await post<AgentAnswer>('/v1/agents', { name: 'bot' })
    const client = await connect(id, token, era)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('view_file')
    expect(await write(client, 'a.txt', 'one')).toMatchObject({ isError: false })
    await evictDurableObject(env.WORKSPACES.get(env.WORKSPACES.idFromString(id)))
    const read = await client.callTool({ name: 'view_file', arguments: { file_path: 'a.txt' } })
    expect(read.structuredContent).toMatchObject({ content: '   1\tone' })
    const [first] = (await client.listResources()).resources
    expect(first?.uri).toContain('filewright:///')
    await client.close()
  })
})

test('a subscription of the newer era is told of a change that another client made', async () => {
  const id = await createWorkspace()
  const listening = await connect(id, env.FILEWRIGHT_SECRET, '2026')
  const told: string[] = []
  listening.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
  const uri = 'filewright:///files/a.txt'
  const subscription = await listening.listen({ resourceSubscriptions: [uri] })
  expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: [uri] })
  const writing = await connect(id, env.FILEWRIGHT_SECRET, '2025')
  await write(writing, 'b.txt', 'x')
  await write(writing, 'a.txt', 'x')
  await expect.poll(() => told, { timeout: 10_000 }).toEqual([uri])
  await subscription.close()
  await listening.close()
  await writing.close()
})

test('a workspace that is removed ends its subscriptions', async () => {
  const id = await createWorkspace()
  const client = await connect(id, env.FILEWRIGHT_SECRET, '2026')
  const subscription = await client.listen({ resourcesListChanged: true })
  const headers = { host: env.FILEWRIGHT_HOSTS, authorization: `Bearer ${env.FILEWRIGHT_SECRET}` }
  expect((await worker.fetch(new Request(`${ORIGIN}/v1/workspaces/${id}`, { method: 'DELETE', headers }))).status).toBe(204)
  await subscription.closed
  await expect(client.listTools()).rejects.toThrow()
})
