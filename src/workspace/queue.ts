/** A queue of work that runs one at a time, in the order it came. */

/** Runs the work after all that was queued before it, also when that failed. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T>

/** Makes an empty queue. */
export function createQueue(): Queue {
  let tail: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = tail.then(work)
    tail = result.catch(() => {})
    return result
  }
}
