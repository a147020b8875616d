/** The lines that differ between two texts, aligned as git aligns them when it merges: by their rarest common lines. */
import { compareSequences } from '../../core/myers.ts'

/** A part of the first text (`aStart`, `aCount` lines) that stands as a part of the second one there. */
export interface LineChange {
  readonly aStart: number
  readonly aCount: number
  readonly bStart: number
  readonly bCount: number
}

/** Lines that occur more often are no anchors. */
const MOST_OCCURRENCES = 64
/** Lines that are indexed in all, about a second's work; what is left then is compared the shortest way. */
const MOST_INDEXED = 8_000_000

/** One of two texts: its lines as numbers, and which of them the other one lacks. */
interface Side {
  readonly lines: Int32Array
  /** One longer than `lines`: the end is no change. */
  readonly changed: Uint8Array
}

/** Compares two texts, given as one number for each distinct line, from 0 on. Work is bounded; equal input gives equal output. */
export function diffLines(a: Int32Array, b: Int32Array): LineChange[] {
  const [before, after] = [side(a), side(b)]
  // The part that is compared next lies on top. Parts, not calls: a text of many changes is no deep stack.
  const parts: Part[] = [{ a: 0, aEnd: a.length, b: 0, bEnd: b.length }]
  const index = createIndex(a, b)
  let indexed = 0
  for (let part = parts.pop(); part; part = parts.pop()) {
    if (part.a === part.aEnd || part.b === part.bEnd) markAll(before, after, part)
    else {
      indexed += part.aEnd - part.a + part.bEnd - part.b
      const common = indexed > MOST_INDEXED ? 'frequent' : index(part)
      if (common === 'frequent') markShortest(before, after, part)
      else if (common === null) markAll(before, after, part)
      else {
        parts.push({ a: common.aEnd, aEnd: part.aEnd, b: common.bEnd, bEnd: part.bEnd })
        parts.push({ a: part.a, aEnd: common.a, b: part.b, bEnd: common.b })
      }
    }
  }
  slideChanges(before, after)
  slideChanges(after, before)
  return listChanges(before, after)
}

/** A part of both texts. Ends are exclusive. */
interface Part {
  readonly a: number
  readonly aEnd: number
  readonly b: number
  readonly bEnd: number
}

function side(lines: Int32Array): Side {
  return { lines, changed: new Uint8Array(lines.length + 1) }
}

function markAll(before: Side, after: Side, part: Part): void {
  before.changed.fill(1, part.a, part.aEnd)
  after.changed.fill(1, part.b, part.bEnd)
}

/** Where only frequent lines are common, the shortest difference is the best. */
function markShortest(before: Side, after: Side, part: Part): void {
  compareSequences(before.lines.subarray(part.a, part.aEnd), after.lines.subarray(part.b, part.bEnd), {
    a(at) {
      before.changed[part.a + at] = 1
    },
    b(at) {
      after.changed[part.b + at] = 1
    },
  })
}

/**
 * Finds the run of common lines that holds the rarest line, the longest among equals. Null: nothing is common. `frequent`: only
 * lines that occur too often in the first text are.
 */
