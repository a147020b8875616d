/** Places of a search text in bytes: as it is, with CRLF for its LF, or by look-alike characters. */
import { CR, indexOfBytes, LF, linearSearch } from '../bytes.ts'
import { haystackOf, needleOf } from '../search/haystack.ts'
import { foldBytes, unfoldOffsets } from './confusables.ts'

/** A range of bytes, end exclusive. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Places in a text, in order. */
export interface Places {
  /** How many there are. */
  readonly count: number
  /** Where they begin: all of them, or the first ones when no more were asked for. */
  readonly starts: Int32Array
  /** Where those end, exclusive. */
  readonly ends: Int32Array
}

/** Places that are kept of those that are only counted. */
export const SHOWN_PLACES = 20

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

/** Every place of `search` in the range, left to right without overlap (C-24). At most `keep` of them are kept, all are counted. */
function findPlaces(bytes: Uint8Array, search: Uint8Array, range: Range, keep: number): Places {
  const text = range.end === bytes.length ? bytes : bytes.subarray(0, range.end)
  const [haystack, needle] = [haystackOf(text), needleOf(search)]
  let next = (from: number) => haystack.indexOf(needle, from)
  let starts = new Int32Array(Math.min(keep, 4))
  let count = 0
  for (let at = next(range.start); at >= 0; at = next(at + search.length)) {
    if (count === starts.length && count < keep) starts = grown(starts)
    if (count < keep) starts[count] = at
    if (++count === DENSE) {
      const linear = linearSearch(search)
      next = (from) => linear(text, from)
    }
  }
  starts = starts.subarray(0, Math.min(count, keep))
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
export function findExact(bytes: Uint8Array, { search, replace }: Replacement, range: Range, keep: number): Found {
  const places = findPlaces(bytes, search, range, keep)
  if (places.count > 0 || !wantsCrlf(bytes, search)) return { places, replace }
  return { places: findPlaces(bytes, withCrlf(search), range, keep), replace: withCrlf(replace) }
}

/** Whether the search text may stand in the text with other line ends than it has. */
function wantsCrlf(bytes: Uint8Array, search: Uint8Array): boolean {
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
export function findFolded(bytes: Uint8Array, { search, replace }: Replacement, range: Range, keep: number): Found {
  const text = bytes.subarray(range.start, range.end)
  const folded = foldBytes(text)
  const found = findExact(folded, { search: foldBytes(search), replace }, { start: 0, end: folded.length }, keep)
  const { count, starts, ends } = found.places
  const original = (offsets: Int32Array) => unfoldOffsets(text, offsets).map((offset) => range.start + offset)
  return { places: { count, starts: original(starts), ends: original(ends) }, replace: found.replace }
}
