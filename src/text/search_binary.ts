/** The binary test of C-23, quick for the text that nearly every file is. */
import { BINARY_TEST_BYTES, isBinary } from './utf8.ts'

/** As `isBinary`, on the first bytes of a file. */
export function looksBinary(bytes: Uint8Array): boolean {
  const length = Math.min(bytes.length, BINARY_TEST_BYTES)
  const head = bytes.length === length ? bytes : bytes.subarray(0, length)
  return head.includes(0) || (mayBeControls(head) && isBinary(head))
}

/** False when fewer than 30 % of the bytes are below 0x20: then those that are control characters are fewer still. */
function mayBeControls(head: Uint8Array): boolean {
  // Four bytes at a time, which needs an aligned view.
  const skip = -head.byteOffset & 3
  const words = (head.length - skip) >> 2
  if (words < 8) return true
  const view = new Uint32Array(head.buffer, head.byteOffset + skip, words)
  let printable = 0
  for (let at = 0; at < words; ) {
    // Each of the four counters in `lanes` holds at most 255.
    const stop = Math.min(words, at + 255)
    let lanes = 0
    for (; at < stop; at++) {
      const word = view[at] as number
      // The high bit of a byte is set by adding 0x60 to 0x20 or more, or is there already.
      lanes = (lanes + (((((word & 0x7f7f7f7f) + 0x60606060) | word) >>> 7) & 0x01010101)) | 0
    }
    printable += (lanes & 255) + ((lanes >>> 8) & 255) + ((lanes >>> 16) & 255) + (lanes >>> 24)
  }
  return head.length - printable > head.length * 0.3
}
