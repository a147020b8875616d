/** Ids of records and backups: their text order is the order of creation. */

/** The shape of every id (contract P-11): UTC time with milliseconds, a counter, random digits. */
export const ID: RegExp = /^[0-9]{8}T[0-9]{9}Z-[0-9a-f]{8}$/

const MOST_IN_ONE_MILLISECOND = 0x10000

/**
 * A source of ids such as `20250131T104500123Z-0003c1e7`. Ids of one source sort in the order in which they were made,
 * also within one millisecond and when the clock steps back. `now` gives milliseconds since 1970.
 */
export function createIds(now: () => number): () => string {
  let time = 0
  let counter = 0
  // Drawn in stock: a draw costs more than all the rest.
  const random = new Uint16Array(64)
  let used = random.length
  return () => {
    const current = Math.floor(now())
    counter = current > time ? 0 : counter + 1
    if (counter === MOST_IN_ONE_MILLISECOND) {
      counter = 0
      time++
    }
    time = Math.max(time, current)
    if (used === random.length) {
      crypto.getRandomValues(random)
      used = 0
    }
    return `${new Date(time).toISOString().replace(/[-:.]/g, '')}-${hex4(counter)}${hex4(random[used++] as number)}`
  }
}

function hex4(value: number): string {
  return value.toString(16).padStart(4, '0')
}
