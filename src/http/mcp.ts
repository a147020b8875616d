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

/**
 * Reads the body and hands the request on. Throws what {@link readBytes} throws: the endpoint never sees a body that is too large,
 * too slow or broken off. The turnstile is left when the answer begins; streams go on outside it.
 */
export function answerMcp(mcp: AnswerMcp, request: Request, caller: McpCaller, enter: Turnstile): Promise<Response> {
  if (request.method !== 'POST') return mcp(request, caller)
  return enter(async () => {
    const { url, headers, signal } = request
    const body = (await readBytes(request, BODY)) as Uint8Array<ArrayBuffer>
    return mcp(new Request(url, { method: 'POST', headers, body, signal }), caller)
  })
}
