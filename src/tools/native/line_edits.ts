/** Edits that are addressed by lines: all by the numbers of the text as it is, none of them overlapping. */
import { FilewrightError } from '../../core/errors.ts'
import { concatBytes, LF } from '../../text/bytes.ts'
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
  const ordered = [...addresses].sort((a, b) => a.start - b.start || a.end - b.end)
  const parts: Uint8Array[] = []
  const spans: Span[] = []
  let [taken, from, to] = [0, 0, 0]
  for (const address of ordered) {
    checkAddress(address, total, taken)
    taken = Math.max(taken, address.end)
    const start = Math.max(offsetOf(before, address.start), bomLength(before))
    const end = Math.max(offsetOf(before, address.end + 1), start)
    const text = linesFor(before, start, end, address.text)
    const replacement = crlf ? withCrlf(encodeText(text)) : encodeText(text)
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

/** Offset of a line's first byte; the end of the text for the line behind the last. */
function offsetOf(bytes: Uint8Array, line: number): number {
  const offset = skipLines(bytes, line - 1)
  return offset < 0 ? bytes.length : offset
}

/** The text as whole lines, for the place at which it goes. */
function linesFor(before: Uint8Array, start: number, end: number, text: string): string {
  if (text === '') return ''
  const begins = start === 0 || start === bomLength(before) || before[start - 1] === LF
  const atEnd = end === before.length && (end === start ? !begins : before[end - 1] !== LF)
  return (begins ? '' : '\n') + text + (atEnd || text.endsWith('\n') ? '' : '\n')
}
