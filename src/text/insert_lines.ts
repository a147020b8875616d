/** Lines put into a text after one of its lines; nothing else changes. */
import { concatBytes } from '../core/bytes.ts'
import { countLines, eolStyle, skipLines } from './lines.ts'
import { bomLength, encodeText } from './utf8.ts'

/** A text with lines put in, and which they are now, from 1. */
export interface Inserted {
  readonly bytes: Uint8Array
  readonly firstLine: number
  readonly lastLine: number
}

/**
 * Puts `text` after line `line` of `before`; 0 is its beginning, behind a byte order mark. Its line ends become those of the file,
 * unless it has CR itself. What is put in is whole lines: an end that the last one lacks is added, unless it is the last of a file
 * that is empty or has no final line end. Expects 0 ≤ `line` ≤ lines of the file.
 */
export function insertLines(before: Uint8Array, line: number, text: string): Inserted {
  const eol = eolStyle(before)
  const own = text.includes('\r') ? text : text.replaceAll('\n', eol)
  const at = line === 0 ? bomLength(before) : skipLines(before, line)
  // The line before has no end of its own.
  const isOpen = at < 0
  const isFirst = bomLength(before) === before.length
  const ended = isOpen || isFirst || own.endsWith('\n') ? own : own + eol
  const place = isOpen ? before.length : at
  const added = encodeText(isOpen ? eol + ended : ended)
  return {
    bytes: concatBytes([before.subarray(0, place), added, before.subarray(place)]),
    firstLine: line + 1,
    lastLine: line + Math.max(1, countLines(encodeText(ended))),
  }
}
