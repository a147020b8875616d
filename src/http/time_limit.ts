/** A bound on the time of one tool call, so that no client holds a place of a shared server for long. */
import { FilewrightError } from '../core/errors.ts'
import type { CallOptions, CallResult, Workspace } from '../workspace/workspace.ts'

/** Longest time of one tool call, in milliseconds. */
const CALL_MS = 60_000

/** The workspace, with calls that end as `timeout` when their time is up. */
export function withinTime(workspace: Workspace): Workspace {
  async function limited(options: CallOptions, work: (options: CallOptions) => Promise<CallResult>): Promise<CallResult> {
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(new FilewrightError('timeout', `The call took longer than ${CALL_MS} ms.`)), CALL_MS)
    const signals = options.signal ? [options.signal, stop.signal] : [stop.signal]
    try {
      return await work({ ...options, signal: AbortSignal.any(signals) })
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    ...workspace,
    call: (tool, args, options = {}) => limited(options, (within) => workspace.call(tool, args, within)),
    run: (tool, args, options = {}) => limited(options, (within) => workspace.run(tool, args, within)),
  }
}
