/** Which files a search reads as text: not binary (C-23), and valid UTF-8. Quick for many files in a row. */
import type { Hash } from '../core/hash.ts'
import { BINARY_TEST_BYTES, isUtf8 } from './utf8.ts'
import { giveCounter, takeCounter } from './window/block_counts.ts'

/** A test of files, and the way to end its use. */
export interface TextTest {
  /** `hash` is that of the bytes, where the storage knows it without reading. */
  isText(bytes: Uint8Array, hash: Hash | null): boolean
  close(): void
}

// What a hash stands for never changes, so what is known of it holds for every storage.
const texts = new Set<Hash>()
const MOST_TEXTS = 100_000

export function createTextTest(): TextTest {
  const counter = takeCounter()
  const isBinary = (bytes: Uint8Array): boolean => {
    const length = Math.min(bytes.length, BINARY_TEST_BYTES)
    counter.block.set(length === bytes.length ? bytes : bytes.subarray(0, length))
    const { count, nul } = counter.controls(length)
    return nul || count > length * 0.3
  }
  return {
    isText(bytes, hash) {
      if (hash !== null && texts.has(hash)) return true
      const text = !isBinary(bytes) && isUtf8(bytes)
      if (text && hash !== null) {
        if (texts.size === MOST_TEXTS) texts.clear()
        texts.add(hash)
      }
      return text
    },
    close: () => giveCounter(counter),
  }
}
