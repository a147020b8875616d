/** The known name that an unknown one was most likely meant to be. */

/** Longer names are compared by their beginnings, so that a hostile one costs nothing. */
const LONGEST = 64

/** The name in `known` with the smallest edit distance to `name`, letter case aside; the first one on a tie, `''` when none is known. */
export function nearestName(name: string, known: readonly string[]): string {
  let best = ''
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const distance = editDistance(fold(name), fold(candidate))
    if (distance < least) {
      best = candidate
      least = distance
    }
  }
  return best
}

function fold(name: string): string {
  return name.slice(0, LONGEST).toLowerCase()
}

/** Insertions, deletions and substitutions between two short texts (Levenshtein), one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substituted, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
