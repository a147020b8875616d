/** Line differences of two texts, on bytes: a line is equal only with its end. */

import { compareSequences } from '../../core/myers.ts'
import { commonPrefix, commonSuffix, LF } from '../bytes.ts'
import type { Span } from '../edit/splice.ts'
import { countLines, lineEnd, lineStart } from '../lines.ts'
import { countLineFeeds } from '../window/block_counts.ts'
import { type LineIds, type NumberedLines, numberLines } from './line_ids.ts'

/** Lines of the old text that are replaced by lines of the new one; one of both may be none. Lines count from 0, offsets in bytes. */
export interface LineEdit {
  readonly oldLine: number
  readonly oldLines: number
  readonly newLine: number
  readonly newLines: number
  readonly oldStart: number
  readonly oldEnd: number
  readonly newStart: number
  readonly newEnd: number
}

/** Texts with more differing lines than this are not compared line by line: all of them are replaced. Bounds the memory. */
const MOST_LINES = 3_000_000

/** The edits that lead from `a` to `b`: few, in order, with at least one equal line between two of them. */
export function diffLines(a: Uint8Array, b: Uint8Array): LineEdit[] {
  return diffSpans(a, b, [{ oldStart: 0, oldEnd: a.length, newStart: 0, newEnd: b.length }])
}

/** As {@link diffLines}, where it is known which spans differ: nothing outside their lines is compared. */
export function diffSpans(a: Uint8Array, b: Uint8Array, spans: readonly Span[]): LineEdit[] {
  const edits: LineEdit[] = []
  const at = { old: 0, oldLine: 0, newLine: 0 }
  for (const region of wholeLines(a, b, spans)) {
    const span = trim(a, b, region)
    const before = countLineFeeds(a.subarray(at.old, span.oldStart))
    const oldLine = at.oldLine + before
    const newLine = at.newLine + before
    const oldLines = countLines(a.subarray(span.oldStart, span.oldEnd))
    const newLines = countLines(b.subarray(span.newStart, span.newEnd))
    const whole = { ...span, oldLine, oldLines, newLine, newLines }
    if (oldLines === 0 || newLines === 0 || oldLines + newLines > MOST_LINES) {
      if (oldLines + newLines > 0) edits.push(whole)
    } else compareRegion(a, b, whole, edits)
    at.old = span.oldEnd
    at.oldLine = oldLine + oldLines
    at.newLine = newLine + newLines
  }
  return settle(a, b, edits)
}

/** Spans grown to whole lines; those that meet become one. */
function wholeLines(a: Uint8Array, b: Uint8Array, spans: readonly Span[]): Span[] {
  const grown: Span[] = []
  for (const span of spans) {
    // What stands before and after a span is the same in both texts, so its lines begin and end at the same distance.
    const back = span.oldStart - lineStart(a, span.oldStart)
    const atLine = beginsLine(a, span.oldEnd) && beginsLine(b, span.newEnd)
    const on = atLine ? 0 : lineEnd(a, span.oldEnd) - span.oldEnd
    const last = grown[grown.length - 1]
    const joined = last && span.oldStart - back <= last.oldEnd
    if (joined) grown.pop()
    grown.push({
      oldStart: joined ? last.oldStart : span.oldStart - back,
      oldEnd: span.oldEnd + on,
      newStart: joined ? last.newStart : span.newStart - back,
      newEnd: span.newEnd + on,
    })
  }
  return grown
}

function beginsLine(bytes: Uint8Array, at: number): boolean {
  return at === 0 || bytes[at - 1] === LF
}

/** Cuts equal lines from both ends of a span of whole lines. */
function trim(a: Uint8Array, b: Uint8Array, span: Span): Span {
  const old = a.subarray(span.oldStart, span.oldEnd)
  const now = b.subarray(span.newStart, span.newEnd)
  const same = commonPrefix(old, now)
  if (same === old.length && same === now.length) return { ...span, oldStart: span.oldEnd, newStart: span.newEnd }
  const head = lineStart(old, same)
  const tail = commonSuffix(old, now, Math.min(old.length, now.length) - same)
  const [oldEnd, newEnd] = [old.length - tail, now.length - tail]
  const on = tail === 0 || (beginsLine(old, oldEnd) && beginsLine(now, newEnd)) ? 0 : lineEnd(old, oldEnd) - oldEnd
  return {
    oldStart: span.oldStart + head,
    oldEnd: span.oldStart + oldEnd + on,
    newStart: span.newStart + head,
    newEnd: span.newStart + newEnd + on,
  }
}

