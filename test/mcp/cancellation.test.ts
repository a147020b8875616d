/** A canceled call stops working, and nothing is sent for it any more. */
import { type Client, InMemoryTransport, type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { beforeAll, describe, expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createMcpEndpoint } from '../../src/mcp/endpoint.ts'
import { createMcpFactory } from '../../src/mcp/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { clientOf, ERAS, type Era } from './connection.ts'

const FILES = Number(process.env.CANCEL_FILES ?? 20_000)
/** A search that goes through all of it and finds nothing; each asks for another word, so that nothing is known from the one before. */
const search = (word: string) => ({
  name: 'search_files',
  arguments: { search_path: '.', query: `(a+)+b.*${word}`, is_regex: true, timeout_ms: 60_000 },
})

let workspace: Workspace
/** How calls ended. */
const ended: { readonly code: string | undefined }[] = []

beforeAll(async () => {
  const opened = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
  const files = []
  for (let i = 0; i < FILES; i++) {
    // No two are the same: what is known of one would be known of all.
    const text = `${i}\n${'aaaa aaab some words to look through\n'.repeat(40)}`
    files.push({ path: `d${i % 100}/${i}.txt`, content: await opened.stage(new TextEncoder().encode(text)) })
  }
  await opened.importFiles(files)
  workspace = {
    ...opened,
    async call(...parts) {
      const outcome = await opened.call(...parts)
      ended.push({ code: outcome.error?.code })
      return outcome
    },
  }
}, 120_000)

type Connecting = (era: Era, sent: JSONRPCMessage[]) => Promise<Client>

const overPipe: Connecting = async (era, sent) => {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const send = far.send.bind(far)
  far.send = (message, options) => {
    sent.push(message)
    return send(message, options)
  }
  serveStdio(createMcpFactory(workspace), { transport: far as Transport })
  const client = clientOf(era)
  await client.connect(near)
  return client
}

const overHttp: Connecting = async (era) => {
  const endpoint = createMcpEndpoint(createMcpFactory(workspace), { bodyBytes: 1e6, streams: 8 })
  const client = clientOf(era)
  const fetch = (url: string | URL, init?: RequestInit) => endpoint.answer(new Request(url, init), { mayApprove: true })
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }))
  return client
}

// A client of 2025 without a session cancels by a notification that reaches no request: there is nothing that it could end.
const WAYS: readonly [string, Era, Connecting][] = [
  ...ERAS.map((era) => ['a pipe', era, overPipe] as [string, Era, Connecting]),
  ['HTTP', '2026', overHttp],
]

describe.each(WAYS)('over %s (%s)', (way, era, connecting) => {
  test('the work stops, and its answer is not sent', { timeout: 60_000 }, async () => {
    const sent: JSONRPCMessage[] = []
    const client = await connecting(era, sent)
    const before = ended.length
    const abort = new AbortController()
    // It has begun, and is far from its end.
    const call = client.callTool(search(`${way} ${era}`), { signal: abort.signal, onprogress: () => abort.abort('enough') })
    await expect(call).rejects.toThrow()
    const counted = sent.length
    await expect.poll(() => ended.length, { timeout: 10_000 }).toBe(before + 1)
    expect(ended.at(-1)).toEqual({ code: 'canceled' })
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(sent.slice(counted).filter((message) => 'result' in message || 'error' in message || 'method' in message)).toEqual([])
    // The connection goes on.
    expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    await client.close()
  })
})
