/** The content of one file as a search sees it: lines, columns and excerpts, on bytes that are not decoded or on text. */

import { CR, LF } from '../bytes.ts'
import { lineStart } from '../lines.ts'
import { countChars, decoderOf, encodeText } from '../utf8.ts'
import { countLineFeeds } from '../window/block_counts.ts'

/** Longest excerpt of a line, in characters, beside the `…` that stand for what was cut (P-131). */
export const MAX_EXCERPT: number = 500

/** Lines of one file. Positions are offsets into its bytes or its text. */
export interface Subject {
  readonly length: number
  /** Where the line that holds `at` begins. */
  lineStart(at: number): number
  /** Where the terminator of the line that holds `at` begins; the end of the file when it has none. */
  lineEnd(at: number): number
  /** Where the next line begins. */
  nextLine(at: number): number
  /** Number of the line that begins at `start`, from 1. Asked in rising order. */
  lineNumber(start: number): number
  /** Characters between two positions. */
  chars(from: number, to: number): number
  /** The text between two positions, which may be moved inwards to whole characters. */
  text(from: number, to: number): string
  /** Positions that {@link MAX_EXCERPT} characters take at most. */
  readonly excerptSpan: number
}

/** Bytes of valid UTF-8, without BOM. */
export function bytesSubject(bytes: Uint8Array): Subject {
  const decode = decoderOf(bytes)
  let [counted, line] = [0, 1]
  // The line that was asked for last: from where it begins to its line feed, or to the end.
  let [from, feed] = [0, -1]
  const seek = (at: number): void => {
    if (at >= from && at <= feed) return
    from = lineStart(bytes, at)
    const next = bytes.indexOf(LF, at)
    feed = next < 0 ? bytes.length : next
  }
  const isInside = (at: number): boolean => at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80
  return {
    length: bytes.length,
    lineStart(at) {
      seek(at)
      return from
    },
    lineEnd(at) {
      seek(at)
      return feed < bytes.length && feed > 0 && bytes[feed - 1] === CR ? feed - 1 : feed
    },
    nextLine(at) {
      seek(at)
      return Math.min(feed + 1, bytes.length)
    },
    lineNumber(start) {
      line += countLineFeeds(bytes.subarray(counted, start))
      counted = start
      return line
    },
    chars: (low, high) => countChars(bytes.subarray(low, high)),
    text(start, end) {
      let [low, high] = [start, end]
      while (isInside(low)) low++
      while (isInside(high)) high--
      return decode(low, high)
    },
    excerptSpan: MAX_EXCERPT * 4,
  }
}

/** Text whose lines end in LF alone, without BOM. */
export function textSubject(text: string): Subject {
  let [counted, line] = [0, 1]
  const isInside = (at: number): boolean => {
    const code = text.charCodeAt(at)
    return code >= 0xdc00 && code < 0xe000
  }
  return {
    length: text.length,
    lineStart: (at) => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1),
    lineEnd(at) {
      const feed = text.indexOf('\n', at)
      return feed < 0 ? text.length : feed
    },
    nextLine(at) {
      const feed = text.indexOf('\n', at)
      return feed < 0 ? text.length : feed + 1
    },
    lineNumber(start) {
      for (let feed = text.indexOf('\n', counted); feed >= 0 && feed < start; feed = text.indexOf('\n', feed + 1)) line++
      counted = start
      return line
    },
    chars(from, to) {
      let pairs = 0
      for (let at = from; at < to; at++) if (isInside(at)) pairs++
      return to - from - pairs
    },
    text(from, to) {
      // A copy: the engine's slices keep the whole text in memory.
      const bytes = encodeText(text.slice(isInside(from) ? from + 1 : from, isInside(to) ? to - 1 : to))
      return decoderOf(bytes)(0, bytes.length)
    },
    excerptSpan: MAX_EXCERPT * 2,
  }
}

/** At most {@link MAX_EXCERPT} characters of the text between `start` and `end`, around the hit from `from` to `to`, with `…` for what is cut. */
export function excerpt(subject: Subject, start: number, end: number, from: number, to: number): string {
  // What lies farther away than this is never shown.
  const [low, high] = [Math.max(start, from - subject.excerptSpan), Math.min(end, from + subject.excerptSpan)]
  if (low === start && high === end && end - start <= MAX_EXCERPT) return subject.text(start, end)
  const before = Array.from(subject.text(low, from))
  const after = Array.from(subject.text(from, high))
  const hit = Math.min(to <= high ? Array.from(subject.text(from, to)).length : MAX_EXCERPT, MAX_EXCERPT)
  const room = Math.max(Math.floor((MAX_EXCERPT - hit) / 2), MAX_EXCERPT - after.length)
  const left = Math.min(before.length, room)
  const right = MAX_EXCERPT - left
  const cutLeft = left < before.length || low > start ? '…' : ''
  const cutRight = right < after.length || high < end ? '…' : ''
  return cutLeft + before.slice(before.length - left).join('') + after.slice(0, right).join('') + cutRight
}
