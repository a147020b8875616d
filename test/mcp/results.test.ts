/** Results within their bounds, what stands beside their text, and arguments of any shape. */
import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { ERRORS, type ErrorCode, FilewrightError } from '../../src/core/errors.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createMcpFactory } from '../../src/mcp/index.ts'
import { RESOURCE_ERRORS, resourceError } from '../../src/mcp/resources/errors.ts'
import { createResultStore } from '../../src/mcp/resources/results.ts'
import { PROFILE_NAMES } from '../../src/profiles/index.ts'
import type { Attachment } from '../../src/profiles/profile.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { CallResult, Workspace } from '../../src/workspace/workspace.ts'
import { storageOf } from '../profiles/storage_of.ts'
import { connect, connectHttp, ERAS } from './connection.ts'

const LIMIT = 64 * 1024
const PNG = btoa('\x89PNG\0\x01\x02')

async function open(): Promise<Workspace> {
  return openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
}

/** A workspace whose reads have more beside their text, as tools of some profiles do. */
function attaching(workspace: Workspace, change: (outcome: CallResult) => Partial<CallResult>): Workspace {
  return {
    ...workspace,
    async call(...parts) {
      const outcome = await workspace.call(...parts)
      return { ...outcome, ...change(outcome) }
    },
  }
}

async function write(workspace: Workspace, path: string, text: string): Promise<void> {
  await workspace.importFiles([{ path, content: await workspace.stage(new TextEncoder().encode(text)) }])
}

/** All of a resource, in parts. */
async function readAll(client: Client, uri: string): Promise<string> {
  let text = ''
  for (let next: number | null = 0; next !== null; ) {
    const { contents } = await client.readResource({ uri: `${uri}?offset=${next}&length=50000` })
    const [part] = contents as { text: string; _meta: Record<string, { next: number | null }> }[]
    text += part?.text
    next = part?._meta['filewright/range']?.next ?? null
  }
  return text
}

describe.each(ERAS)('a client of %s', (era) => {
  test('a result that is too large is cut, keeps its shape, and can be read in parts', async () => {
    const workspace = await open()
    const lines = Array.from({ length: 2000 }, (_, i) => `line ${i} ${'ü'.repeat(60)}`)
    await write(workspace, 'big.txt', lines.join('\n'))
    const small = await connect(createMcpFactory(workspace, { resultSize: LIMIT }), era)
    const large = await connect(createMcpFactory(workspace), era)
    const call = { name: 'view_file', arguments: { file_path: 'big.txt', start_line: 1, end_line: 2000 } }
    // The client checks the structure against the schema that was listed.
    await small.listTools()
    const cut = await small.callTool(call)
    const whole = await large.callTool(call)
    expect(JSON.stringify(whole).length).toBeGreaterThan(LIMIT)
    expect(JSON.stringify(cut).length).toBeLessThan(LIMIT)
    const [text, link] = cut.content as unknown as [{ text: string }, { type: string; uri: string; size: number; mimeType: string }]
    expect(text.text).toContain('line 0 ')
    expect(text.text).toContain(`[The result has ${link.size} bytes and is cut here.`)
    expect(link).toMatchObject({ type: 'resource_link', mimeType: 'application/json' })
    expect(cut._meta).toMatchObject({ 'filewright/cut': { uri: link.uri, size: link.size } })
    expect(cut).toMatchObject({ isError: false, structuredContent: { file_path: '/big.txt', total_lines: 2000 } })
    expect(JSON.parse(await readAll(small, link.uri))).toEqual(whole.structuredContent)
    await expect(large.readResource({ uri: link.uri })).rejects.toMatchObject({ code: -32602, data: { uri: link.uri } })
  })

  test('attachments are blocks beside the text', async () => {
    const workspace = await open()
    await write(workspace, 'd/a b.bin', 'x')
    const attachments: Attachment[] = [
      { type: 'image', mimeType: 'image/png', data: PNG },
      { type: 'audio', mimeType: 'audio/wav', data: PNG },
      { type: 'file', path: '/d/a b.bin', mimeType: 'application/octet-stream', data: PNG },
      { type: 'link', path: '/d/a b.bin' },
      { type: 'link' },
    ]
    const client = await connect(createMcpFactory(attaching(workspace, () => ({ attachments }))), era)
    const { content } = await client.callTool({ name: 'write_file', arguments: { file_path: 'new.txt', content: 'x' } })
    const id = (await workspace.log())[0]?.record.id
    const uri = 'filewright:///files/d/a%20b.bin'
    expect(content).toMatchObject([
      { type: 'text' },
      { type: 'image', mimeType: 'image/png', data: PNG },
      { type: 'audio', mimeType: 'audio/wav', data: PNG },
      { type: 'resource', resource: { uri, mimeType: 'application/octet-stream', blob: PNG } },
      { type: 'resource_link', uri, name: 'd/a b.bin' },
      { type: 'resource_link', uri: `filewright:///changes/${id}` },
    ])
    for (const linked of [uri, `filewright:///changes/${id}`])
      expect((await client.readResource({ uri: linked })).contents[0]).toBeDefined()
  })

  test('what is too large beside the text is linked', async () => {
    const workspace = await open()
    await write(workspace, 'a.bin', 'x')
    const data = btoa('\0'.repeat(LIMIT))
    const attachments: Attachment[] = [
      { type: 'image', mimeType: 'image/png', data },
      { type: 'file', path: '/a.bin', mimeType: 'application/octet-stream', data },
    ]
    const client = await connect(
      createMcpFactory(
        attaching(workspace, () => ({ attachments })),
        { resultSize: LIMIT },
      ),
      era,
    )
    const { content } = await client.callTool({ name: 'view_file', arguments: { file_path: 'a.bin' } })
    expect(content).toMatchObject([
      { type: 'text' },
      { type: 'resource_link', mimeType: 'image/png', size: LIMIT },
      { type: 'resource_link', uri: 'filewright:///files/a.bin' },
    ])
    const { uri } = content[1] as { uri: string }
    const { contents } = await client.readResource({ uri: `${uri}?offset=0&length=1000` })
    expect(contents).toMatchObject([{ mimeType: 'image/png' }])
  })

  test.each(['text', 7, true, [], ['a.txt']])('arguments that are no object (%j) are a failed result that says so', async (args) => {
    for (const connecting of [connect, connectHttp]) {
      const client = await connecting(createMcpFactory(await open()), era)
      const result = await client.callTool({ name: 'view_file', arguments: args as never })
      expect(result).toMatchObject({
        isError: true,
        structuredContent: { error: expect.stringMatching(/^invalid_argument: The arguments must be an object/) },
      })
    }
  })
})

