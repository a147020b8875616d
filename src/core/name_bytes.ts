/** Names as text and as bytes: a name that is not UTF-8 keeps each bad byte 0xNN as the lone surrogate U+DCNN. */
import { concatBytes } from './bytes.ts'
import { FilewrightError } from './errors.ts'

const [FIRST_ESCAPE, LAST_ESCAPE] = [0xdc80, 0xdcff]
/** What Node's decoder makes of bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd'

interface Utf8Slice {
  call(bytes: Uint8Array, start: number, end: number): string
}

// Not an import: browsers have no Buffer. It takes half the time of what they have, and names are read by the ten thousand.
const utf8Slice = (globalThis as { Buffer?: { prototype: { utf8Slice?: Utf8Slice } } }).Buffer?.prototype.utf8Slice

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** The text of a name or of a link: of `bytes` from `start` to `end`. */
export function textOfBytes(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  if (utf8Slice) {
    const text = utf8Slice.call(bytes, start, end)
    if (!text.includes(REPLACEMENT)) return text
  }
  const part = bytes.subarray(start, end)
  return decoded(part) ?? escaped(part)
}

/**
 * The bytes of a name or of a link. Throws `invalid_name` for text that no bytes read as: a second spelling of a name would slip past
 * every rule about names.
 */
export function bytesOfText(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text)
  const parts: Uint8Array[] = []
  for (const char of text) {
    const code = char.codePointAt(0) as number
    parts.push(code >= FIRST_ESCAPE && code <= LAST_ESCAPE ? Uint8Array.of(code & 0xff) : encoder.encode(char))
  }
  const bytes = concatBytes(parts)
  if (textOfBytes(bytes) !== text) throw new FilewrightError('invalid_name', `${JSON.stringify(text)} cannot be the name of a file.`)
  return bytes
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes)
  } catch {
    return null
  }
}

/** Of bytes that are not UTF-8. */
function escaped(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at)
    text += length === 0 ? String.fromCharCode(0xdc00 + (bytes[at] as number)) : decoded(bytes.subarray(at, at + length))
    at += length || 1
  }
  return text
}

/** Bytes of the valid UTF-8 sequence at `at`; 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  return at + length <= bytes.length && decoded(bytes.subarray(at, at + length)) !== null ? length : 0
}
