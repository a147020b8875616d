/** Names and texts of links as bytes: what is not UTF-8 keeps each bad byte 0xNN as the lone surrogate U+DCNN. */
import { concatBytes } from '../core/bytes.ts'
import { FilewrightError } from '../core/errors.ts'

const FIRST_ESCAPE = 0xdc80
const LAST_ESCAPE = 0xdcff
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** The text of bytes. */
export function textOfBytes(bytes: Uint8Array): string {
  if (bytes.length < 64 && bytes.every((byte) => byte < 0x80)) return String.fromCharCode(...bytes)
  return decoded(bytes) ?? escaped(bytes)
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

function escaped(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const [length, part] = sequenceAt(bytes, at)
    text += part
    at += length
  }
  return text
}

/** The valid UTF-8 sequence at a place, or one bad byte. */
function sequenceAt(bytes: Uint8Array, at: number): readonly [length: number, text: string] {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    const text = decoded(bytes.subarray(at, at + length))
    if (text !== null) return [length, text]
  }
  return [1, String.fromCharCode(0xdc00 + (bytes[at] as number))]
}

/** The bytes of a text. Throws `invalid_name` for a text that stands for no bytes. */
export function bytesOfText(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text)
  const parts: Uint8Array[] = []
  for (const char of text) {
    const code = char.codePointAt(0) as number
    parts.push(code >= FIRST_ESCAPE && code <= LAST_ESCAPE ? Uint8Array.of(code & 0xff) : encoder.encode(char))
  }
  const bytes = concatBytes(parts)
  // Another lone surrogate, or escapes that spell valid UTF-8: a second spelling of a name would slip past every rule about names.
  if (textOfBytes(bytes) !== text) throw new FilewrightError('invalid_name', `${JSON.stringify(text)} cannot be the name of a file.`)
  return bytes
}
