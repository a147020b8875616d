/** Bytes that come in pieces, taken in the sizes that a protocol asks for. */
import { allocate } from '../../core/bytes.ts'

/** Reads a body piece by piece. At most one piece is held. */
export interface BytesIn {
  /** Exactly `length` bytes; null when the body ended before the first of them. Throws what `cut` makes when it ends within them. */
  take(length: number): Promise<Uint8Array | null>
  /** Gives the rest up. */
  close(): Promise<void>
}

/** A reader of `source`; `cut` is the error for a body that ends in the middle. */
export function createBytesIn(source: AsyncIterable<Uint8Array>, cut: () => Error): BytesIn {
  const iterator = source[Symbol.asyncIterator]()
  let piece: Uint8Array = new Uint8Array(0)
  let at = 0

  /** Whether there is at least one byte. */
  async function fill(): Promise<boolean> {
    while (at === piece.length) {
      const next = await iterator.next()
      if (next.done) return false
      piece = next.value
      at = 0
    }
    return true
  }

  return {
    async take(length) {
      if (length === 0) return new Uint8Array(0)
      if (!(await fill())) return null
      if (piece.length - at >= length) {
        at += length
        return piece.subarray(at - length, at)
      }
      const bytes = allocate(length)
      for (let filled = 0; filled < length; ) {
        if (!(await fill())) throw cut()
        const part = piece.subarray(at, at + length - filled)
        bytes.set(part, filled)
        filled += part.length
        at += part.length
      }
      return bytes
    },
    async close() {
      await iterator.return?.()
    },
  }
}
