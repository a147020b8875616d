/** A bound on how many requests of one workspace are at work, and how many wait, so that memory stays bounded. */
import { HttpError } from './problem.ts'

/** Lets work in, a few at a time, in the order it came. */
export type Turnstile = <T>(work: () => Promise<T>) => Promise<T>

/** Bounds of {@link createTurnstile}. */
export interface TurnstileLimits {
  /** Most at work at once. */
  readonly working: number
  /** Most that wait; more are refused with 429. */
  readonly waiting: number
}

/** Makes a turnstile. What waits has not read its body. */
export function createTurnstile({ working, waiting }: TurnstileLimits): Turnstile {
  const queue: (() => void)[] = []
  let inside = 0
  return async (work) => {
    if (inside >= working) {
      if (queue.length >= waiting) {
        throw new HttpError(429, 'quota_exceeded', 'Too many requests at once: try again in a second.', { 'retry-after': '1' })
      }
      // The one that leaves hands over its place.
      await new Promise<void>((resolve) => queue.push(resolve))
    } else {
      inside++
    }
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else inside--
    }
  }
}