test.each(PROFILE_NAMES)('no tool of %s takes them for a protocol error', async (profile) => {
  const workspace = await openWorkspace({ profile, fs: await storageOf(profile) })
  const client = await connect(createMcpFactory(workspace), '2026')
  for (const { name } of (await client.listTools()).tools) {
    for (const args of ['text', 7, ['a.txt'], [[]]]) {
      const result = await client.callTool({ name, arguments: args as never })
      expect(result, `${name} ${JSON.stringify(args)}`).toMatchObject({ isError: true })
    }
    // No arguments at all, for those that need none.
    expect((await client.callTool({ name, arguments: null as never })).isError).toBeDefined()
  }
  expect(await workspace.log()).toEqual([])
})

test('errors of resources: a JSON-RPC code for every code, and the code among the data', () => {
  expect(Object.keys(RESOURCE_ERRORS).sort()).toEqual(Object.keys(ERRORS).sort())
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const error = resourceError(new FilewrightError(code, 'It failed.'), 'x:y')
    expect([-32602, -32603], code).toContain(error.code)
    expect(error.data).toEqual(code === 'not_found' ? { uri: 'x:y' } : { uri: 'x:y', code })
  }
  expect(resourceError(new Error('/host/path'), 'x:y')).toMatchObject({ code: -32603, message: expect.not.stringContaining('/host') })
})

test('kept results are bounded in number, bytes and time', () => {
  let now = 0
  const store = createResultStore({ most: 3, bytes: 100, lifetimeMs: 1000 }, () => now)
  const keep = (size: number) => store.keep({ bytes: new Uint8Array(size), type: 'text/plain' }) as string
  const there = (ids: string[]) => ids.map((id) => store.get(id) !== undefined)
  const ids = [10, 10, 10, 10].map(keep)
  expect(there(ids)).toEqual([false, true, true, true])
  const large = keep(90)
  expect(there([...ids, large])).toEqual([false, false, false, true, true])
  expect(store.keep({ bytes: new Uint8Array(101), type: 'text/plain' })).toBeNull()
  now = 1000
  expect(there([...ids, large])).toEqual([false, false, false, false, false])
  expect(new Set(ids).size).toBe(4)
  expect(ids[0]).toMatch(/^[0-9a-f]{32}$/)
})
