/** The quick test of text answers as the plain ones do. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Hash } from '../../src/core/hash.ts'
import { createTextTest } from '../../src/text/text_test.ts'
import { isBinary, isUtf8 } from '../../src/text/utf8.ts'
import { type BlockCounter, plainCounter, takeCounter } from '../../src/text/window/block_counts.ts'

const bytes = fc
  .tuple(
    fc.nat({ max: 9000 }),
    fc.constantFrom([97], [97, 97, 1], [97, 97, 97, 1], [9, 10, 13], [1], [31, 32], [127, 255, 15, 16], [0xc3, 0xa9]),
    fc.nat(),
  )
  .map(([length, pattern, nul]) => Uint8Array.from({ length }, (_, i) => (i === nul ? 0 : (pattern[i % pattern.length] as number))))

test('as isBinary and isUtf8', () => {
  const { isText, close } = createTextTest()
  fc.assert(fc.property(bytes, (content) => isText(content, null) === (!isBinary(content) && isUtf8(content))))
  // Three of ten is exactly 30 %.
  for (const controls of [3, 4]) {
    const content = Uint8Array.from({ length: 10 }, (_, i) => (i < controls ? 1 : 97))
    expect(isText(content, null)).toBe(controls === 3)
  }
  expect(isText(new Uint8Array(), null)).toBe(true)
  close()
})

test('what a hash stands for is tested once', () => {
  const { isText, close } = createTextTest()
  const [good, bad] = ['1'.repeat(64) as Hash, '2'.repeat(64) as Hash]
  expect(isText(Uint8Array.of(97), good)).toBe(true)
  expect(isText(Uint8Array.of(0), bad)).toBe(false)
  // These bytes do not have the hash: only a known answer can be true.
  expect(isText(Uint8Array.of(0), good)).toBe(true)
  expect(isText(Uint8Array.of(97), bad)).toBe(true)
  close()
})

test.each<[string, () => BlockCounter]>([
  ['WebAssembly', takeCounter],
  ['plain', plainCounter],
])('%s counts control characters', (_, create) => {
  const counter = create()
  counter.block.fill(0)
  counter.block.set(Uint8Array.from({ length: 256 }, (_, i) => i))
  // 32 characters, three of which are white space; the zeros behind them are not looked at.
  expect(counter.controls(256)).toEqual({ count: 29, nul: true })
  counter.block[0] = 1
  expect(counter.controls(255)).toEqual({ count: 29, nul: false })
  counter.block.fill(1)
  expect(counter.controls(counter.block.length)).toEqual({ count: counter.block.length, nul: false })
})
