/** Pauses in long work, so that the host can do other things. */
import { checkSignal } from '../core/signal.ts'

/** Longest time between two pauses, in milliseconds. */
const TURN_MS = 10

/** Pauses when the last pause is long enough ago. */
export interface Pacer {
  /** True when {@link pause} should be awaited now. */
  isDue(): boolean
  /** Lets the host take a turn. Throws `canceled` when the signal is aborted. */
  pause(): Promise<void>
}

/** A pacer that begins now. */
export function createPacer(signal: AbortSignal | undefined): Pacer {
  let last = performance.now()
  return {
    isDue: () => performance.now() - last > TURN_MS,
    async pause() {
      await new Promise<void>((resume) => {
        // A timer's zero is up to four milliseconds in a browser.
        if (typeof setImmediate === 'function') setImmediate(resume)
        else setTimeout(resume, 0)
      })
      last = performance.now()
      checkSignal(signal)
    },
  }
}
