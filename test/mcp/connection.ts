/** A real MCP client on a server in this process, in the protocol era of a test's choice. */
import {
  Client,
  type ElicitRequest,
  type ElicitResult,
  InMemoryTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { createMcpHandler, type Server, type Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

/** The two ways in which clients speak: `initialize` of 2025, and `server/discover` of 2026-07-28. */
export const ERAS = ['2025', '2026'] as const
export type Era = (typeof ERAS)[number]

/** What the person at the client does with a form. A client without one does not declare that it can show forms. */
export type Answer = (form: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>

/** Connects a client. It validates every structured result against the output schema that the server listed. */
export async function connect(factory: () => Server, era: Era, answer?: Answer): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  serveStdio(factory, { transport: far as Transport })
  const client = clientOf(era, answer)
  await client.connect(near)
  return client
}

/** Connects a client over HTTP, without a network: each request gets a server of its own. */
export async function connectHttp(factory: () => Server, era: Era, answer?: Answer): Promise<Client> {
  const handler = createMcpHandler(factory)
  const client = clientOf(era, answer)
  const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init))
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }))
  return client
}

/** A client of an era, not connected yet. */
export function clientOf(era: Era, answer?: Answer): Client {
  const mode = era === '2025' ? 'legacy' : { pin: '2026-07-28' }
  const capabilities = answer ? { elicitation: { form: {} } } : {}
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode }, capabilities })
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params))
  return client
}
