/** Texts in the bytes of a file: found where Node finds them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { haystackOf, needleOf } from '../../../src/text/search/haystack.ts'

const bytes = (maxLength: number) =>
  fc.array(fc.constantFrom(0, 10, 32, 97, 101, 128, 255), { maxLength }).map((list) => Uint8Array.from(list))

test('every needle, from every place', () => {
  fc.assert(
    fc.property(bytes(200), fc.array(bytes(5), { minLength: 1, maxLength: 3 }), (text, needles) => {
      const haystack = haystackOf(text)
      for (const each of needles) {
        const needle = needleOf(each)
        for (let from = 0; from <= text.length; from++) {
          expect(haystack.indexOf(needle, from)).toBe(each.length === 0 ? -1 : Buffer.from(text).indexOf(each, from))
        }
      }
    }),
    { numRuns: 500 },
  )
})

test('what another text left behind is not found', () => {
  haystackOf(new TextEncoder().encode('xxxxneedle'))
  const needle = needleOf(new TextEncoder().encode('needle'))
  expect(haystackOf(new TextEncoder().encode('xxxx')).indexOf(needle, 0)).toBe(-1)
  expect(haystackOf(new TextEncoder().encode('xxxxneed')).indexOf(needle, 0)).toBe(-1)
})

test('a text answers after another one was taken, and whatever its size', () => {
  const large = new Uint8Array(300_000).fill(97)
  large.set([101, 2, 3], 299_990)
  const [needle, small] = [needleOf(Uint8Array.of(101, 2, 3)), haystackOf(Uint8Array.of(0, 101, 2, 3))]
  expect(haystackOf(large).indexOf(needle, 0)).toBe(299_990)
  expect(haystackOf(Uint8Array.of(9)).indexOf(needle, 0)).toBe(-1)
  expect(small.indexOf(needle, 0)).toBe(1)
})

test('in a large text, wherever its parts are cut', () => {
  const needle = needleOf(Uint8Array.of(101, 2, 3))
  for (const place of [0, 4093, 4094, 4095, 4096, 20_476, 20_477, 20_478, 299_997]) {
    const large = new Uint8Array(300_000).fill(97)
    large.set([101, 2, 3], place)
    const haystack = haystackOf(large)
    expect(haystack.indexOf(needle, 0), `${place}`).toBe(place)
    expect(haystack.indexOf(needle, place + 1)).toBe(-1)
  }
})

test('a needle of any length, at the very end', () => {
  for (const length of [1, 2, 15, 16, 17, 63, 64, 65, 300]) {
    const needle = Uint8Array.from({ length }, (_, i) => (i === 0 ? 101 : 1 + ((i * 7) % 250)))
    for (const before of [0, 1, 15, 16, 262_144 - length]) {
      const text = new Uint8Array(before + length)
      text.set(needle, before)
      expect(haystackOf(text).indexOf(needleOf(needle), 0), `${length} after ${before}`).toBe(before)
    }
  }
})
