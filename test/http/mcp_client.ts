/** A real MCP client over HTTP, in the protocol era of a test's choice. */
import { Client, type ElicitRequest, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** The two ways in which clients speak: `initialize` of 2025, and requests that stand for themselves of 2026-07-28. */
export const ERAS = ['2025', '2026'] as const
export type Era = (typeof ERAS)[number]

/** How {@link connectMcp} connects. */
export interface McpClientOptions {
  readonly url: string
  readonly token: string
  readonly era: Era
  /** Answers forms; a client without it does not declare that it can show them. */
  readonly answer?: (form: ElicitRequest['params']) => ElicitResult
  /** Default: the network. */
  readonly fetch?: (request: Request) => Response | Promise<Response>
}

/** Connects. The client validates every structured result against the output schema that the server listed. */
export async function connectMcp({ url, token, era, answer, fetch: send = fetch }: McpClientOptions): Promise<Client> {
  const mode = era === '2025' ? 'legacy' : { pin: '2026-07-28' }
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode }, capabilities: answer ? { elicitation: { form: {} } } : {} },
  )
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params))
  const host = new URL(url).host
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
      fetch: async (to, init) => {
        const request = new Request(to, init)
        // A request that meets no network has the host of its address.
        if (send !== fetch) request.headers.set('host', host)
        return send(request)
      },
    }),
  )
  return client
}
