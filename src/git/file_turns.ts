/** Turns among those of one process who want to change the same file. */

/** Runs actions on one path after another, in the order in which they came; those on other paths run beside them. */
export type Turns = <T>(path: string, action: () => Promise<T>) => Promise<T>

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return (path, action) => {
    const before = last.get(path) ?? Promise.resolve()
    const turn = before.then(action)
    // A failure is its caller's; the next one's turn comes all the same.
    const ended = turn.then(
      () => {},
      () => {},
    )
    last.set(path, ended)
    ended.then(() => {
      if (last.get(path) === ended) last.delete(path)
    })
    return turn
  }
}
