/** Time and ids that are the same in every run, so that records, commits and their hashes are too. */

/** A clock that stands still until it is moved. */
export interface TestClock {
  /** Milliseconds since 1970. */
  (): number
  /** Moves it on. */
  advance(ms: number): void
}

/** 1 January 2026, 00:00 UTC. */
const START = Date.UTC(2026, 0, 1)

/** A clock that shows `start`, by default the beginning of 2026 in UTC. */
export function testClock(start: number = START): TestClock {
  let time = start
  const clock = (): number => time
  return Object.assign(clock, {
    advance(ms: number) {
      time += ms
    },
  })
}

/** A source of ids as records and backups have them, counted instead of drawn: `20260101T000000000Z-00000001` is the first. */
export function testIds(now: () => number = testClock()): () => string {
  let count = 0
  return () => `${new Date(now()).toISOString().replace(/[-:.]/g, '')}-${(++count).toString(16).padStart(8, '0')}`
}
