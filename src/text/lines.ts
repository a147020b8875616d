/** Lines on bytes: how many, where they begin, how they end. Only LF and CRLF end a line (C-15). */

import { CR, LF } from './bytes.ts'
import { countLineFeeds } from './window/block_counts.ts'

/** How a line ends. */
export type Eol = '\n' | '\r\n'

/** Lines in bytes: terminators, plus one when text remains after the last (C-16). */
export function countLines(bytes: Uint8Array): number {
  return countLineFeeds(bytes) + (bytes.length > 0 && bytes[bytes.length - 1] !== LF ? 1 : 0)
}

/** Counts the lines of bytes that come in blocks. */
export interface LineCounter {
  update(block: Uint8Array): void
  /** Lines so far, as if the bytes ended here. */
  lines(): number
}

/** A counter for a stream; remembers no bytes. */
export function createLineCounter(): LineCounter {
  let feeds = 0
  let open = false
  return {
    update(block) {
      if (block.length === 0) return
      feeds += countLineFeeds(block)
      open = block[block.length - 1] !== LF
    },
    lines: () => feeds + (open ? 1 : 0),
  }
}

/** The more frequent terminator; LF on a tie and where there is none (C-17). */
export function eolStyle(bytes: Uint8Array): Eol {
  let crlf = 0
  let lf = 0
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (at > 0 && bytes[at - 1] === CR) crlf++
    else lf++
  }
  return crlf > lf ? '\r\n' : '\n'
}

/** Offset after the `count`-th line feed at or after `from`; -1 when there are fewer. */
export function skipLines(bytes: Uint8Array, count: number, from = 0): number {
  if (count === 0) return from
  let left = count
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === LF && --left === 0) return at + 1
  }
  return -1
}

/** Offset where the line that holds `at` begins. */
export function lineStart(bytes: Uint8Array, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(LF, at - 1) + 1
}

/** Offset after the terminator of the line that holds `at`; the end for the last line. */
export function lineEnd(bytes: Uint8Array, at: number): number {
  const feed = bytes.indexOf(LF, at)
  return feed < 0 ? bytes.length : feed + 1
}

/** Offset where the text of a line ends, given where the line ends: before its LF or CRLF. */
export function textEnd(bytes: Uint8Array, start: number, end: number): number {
  if (end === start || bytes[end - 1] !== LF) return end
  return end - 1 > start && bytes[end - 2] === CR ? end - 2 : end - 1
}
