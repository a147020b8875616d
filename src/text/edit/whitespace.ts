/** Whole lines found by their text without white space (P-53). */
import { CR, LF } from '../bytes.ts'
import { lineEnd, textEnd } from '../lines.ts'
import { type Found, type Range, type Replacement, SHOWN_PLACES, withCrlf } from './match.ts'

const SPACE = 32
const TAB = 9

/**
 * Windows of as many whole lines as the search text has, equal to it without indentation and trailing blanks and with runs of
 * blanks as one. Windows may overlap: more than one is ambiguous, however they lie. The last line end belongs to a window only
 * when the search text has one. Lines that end in CRLF get a replacement that does, when the search text has LF only (C-19).
 */
export function findByLines(bytes: Uint8Array, { search, replace }: Replacement, range: Range): Found {
  const { ids, pattern, keyOf } = patternOf(search)
  const border = borders(pattern)
  const closed = search[search.length - 1] === LF
  // Where the lines of the running window begin, one after another in a ring.
  const begins = new Int32Array(pattern.length)
  const hits: Range[] = []
  let [count, line, matched] = [0, 0, 0]
  for (let start = range.start; start < range.end; line++) {
    const end = Math.min(lineEnd(bytes, start), range.end)
    const stop = textEnd(bytes, start, end)
    begins[line % pattern.length] = start
    const id = ids.get(keyOf(bytes, start, stop)) ?? -1
    while (matched > 0 && id !== pattern[matched]) matched = border[matched - 1] as number
    if (id === pattern[matched]) matched++
    if (matched === pattern.length) {
      if (count++ < SHOWN_PLACES) hits.push({ start: begins[(line + 1) % pattern.length] as number, end: closed ? end : stop })
      matched = border[matched - 1] as number
    }
    start = end
  }
  const first = hits[0]
  const crlf = first !== undefined && !search.includes(CR) && search.includes(LF) && allCrlf(bytes, first)
  return {
    places: { count, starts: Int32Array.from(hits, (hit) => hit.start), ends: Int32Array.from(hits, (hit) => hit.end) },
    replace: crlf ? withCrlf(replace) : replace,
  }
}

/** The lines of a search text as numbers, and how the key of a line is made; a line longer than all of them has the key `''`. */
interface Pattern {
  readonly ids: ReadonlyMap<string, number>
  readonly pattern: readonly number[]
  keyOf(bytes: Uint8Array, start: number, end: number): string
}

const NONE = ''
const latin1 = new TextDecoder('latin1')

function patternOf(search: Uint8Array): Pattern {
  let longest = 0
  for (let start = 0; start < search.length; start = lineEnd(search, start)) longest = Math.max(longest, lineEnd(search, start) - start)
  const squeezed = new Uint8Array(longest + 1)
  const keyOf = (bytes: Uint8Array, start: number, end: number) => {
    const length = squeeze(bytes, start, end, squeezed)
    // One character a byte, so that bad bytes stay apart; a mark in front, so that an empty line has a key.
    return length < 0 ? NONE : `=${latin1.decode(squeezed.subarray(0, length))}`
  }
  const ids = new Map<string, number>()
  const pattern: number[] = []
  for (let start = 0; start < search.length; ) {
    const end = lineEnd(search, start)
    const key = keyOf(search, start, textEnd(search, start, end))
    const id = ids.get(key) ?? ids.size
    ids.set(key, id)
    pattern.push(id)
    start = end
  }
  return { ids, pattern, keyOf }
}

/** A line without its outer blanks and with runs of blanks as one space; -1 when it does not fit. */
function squeeze(bytes: Uint8Array, start: number, end: number, into: Uint8Array): number {
  let length = 0
  let blank = false
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === SPACE || byte === TAB) {
      blank = true
      continue
    }
    if (length + 2 > into.length) return -1
    if (blank && length > 0) into[length++] = SPACE
    blank = false
    into[length++] = byte
  }
  return length
}

/** For each beginning of the pattern, the length of its longest proper beginning that is also its end. */
function borders(pattern: readonly number[]): number[] {
  const border = [0]
  for (let i = 1, k = 0; i < pattern.length; i++) {
    while (k > 0 && pattern[i] !== pattern[k]) k = border[k - 1] as number
    if (pattern[i] === pattern[k]) k++
    border.push(k)
  }
  return border
}

function allCrlf(bytes: Uint8Array, { start, end }: Range): boolean {
  for (let feed = bytes.indexOf(LF, start); feed >= 0 && feed < end; feed = bytes.indexOf(LF, feed + 1)) {
    if (bytes[feed - 1] !== CR) return false
  }
  return bytes.subarray(start, end).includes(LF)
}
