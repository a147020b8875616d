/** UTF-8 on bytes: strict and lossy decoding, characters counted and cut without decoding, the binary test. */
import { FilewrightError } from '../core/errors.ts'
import { countContinuations, giveCounter, takeCounter } from './window/block_counts.ts'

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lossy = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
const encoder = new TextEncoder()

// Not an import: this module is bundled for browsers too.
const host = globalThis as { process?: { getBuiltinModule?(name: string): unknown } }
const nodeBuffer = host.process?.getBuiltinModule?.('node:buffer') as NodeBuffer | undefined

/** The part of Node's module that is used; the edge runtime has less of it. */
interface NodeBuffer {
  isUtf8?(bytes: Uint8Array): boolean
  isAscii?(bytes: Uint8Array): boolean
  readonly Buffer?: { from(buffer: ArrayBufferLike, offset: number, length: number): Slices }
}

/** U+FFFD, which stands for bytes that are not UTF-8. */
export const REPLACEMENT = '\ufffd'
/** Bytes of a leading U+FEFF. */
export const BOM_LENGTH = 3
/** How many leading bytes decide whether a file is binary (C-23). */
export const BINARY_TEST_BYTES = 8192

/** Text as UTF-8. A lone surrogate becomes U+FFFD: refuse it before with {@link checkWellFormed}. */
export function encodeText(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Refuses text with a lone surrogate, which has no UTF-8 (C-22). Throws `invalid_argument` on `field`. */
export function checkWellFormed(text: string, field: string): void {
  if (!text.isWellFormed())
    throw new FilewrightError('invalid_argument', `${field} holds half of a surrogate pair, which cannot be stored as UTF-8.`, { field })
}

/** Decodes UTF-8, a leading BOM kept (C-13). Throws `invalid_utf8` naming `given`, with the offset of the first bad byte in `details`. */
export function decodeStrict(bytes: Uint8Array, given: string): string {
  try {
    return strict.decode(bytes)
  } catch {
    const offset = firstInvalid(bytes)
    throw new FilewrightError('invalid_utf8', `${given} is not valid UTF-8 at byte ${offset}.`, { details: { offset } })
  }
}

/** Decodes with one U+FFFD for each bad sequence (the longest prefix of a character, or one byte); a leading BOM is kept. */
export function decodeLossy(bytes: Uint8Array): { readonly text: string; readonly replaced: boolean } {
  const text = lossy.decode(bytes)
  return { text, replaced: text.includes(REPLACEMENT) && !isUtf8(bytes) }
}

/** Whether bytes are valid UTF-8 (C-13): no overlong forms, surrogates, values above U+10FFFF or cut characters. */
export function isUtf8(bytes: Uint8Array): boolean {
  if (nodeBuffer?.isUtf8) return nodeBuffer.isUtf8(bytes)
  try {
    strict.decode(bytes)
    return true
  } catch {
    return false
  }
}

interface Slices {
  latin1Slice?(start: number, end: number): string
  utf8Slice?(start: number, end: number): string
}

/** The bytes as Node sees them, where there is Node. */
const sliced = (bytes: Uint8Array): Slices | undefined => nodeBuffer?.Buffer?.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** Whether all bytes are ASCII; false also where the host has no quick way to tell. */
export function isAscii(bytes: Uint8Array): boolean {
  return nodeBuffer?.isAscii?.(bytes) ?? false
}

/** Bytes that are not decoded, as text of one character each; null where the host has no quick way. */
export function latin1Text(bytes: Uint8Array): string | null {
  return sliced(bytes)?.latin1Slice?.(0, bytes.length) ?? null
}

/** What decodes parts of some bytes, as {@link decodeLossy} does; for many short ones. */
export function decoderOf(bytes: Uint8Array): (start: number, end: number) => string {
  const slices = sliced(bytes)
  return (start, end) => slices?.utf8Slice?.(start, end) ?? lossy.decode(bytes.subarray(start, end))
}

/** Offset of the first byte that is not part of valid UTF-8, or -1. */
export function firstInvalid(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; ) {
    const length = (bytes[at] as number) < 0x80 ? 1 : sequenceAt(bytes, at)
    if (length < 0) return at
    at += length
  }
  return -1
}

/** Length of a leading BOM: 3 or 0. */
export function bomLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? BOM_LENGTH : 0
}

/**
 * Whether a file is binary, by its first {@link BINARY_TEST_BYTES} bytes (C-23): a NUL, or more than 30 % control characters
 * other than tab, line feed and carriage return. No bytes are text.
 */
export function isBinary(head: Uint8Array): boolean {
  const part = head.subarray(0, BINARY_TEST_BYTES)
  const counter = takeCounter()
  counter.block.set(part)
  const { count, nul } = counter.controls(part.length)
  giveCounter(counter)
  return nul || count > part.length * 0.3
}

/**
 * The character that starts at `at`: its length in bytes; or, negative, the length of a bad sequence, which decodes to one U+FFFD.
 * A character cut by the end of the bytes is a bad sequence.
 */
export function sequenceAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number
  if (lead < 0x80) return 1
  const length = lengthByLead(lead)
  if (length === 1) return -1
  // The second byte rules out overlong forms, surrogates and values above U+10FFFF.
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  const second = bytes[at + 1]
  if (second === undefined || second < low || second > high) return -1
  for (let i = 2; i < length; i++) {
    const byte = bytes[at + i]
    if (byte === undefined || (byte & 0xc0) !== 0x80) return -i
  }
  return length
}

/** Bytes of the character that a byte begins; 1 for a byte that begins none. */
function lengthByLead(lead: number): number {
  return lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
}

/** Bytes from which on it pays to count by blocks. */
const MANY = 512

/** Characters in bytes that begin on a boundary, a bad sequence counted as one (C-20, P-31). */
export function countChars(bytes: Uint8Array): number {
  if (bytes.length >= MANY && isUtf8(bytes)) return bytes.length - countContinuations(bytes)
  let count = 0
  for (let at = 0; at < bytes.length; count++) at += (bytes[at] as number) < 0x80 ? 1 : Math.abs(sequenceAt(bytes, at))
  return count
}

/** Offset after the first `chars` characters of bytes that begin on a boundary; the end when there are fewer. */
export function cutChars(bytes: Uint8Array, chars: number): number {
  let [at, left] = [0, chars]
  // Ever smaller parts that are wanted whole are counted, not walked.
  for (let step = bytes.length >> 1; step >= MANY; step >>= 1) {
    const next = boundaryBelow(bytes, Math.min(at + step, bytes.length))
    const count = countChars(bytes.subarray(at, next))
    if (count > left) continue
    at = next
    left -= count
  }
  for (; left > 0 && at < bytes.length; left--) at += (bytes[at] as number) < 0x80 ? 1 : Math.abs(sequenceAt(bytes, at))
  return at
}

/** The nearest boundary between characters (or bad sequences) at or below `at`. Looks at no more than three bytes before it. */
export function boundaryBelow(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) return bytes.length
  for (let start = at - 1; start >= 0 && start >= at - 3; start--) {
    if (((bytes[start] as number) & 0xc0) === 0x80) continue
    return start + Math.abs(sequenceAt(bytes, start)) > at ? start : at
  }
  return at
}

/** How many bytes at the end begin a character that the end cuts off: 0 to 3. */
export function cutTail(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number
    if ((byte & 0xc0) === 0x80) continue
    return lengthByLead(byte) > back && sequenceAt(bytes, bytes.length - back) === -back ? back : 0
  }
  return 0
}
