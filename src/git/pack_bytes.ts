/** The bytes of a pack, read in blocks that are kept for a while. */
import type { CachePart } from './byte_cache.ts'
import type { GitFile } from './files.ts'
import { type Steps, settled } from './steps.ts'

/** Reads parts of one file. */
export interface PackBytes {
  /** Where the pack's own checksum begins: all objects end before it. */
  readonly end: number
  /** At least `length` bytes from `offset` on, where they were just read; else null. */
  near(offset: number, length: number): Uint8Array | null
  /** At least `length` bytes from `offset` on, or as many as there are before `end`. */
  at(offset: number, length: number): Steps<Uint8Array>
  /** All bytes from `offset` on, as they are taken. */
  from(offset: number): AsyncGenerator<Uint8Array>
}

const BLOCK = 64 * 1024
const LARGE_BLOCK = 1024 * 1024

/** Reads a pack that ends with a checksum of `trailer` bytes. */
export function createPackBytes(file: GitFile, trailer: number, cache: CachePart<Uint8Array>): PackBytes {
  const end = file.size - trailer
  let last: Uint8Array = new Uint8Array(0)
  let lastStart = 0

  function* block(number: number): Steps<Uint8Array> {
    const kept = cache.get(number)
    if (kept) return kept
    const start = number * BLOCK
    const bytes = yield* settled(file.read(start, Math.max(0, Math.min(BLOCK, end - start))))
    cache.set(number, bytes, bytes.length)
    return bytes
  }

  return {
    end,
    near(offset, length) {
      const inLast = offset - lastStart
      return inLast >= 0 && inLast + length <= last.length ? last.subarray(inLast) : null
    },
    *at(offset, length) {
      const number = Math.floor(offset / BLOCK)
      const start = number * BLOCK
      const isWithin = Math.min(offset + length, end) <= start + BLOCK
      if (!isWithin) return yield* settled(file.read(offset, Math.min(length, end - offset)))
      const bytes = yield* block(number)
      last = bytes
      lastStart = start
      return bytes.subarray(offset - start)
    },
    async *from(offset) {
      for (let at = offset; at < end; ) {
        const bytes = await file.read(at, Math.min(LARGE_BLOCK, end - at))
        if (bytes.length === 0) return
        yield bytes
        at += bytes.length
      }
    },
  }
}
