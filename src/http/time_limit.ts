/** A bound on the time of one tool call, so that no client holds a place of a shared server for long. */
import { FilewrightError } from '../core/errors.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** Longest time of one tool call, in milliseconds. */
const CALL_MS = 60_000

/** The workspace, with calls that end as `timeout` when their time is up. */
export function withinTime(workspace: Workspace): Workspace {
  return {
    ...workspace,
    async call(tool, args, options = {}) {
      const stop = new AbortController()
      const timer = setTimeout(() => stop.abort(new FilewrightError('timeout', `The call took longer than ${CALL_MS} ms.`)), CALL_MS)
      const signals = options.signal ? [options.signal, stop.signal] : [stop.signal]
      try {
        return await workspace.call(tool, args, { ...options, signal: AbortSignal.any(signals) })
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
