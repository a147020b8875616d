/** The known name that an unknown one was most likely meant to be. */

/** Longer names are compared by their beginnings, so that a hostile one costs nothing. */
const LONGEST = 64
/** Shortest name that counts as a part of another one. */
const SHORTEST_PART = 4
/** What it costs to be a part of the other name, however much is missing (`path` for `file_path`). */
const PART = 2
/** Most letters that are wrong by mistake. */
const SLIP = 2

/** The name in `known` that is least far from `name`, letter case aside; the first one on a tie, `''` when none is known. */
export function nearestName(name: string, known: readonly string[]): string {
  let best = ''
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const distance = distanceOf(fold(name), fold(candidate))
    if (distance < least) {
      best = candidate
      least = distance
    }
  }
  return best
}

/** Whether a name may be a slip of the pen for another one: a letter or two are wrong, or a part is missing. */
export function isNearName(name: string, other: string): boolean {
  return distanceOf(fold(name), fold(other)) <= SLIP
}

function fold(name: string): string {
  return name.slice(0, LONGEST).toLowerCase()
}

function distanceOf(a: string, b: string): number {
  const isPart = Math.min(a.length, b.length) >= SHORTEST_PART && (a.includes(b) || b.includes(a))
  return isPart ? Math.min(PART, editDistance(a, b)) : editDistance(a, b)
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
