/** A real MCP client on a server in this process, in the protocol era of a test's choice. */
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createMcpHandler, type Server, type Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

/** The two ways in which clients speak: `initialize` of 2025, and `server/discover` of 2026-07-28. */
export const ERAS = ['2025', '2026'] as const
export type Era = (typeof ERAS)[number]

/** Connects a client. It validates every structured result against the output schema that the server listed. */
export async function connect(factory: () => Server, era: Era): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  serveStdio(factory, { transport: far as Transport })
  const client = clientOf(era)
  await client.connect(near)
  return client
}

/** Connects a client over HTTP, without a network: each request gets a server of its own. */
export async function connectHttp(factory: () => Server, era: Era): Promise<Client> {
  const handler = createMcpHandler(factory)
  const client = clientOf(era)
  const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init))
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }))
  return client
}

function clientOf(era: Era): Client {
  const mode = era === '2025' ? 'legacy' : { pin: '2026-07-28' }
  return new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
}
