/** The binary test of C-23 for many files in a row. */
import { giveCounter, takeCounter } from './block_counts.ts'
import { BINARY_TEST_BYTES } from './utf8.ts'

/** A test that answers as `isBinary` does, and the way to end its use. */
export interface BinaryTest {
  looksBinary(bytes: Uint8Array): boolean
  close(): void
}

export function createBinaryTest(): BinaryTest {
  const counter = takeCounter()
  return {
    looksBinary(bytes) {
      const length = Math.min(bytes.length, BINARY_TEST_BYTES)
      counter.block.set(length === bytes.length ? bytes : bytes.subarray(0, length))
      const { count, nul } = counter.controls(length)
      return nul || count > length * 0.3
    },
    close: () => giveCounter(counter),
  }
}
