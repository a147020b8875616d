/** Replaced spans: applied to bytes, and followed through one edit after another. */

import { allocate } from '../../core/bytes.ts'
import { FilewrightError } from '../../core/errors.ts'
import { LF } from '../bytes.ts'
import type { Places } from './match.ts'

/** A span of the text before, and the span that stands in its place after. Offsets in bytes, ends exclusive. */
export interface Span {
  readonly oldStart: number
  readonly oldEnd: number
  readonly newStart: number
  readonly newEnd: number
}

/** Spans that are told apart; the changes after them make one span. Keeps memory bounded when millions of places are replaced. */
const MAX_SPANS = 100_000

/** A text that is edited again and again. */
export interface Draft {
  /** As it is now; valid until the next `replace`. */
  bytes(): Uint8Array
  /** Replaces every place by the same bytes. Throws `too_large` when the result would have more bytes than allowed. */
  replace(places: Places, replacement: Uint8Array): void
}

/** A draft that begins with a text, which stays as it is. */
export function createDraft(text: Uint8Array, maxBytes: number): Draft {
  let bytes = text
  /** Memory of the draft alone, with room for later edits. */
  let own = new Uint8Array(0)
  return {
    bytes: () => bytes,
    replace(places, replacement) {
      let length = bytes.length + places.count * replacement.length
      for (let i = 0; i < places.count; i++) length -= (places.ends[i] as number) - (places.starts[i] as number)
      if (length > maxBytes) {
        throw new FilewrightError('too_large', `The text would grow to ${length} bytes; the limit is ${maxBytes}.`, {
          details: { size: length, limit: maxBytes },
        })
      }
      if (places.count === 1 && own.buffer === bytes.buffer && length <= own.length) {
        const [start, end] = [places.starts[0] as number, places.ends[0] as number]
        own.copyWithin(start + replacement.length, end, bytes.length)
        own.set(replacement, start)
      } else {
        own = allocate(length + Math.ceil(length / 64))
        copyReplacing(own, bytes, places, replacement)
      }
      bytes = own.subarray(0, length)
    },
  }
}

function copyReplacing(into: Uint8Array, bytes: Uint8Array, places: Places, replacement: Uint8Array): void {
  let [from, to] = [0, 0]
  for (let i = 0; i < places.count; i++) {
    const start = places.starts[i] as number
    into.set(bytes.subarray(from, start), to)
    to += start - from
    into.set(replacement, to)
    to += replacement.length
    from = places.ends[i] as number
  }
  into.set(bytes.subarray(from), to)
}

/**
 * The spans from the first text to the text after the replacement, given those (`earlier`) to the text before it (`bytes`).
 * Spans that overlap, touch or stand in one line become one.
 */
export function followPlaces(earlier: readonly Span[], bytes: Uint8Array, places: Places, replacementLength: number): Span[] {
  const spans: Span[] = []
  // Both kinds are placed in `bytes`; these are the distances from there to the first text and to the new one.
  let [toOld, toNew] = [0, 0]
  let [e, p] = [0, 0]
  while (e < earlier.length || p < places.count) {
    const start = Math.min(
      earlier[e]?.newStart ?? Number.POSITIVE_INFINITY,
      p < places.count ? (places.starts[p] as number) : Number.POSITIVE_INFINITY,
    )
    const [oldStart, newStart] = [start + toOld, start + toNew]
    const full = spans.length >= MAX_SPANS - 1
    let end = start
    for (;;) {
      const span = earlier[e]
      if (span && (full || joins(bytes, end, span.newStart))) {
        end = Math.max(end, span.newEnd)
        toOld += span.oldEnd - span.oldStart - (span.newEnd - span.newStart)
        e++
      } else if (p < places.count && (full || joins(bytes, end, places.starts[p] as number))) {
        const placeEnd = places.ends[p] as number
        toNew += replacementLength - (placeEnd - (places.starts[p] as number))
        end = Math.max(end, placeEnd)
        p++
      } else break
    }
    spans.push({ oldStart, oldEnd: end + toOld, newStart, newEnd: end + toNew })
  }
  return spans
}

/** Whether nothing but the rest of a line lies between. */
function joins(bytes: Uint8Array, end: number, start: number): boolean {
  if (start <= end) return true
  for (let at = end; at < start; at++) if (bytes[at] === LF) return false
  return true
}
