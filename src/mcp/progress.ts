/** Progress notifications of a call, for clients that asked for them. */
import type { ServerContext } from '@modelcontextprotocol/server'

/** Receives progress from a tool; `total` is null while unknown. */
export type ProgressSender = (done: number, total: number | null) => void

/** Shortest time between two notifications. */
const INTERVAL_MS = 100

/**
 * Sends progress under the token that came with the request; undefined when there was none. Values only ever grow, as the
 * protocol wants, and at most ten a second are sent.
 */
export function createProgressSender(context: ServerContext): ProgressSender | undefined {
  const { _meta, signal, notify } = context.mcpReq
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return undefined
  let sent = Number.NEGATIVE_INFINITY
  let sentAt = Number.NEGATIVE_INFINITY
  return (done, total) => {
    const now = performance.now()
    if (signal.aborted || done <= sent || now - sentAt < INTERVAL_MS) return
    sent = done
    sentAt = now
    const params = { progressToken, progress: done, ...(total !== null && { total }) }
    // A client that went away is noticed by its transport; the call itself goes on.
    notify({ method: 'notifications/progress', params }).catch(() => {})
  }
}
