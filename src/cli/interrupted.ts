/** Work that the person at the terminal can end. */

/** Runs work with a signal that the first interrupt aborts, so that it ends in order; a second one ends the process. */
export async function untilInterrupted<Result>(run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.once(signal, abort)
  try {
    return await run(controller.signal)
  } finally {
    for (const signal of signals) process.off(signal, abort)
  }
}
