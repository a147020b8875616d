/** Roots of a client of 2025 narrow the operator's folder, and never widen it. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { afterEach, describe, expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { openNodeFs } from '../../src/fs/node.ts'
import { createMcpEndpoint, createMcpFactory, type McpOptions } from '../../src/mcp/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { temporaryFolder } from '../cli/command.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A folder with `a`, `b` and `ab`, each with a file of text, and a link from `a` into `b`. */
async function folder(): Promise<{ readonly root: string; readonly workspace: Workspace }> {
  const top = await realpath(temporaryFolder())
  const root = join(top, 'project')
  for (const name of ['a/deep', 'b', 'ab', 'shared']) mkdirSync(join(root, name), { recursive: true })
  for (const name of ['top.txt', 'a/one.txt', 'a/deep/two.txt', 'b/three.txt', 'ab/four.txt']) writeFileSync(join(root, name), 'needle\n')
  symlinkSync('../b/three.txt', join(root, 'a/out'))
  symlinkSync(root, join(top, 'alias'))
  const workspace = await openWorkspace({ profile: 'fileops', fs: await openNodeFs({ root }) })
  closing.push(() => workspace.close())
  return { root, workspace }
}

interface Serving {
  readonly client: Client
  readonly asked: () => number
  /** Gives the client another list, and says so. */
  share(...uris: string[]): Promise<void>
}

type List = readonly string[] | Error | 'silence'

async function serve(workspace: Workspace, first: List, options: McpOptions = {}): Promise<Serving> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  serveStdio(createMcpFactory(workspace, options), { transport: far as Transport })
  let [list, asked] = [first, 0]
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'legacy' }, capabilities: { roots: { listChanged: true } } },
  )
  client.setRequestHandler('roots/list', () => {
    asked++
    if (list === 'silence') return new Promise(() => {})
    if (list instanceof Error) throw list
    return { roots: list.map((uri) => ({ uri })) }
  })
  await client.connect(near)
  closing.push(() => client.close())
  return {
    client,
    asked: () => asked,
    async share(...uris) {
      list = uris
      await client.sendRootsListChanged()
    },
  }
}

const uriOf = (...parts: string[]): string => pathToFileURL(join(...parts)).href

async function call({ client }: Serving, name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { structuredContent } = await client.callTool({ name, arguments: args })
  return structuredContent as Record<string, unknown>
}

const view = (serving: Serving, path: string) => call(serving, 'view_file', { file_path: path })
const outside = { error: expect.stringMatching(/^outside_root: .*roots of the client/) }

