/** Node's encodings between text and bytes, without its Buffer. As there, bad bytes are replaced, and never an error. */
import { fromBase64, toBase64 } from '../../text/base64.ts'
import { wrongType, wrongValue } from './errors.ts'

/** What may be written: text, or bytes in any view of them. */
export type NodeFsData = string | ArrayBufferView | Iterable<string | ArrayBufferView> | AsyncIterable<string | ArrayBufferView>

interface Codec {
  decode(bytes: Uint8Array): string
  encode(text: string): Uint8Array
}

const utf8: Codec = {
  decode: (bytes) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
  encode: (text) => new TextEncoder().encode(text),
}

const utf16: Codec = {
  decode: (bytes) => new TextDecoder('utf-16le', { ignoreBOM: true }).decode(bytes.subarray(0, bytes.length & ~1)),
  encode(text) {
    const bytes = new Uint8Array(2 * text.length)
    const view = new DataView(bytes.buffer)
    for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), true)
    return bytes
  },
}

/** One character a byte; `mask` is what of a byte is shown. */
const single = (mask: number): Codec => ({
  decode: (bytes) => characters(bytes, (byte) => String.fromCharCode(byte & mask)),
  encode: (text) => Uint8Array.from(text.split(''), (char) => char.charCodeAt(0)),
})

const hex: Codec = {
  decode: (bytes) => characters(bytes, (byte) => byte.toString(16).padStart(2, '0')),
  encode: (text) => Uint8Array.from(/^(?:[0-9a-fA-F]{2})*/.exec(text)?.[0].match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)),
}

/** Both alphabets, whatever else is between; what follows padding, and a last letter that is less than a byte, is not read. */
function plainBase64(text: string): Uint8Array {
  const [letters = ''] = text.split('=')
  const plain = letters.replace(/[-_]/g, (char) => (char === '-' ? '+' : '/')).replace(/[^A-Za-z0-9+/]/g, '')
  return fromBase64(plain.length % 4 === 1 ? plain.slice(0, -1) : plain) ?? new Uint8Array()
}

const base64: Codec = { decode: toBase64, encode: plainBase64 }

const base64url: Codec = {
  decode: (bytes) => toBase64(bytes).replace(/[+/=]/g, (char) => ({ '+': '-', '/': '_' })[char] ?? ''),
  encode: plainBase64,
}

const CODECS: ReadonlyMap<string, Codec> = new Map(
  Object.entries({
    utf8,
    'utf-8': utf8,
    utf16le: utf16,
    'utf-16le': utf16,
    ucs2: utf16,
    'ucs-2': utf16,
    latin1: single(0xff),
    binary: single(0xff),
    ascii: single(0x7f),
    base64,
    base64url,
    hex,
  }),
)

function characters(bytes: Uint8Array, show: (byte: number) => string): string {
  let text = ''
  for (const byte of bytes) text += show(byte)
  return text
}

function codecOf(encoding: string): Codec {
  const codec = CODECS.get(encoding.toLowerCase())
  if (!codec) throw wrongValue('encoding', encoding, 'is invalid encoding')
  return codec
}

/** The encoding that options ask for: themselves, or a member of theirs. Null for bytes. Throws a `TypeError` for an unknown one. */
export function encodingOf(options: unknown): string | null {
  const asked = typeof options === 'object' && options !== null ? (options as { readonly encoding?: unknown }).encoding : options
  if (asked === undefined || asked === null || asked === 'buffer') return null
  if (typeof asked !== 'string') throw wrongType('options', 'of type string or an instance of Object', asked)
  codecOf(asked)
  return asked
}

/** Bytes as they are, or as the text that an encoding makes of them. */
export function told(bytes: Uint8Array, encoding: string | null): Uint8Array | string {
  return encoding === null ? bytes : codecOf(encoding).decode(bytes)
}

/** The bytes of what is to be written, in an array of their own. Throws a `TypeError` for what holds none. */
export async function bytesOf(data: unknown, encoding: string | null): Promise<Uint8Array> {
  const whole = bytesOfPart(data, encoding)
  if (whole) return whole
  if (typeof data !== 'object' || data === null || !(Symbol.iterator in data || Symbol.asyncIterator in data)) {
    throw wrongType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data)
  }
  const parts: Uint8Array[] = []
  for await (const part of data as AsyncIterable<unknown>) {
    const bytes = bytesOfPart(part, encoding)
    if (!bytes) throw wrongType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', part)
    parts.push(bytes)
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer())
}

function bytesOfPart(data: unknown, encoding: string | null): Uint8Array | null {
  if (typeof data === 'string') return codecOf(encoding ?? 'utf8').encode(data)
  if (!ArrayBuffer.isView(data)) return null
  return new Uint8Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer)
}
