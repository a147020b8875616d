/** Hunks applied to the bytes of a text: only the lines that are taken out or put in change, whatever the others are. */

import { concatBytes } from '../../core/bytes.ts'
import { FilewrightError } from '../../core/errors.ts'
import { equalBytes } from '../bytes.ts'
import type { Cause } from '../edit/cause.ts'
import { explainMissing } from '../edit/diagnostics.ts'
import type { Candidate } from '../edit/nearest.ts'
import { createLineTable, type LineTable, type MatchPass } from '../line_table.ts'
import { eolStyle } from '../lines.ts'
import { bomLength, encodeText } from '../utf8.ts'
import type { Hunk, HunkLine } from './envelope.ts'
import { type MisfitReason, type Misplaced, oldLines, type Placed, placeHunk, weaker } from './place.ts'

/** Hunks that fit. */
export interface HunkPlan {
  readonly ok: true
  readonly bytes: Uint8Array
  readonly changed: boolean
  /** The weakest comparison that any hunk needed. */
  readonly pass: MatchPass
  /** Where each hunk was found. Lines count from 1, in the text before; `lines` is 0 where something is only put in. */
  readonly places: readonly { readonly line: number; readonly lines: number; readonly pass: MatchPass }[]
}

/** A hunk that does not fit, and why, in the names of the results. */
export interface HunkMisfit {
  /** Which hunk of the file, from 1. */
  readonly hunk: number
  /** The line of the patch on which it begins. */
  readonly patch_line: number
  readonly reason: MisfitReason
  /** The header, or the first line of the hunk, that was not found; null where all of it is there. */
  readonly missing: string | null
  /** Lines of the file where it would fit, from 1; at most {@link SHOWN}. */
  readonly match_lines: readonly number[]
  /** Why the lines were not found; null for other reasons. */
  readonly cause: Cause | null
  /** What is nearly the same, the best first. */
  readonly candidates: readonly Candidate[]
}

/** What {@link planHunks} comes to when a hunk does not fit; nothing is changed. */
export interface HunkRefusal {
  readonly ok: false
  readonly misfit: HunkMisfit
}

const SHOWN = 20

/**
 * Applies hunks, in the order of their places. What they keep stays byte for byte as it is in the text; what they put in gets the
 * line ends of what it replaces or follows; a text without a final line end stays without. Throws `too_large` above `maxBytes`.
 */
export function planHunks(before: Uint8Array, hunks: readonly Hunk[], maxBytes: number): HunkPlan | HunkRefusal {
  const table = createLineTable(before)
  const style = eolStyle(before)
  const splices: Splice[] = []
  const places: HunkPlan['places'][number][] = []
  // Where the hunk before ends, and where its last change does: what it only keeps may be named again.
  let [end, changedEnd] = [0, 0]
  let pass: MatchPass = 'exact'
  for (const [index, hunk] of hunks.entries()) {
    const placed = placeAfter(table, hunk, end, changedEnd)
    if (!placed.ok) return { ok: false, misfit: describe(before, table, index, hunk, placed, end) }
    const own = splicesOf(table, before, hunk, placed, style)
    splices.push(...own)
    places.push({ line: placed.start + 1, lines: placed.lines, pass: placed.pass })
    end = placed.start + placed.lines
    changedEnd = own.at(-1)?.endLine ?? changedEnd
    pass = weaker(pass, placed.pass)
  }
  const bytes = splice(before, splices, maxBytes)
  return { ok: true, bytes, changed: !equalBytes(before, bytes), pass, places }
}

function placeAfter(table: LineTable, hunk: Hunk, end: number, changedEnd: number): Placed | Misplaced {
  const placed = placeHunk(table, hunk, end)
  if (placed.ok || changedEnd === end || placed.reason === 'lines_ambiguous' || placed.reason === 'header_ambiguous') return placed
  const overlapping = placeHunk(table, hunk, changedEnd)
  return overlapping.ok ? overlapping : placed
}

/** Bytes that take the place of others. */
interface Splice {
  readonly start: number
  readonly end: number
  readonly bytes: Uint8Array
  /** The line after the last that is taken out, or before which something is put in. */
  readonly endLine: number
}

