/** Edits that are addressed by lines: all by the numbers of the text as it is, none of them overlapping. */

import { concatBytes } from '../../core/bytes.ts'
import { FilewrightError } from '../../core/errors.ts'
import { LF } from '../../text/bytes.ts'
import { diffSpans, type LineEdit } from '../../text/diff/diff.ts'
import { withCrlf } from '../../text/edit/match.ts'
import type { Span } from '../../text/edit/splice.ts'
import { countLines, eolStyle, skipLines } from '../../text/lines.ts'
import { bomLength, encodeText } from '../../text/utf8.ts'

/** One edit: lines that are replaced, or a line (0: the beginning) after which lines are inserted. */
export interface LineAddress {
  readonly start: number
  /** Included; one less than `start` for an insertion before `start`. */
  readonly end: number
  readonly text: string
  /** Where the caller wrote it. */
  readonly at: string
}

/** The text after the edits. */
export interface LineEditPlan {
  readonly bytes: Uint8Array
  readonly edits: readonly LineEdit[]
}

/** Applies the edits. New lines end as the text's lines do. Throws `invalid_argument` for lines that are not there, and for overlaps. */
export function planLineEdits(before: Uint8Array, addresses: readonly LineAddress[]): LineEditPlan {
  const total = countLines(before)
  const crlf = eolStyle(before) === '\r\n'
  const bom = bomLength(before)
  const open = before.length > bom && before[before.length - 1] !== LF
  const ordered = [...addresses].sort((a, b) => a.start - b.start || a.end - b.end)
  const offsetOf = createLineWalk(before)
  const parts: Uint8Array[] = []
  const spans: Span[] = []
  let [taken, from, to] = [0, 0, 0]
  /** Whether the text as it is planned so far ends with a line. */
  let closed = true
  for (const address of ordered) {
    checkAddress(address, total, taken)
    taken = Math.max(taken, address.end)
    const start = Math.max(offsetOf(address.start), bom)
    const end = Math.max(offsetOf(address.end + 1), start)
    if (start > from) closed = start === bom || before[start - 1] === LF
    const text = linesFor(address.text, closed, open && end === before.length)
    const replacement = crlf ? withCrlf(encodeText(text)) : encodeText(text)
    if (text !== '') closed = text.endsWith('\n')
    parts.push(before.subarray(from, start), replacement)
    to += start - from
    spans.push({ oldStart: start, oldEnd: end, newStart: to, newEnd: to + replacement.length })
    to += replacement.length
    from = end
  }
  const bytes = concatBytes([...parts, before.subarray(from)])
  return { bytes, edits: diffSpans(before, bytes, spans) }
}

function checkAddress({ start, end, at }: LineAddress, total: number, taken: number): void {
  const fail = (problem: string): never => {
    throw new FilewrightError('invalid_argument', `${at}: ${problem}; nothing was changed.`, { field: at })
  }
  if (end > total || start > total + 1) fail(`the file has ${total} lines, not ${Math.max(end, start - 1)}`)
  if (start <= taken) fail(`line ${start} is changed by another edit, too`)
}

/** Tells the offset of a line's first byte, of the end of the text for the line behind the last. To be asked for ever later lines. */
function createLineWalk(bytes: Uint8Array): (line: number) => number {
  let [at, offset] = [1, 0]
  return (line) => {
    const next = skipLines(bytes, line - at, offset)
    offset = next < 0 ? bytes.length : next
    at = line
    return offset
  }
}

/** The text as whole lines: behind a line that is `closed` or not, at an `open` end of the text or elsewhere. */
function linesFor(text: string, closed: boolean, open: boolean): string {
  if (text === '') return ''
  return (closed ? '' : '\n') + text + (open || text.endsWith('\n') ? '' : '\n')
}