function createIndex(a: Int32Array, b: Int32Array): (part: Part) => Part | 'frequent' | null {
  const kinds = Math.max(largest(a), largest(b)) + 1
  // By line: where it occurs first in the part, and how often. By place: where the same line occurs next.
  const first = new Int32Array(kinds).fill(-1)
  const counts = new Int32Array(kinds)
  const next = new Int32Array(a.length)
  return (part) => {
    for (let at = part.aEnd - 1; at >= part.a; at--) {
      const line = a[at] as number
      next[at] = first[line] as number
      first[line] = at
      counts[line] = (counts[line] as number) + 1
    }
    const found = rarestRun(part)
    for (let at = part.a; at < part.aEnd; at++) {
      first[a[at] as number] = -1
      counts[a[at] as number] = 0
    }
    return found
  }

  function rarestRun(part: Part): Part | 'frequent' | null {
    let best: Part | null = null
    let rarest = MOST_OCCURRENCES + 1
    let common = false
    for (let at = part.b; at < part.bEnd; ) {
      const line = b[at] as number
      let start = first[line] as number
      let after = at + 1
      if (start >= 0) common = true
      if (start >= 0 && (counts[line] as number) <= Math.min(rarest, MOST_OCCURRENCES)) {
        while (start >= 0) {
          const run = extend(part, start, at)
          let count = counts[line] as number
          for (let of = run.a; of < run.aEnd && count > 1; of++) count = Math.min(count, counts[a[of] as number] as number)
          after = Math.max(after, run.bEnd)
          if (best === null || best.aEnd - best.a < run.aEnd - run.a || count < rarest) {
            best = run
            rarest = count
          }
          // The same line further on in this very run begins no other one.
          do start = next[start] as number
          while (start >= 0 && start < run.aEnd)
        }
      }
      at = after
    }
    return best ?? (common ? 'frequent' : null)
  }

  function extend(part: Part, aAt: number, bAt: number): Part {
    let [from, bFrom, to, bTo] = [aAt, bAt, aAt + 1, bAt + 1]
    while (from > part.a && bFrom > part.b && a[from - 1] === b[bFrom - 1]) {
      from--
      bFrom--
    }
    while (to < part.aEnd && bTo < part.bEnd && a[to] === b[bTo]) {
      to++
      bTo++
    }
    return { a: from, aEnd: to, b: bFrom, bEnd: bTo }
  }
}

function largest(lines: Int32Array): number {
  let most = -1
  for (const line of lines) if (line > most) most = line
  return most
}

/** A run of changed lines, which may be empty: one stands before each unchanged line, and one at the end. */
interface Run {
  start: number
  end: number
}

/**
 * Moves each run of changed lines as far down as the text allows, joining those that meet; then back up to the last place where it
 * stands against a change of the other text.
 */
function slideChanges(moved: Side, other: Side): void {
  const run = firstRun(moved)
  const opposite = firstRun(other)
  do {
    if (run.start === run.end) continue
    let size: number
    let lowestEnd: number
    let matched: boolean
    do {
      size = run.end - run.start
      while (slideUp(moved, run)) toPrevious(other, opposite)
      lowestEnd = run.end
      matched = opposite.end > opposite.start
      while (slideDown(moved, run)) {
        toNext(other, opposite)
        matched ||= opposite.end > opposite.start
      }
    } while (size !== run.end - run.start)
    if (run.end === lowestEnd || !matched) continue
    while (opposite.start === opposite.end) {
      slideUp(moved, run)
      toPrevious(other, opposite)
    }
  } while (toNext(moved, run) && toNext(other, opposite))
}

function firstRun({ changed }: Side): Run {
  const run = { start: 0, end: 0 }
  while (changed[run.end]) run.end++
  return run
}

function toNext({ lines, changed }: Side, run: Run): boolean {
  if (run.end === lines.length) return false
  run.start = run.end + 1
  run.end = run.start
  while (changed[run.end]) run.end++
  return true
}

function toPrevious({ changed }: Side, run: Run): void {
  run.end = run.start - 1
  run.start = run.end
  while (run.start > 0 && changed[run.start - 1]) run.start--
}

function slideDown({ lines, changed }: Side, run: Run): boolean {
  if (run.end >= lines.length || lines[run.start] !== lines[run.end]) return false
  changed[run.start++] = 0
  changed[run.end++] = 1
  while (changed[run.end]) run.end++
  return true
}

function slideUp({ lines, changed }: Side, run: Run): boolean {
  if (run.start === 0 || lines[run.start - 1] !== lines[run.end - 1]) return false
  changed[--run.start] = 1
  changed[--run.end] = 0
  while (run.start > 0 && changed[run.start - 1]) run.start--
  return true
}

function listChanges(before: Side, after: Side): LineChange[] {
  const changes: LineChange[] = []
  const [aLength, bLength] = [before.lines.length, after.lines.length]
  for (let a = 0, b = 0; a < aLength || b < bLength; a++, b++) {
    const [aStart, bStart] = [a, b]
    while (a < aLength && before.changed[a]) a++
    while (b < bLength && after.changed[b]) b++
    if (a > aStart || b > bStart) changes.push({ aStart, aCount: a - aStart, bStart, bCount: b - bStart })
  }
  return changes
}