describe('one root', () => {
  test('reads, lists and searches are kept in it, whatever they begin at', async () => {
    const { root, workspace } = await folder()
    const serving = await serve(workspace, [uriOf(root, 'a')])
    expect(await view(serving, 'a/one.txt')).toMatchObject({ content: '   1\tneedle' })
    for (const path of [
      'b/three.txt',
      'ab/four.txt',
      'top.txt',
      'a/../b/three.txt',
      join(root, 'b/three.txt'),
      'a/out',
      'b/none.txt',
      'top.txt/x',
    ]) {
      expect(await view(serving, path), path).toMatchObject(outside)
    }
    const { entries } = await call(serving, 'list_directory', { directory_path: '.' })
    expect((entries as { name: string }[]).map(({ name }) => name)).toEqual(['a'])
    const found = JSON.stringify(await call(serving, 'search_files', { search_path: '.', query: 'needle' }))
    expect(found).toContain('a/deep/two.txt')
    expect(found).not.toMatch(/three|four|top/)
    expect(JSON.stringify(await call(serving, 'file_tree', { root_path: '.' }))).not.toMatch(/four|top/)
  })

  test('nothing is written outside: by name, through a link, by a move, by a batch, and not the root itself', async () => {
    const { root, workspace } = await folder()
    const serving = await serve(workspace, [uriOf(root, 'a')])
    const before = (await workspace.log()).length
    const refused: [string, Record<string, unknown>][] = [
      ['write_file', { file_path: 'new.txt', content: 'x' }],
      ['write_file', { file_path: 'c/new.txt', content: 'x' }],
      ['write_file', { file_path: 'a/out', content: 'x', force_overwrite: true }],
      ['delete_file', { file_path: 'b/three.txt' }],
      ['move_file', { source_path: 'a/one.txt', destination_path: 'b/one.txt' }],
      ['move_file', { source_path: 'a', destination_path: 'a2' }],
      ['move_file', { source_path: 'b/three.txt', destination_path: 'a/three.txt' }],
      ['copy_file', { source_path: 'b/three.txt', destination_path: 'a/three.txt' }],
      ['backup_file', { file_path: 'b/three.txt' }],
    ]
    for (const [name, args] of refused) expect(await call(serving, name, args), `${name} ${JSON.stringify(args)}`).toMatchObject(outside)
    expect(await workspace.log()).toHaveLength(before)
    expect(await call(serving, 'write_file', { file_path: 'a/new/x.txt', content: 'x' })).not.toHaveProperty('error')
  })

  test('resources are kept in it too', async () => {
    const { root, workspace } = await folder()
    await workspace.call('write_file', { file_path: 'b/secret.txt', content: 'x' })
    const { client } = await serve(workspace, [uriOf(root, 'a')])
    const { resources } = await client.listResources()
    const uris = resources.map(({ uri }) => uri).filter((uri) => uri.startsWith('file:'))
    expect(uris).toEqual(['/', '/a/', '/a/deep/', '/a/deep/two.txt', '/a/one.txt'].map((path) => `file://${root}${path}`))
    await expect(client.readResource({ uri: uriOf(root, 'b/three.txt') })).rejects.toMatchObject({ data: { code: 'outside_root' } })
    await expect(client.readResource({ uri: 'filewright:///changes/last' })).rejects.toMatchObject({ code: -32602 })
    const log = await client.readResource({ uri: 'filewright:///changes' })
    expect(JSON.stringify(log)).not.toContain('secret')
  })

  test('what happens elsewhere is not told', async () => {
    const { root, workspace } = await folder()
    const { client } = await serve(workspace, [uriOf(root, 'a')])
    const told: string[] = []
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
    for (const path of ['a/one.txt', 'b/three.txt']) await client.subscribeResource({ uri: uriOf(root, path) })
    for (const file_path of ['b/three.txt', 'a/one.txt'])
      await workspace.call('write_file', { file_path, content: 'x', force_overwrite: true })
    await expect.poll(() => told).toEqual([uriOf(root, 'a/one.txt')])
  })
})

test('several roots: each path lies in one of them', async () => {
  const { root, workspace } = await folder()
  const serving = await serve(workspace, [uriOf(root, 'a'), uriOf(root, 'b'), uriOf('/somewhere/else')])
  expect(await view(serving, 'a/out')).toMatchObject({ content: '   1\tneedle' })
  expect(await call(serving, 'move_file', { source_path: 'a/one.txt', destination_path: 'b/one.txt' })).not.toHaveProperty('error')
  expect(await view(serving, 'ab/four.txt')).toMatchObject(outside)
})

test.each([
  ['the folder itself', (root: string) => uriOf(root)],
  ['a folder above it', (root: string) => uriOf(root, '..')],
  ['the root of the host', () => 'file:///'],
  ['another spelling of it', (root: string) => `${uriOf(root, '..', 'alias')}/`],
])('a root that holds all of it narrows nothing: %s', async (_, uri) => {
  const { root, workspace } = await folder()
  const serving = await serve(workspace, [uri(root)], { realPath: realpath })
  expect(await view(serving, 'b/three.txt')).toMatchObject({ content: '   1\tneedle' })
  expect(await view(serving, '../secret')).toMatchObject({ error: expect.stringMatching(/^outside_root/) })
})

test('a root under another spelling of the folder is found', async () => {
  const { root, workspace } = await folder()
  const serving = await serve(workspace, [uriOf(root, '..', 'alias', 'a')], { realPath: realpath })
  expect(await view(serving, 'a/one.txt')).toMatchObject({ content: '   1\tneedle' })
  expect(await view(serving, 'b/three.txt')).toMatchObject(outside)
})

