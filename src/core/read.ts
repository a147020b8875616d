/** Reading through the interface: whole files, and streams of known parts. */
import { concatBytes } from './bytes.ts'
import { FilewrightError } from './errors.ts'
import type { Entry, Reader } from './file_system.ts'
import type { Hash, Hasher } from './hash.ts'

const BLOCK = 256 * 1024

/** All bytes of a reader. Throws `too_large` above `maxBytes`. */
export async function readAll(reader: Reader, maxBytes: number, given: string): Promise<Uint8Array> {
  if (reader.size > maxBytes) throw tooLarge(given, reader.size, maxBytes)
  const bytes = new Uint8Array(reader.size)
  let at = 0
  while (at < bytes.length) {
    const step = reader.read(at, at === 0 ? bytes : bytes.subarray(at))
    const count = typeof step === 'number' ? step : await step
    if (count === 0) break
    at += count
  }
  return at === bytes.length ? bytes : bytes.slice(0, at)
}

/** The bytes of a reader in blocks of 256 KiB. Each block is valid until the next is asked for. */
export async function* readBlocks(reader: Reader, from = 0): AsyncGenerator<Uint8Array> {
  const block = new Uint8Array(Math.min(BLOCK, Math.max(1, reader.size - from)))
  for (let at = from; ; ) {
    const step = reader.read(at, block)
    const count = typeof step === 'number' ? step : await step
    if (count === 0) return
    at += count
    yield block.subarray(0, count)
  }
}

/** SHA-256 of all bytes of a reader. */
export async function hashReader(hasher: Hasher, reader: Reader): Promise<Hash> {
  const stream = hasher.stream()
  for await (const block of readBlocks(reader)) stream.update(block)
  return stream.digest()
}

function tooLarge(given: string, size: number, limit: number): FilewrightError {
  return new FilewrightError('too_large', `${given} has ${size} bytes; the limit for reading it whole is ${limit}. View it by windows.`, {
    details: { size, limit },
  })
}

/** A reader of bytes in memory. */
export function bytesReader(entry: Entry, bytes: Uint8Array): Reader {
  return {
    entry,
    size: bytes.length,
    read(offset, into) {
      const part = bytes.subarray(offset, offset + into.length)
      into.set(part)
      return part.length
    },
    close() {},
  }
}

/** A body in one new array, so that what the caller does to its own later is its own affair. Throws `too_large` above `limit`. */
export async function gatherBytes(body: Uint8Array | AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const check = (size: number): void => {
    if (size > limit) throw new FilewrightError('too_large', `The content is larger than the ${limit} bytes of the largest file.`)
  }
  if (body instanceof Uint8Array) {
    check(body.length)
    return new Uint8Array(body)
  }
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    check(size)
    parts.push(new Uint8Array(part))
  }
  return concatBytes(parts)
}
