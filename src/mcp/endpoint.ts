/** MCP over streamable HTTP: one endpoint for both protocol eras, on any runtime with web-standard requests. */
import {
  createMcpHandler,
  type McpRequestContext,
  type McpServerFactory,
  type ServerEventBus,
  type ServerNotifier,
} from '@modelcontextprotocol/server'
import type { McpCaller } from './server.ts'
import { createSessions, type SessionLimits } from './sessions.ts'

/** Options of {@link createMcpEndpoint}. */
export interface McpEndpointOptions {
  /**
   * Keep a session for each client of the older era, so that it can be asked and told things between its calls. Default: its
   * requests are answered one by one and nothing is kept, for hosts whose memory comes and goes.
   */
  readonly sessions?: SessionLimits
  /** Longest body of a request. */
  readonly bodyBytes: number
  /** Most open streams of `subscriptions/listen`. */
  readonly streams: number
  /** Told of requests that were refused, and of failures. */
  readonly onError?: (error: Error) => void
}

/** An endpoint. It checks neither hosts nor tokens: put it behind what does. */
export interface McpEndpoint {
  /** Answers one request to the endpoint's address, of whatever method. Never throws for what the request holds. */
  answer(request: Request, caller: McpCaller): Promise<Response>
  /** Tells open subscriptions of the newer era. */
  readonly notify: ServerNotifier
  /** Ends all streams and sessions, and cancels the calls under way. */
  close(): Promise<void>
}

/** What makes the servers of an endpoint; `events` are told to the open streams of `subscriptions/listen`. */
export type EndpointFactory = McpServerFactory & { readonly events?: ServerEventBus }

/**
 * An endpoint for the servers that a factory makes: {@link callerOfRequest} tells the factory who sent the request.
 * The newer era is answered request by request; a client that goes away cancels its call.
 */
export function createMcpEndpoint(factory: EndpointFactory, options: McpEndpointOptions): McpEndpoint {
  const { bodyBytes, streams, onError } = options
  const common = { maxRequestBodySize: bodyBytes, ...(onError && { onerror: onError }) }
  const handler = createMcpHandler(factory, { ...common, ...(factory.events && { bus: factory.events }), maxSubscriptions: streams })
  const sessions = options.sessions && createSessions(factory, { ...options.sessions, bodyBytes })
  return {
    notify: handler.notify,
    async answer(request, caller) {
      const authInfo = { token: '', clientId: caller.subject ?? '', scopes: [], extra: { caller } }
      return (await sessions?.answer(request, authInfo)) ?? handler.fetch(request, { authInfo })
    },
    async close() {
      await Promise.all([sessions?.close(), handler.close()])
    },
  }
}

/** Who sent the request that a factory makes a server for, behind an endpoint. */
export function callerOfRequest({ authInfo }: McpRequestContext): McpCaller {
  // A request that nobody vouches for approves nothing.
  return (authInfo?.extra?.caller as McpCaller | undefined) ?? { mayApprove: false }
}
