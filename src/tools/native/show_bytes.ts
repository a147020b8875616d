/** Bytes of a file as text: raw, in hex rows, or in base64. */
import { isFilewrightError } from '../../core/errors.ts'
import type { Reader } from '../../core/file_system.ts'
import { toBase64 } from '../../text/base64.ts'
import { readRange } from '../../text/window/locate.ts'
import type { TextFacts } from '../../text/window/text_facts.ts'
import type { TextWindow } from '../../text/window/text_window.ts'
import { readWindow } from '../../text/window/window.ts'

/** Which bytes; negative: from the end. */
export interface BytesRequest {
  readonly offset?: number | undefined
  readonly limit?: number | undefined
  /** Most characters of the text. */
  readonly maxChars: number
}

/** What is shown; offsets in bytes, from 0. */
export interface ShownBytes {
  readonly content: string
  readonly first: number
  /** The last byte shown. */
  readonly last: number
  readonly next_offset?: number
}

/** Bytes of a row. */
const ROW = 16
/** Characters of a row of hex. */
const ROW_CHARS = 78

/** Shows bytes, with a note how to go on. */
export async function showBytes(
  reader: Reader,
  facts: TextFacts,
  as: 'bytes' | 'hex' | 'base64',
  request: BytesRequest,
): Promise<ShownBytes> {
  const { offset = 0, limit = Number.POSITIVE_INFINITY, maxChars } = request
  const first = Math.min(offset < 0 ? Math.max(0, reader.size + offset) : offset, reader.size)
  if (as === 'bytes') return shownText(await textWindow(reader, facts, first, Math.min(limit, maxChars)), reader.size)
  const most = as === 'hex' ? Math.floor(maxChars / ROW_CHARS) * ROW : Math.floor(maxChars / 4) * 3
  const bytes = await readRange(reader, first, first + Math.min(limit, Math.max(ROW, most)))
  return ended(as === 'hex' ? hexRows(bytes, first) : toBase64(bytes), first, bytes.length, reader.size)
}

/** A window of text that begins where a character does. */
async function textWindow(reader: Reader, facts: TextFacts, offset: number, limit: number): Promise<TextWindow> {
  try {
    return await readWindow(reader, facts, { kind: 'bytes', offset, limit: Math.max(1, limit) })
  } catch (error) {
    const boundary = isFilewrightError(error) ? error.details?.nearest_boundary : undefined
    if (typeof boundary !== 'number') throw error
    return readWindow(reader, facts, { kind: 'bytes', offset: boundary, limit: Math.max(1, limit) })
  }
}

function shownText({ content, offset_bytes = 0, shown_bytes = 0 }: TextWindow, size: number): ShownBytes {
  return ended(content, offset_bytes, shown_bytes, size)
}

function ended(content: string, first: number, length: number, size: number): ShownBytes {
  const end = first + length
  if (length === 0) return { content: `[no bytes from ${first} on: the file has ${size}]`, first, last: first }
  if (end >= size) return { content, first, last: end - 1 }
  return { content: `${content}\n[bytes ${first}-${end - 1} of ${size}: go on with offset ${end}]`, first, last: end - 1, next_offset: end }
}

function hexRows(bytes: Uint8Array, first: number): string {
  const rows: string[] = []
  for (let at = 0; at < bytes.length; at += ROW) {
    const row = bytes.subarray(at, at + ROW)
    const hex = Array.from(row, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const plain = Array.from(row, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    rows.push(`${(first + at).toString(16).padStart(8, '0')}  ${hex.padEnd(3 * ROW - 1)}  ${plain}`)
  }
  return rows.join('\n')
}
