/** Sessions of the 2025 era over HTTP: one server for each client that said `initialize`, until it ends or is forgotten. */
import {
  type AuthInfo,
  type McpServer,
  type McpServerFactory,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'

const SESSION = 'mcp-session-id'

/** Bounds of sessions. */
export interface SessionLimits {
  /** Most at once; the one that was silent longest makes room. */
  readonly most: number
  /** How long a session may be silent, in milliseconds. */
  readonly idleMs: number
}

/** The sessions of an endpoint. */
export interface Sessions {
  /** Answers requests of sessions, and those that begin one; undefined for all others. */
  answer(request: Request, authInfo: AuthInfo): Promise<Response | undefined>
  close(): Promise<void>
}

interface Session {
  readonly server: McpServer | Server
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly owner: string
  /** Answers that are streams and not over: whoever reads one is not silent. */
  open: number
  usedAt: number
}

/**
 * A session's id is 128 random bits, and no credential: it counts only for the caller that began the session (rule H26). Any other
 * id is 404, whereupon a client begins anew.
 */
export function createSessions(factory: McpServerFactory, limits: SessionLimits & { readonly bodyBytes: number }): Sessions {
  const sessions = new Map<string, Session>()

  async function end(id: string): Promise<void> {
    const session = sessions.get(id)
    sessions.delete(id)
    await session?.server.close().catch(() => {})
  }

  /** Forgets the silent ones, and then the longest silent until there is room; one that is answered only where all are. */
  async function makeRoom(): Promise<void> {
    const bySilence = [...sessions].sort(([, a], [, b]) => Math.sign(a.open) - Math.sign(b.open) || a.usedAt - b.usedAt)
    const late = Date.now() - limits.idleMs
    const extra = sessions.size - limits.most + 1
    const isOver = ({ open, usedAt }: Session, at: number): boolean => at < extra || (open === 0 && usedAt < late)
    await Promise.all(bySilence.filter(([, session], at) => isOver(session, at)).map(([id]) => end(id)))
  }

  async function begin(request: Request, parsedBody: unknown, authInfo: AuthInfo): Promise<Response> {
    await makeRoom()
    const server = await factory({ era: 'legacy', authInfo })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: newId,
      maxRequestBodySize: limits.bodyBytes,
      onsessioninitialized: (id) => void sessions.set(id, { server, transport, owner: ownerOf(authInfo), open: 0, usedAt: Date.now() }),
      onsessionclosed: (id) => void end(id),
    })
    await server.connect(transport)
    const answer = await transport.handleRequest(request, { parsedBody, authInfo })
    // A malformed `initialize` begins nothing.
    if (transport.sessionId === undefined) await server.close()
    return answer
  }

  return {
    async answer(request, authInfo) {
      // Every request of the newer era names its method in a header; it has no sessions, and ignores their ids.
      if (request.headers.has('mcp-method')) return undefined
      const id = request.headers.get(SESSION)
      if (id !== null) {
        const session = sessions.get(id)
        if (session?.owner !== ownerOf(authInfo)) return unknownSession()
        session.usedAt = Date.now()
        return noteOpen(session, await session.transport.handleRequest(request, { authInfo }))
      }
      const body = request.method === 'POST' ? await initializeOf(request.clone()) : undefined
      return body === undefined ? undefined : begin(request, body, authInfo)
    },
    async close() {
      await Promise.all([...sessions.keys()].map(end))
    },
  }
}

/** The response; while it is a stream that goes on, the session is not silent. */
function noteOpen(session: Session, response: Response): Response {
  const { body, status, statusText, headers } = response
  if (body === null || !headers.get('content-type')?.startsWith('text/event-stream')) return response
  const passage = new TransformStream<Uint8Array, Uint8Array>()
  session.open++
  const over = (): void => {
    session.open--
    session.usedAt = Date.now()
  }
  body.pipeTo(passage.writable).then(over, over)
  return new Response(passage.readable, { status, statusText, headers })
}

/** The body when it is an `initialize` request. */
async function initializeOf(request: Request): Promise<unknown> {
  try {
    const body: unknown = await request.json()
    return (body as { readonly method?: unknown } | null)?.method === 'initialize' ? body : undefined
  } catch {
    // Whatever is wrong with it is told by who answers it.
    return undefined
  }
}

function ownerOf({ extra }: AuthInfo): string {
  return JSON.stringify(extra ?? {})
}

function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function unknownSession(): Response {
  const error = { code: -32001, message: 'There is no such session: send initialize again, without its id.' }
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 })
}
