/** Windows by byte and by character offset: the raw text, nothing removed (P-25, P-27, P-28). */
import { FilewrightError } from '../../core/errors.ts'
import type { Reader } from '../../core/file_system.ts'
import { boundaryBelow, countChars, decodeLossy, sequenceAt } from '../utf8.ts'
import { offsetOfChar, readRange } from './locate.ts'
import type { TextFacts } from './text_facts.ts'
import type { TruncatedReason, WindowPart } from './text_window.ts'

/** Most bytes of output: 1 MiB. */
const MAX_WINDOW_BYTES: number = 1024 * 1024

/** Longest character. */
const MAX_SEQUENCE = 4

/** Bytes from `offset` on. Throws `invalid_argument` when `offset` is inside a character, naming the boundary below it. */
export async function byteWindow(reader: Reader, facts: TextFacts, offset: number, limit: number = MAX_WINDOW_BYTES): Promise<WindowPart> {
  const size = facts.totalBytes
  if (offset >= size) return ofBytes(offset, new Uint8Array(0), size)
  const before = Math.max(0, offset - MAX_SEQUENCE)
  const most = Math.min(limit, MAX_WINDOW_BYTES)
  const bytes = await readRange(reader, before, offset + most + MAX_SEQUENCE)
  const start = offset - before
  const boundary = boundaryBelow(bytes, start)
  if (boundary !== start) {
    const nearest = before + boundary
    throw new FilewrightError('invalid_argument', `offset_bytes ${offset} is inside a character, which begins at ${nearest}.`, {
      field: 'offset_bytes',
      details: { nearest_boundary: nearest },
    })
  }
  let end = boundaryBelow(bytes, Math.min(start + most, bytes.length))
  // A window always advances, by one whole character when the limit is shorter than it.
  if (end === start) end = start + Math.abs(sequenceAt(bytes, start))
  return ofBytes(offset, bytes.subarray(start, end), size)
}

function ofBytes(offset: number, bytes: Uint8Array, size: number): WindowPart {
  const next = offset + bytes.length
  return {
    content: decodeLossy(bytes).text,
    mode: 'byte',
    offset_bytes: offset,
    shown_bytes: bytes.length,
    shown_chars: countChars(bytes),
    ...ending(next >= size, 'byte_limit'),
    ...(next < size && { next_offset_bytes: next }),
  }
}

/** Characters from `offset` on: `limit` of them, or as many as the output holds. */
export async function charWindow(
  reader: Reader,
  facts: TextFacts,
  offset: number,
  limit: number = Number.MAX_SAFE_INTEGER,
): Promise<WindowPart> {
  const total = facts.totalChars
  const at = offset < total ? await offsetOfChar(reader, facts, offset) : facts.totalBytes
  const most = Math.min(MAX_WINDOW_BYTES, limit * MAX_SEQUENCE)
  const bytes = await readRange(reader, at, at + most + MAX_SEQUENCE)
  const { end, chars } = measure(bytes, limit)
  const next = offset + chars
  return {
    content: decodeLossy(bytes.subarray(0, end)).text,
    mode: 'char',
    offset_chars: offset,
    shown_bytes: end,
    shown_chars: chars,
    total_chars: total,
    ...ending(next >= total, 'char_limit'),
    ...(next < total && { next_offset_chars: next }),
  }
}

/** How far `limit` characters go, as long as their output fits. */
function measure(bytes: Uint8Array, limit: number): { readonly end: number; readonly chars: number } {
  let [end, chars, output] = [0, 0, 0]
  while (chars < limit && end < bytes.length) {
    const length = sequenceAt(bytes, end)
    // A bad sequence is written as U+FFFD, which has three bytes.
    output += length < 0 ? 3 : length
    if (output > MAX_WINDOW_BYTES) break
    end += Math.abs(length)
    chars++
  }
  return { end, chars }
}

function ending(eof: boolean, reason: TruncatedReason): Pick<WindowPart, 'eof' | 'truncated' | 'truncated_reason'> {
  return eof ? { eof, truncated: false } : { eof, truncated: true, truncated_reason: reason }
}
