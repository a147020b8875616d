/** The way to an MCP endpoint: the body within its limits, and what its caller may do. The endpoint itself is the host's. */
import { readBytes } from './body.ts'
import { callerOf } from './callers.ts'
import { HTTP_LIMITS } from './routes.ts'
import type { Turnstile } from './turnstile.ts'

/** Who calls over MCP. */
export interface McpCaller {
  /** Who the journal names; default: the workspace's own. */
  readonly subject?: string
  /** Whether an answer to a form of the server counts as a person's decision. */
  readonly mayApprove: boolean
}

/** Answers one request to an MCP address, of whatever method; `createMcpEndpoint` of `filewright/mcp` has one. */
export type AnswerMcp = (request: Request, caller: McpCaller) => Promise<Response>

const BODY = { bytes: HTTP_LIMITS.callBytes }

/** What the sender of a request may do: only a person's session approves, on whatever way its answer comes. */
export function mcpCallerOf(request: Request): McpCaller {
  const caller = callerOf(request)
  return { mayApprove: caller.kind === 'person', ...(caller.kind === 'agent' && { subject: caller.name }) }
}

/** The request with its body read. Throws what {@link readBytes} throws: no endpoint sees a body that is too large, too slow or broken off. */
export async function withMcpBody(request: Request): Promise<Request> {
  if (request.method !== 'POST') return request
  const { url, headers, signal } = request
  const body = (await readBytes(request, BODY)) as Uint8Array<ArrayBuffer>
  return new Request(url, { method: 'POST', headers, body, signal })
}

/**
 * Reads the body and hands the request on. Throws what {@link withMcpBody} throws. A call keeps its place in the turnstile until it is
 * over, also where its answer is a stream that began before; a subscription, which lasts, does not.
 */
export function answerMcp(mcp: AnswerMcp, request: Request, caller: McpCaller, enter: Turnstile): Promise<Response> {
  if (request.method !== 'POST') return mcp(request, caller)
  const begun = Promise.withResolvers<Response>()
  enter(async () => {
    const read = await withMcpBody(request)
    const lasts = await isSubscription(read)
    const response = await mcp(read, caller)
    const { told, over } = lasts ? lasting(response) : watched(response)
    begun.resolve(told)
    await over
  }).catch(begun.reject)
  return begun.promise
}

const LISTEN = 'subscriptions/listen'

/** Whether header and body both say so: a call of the older era, whose headers name no method, could claim any there. */
async function isSubscription(request: Request): Promise<boolean> {
  if (request.headers.get('mcp-method') !== LISTEN) return false
  try {
    const body: unknown = await request.clone().json()
    return (body as { readonly method?: unknown } | null)?.method === LISTEN
  } catch {
    return false
  }
}

interface Watched {
  readonly told: Response
  readonly over: Promise<void>
}

const lasting = (response: Response): Watched => ({ told: response, over: Promise.resolve() })

/** The response, and when its stream ended: by itself, whether somebody reads it or not, or with its reader. */
function watched(response: Response): Watched {
  const { body, status, statusText, headers } = response
  if (body === null || !headers.get('content-type')?.startsWith('text/event-stream')) return lasting(response)
  const over = Promise.withResolvers<void>()
  const reader = body.getReader()
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      // What a call tells is small, and its end must not wait for a slow reader.
      try {
        for (let piece = await reader.read(); !piece.done; piece = await reader.read()) controller.enqueue(piece.value)
        controller.close()
      } catch (error) {
        controller.error(error)
      } finally {
        over.resolve()
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return { told: new Response(stream, { status, statusText, headers }), over: over.promise }
}
