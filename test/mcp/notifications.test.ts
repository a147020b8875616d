/** Clients of both eras are told what changes, and nothing that they did not ask for. */
import type { Client } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createMcpEndpoint } from '../../src/mcp/endpoint.ts'
import { createMcpFactory } from '../../src/mcp/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { clientOf, connect, type Era } from './connection.ts'

const FILES = 'filewright:///files'
const LOG = 'filewright:///changes'
/** More than the time for which notices are gathered. */
const A_WHILE = 350

async function open(): Promise<Workspace> {
  const workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
  const content = await workspace.stage(new TextEncoder().encode('one\n'))
  await workspace.importFiles(['a.txt', 'd/b.txt', 'd/e/c.txt'].map((path) => ({ path, content })))
  return workspace
}

interface Told {
  readonly updated: string[]
  lists: number
}

function listen(client: Client): Told {
  const told: Told = { updated: [], lists: 0 }
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.updated.push(params.uri))
  client.setNotificationHandler('notifications/resources/list_changed', () => {
    told.lists++
  })
  return told
}

type Listening = (filter: { uris?: readonly string[]; list?: boolean }) => Promise<{ told: Told; stop: (uri: string) => Promise<unknown> }>

/** The ways in which a client can be told. */
const WAYS: readonly [string, (workspace: Workspace) => Promise<Listening>][] = [
  ['resources/subscribe of 2025', async (workspace) => subscribing(await connect(createMcpFactory(workspace), '2025'))],
  ['resources/subscribe of 2025 in a session over HTTP', async (workspace) => subscribing(await connectEndpoint(workspace, '2025'))],
  ['subscriptions/listen of 2026 on a pipe', async (workspace) => streams(await connect(createMcpFactory(workspace), '2026'))],
  ['subscriptions/listen of 2026 over HTTP', async (workspace) => streams(await connectEndpoint(workspace, '2026'))],
]

async function connectEndpoint(workspace: Workspace, era: Era): Promise<Client> {
  const sessions = { most: 4, idleMs: 60_000 }
  const endpoint = createMcpEndpoint(createMcpFactory(workspace), { bodyBytes: 1e6, streams: 8, sessions })
  const client = clientOf(era)
  const fetch = (url: string | URL, init?: RequestInit) => endpoint.answer(new Request(url, init), { mayApprove: true })
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }))
  return client
}

function subscribing(client: Client): Listening {
  const told = listen(client)
  return async ({ uris = [] }) => {
    for (const uri of uris) await client.subscribeResource({ uri })
    return { told, stop: (uri) => client.unsubscribeResource({ uri }) }
  }
}

function streams(client: Client): Listening {
  const told = listen(client)
  return async ({ uris, list }) => {
    const filter = { ...(uris && { resourceSubscriptions: [...uris] }), ...(list && { resourcesListChanged: true }) }
    const subscription = await client.listen(filter)
    expect(subscription.honoredFilter).toEqual(filter)
    return { told, stop: () => subscription.close() }
  }
}

describe.each(WAYS)('%s', (way, begin) => {
  const modern = !way.includes('2025')

  test('a changed file, its directory and the log are told, once for many changes', async () => {
    const workspace = await open()
    const { told } = await (await begin(workspace))({ uris: [`${FILES}/a.txt`, `${FILES}/`, LOG, `${FILES}/d/b.txt`] })
    for (const content of ['1', '2', '3']) await workspace.call('write_file', { file_path: 'a.txt', content, force_overwrite: true })
    await pause(A_WHILE)
    expect(told.updated.sort()).toEqual([LOG, `${FILES}/`, `${FILES}/a.txt`])
  })

  test('what comes and goes changes the list, an edit does not', async () => {
    const workspace = await open()
    const { told } = await (await begin(workspace))({ uris: [LOG], list: true })
    await workspace.call('write_file', { file_path: 'new.txt', content: 'x' })
    await expect.poll(() => told.lists).toBe(1)
    await workspace.call('delete_file', { file_path: 'new.txt' })
    await expect.poll(() => told.lists).toBe(2)
    await workspace.call('write_file', { file_path: 'a.txt', content: 'x', force_overwrite: true })
    await expect.poll(() => told.updated.length).toBe(3)
    expect(told.lists).toBe(2)
  })

  test('what goes along with a moved directory is told at both places, and what an undo brings back', async () => {
    const workspace = await open()
    const uris = ['d/e/c.txt', 'moved/e/c.txt', 'a.txt'].map((path) => `${FILES}/${path}`)
    const { told } = await (await begin(workspace))({ uris })
    await workspace.call('move_file', { source_path: 'd', destination_path: 'moved' })
    await expect.poll(() => told.updated.sort()).toEqual(uris.slice(0, 2).sort())
    await workspace.undo('last')
    await expect.poll(() => told.updated.length).toBe(4)
  })

  test('nothing comes after the end of a subscription', async () => {
    const workspace = await open()
    const { told, stop } = await (await begin(workspace))({ uris: [`${FILES}/a.txt`] })
    await workspace.call('write_file', { file_path: 'a.txt', content: '1', force_overwrite: true })
    await expect.poll(() => told.updated).toHaveLength(1)
    const late = workspace.call('write_file', { file_path: 'a.txt', content: '2', force_overwrite: true })
    await stop(`${FILES}/a.txt`)
    await late
    await pause(A_WHILE)
    expect(told.updated).toHaveLength(1)
  })

  test.skipIf(!modern)('a stream that asks for one kind gets no other', async () => {
    const workspace = await open()
    const { told } = await (await begin(workspace))({ list: true })
    await workspace.call('write_file', { file_path: 'new.txt', content: 'x' })
    await expect.poll(() => told.lists).toBe(1)
    expect(told.updated).toEqual([])
  })
})

test('a client of 2025 may subscribe under any spelling, to a bounded number, and only to what can be watched', async () => {
  const workspace = await open()
  const client = await connect(createMcpFactory(workspace), '2025')
  const told = listen(client)
  const spelled = `${FILES}/d/%62.txt`
  await client.subscribeResource({ uri: spelled })
  await workspace.call('write_file', { file_path: 'd/b.txt', content: 'x', force_overwrite: true })
  await expect.poll(() => told.updated).toEqual([spelled])
  for (const uri of ['file:///etc/passwd', 'filewright:///changes/last', `${FILES}/%2e%2e/x`]) {
    await expect(client.subscribeResource({ uri })).rejects.toMatchObject({ code: -32602, data: { uri } })
  }
  for (let i = 1; i < 1024; i++) await client.subscribeResource({ uri: `${FILES}/${i}` })
  await expect(client.subscribeResource({ uri: `${FILES}/one-more` })).rejects.toMatchObject({ code: -32602 })
  await client.subscribeResource({ uri: spelled })
  await client.unsubscribeResource({ uri: `${FILES}/never` })
})

test('nobody listens to the workspace once all connections are closed', async () => {
  const workspace = await open()
  let listeners = 0
  const counted: Workspace = {
    ...workspace,
    subscribe(listener) {
      listeners++
      const stop = workspace.subscribe(listener)
      return () => {
        listeners--
        stop()
      }
    },
  }
  const factory = createMcpFactory(counted)
  const old = await connect(factory, '2025')
  const modern = await connect(factory, '2026')
  const handler = createMcpHandler(factory, { bus: factory.events })
  expect(listeners).toBeGreaterThan(0)
  await Promise.all([old.close(), modern.close(), handler.close()])
  await expect.poll(() => listeners).toBe(0)
})

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
