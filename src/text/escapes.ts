/** Characters beyond ASCII and escapes spelled out in text, with their places: what transports tend to confuse (F-61 to F-65). */
import { LF } from './bytes.ts'
import { sequenceAt } from './utf8.ts'

/** Items of one list; totals count all. */
export const MAX_LISTED: number = 50

/** A place in a text: line and column from 1, in characters; offset in bytes from 0. */
export interface Place {
  readonly line: number
  readonly col: number
  readonly byte_offset: number
}

/** A character beyond ASCII. */
export interface NonAscii extends Place {
  readonly char: string
  /** `U+00E9`. */
  readonly codepoint: string
}

/** An escape that stands in the text as such, like the six characters `\u00e9`. */
export interface LiteralEscape extends Place {
  readonly sequence: string
}

/** What {@link findEscapes} found. */
export interface Escapes {
  readonly nonAscii: readonly NonAscii[]
  readonly nonAsciiTotal: number
  readonly literalEscapes: readonly LiteralEscape[]
  readonly literalEscapesTotal: number
}

const BACKSLASH = 0x5c
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
/** Digits after the letter of an escape, by the letter's code. */
const DIGITS: ReadonlyMap<number, number> = new Map([
  [0x78, 2],
  [0x75, 4],
  [0x55, 8],
])

/** Goes through bytes of any kind; a sequence that is not UTF-8 counts as one column and is not listed. */
export function findEscapes(bytes: Uint8Array): Escapes {
  const nonAscii: NonAscii[] = []
  const literalEscapes: LiteralEscape[] = []
  let [nonAsciiTotal, literalEscapesTotal] = [0, 0]
  let [line, col] = [1, 1]
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] as number
    const place = { line, col, byte_offset: at }
    let length = 1
    if (byte === BACKSLASH) {
      const spelled = escapeLength(bytes, at)
      if (spelled > 0 && literalEscapesTotal++ < MAX_LISTED) {
        literalEscapes.push({ ...place, sequence: decoder.decode(bytes.subarray(at, at + spelled)) })
      }
      // A doubled backslash is one character of its own, and begins no escape.
      length = spelled || (bytes[at + 1] === BACKSLASH ? 2 : 1)
      col += length
    } else if (byte < 0x80) {
      if (byte === LF) [line, col] = [line + 1, 1]
      else col++
    } else {
      const sequence = sequenceAt(bytes, at)
      if (sequence > 0 && nonAsciiTotal++ < MAX_LISTED)
        nonAscii.push({ ...place, ...named(decoder.decode(bytes.subarray(at, at + sequence))) })
      length = Math.abs(sequence)
      col++
    }
    at += length
  }
  return { nonAscii, nonAsciiTotal, literalEscapes, literalEscapesTotal }
}

function named(char: string): { readonly char: string; readonly codepoint: string } {
  const code = (char.codePointAt(0) as number).toString(16).toUpperCase()
  return { char, codepoint: `U+${code.padStart(4, '0')}` }
}

/** Length of the escape that the backslash at `at` begins; 0 when it begins none. */
function escapeLength(bytes: Uint8Array, at: number): number {
  const digits = DIGITS.get(bytes[at + 1] ?? 0)
  if (digits === undefined) return 0
  for (let i = 0; i < digits; i++) if (!isHexDigit(bytes[at + 2 + i] ?? 0)) return 0
  return 2 + digits
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)
}

/** Where two texts part. */
export interface Parting {
  /** In characters; the shorter length when one text begins the other. */
  readonly offset: number
  /** Both texts around that place, in ASCII. */
  readonly expected: string
  readonly actual: string
}

/** Characters shown on each side of a parting. */
const AROUND = 40

/** Where two texts part; null when they are equal. */
export function findParting(expected: string, actual: string): Parting | null {
  if (expected === actual) return null
  const shorter = Math.min(expected.length, actual.length)
  let at = 0
  while (at < shorter && expected.charCodeAt(at) === actual.charCodeAt(at)) at++
  // Never between the halves of a pair.
  if (at > 0 && isHighSurrogate(expected.charCodeAt(at - 1)) && (isLow(expected, at) || isLow(actual, at))) at--
  return { offset: Array.from(expected.slice(0, at)).length, expected: around(expected, at), actual: around(actual, at) }
}

function around(text: string, at: number): string {
  const before = Array.from(text.slice(Math.max(0, at - 2 * AROUND), at)).slice(-AROUND)
  const after = Array.from(text.slice(at, at + 2 * AROUND)).slice(0, AROUND)
  return [...before, ...after].map(inAscii).join('')
}

const NAMED: { readonly [char: string]: string } = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' }

function inAscii(char: string): string {
  const code = char.codePointAt(0) as number
  if (NAMED[char] !== undefined) return NAMED[char]
  if (code >= 0x20 && code < 0x7f) return char
  const hex = code.toString(16)
  return code < 0x100 ? `\\x${hex.padStart(2, '0')}` : code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code < 0xe000
}
