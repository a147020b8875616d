/** Text encodings by name, strict in both directions: no byte and no character is ever replaced (B-5). */

import { concatBytes } from '../core/bytes.ts'
import { FilewrightError } from '../core/errors.ts'
import { bomLength, decodeStrict, encodeText } from './utf8.ts'

/** One encoding. */
export interface TextEncoding {
  /** Throws `invalid_utf8` naming `given`, with the offset of the first bad byte in `details`. */
  decode(bytes: Uint8Array, given: string): string
  /** Throws `invalid_argument` on `content` for a character it lacks; `unsupported` on `encoding` when it can only be read. */
  encode(text: string): Uint8Array
}

/** The encoding of a name, whatever its case and separators. Throws `unsupported` on `encoding`. */
export function encodingNamed(name: string): TextEncoding {
  const own = OWN.get(name.toLowerCase().replace(/[-_ ]/g, ''))
  return own ?? platformEncoding(name)
}

const UTF8_BOM = Uint8Array.of(0xef, 0xbb, 0xbf)

const utf8: TextEncoding = { decode: decodeStrict, encode: encodeText }

const utf8Signed: TextEncoding = {
  decode: (bytes, given) => decodeStrict(bytes.subarray(bomLength(bytes)), given),
  encode: (text) => concatBytes([UTF8_BOM, encodeText(text)]),
}

/** An encoding of one byte a character; `high` gives the characters from 0x80 on, null where there is none. */
function singleByte(name: string, high: (byte: number) => number | null): TextEncoding {
  const byChar = new Map<number, number>()
  for (let byte = 0x80; byte < 0x100; byte++) {
    const char = high(byte)
    if (char !== null) byChar.set(char, byte)
  }
  return {
    decode(bytes, given) {
      const units = new Uint16Array(bytes.length)
      for (const [at, byte] of bytes.entries()) {
        const char = byte < 0x80 ? byte : high(byte)
        if (char === null) throw undecodable(given, name, at)
        units[at] = char
      }
      return textOf(units)
    },
    encode(text) {
      const bytes = new Uint8Array(text.length)
      for (let at = 0; at < text.length; at++) {
        const char = text.charCodeAt(at)
        const byte = char < 0x80 ? char : byChar.get(char)
        if (byte === undefined) throw unencodable(name, text, at)
        bytes[at] = byte
      }
      return bytes
    },
  }
}

/** What Windows-1252 has from 0x80 to 0x9f; a blank where it has nothing. */
const WINDOWS_1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'

function windows1252(byte: number): number | null {
  if (byte >= 0xa0) return byte
  const char = WINDOWS_1252.charCodeAt(byte - 0x80)
  return char === 0x20 ? null : char
}

/** UTF-16 in one byte order. */
function utf16(littleEndian: boolean): TextEncoding {
  const name = littleEndian ? 'utf-16-le' : 'utf-16-be'
  return {
    decode(bytes, given) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const units = new Uint16Array(bytes.length >> 1)
      for (let i = 0; i < units.length; i++) units[i] = view.getUint16(2 * i, littleEndian)
      const text = textOf(units)
      if (!text.isWellFormed()) throw undecodable(given, name, 2 * firstLone(text))
      if (bytes.length % 2 === 1) throw undecodable(given, name, bytes.length - 1)
      return text
    },
    encode(text) {
      const bytes = new Uint8Array(2 * text.length)
      const view = new DataView(bytes.buffer)
      for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), littleEndian)
      return bytes
    },
  }
}

const [little, big] = [utf16(true), utf16(false)]

/** The byte order is that of the BOM, which is no part of the text; little-endian without one, and when written. */
const utf16Marked: TextEncoding = {
  decode(bytes, given) {
    const isBig = bytes[0] === 0xfe && bytes[1] === 0xff
    const text = (isBig ? big : little).decode(bytes, given)
    return text.startsWith('\ufeff') ? text.slice(1) : text
  },
  encode: (text) => little.encode(`\ufeff${text}`),
}

// Platforms mean Windows-1252 by all three names, and read every byte as something.
const ascii = singleByte('ascii', () => null)
const latin1 = singleByte('latin-1', (byte) => byte)
const cp1252 = singleByte('cp1252', windows1252)

const OWN: ReadonlyMap<string, TextEncoding> = new Map([
  ['utf8', utf8],
  ['utf8sig', utf8Signed],
  ['ascii', ascii],
  ['usascii', ascii],
  ['latin1', latin1],
  ['iso88591', latin1],
  ['cp1252', cp1252],
  ['windows1252', cp1252],
  ['utf16', utf16Marked],
  ['utf16le', little],
  ['utf16be', big],
])

/** What the platform can decode, and nobody encode. */
function platformEncoding(name: string): TextEncoding {
  const decoder = platformDecoder(name) ?? platformDecoder(name.replaceAll('_', '-'))
  if (!decoder) throw new FilewrightError('unsupported', `There is no encoding ${JSON.stringify(name)}.`, { field: 'encoding' })
  return {
    decode(bytes, given) {
      try {
        return decoder.decode(bytes)
      } catch {
        throw new FilewrightError('invalid_utf8', `${given} is not valid ${name}.`)
      }
    },
    encode() {
      throw new FilewrightError('unsupported', `The encoding ${name} can be read, but not written.`, { field: 'encoding' })
    },
  }
}

function platformDecoder(label: string): TextDecoder | null {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: true })
  } catch {
    return null
  }
}

const CHUNK = 8192

function textOf(units: Uint16Array): string {
  let text = ''
  for (let at = 0; at < units.length; at += CHUNK) text += String.fromCharCode(...units.subarray(at, at + CHUNK))
  return text
}

/** Index of the first half of a pair that stands alone. */
function firstLone(text: string): number {
  let at = 0
  for (const char of text) {
    if (!char.isWellFormed()) return at
    at += char.length
  }
  return at
}

function undecodable(given: string, name: string, offset: number): FilewrightError {
  return new FilewrightError('invalid_utf8', `${given} is not valid ${name} at byte ${offset}.`, { details: { offset } })
}

function unencodable(encoding: string, text: string, at: number): FilewrightError {
  const code = (text.codePointAt(at) as number).toString(16).toUpperCase().padStart(4, '0')
  return new FilewrightError('invalid_argument', `content holds U+${code}, which ${encoding} does not have.`, {
    field: 'content',
    details: { encoding },
  })
}
