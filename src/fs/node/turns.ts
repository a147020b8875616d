/** Long work in short turns, so that a server stays awake. */
import { checkSignal } from '../../core/signal.ts'

/** How long anything may keep everybody else waiting. */
const TURN_MS = 8

/** Lets other work run when this has gone on for a while. */
export interface Turns {
  due(): boolean
  next(signal?: AbortSignal): Promise<void>
}

export function createTurns(): Turns {
  let since = performance.now()
  return {
    due: () => performance.now() - since > TURN_MS,
    async next(signal) {
      await new Promise((resolve) => setImmediate(resolve))
      since = performance.now()
      checkSignal(signal)
    },
  }
}