/** The changes of one hunk: its runs of lines that are taken out and put in. */
function splicesOf(table: LineTable, before: Uint8Array, hunk: Hunk, placed: Placed, style: string): Splice[] {
  const lines = placed.withoutTail ? hunk.lines.slice(0, hunk.lines.length - hunk.emptyTail) : hunk.lines
  const splices: Splice[] = []
  let line = placed.start
  for (let at = 0; at < lines.length; ) {
    if (lines[at]?.sign === ' ') {
      at++
      line++
      continue
    }
    const from = at
    while (at < lines.length && lines[at]?.sign !== ' ') at++
    const run = lines.slice(from, at)
    const added = run.filter(({ sign }) => sign === '+')
    const endLine = line + run.length - added.length
    splices.push({
      start: table.startOf(line),
      end: table.startOf(endLine),
      bytes: ended(table, before, added, line, endLine, style),
      endLine,
    })
    line = endLine
  }
  return splices
}

/** Lines that are put in, with their ends. `line` to `endLine` are taken out for them. */
function ended(table: LineTable, before: Uint8Array, added: readonly HunkLine[], line: number, endLine: number, style: string): Uint8Array {
  const endOf = (at: number): string => new TextDecoder().decode(before.subarray(table.textEndOf(at), table.startOf(at + 1)))
  const opens = (at: number): boolean => at >= 0 && at < table.count && endOf(at) === ''
  const styleAt = (at: number): string => (at >= 0 && at < table.count && endOf(at)) || style
  const texts = added.map(({ text }, index) => {
    const model = endLine > line ? Math.min(line + index, endLine - 1) : line > 0 ? line - 1 : line
    return { text, end: styleAt(model) }
  })
  const last = texts.length - 1
  // The last line of a text without a final line end: what replaces or follows it has none either.
  const replacesOpen = endLine > line && opens(endLine - 1)
  const followsOpen = endLine === line && line === table.count && opens(line - 1)
  const open = replacesOpen || followsOpen
  const body = texts.map(({ text, end }, index) => (open && index === last ? text : text + end)).join('')
  return encodeText(followsOpen && last >= 0 ? styleAt(line - 2) + body : body)
}

function splice(before: Uint8Array, splices: readonly Splice[], maxBytes: number): Uint8Array {
  const parts: Uint8Array[] = []
  let at = 0
  for (const { start, end, bytes } of splices) {
    parts.push(before.subarray(at, start), bytes)
    at = end
  }
  parts.push(before.subarray(at))
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  if (size > maxBytes) {
    throw new FilewrightError('too_large', `The text would grow to ${size} bytes; the limit is ${maxBytes}.`, {
      details: { size, limit: maxBytes },
    })
  }
  return concatBytes(parts)
}

function describe(bytes: Uint8Array, table: LineTable, index: number, hunk: Hunk, placed: Misplaced, end: number): HunkMisfit {
  const { reason, missing, starts } = placed
  const told = { hunk: index + 1, patch_line: hunk.line, reason, missing, match_lines: starts.slice(0, SHOWN).map((start) => start + 1) }
  if (reason !== 'lines_not_found' && reason !== 'header_not_found') return { ...told, cause: null, candidates: [] }
  const eol = eolStyle(bytes)
  const sought =
    reason === 'header_not_found'
      ? { oldText: missing as string, newText: '' }
      : { oldText: oldLines(hunk).join(eol), newText: newLines(hunk).join(eol) }
  if (sought.oldText.trim() === '') return { ...told, cause: 'stale', candidates: [] }
  const range = { start: Math.max(bomLength(bytes), table.startOf(end)), end: bytes.length }
  const { cause, candidates } = explainMissing(bytes, index, sought, range, MOST_CANDIDATES)
  return { ...told, cause, candidates }
}

/** Regions looked for that are nearly the same. */
const MOST_CANDIDATES = 3

function newLines({ lines }: Hunk): string[] {
  return lines.flatMap(({ sign, text }) => (sign === '-' ? [] : [text]))
}
