/** Byte search and comparison against plain definitions. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../src/core/bytes.ts'
import { commonPrefix, commonSuffix, equalBytes, indexOfBytes, linearSearch } from '../../src/text/bytes.ts'

const few = fc.uint8Array({ max: 2, maxLength: 60 })

function slowIndexOf(bytes: Uint8Array, needle: Uint8Array, from: number): number {
  for (let at = from; at + needle.length <= bytes.length; at++) if (needle.every((byte, i) => bytes[at + i] === byte)) return at
  return -1
}

describe('bytes', () => {
  it('finds what a plain loop finds', () => {
    fc.assert(
      fc.property(few, fc.uint8Array({ max: 2, minLength: 1, maxLength: 5 }), fc.nat({ max: 20 }), (bytes, needle, from) => {
        expect(indexOfBytes(bytes, needle, from)).toBe(slowIndexOf(bytes, needle, from))
        expect(linearSearch(needle)(bytes, from)).toBe(slowIndexOf(bytes, needle, from))
      }),
    )
  })

  it('finds nothing by an empty needle', () => {
    expect(indexOfBytes(Uint8Array.of(1), new Uint8Array(0))).toBe(-1)
  })

  it.each([
    ['at the end', (n: Uint8Array) => concatBytes([new Uint8Array(10_000), n]), 10_000],
    ['after a near miss', (n: Uint8Array) => concatBytes([n.subarray(0, -1), Uint8Array.of(9), n]), 2000],
    ['nowhere', () => new Uint8Array(10_000), -1],
  ])('finds a long needle %s', (_, bytes, at) => {
    const needle = Uint8Array.from({ length: 2000 }, (__, i) => (i % 251) + 1)
    expect(indexOfBytes(bytes(needle), needle)).toBe(at)
  })

  it('finds a long needle among its own beginnings in linear time', () => {
    // A search that starts anew at each place would look at 10^11 bytes.
    const needle = new Uint8Array(200_000).fill(97)
    needle[needle.length - 1] = 98
    const bytes = concatBytes([new Uint8Array(1_000_000).fill(97), needle])
    expect(indexOfBytes(bytes, needle)).toBe(1_000_000)
    needle[0] = 98
    needle[needle.length - 1] = 97
    expect(indexOfBytes(bytes, needle)).toBe(-1)
  })

  it('measures equal beginnings and ends of any length', () => {
    fc.assert(
      fc.property(fc.nat({ max: 20_000 }), fc.nat({ max: 20_000 }), fc.nat({ max: 50 }), (same, more, shift) => {
        const part = Uint8Array.from({ length: same }, (_, i) => (i * 7) & 255)
        const a = concatBytes([new Uint8Array(shift), part, Uint8Array.of(1), new Uint8Array(more % 9000)])
        const b = concatBytes([part, Uint8Array.of(2), new Uint8Array(more)])
        expect(commonPrefix(a, b, shift, 0)).toBe(same)
        const [c, d] = [a.toReversed(), b.toReversed()]
        expect(commonSuffix(c.subarray(0, c.length - shift), d, Math.min(c.length - shift, d.length))).toBe(same)
      }),
      { numRuns: 50 },
    )
    expect(commonSuffix(Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 3), 2)).toBe(2)
    expect(equalBytes(Uint8Array.of(1), Uint8Array.of(1, 2))).toBe(false)
    expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true)
  })
})
