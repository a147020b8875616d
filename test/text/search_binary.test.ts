/** The quick binary test answers as the plain one does. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BlockCounter, plainCounter, takeCounter } from '../../src/text/block_counts.ts'
import { createBinaryTest } from '../../src/text/search_binary.ts'
import { isBinary } from '../../src/text/utf8.ts'

const bytes = fc
  .tuple(
    fc.nat({ max: 9000 }),
    fc.constantFrom([97], [97, 97, 1], [97, 97, 97, 1], [9, 10, 13], [1], [31, 32], [127, 255, 15, 16]),
    fc.nat(),
  )
  .map(([length, pattern, nul]) => Uint8Array.from({ length }, (_, i) => (i === nul ? 0 : (pattern[i % pattern.length] as number))))

test('as isBinary', () => {
  const { looksBinary, close } = createBinaryTest()
  fc.assert(fc.property(bytes, (content) => looksBinary(content) === isBinary(content)))
  // One of ten is exactly at, one just above 30 %.
  for (const controls of [3, 4]) {
    const content = Uint8Array.from({ length: 10 }, (_, i) => (i < controls ? 1 : 97))
    expect(looksBinary(content)).toBe(controls > 3)
  }
  expect(looksBinary(new Uint8Array())).toBe(false)
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
