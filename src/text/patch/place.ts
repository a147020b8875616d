/** Where in a text a hunk belongs: the one place that its lines and headers allow, or why there is none. */

import { indexAtOrAfter, type LineTable, type MatchPass, PASSES } from '../line_table.ts'
import type { Hunk } from './envelope.ts'

/** Where a hunk belongs. Lines count from 0. */
export interface Placed {
  readonly ok: true
  readonly start: number
  /** How many lines of the text it covers; with `emptyTail`, the hunk's last empty lines are not among them. */
  readonly lines: number
  /** The hunk's last empty lines stand for nothing. */
  readonly withoutTail: boolean
  /** The weakest comparison that was needed. */
  readonly pass: MatchPass
}

/**
 * - `lines_not_found`, `lines_ambiguous`: what is kept and taken out is nowhere, or in several places
 * - `header_not_found`, `header_ambiguous`: the same of a line after `@@`, where nothing else tells the place
 * - `not_at_end`, `not_below_header`: it is there, but not where the hunk says
 * - `out_of_order`: it is there, but before the hunk above it ends
 */
export type MisfitReason =
  | 'lines_not_found'
  | 'lines_ambiguous'
  | 'header_not_found'
  | 'header_ambiguous'
  | 'not_at_end'
  | 'not_below_header'
  | 'out_of_order'

/** A hunk without a place. */
export interface Misplaced {
  readonly ok: false
  readonly reason: MisfitReason
  /** The header or the first line of the hunk that was not found; null where all of it was. */
  readonly missing: string | null
  /** Lines at which it fits as far as that goes, from 0. */
  readonly starts: readonly number[]
}

/** What is kept or taken out: the lines that must be in the text. */
export function oldLines(hunk: Pick<Hunk, 'lines'>): string[] {
  return hunk.lines.flatMap(({ sign, text }) => (sign === '+' ? [] : [text]))
}

/**
 * Finds the place of a hunk at or after line `from`. Each comparison is tried in turn, the exact one first; the first that finds
 * anything decides, and more than one place is never chosen from: a weaker comparison would only find more.
 */
export function placeHunk(table: LineTable, hunk: Hunk, from: number): Placed | Misplaced {
  const headers = followHeaders(table, hunk.headers, from)
  if (!headers.ok) return headers
  const run = oldLines(hunk)
  if (run.length === 0) return placeAddition(table, hunk, headers)
  const whole = placeRun(table, hunk, headers, run, from)
  if (whole.ok || whole.reason !== 'lines_not_found' || hunk.emptyTail === 0 || hunk.emptyTail >= run.length) return whole
  const shorter = placeRun(table, hunk, headers, run.slice(0, run.length - hunk.emptyTail), from)
  return shorter.ok ? { ...shorter, withoutTail: true } : whole
}

/** Where the text after the headers may begin: one line for each way to follow them. */
interface Followed {
  readonly ok: true
  readonly after: Int32Array
  readonly pass: MatchPass
}

function followHeaders(table: LineTable, headers: readonly string[], from: number): Followed | Misplaced {
  let after = Int32Array.of(from)
  let weakest: MatchPass = 'exact'
  for (const [depth, header] of headers.entries()) {
    const found = firstPass((pass) => {
      const starts = table.find([header], pass, from)
      // The outermost may be anywhere; the others are the nearest below it.
      const next = depth === 0 ? starts : nearestBelow(after, starts)
      return next.length > 0 ? next : null
    })
    if (!found) return { ok: false, reason: 'header_not_found', missing: header, starts: [] }
    after = found.value.map((line) => line + 1)
    weakest = weaker(weakest, found.pass)
  }
  return { ok: true, after, pass: weakest }
}

/** What is only put in goes below its headers, or at the end of the file. */
function placeAddition(table: LineTable, { headers, atEnd }: Hunk, { after, pass }: Followed): Placed | Misplaced {
  const added = { ok: true, lines: 0, withoutTail: false, pass } as const
  if (headers.length === 0 || atEnd) return { ...added, start: table.count }
  if (after.length === 1) return { ...added, start: after[0] as number }
  return { ok: false, reason: 'header_ambiguous', missing: null, starts: Array.from(after, (line) => line - 1) }
}

function placeRun(table: LineTable, hunk: Hunk, headers: Followed, run: readonly string[], from: number): Placed | Misplaced {
  const last = table.count - run.length
  const found = firstPass((pass) => {
    const starts = table.find(run, pass, from)
    const fitting = hunk.atEnd ? starts.filter((start) => start === last) : starts
    const chosen = hunk.headers.length === 0 ? fitting : nearestBelow(headers.after, fitting)
    return chosen.length > 0 ? chosen : null
  })
  if (!found) return explain(table, hunk, run, from)
  const { value: starts, pass } = found
  if (starts.length > 1) return { ok: false, reason: 'lines_ambiguous', missing: null, starts: [...starts] }
  return { ok: true, start: starts[0] as number, lines: run.length, withoutTail: false, pass: weaker(headers.pass, pass) }
}

const LOOSEST: MatchPass = 'punctuation'

/** Why a run of lines has no place, by the loosest comparison. */
function explain(table: LineTable, hunk: Hunk, run: readonly string[], from: number): Misplaced {
  const everywhere = [...table.find(run, LOOSEST, 0)]
  if (everywhere.length > 0) {
    const later = everywhere.filter((start) => start >= from)
    const reason = later.length === 0 ? 'out_of_order' : hunk.atEnd ? 'not_at_end' : 'not_below_header'
    return { ok: false, reason, missing: null, starts: later.length > 0 ? later : everywhere }
  }
  return { ok: false, reason: 'lines_not_found', missing: firstMissing(table, run), starts: [] }
}

/** The first line that is nowhere in the text; where each is somewhere, the one at which the longest part that is there ends. */
function firstMissing(table: LineTable, run: readonly string[]): string {
  return run.find((line) => !table.has(line, LOOSEST)) ?? (run[Math.min(table.longest(run, LOOSEST), run.length - 1)] as string)
}

function firstPass<Value>(find: (pass: MatchPass) => Value | null): { readonly value: Value; readonly pass: MatchPass } | null {
  for (const pass of PASSES) {
    const value = find(pass)
    if (value !== null) return { value, pass }
  }
  return null
}

/** For each of some lines the nearest start at or below it, each start once; all ascending. */
function nearestBelow(lines: Int32Array, starts: Int32Array): Int32Array {
  const nearest: number[] = []
  let at = indexAtOrAfter(starts, lines[0] ?? 0)
  for (const line of lines) {
    while (at < starts.length && (starts[at] as number) < line) at++
    if (at === starts.length) break
    if (nearest.at(-1) !== starts[at]) nearest.push(starts[at] as number)
  }
  return Int32Array.from(nearest)
}

/** The weaker of two comparisons. */
export function weaker(a: MatchPass, b: MatchPass): MatchPass {
  return PASSES.indexOf(a) > PASSES.indexOf(b) ? a : b
}
