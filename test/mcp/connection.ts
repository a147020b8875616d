/** A real MCP client on a server in this process, in the protocol era of a test's choice. */
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import type { Server, Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

/** The two ways in which clients speak: `initialize` of 2025, and `server/discover` of 2026-07-28. */
export const ERAS = ['2025', '2026'] as const
export type Era = (typeof ERAS)[number]

/** Connects a client. It validates every structured result against the output schema that the server listed. */
export async function connect(factory: () => Server, era: Era): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  serveStdio(factory, { transport: far as Transport })
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: era === '2025' ? 'legacy' : { pin: '2026-07-28' } } },
  )
  await client.connect(near)
  return client
}
