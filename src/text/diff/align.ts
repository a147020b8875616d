/** The part of a text that is most like a shorter one, and how far they differ. */

/** Where a pattern fits best. Offsets in UTF-16 units, end exclusive. */
export interface Alignment {
  /** Characters to insert, remove or replace in the pattern to get the part. */
  readonly distance: number
  readonly start: number
  readonly end: number
}

/** Largest product of two lengths that is aligned: a few milliseconds. */
const MAX_CELLS = 400_000

/** The part of `text` nearest to `pattern` by edit distance (Sellers); null when they are too long to compare. */
export function alignWithin(pattern: string, text: string): Alignment | null {
  if (pattern.length * text.length > MAX_CELLS) return null
  // One column of the table at a time: the cost of the first i units of the pattern, and where in the text that match began.
  const costs = Int32Array.from({ length: pattern.length + 1 }, (_, i) => i)
  const starts = new Int32Array(pattern.length + 1)
  // Of two parts at the same distance, the one of about the pattern's length says more.
  const misfit = (length: number) => Math.abs(pattern.length - length)
  let best: Alignment = { distance: pattern.length, start: 0, end: 0 }
  for (let j = 1; j <= text.length; j++) {
    const unit = text.charCodeAt(j - 1)
    let [diagonal, diagonalStart] = [costs[0] as number, starts[0] as number]
    starts[0] = j
    for (let i = 1; i <= pattern.length; i++) {
      const [left, leftStart] = [costs[i] as number, starts[i] as number]
      let cost = diagonal + (pattern.charCodeAt(i - 1) === unit ? 0 : 1)
      let start = diagonalStart
      if (left + 1 < cost) [cost, start] = [left + 1, leftStart]
      if ((costs[i - 1] as number) + 1 < cost) [cost, start] = [(costs[i - 1] as number) + 1, starts[i - 1] as number]
      costs[i] = cost
      starts[i] = start
      diagonal = left
      diagonalStart = leftStart
    }
    const distance = costs[pattern.length] as number
    const start = starts[pattern.length] as number
    if (distance < best.distance || (distance === best.distance && misfit(j - start) < misfit(best.end - best.start)))
      best = { distance, start, end: j }
  }
  return best
}
