/** Many contents in one body: each is its length (4 bytes, big-endian), its SHA-256 (32 bytes) and its bytes. */

import { concatBytes } from '../core/bytes.ts'
import { FilewrightError } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'

/** Bytes of a frame before its content. */
export const FRAME_HEADER_BYTES = 36

/** One content of a body. A large one is a stream, which must be read to its end before the next frame is asked for. */
export interface Frame {
  readonly hash: Hash
  readonly size: number
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
}

/** The 36 bytes that stand before a content. Throws `too_large` from 4 GiB on. */
export function frameHeader(hash: string, size: number): Uint8Array<ArrayBuffer> {
  if (size > 0xffffffff) throw new FilewrightError('too_large', 'A frame holds less than 4 GiB.')
  const header = new Uint8Array(FRAME_HEADER_BYTES)
  new DataView(header.buffer).setUint32(0, size)
  for (let i = 0; i < 32; i++) header[4 + i] = Number.parseInt(hash.slice(2 * i, 2 * i + 2), 16)
  return header
}

/** The frames of a body, whose pieces may be cut anywhere. Contents above `wholeBytes` are streams. Throws `invalid_argument` when the body ends early. */
export async function* readFrames(pieces: AsyncIterable<Uint8Array>, wholeBytes: number): AsyncGenerator<Frame> {
  const source = createSource(pieces)
  for (let header = await source.header(); header; header = await source.header()) {
    const size = new DataView(header.buffer, header.byteOffset).getUint32(0)
    const hash = Array.from(header.subarray(4), (byte) => byte.toString(16).padStart(2, '0')).join('') as Hash
    yield { hash, size, body: size <= wholeBytes ? await source.take(size) : source.stream(size) }
  }
}

interface Source {
  /** Null at the end of the body. */
  header(): Promise<Uint8Array | null>
  take(size: number): Promise<Uint8Array>
  stream(size: number): AsyncGenerator<Uint8Array>
}

function createSource(pieces: AsyncIterable<Uint8Array>): Source {
  const iterator = pieces[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array(0)

  /** Makes `rest` hold something; false at the end of the body. */
  async function more(): Promise<boolean> {
    while (rest.length === 0) {
      const next = await iterator.next()
      if (next.done) return false
      rest = next.value
    }
    return true
  }

  async function* stream(size: number): AsyncGenerator<Uint8Array> {
    for (let left = size; left > 0; ) {
      if (!(await more())) throw new FilewrightError('invalid_argument', 'The body ends in the middle of a frame.')
      const part = rest.subarray(0, left)
      rest = rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  async function take(size: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    for await (const part of stream(size)) parts.push(part)
    return parts.length === 1 ? (parts[0] as Uint8Array) : concatBytes(parts)
  }

  return { stream, take, header: async () => ((await more()) ? take(FRAME_HEADER_BYTES) : null) }
}