test.each([
  ['elsewhere', ['file:///somewhere/else']],
  ['a name that only begins alike', ['file:///projectx']],
  ['of another host', ['file://host/']],
  ['no path of a host', ['file:///%00', 'file:///a%2']],
])('roots that hold nothing of it refuse every call, and say what to do: %s', async (_, uris) => {
  const { workspace } = await folder()
  const serving = await serve(workspace, uris)
  expect(await view(serving, 'a/one.txt')).toMatchObject({ error: expect.stringMatching(/^outside_root: .*--client-roots ignore/) })
  await expect(serving.client.listResources()).rejects.toMatchObject({ code: -32602, data: { code: 'outside_root' } })
  // A list that a client may keep says nothing about files.
  expect((await serving.client.listTools()).tools.length).toBeGreaterThan(0)
})

test('a changed list holds from the next call on; what is withdrawn is gone', async () => {
  const { root, workspace } = await folder()
  const serving = await serve(workspace, [uriOf(root, 'a')])
  expect(await view(serving, 'b/three.txt')).toMatchObject(outside)
  await serving.share(uriOf(root, 'b'))
  expect(await view(serving, 'b/three.txt')).toMatchObject({ content: '   1\tneedle' })
  expect(await view(serving, 'a/one.txt')).toMatchObject(outside)
  expect(serving.asked()).toBe(2)
  await serving.share()
  expect(await view(serving, 'a/one.txt')).toMatchObject({ error: expect.stringMatching(/^outside_root/) })
  await serving.share(uriOf(root))
  expect(await view(serving, 'a/one.txt')).toMatchObject({ content: '   1\tneedle' })
})

test('an empty list, and a client without a list, narrow nothing', async () => {
  const { workspace } = await folder()
  for (const list of [[], Object.assign(new Error('no such method'), { code: -32601 })]) {
    const serving = await serve(workspace, list)
    expect(await view(serving, 'b/three.txt')).toMatchObject({ content: '   1\tneedle' })
  }
})

test('a client that cannot tell its roots now is refused, and asked again', async () => {
  const { root, workspace } = await folder()
  const serving = await serve(workspace, new Error('not now'))
  expect(await view(serving, 'a/one.txt')).toMatchObject({ error: expect.stringMatching(/^timeout: .*roots/) })
  await serving.share(uriOf(root, 'a'))
  expect(await view(serving, 'a/one.txt')).toMatchObject({ content: '   1\tneedle' })
})

test('calls wait for the list, and a client that never answers is told so in time', { timeout: 20_000 }, async () => {
  const { workspace } = await folder()
  const serving = await serve(workspace, 'silence')
  const answers = await Promise.all([view(serving, 'a/one.txt'), view(serving, 'b/three.txt')])
  for (const answer of answers) expect(answer).toMatchObject({ error: expect.stringMatching(/^timeout: /) })
  expect(serving.asked()).toBe(1)
})

test('over HTTP the client is asked on the stream of its own call', async () => {
  const { root, workspace } = await folder()
  const endpoint = createMcpEndpoint(createMcpFactory(workspace), { bodyBytes: 1e6, streams: 8, sessions: { most: 2, idleMs: 60_000 } })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' }, capabilities: { roots: {} } })
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: uriOf(root, 'a') }] }))
  const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    // A client need not open the other stream.
    if (init?.method === 'GET') return new Response(null, { status: 405 })
    return endpoint.answer(new Request(url, init), { mayApprove: true })
  }
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }))
  closing.push(() => client.close())
  const read = async (path: string) => (await client.callTool({ name: 'view_file', arguments: { file_path: path } })).structuredContent
  expect(await read('a/one.txt')).toMatchObject({ content: '   1\tneedle' })
  expect(await read('b/three.txt')).toMatchObject(outside)
})

test('the operator may ignore them, and on a virtual root they mean nothing', async () => {
  const { workspace } = await folder()
  const ignoring = await serve(workspace, ['file:///elsewhere'], { roots: 'ignore' })
  expect(await view(ignoring, 'b/three.txt')).toMatchObject({ content: '   1\tneedle' })
  const virtual = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
  const serving = await serve(virtual, ['file:///elsewhere'])
  expect(await call(serving, 'write_file', { file_path: 'x.txt', content: 'x' })).not.toHaveProperty('error')
  expect([ignoring.asked(), serving.asked()]).toEqual([0, 0])
})