/** Compares the lines of a region and adds its edits. */
function compareRegion(a: Uint8Array, b: Uint8Array, region: LineEdit, edits: LineEdit[]): void {
  const oldRange = { start: region.oldStart, end: region.oldEnd }
  const newRange = { start: region.newStart, end: region.newEnd }
  const lines = numberLines(a, oldRange, region.oldLines, b, newRange, region.newLines)
  const [oldChanged, newChanged] = unmatchedLines(lines)
  const { offsets: oldOffsets } = lines.a
  const { offsets: newOffsets } = lines.b
  let [i, j] = [0, 0]
  while (i < region.oldLines || j < region.newLines) {
    const [oldFrom, newFrom] = [i, j]
    while (oldChanged[i] === 1) i++
    while (newChanged[j] === 1) j++
    if (i > oldFrom || j > newFrom) {
      edits.push({
        oldLine: region.oldLine + oldFrom,
        oldLines: i - oldFrom,
        newLine: region.newLine + newFrom,
        newLines: j - newFrom,
        oldStart: oldOffsets[oldFrom] as number,
        oldEnd: oldOffsets[i] as number,
        newStart: newOffsets[newFrom] as number,
        newEnd: newOffsets[j] as number,
      })
    }
    i++
    j++
  }
}

/** Which lines only one side has, as 1 a line. */
function unmatchedLines({ a, b, distinct }: NumberedLines): readonly [Uint8Array, Uint8Array] {
  const changes = [new Uint8Array(a.count), new Uint8Array(b.count)] as const
  // Lines that the other side has nowhere need no comparison; they make most of a real difference.
  const shared = [common(a, b, distinct, changes[0]), common(b, a, distinct, changes[1])] as const
  compareSequences(shared[0].ids, shared[1].ids, {
    a: (index) => {
      changes[0][shared[0].lines[index] as number] = 1
    },
    b: (index) => {
      changes[1][shared[1].lines[index] as number] = 1
    },
  })
  return changes
}

/** The lines of one side that the other has too; the rest are marked as changed. */
function common(
  side: LineIds,
  other: LineIds,
  distinct: number,
  changed: Uint8Array,
): { readonly ids: Int32Array; readonly lines: Int32Array } {
  const known = new Uint8Array(distinct)
  for (let i = 0; i < other.count; i++) known[other.ids[i] as number] = 1
  const ids = new Int32Array(side.count)
  const lines = new Int32Array(side.count)
  let count = 0
  for (let i = 0; i < side.count; i++) {
    const id = side.ids[i] as number
    if (known[id] === 0) {
      changed[i] = 1
      continue
    }
    ids[count] = id
    lines[count++] = i
  }
  return { ids: ids.subarray(0, count), lines: lines.subarray(0, count) }
}

/**
 * Moves pure insertions and removals down as far as their lines repeat, as git and diff do, so that equal changes look equal
 * whatever way the comparison went; edits that meet become one.
 */
function settle(a: Uint8Array, b: Uint8Array, edits: readonly LineEdit[]): LineEdit[] {
  const settled: LineEdit[] = []
  let open: LineEdit | undefined
  for (const next of edits) {
    if (open) {
      open = slide(a, b, open, next.oldStart, next.newStart)
      if (open.oldEnd < next.oldStart) settled.push(open)
      else {
        open = joinEdits(open, next)
        continue
      }
    }
    open = next
  }
  if (open) settled.push(slide(a, b, open, a.length, b.length))
  return settled
}

/** `oldLimit` and `newLimit` are where the next edit begins. */
function slide(a: Uint8Array, b: Uint8Array, edit: LineEdit, oldLimit: number, newLimit: number): LineEdit {
  const inserts = edit.oldLines === 0
  if (!inserts && edit.newLines > 0) return edit
  const text = inserts ? b : a
  let start = inserts ? edit.newStart : edit.oldStart
  let end = inserts ? edit.newEnd : edit.oldEnd
  const limit = inserts ? newLimit : oldLimit
  let [lines, bytes] = [0, 0]
  while (end < limit) {
    const length = lineEnd(text, start) - start
    if (lineEnd(text, end) - end !== length || commonPrefix(text.subarray(start, start + length), text, 0, end) < length) break
    start += length
    end += length
    bytes += length
    lines++
  }
  if (lines === 0) return edit
  return {
    oldLine: edit.oldLine + lines,
    oldLines: edit.oldLines,
    newLine: edit.newLine + lines,
    newLines: edit.newLines,
    oldStart: edit.oldStart + bytes,
    oldEnd: edit.oldEnd + bytes,
    newStart: edit.newStart + bytes,
    newEnd: edit.newEnd + bytes,
  }
}

function joinEdits(first: LineEdit, second: LineEdit): LineEdit {
  return {
    ...first,
    oldLines: first.oldLines + second.oldLines,
    newLines: first.newLines + second.newLines,
    oldEnd: second.oldEnd,
    newEnd: second.newEnd,
  }
}
