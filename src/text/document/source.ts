/** Text to look at by offset, whether it is bytes or a string: what both spell alike (ASCII) is all that is looked for. */
import { CR, LF } from '../bytes.ts'
import { decodeLossy } from '../utf8.ts'

/** A text by offset: bytes, or UTF-16 units. */
export interface Source {
  readonly length: number
  /** The unit at an offset; -1 outside the text. */
  code(at: number): number
  slice(start: number, end: number): string
}

/** A piece of text that takes the place of another; offsets as in its {@link Source}, the end exclusive. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Bytes as a source. */
export function byteSource(bytes: Uint8Array): Source {
  return {
    length: bytes.length,
    code: (at) => bytes[at] ?? -1,
    slice: (start, end) => decodeLossy(bytes.subarray(start, end)).text,
  }
}

/** A string as a source. */
export function stringSource(text: string): Source {
  return {
    length: text.length,
    code: (at) => (at >= 0 && at < text.length ? text.charCodeAt(at) : -1),
    slice: (start, end) => text.slice(start, end),
  }
}

/** A blank or a tab. */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** Offset where the line that holds `at` begins. */
export function lineStartAt(source: Source, at: number): number {
  let start = at
  while (start > 0 && source.code(start - 1) !== LF) start--
  return start
}

/** Offset after a terminator that stands at `at`; `at` itself when there is none. */
export function afterLineEnd(source: Source, at: number): number {
  if (source.code(at) === LF) return at + 1
  return source.code(at) === CR && source.code(at + 1) === LF ? at + 2 : at
}

/** The blanks that the line of `at` begins with. */
export function indentAt(source: Source, at: number): string {
  const start = lineStartAt(source, at)
  return source.slice(start, skipBlanks(source, start))
}

/** Offset of the first unit at or after `at` that is no blank. */
export function skipBlanks(source: Source, at: number): number {
  let end = at
  while (isBlank(source.code(end))) end++
  return end
}

/** Offset after the last unit before `at` that is no blank. */
export function skipBlanksBack(source: Source, at: number): number {
  let start = at
  while (isBlank(source.code(start - 1))) start--
  return start
}
