/** A call that waits for a person, and a host that knows whom to ask. */
import { type FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { Approvals } from './approvals.ts'
import type { Approve } from './request.ts'

/** Who is noted as the decider when a host's callback answered. */
const HOST = 'host'

/** The request that waits now, as an error tells. */
export function waitingRequest(error: FilewrightError | null): string | null {
  const asks = error?.code === 'approval_required' || error?.code === 'approval_stale'
  const id = asks ? error.details?.approval_id : undefined
  return typeof id === 'string' ? id : null
}

/**
 * Asks the host about a request, outside of any queue, and stores what it decided. False when nobody decided: the call need not be
 * tried again. Throws what the host throws, and the signal's reason as soon as it is aborted.
 */
export async function askHost(approvals: Approvals, approve: Approve, id: string, signal: AbortSignal): Promise<boolean> {
  const request = await approvals.desk.get(id)
  const verdict = await untilAborted(approve(request, signal), signal)
  if (verdict === 'pending') return false
  try {
    await approvals.decide(id, verdict === 'approved' ? 'granted' : 'denied', HOST)
  } catch (error) {
    // Somebody else decided meanwhile, or the time was up: the next try finds what holds.
    if (!isFilewrightError(error, 'conflict') && !isFilewrightError(error, 'not_found')) throw error
  }
  return true
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
