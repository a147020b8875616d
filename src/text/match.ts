/** Places of a search text in bytes: as it is, with CRLF for its LF, or by look-alike characters. */
import { CR, indexOfBytes, LF, linearSearch } from './bytes.ts'
import { foldBytes } from './confusables.ts'

/** A range of bytes, end exclusive. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Places in a text, in order and apart. Ends are exclusive. */
export interface Places {
  readonly count: number
  readonly starts: Int32Array
  readonly ends: Int32Array
}

/** A search text and what replaces it. */
export interface Replacement {
  readonly search: Uint8Array
  readonly replace: Uint8Array
}

/** Where a search text was found, and the replacement that fits the line ends there. */
export interface Found {
  readonly places: Places
  readonly replace: Uint8Array
}

/** Matches after which the linear search takes over: the native one has a price for each call. */
const DENSE = 4096

/** Every place of `search` in the range, left to right without overlap (C-24). */
export function findPlaces(bytes: Uint8Array, search: Uint8Array, range: Range): Places {
  const text = range.end === bytes.length ? bytes : bytes.subarray(0, range.end)
  let next = (from: number) => indexOfBytes(text, search, from)
  let starts = new Int32Array(4)
  let count = 0
  for (let at = next(range.start); at >= 0; at = next(at + search.length)) {
    if (count === starts.length) starts = grown(starts)
    starts[count++] = at
    if (count === DENSE) {
      const linear = linearSearch(search)
      next = (from) => linear(text, from)
    }
  }
  starts = starts.subarray(0, count)
  return { count, starts, ends: starts.map((start) => start + search.length) }
}

function grown(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 4)
  larger.set(array)
  return larger
}

/**
 * The places of the search text; when there are none, it has LF and no CR, and the text has CRLF: the places of the search text
 * with CRLF, and the replacement with CRLF for its lone LFs (C-19).
 */
export function findExact(bytes: Uint8Array, { search, replace }: Replacement, range: Range): Found {
  const places = findPlaces(bytes, search, range)
  if (places.count > 0 || !wantsCrlf(bytes, search)) return { places, replace }
  return { places: findPlaces(bytes, withCrlf(search), range), replace: withCrlf(replace) }
}

/** Whether the search text may stand in the text with other line ends than it has. */
export function wantsCrlf(bytes: Uint8Array, search: Uint8Array): boolean {
  return search.includes(LF) && !search.includes(CR) && indexOfBytes(bytes, CRLF) >= 0
}

const CRLF = Uint8Array.of(CR, LF)

/** Bytes with CRLF for every LF that has no CR before it. */
export function withCrlf(bytes: Uint8Array): Uint8Array {
  const result: number[] = []
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === LF && bytes[i - 1] !== CR) result.push(CR)
    result.push(bytes[i] as number)
  }
  return Uint8Array.from(result)
}

/** As {@link findExact}, with look-alike characters taken for the ASCII that they resemble, on both sides (P-54). */
export function findFolded(bytes: Uint8Array, { search, replace }: Replacement, range: Range): Found {
  const text = foldBytes(bytes.subarray(range.start, range.end))
  const folded = foldBytes(search)?.bytes ?? search
  const inside = text?.bytes ?? bytes.subarray(range.start, range.end)
  const found = findExact(inside, { search: folded, replace }, { start: 0, end: inside.length })
  const original = (offset: number) => range.start + (text ? text.original(offset) : offset)
  const { count, starts, ends } = found.places
  return { places: { count, starts: starts.map(original), ends: ends.map(original) }, replace: found.replace }
}
