/** Lines on bytes: counts, ends, styles, and the block counters behind them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countLines, createLineCounter, eolStyle, lineEnd, lineStart, skipLines, textEnd } from '../../src/text/lines.ts'
import { encodeText } from '../../src/text/utf8.ts'
import { BLOCK_BYTES, type BlockCounter, countLineFeeds, plainCounter, takeCounter } from '../../src/text/window/block_counts.ts'
import { bytes, text } from './arbitraries.ts'

describe('lines', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\n\n', 2],
    ['\n', 1],
    ['a\r\nb', 2],
    ['a\rb\fc\vd\u0085e\u2028f\u2029g', 1],
    ['\ufeff', 1],
  ])('counts %j as %i (C-16)', (input, lines) => {
    expect(countLines(encodeText(input))).toBe(lines)
  })

  it('counts a stream as the whole', () => {
    fc.assert(
      fc.property(fc.array(bytes), (blocks) => {
        const counter = createLineCounter()
        for (const block of blocks) counter.update(block)
        expect(counter.lines()).toBe(countLines(Uint8Array.from(blocks.flatMap((block) => [...block]))))
      }),
    )
  })

  it.each([
    ['a', '\n'],
    ['a\nb\r\n', '\n'],
    ['a\r\nb\r\nc\n', '\r\n'],
    ['a\rb\r', '\n'],
    ['\n\r\n\r\n', '\r\n'],
  ])('knows the style of %j (C-17)', (input, style) => {
    expect(eolStyle(encodeText(input))).toBe(style)
  })

  it('finds where lines begin and end', () => {
    fc.assert(
      fc.property(text, (input) => {
        const all = encodeText(input)
        const lines = input.split(/(?<=\n)/).filter((line) => line !== '')
        let start = 0
        for (const [i, line] of lines.entries()) {
          const end = start + encodeText(line).length
          expect(skipLines(all, i)).toBe(start)
          for (let at = start; at < end; at++) {
            expect(lineStart(all, at)).toBe(start)
            expect(lineEnd(all, at)).toBe(end)
          }
          expect(textEnd(all, start, end)).toBe(start + encodeText(line.replace(/\r?\n$/, '')).length)
          start = end
        }
        expect(skipLines(all, all.filter((byte) => byte === 10).length + 1)).toBe(-1)
      }),
    )
  })
})

describe('block counters', () => {
  const counters: readonly [string, () => BlockCounter][] = [
    ['WebAssembly', takeCounter],
    ['plain', plainCounter],
  ]

  it.each(counters)('%s: counts any length, at any density', (_, create) => {
    const counter = create()
    fc.assert(
      fc.property(
        fc.nat({ max: 9000 }),
        fc.constantFrom([10], [10, 97], [97, 195, 169], [10, 128, 255, 127, 11], [9, 10, 11, 12, 13, 14, 31, 32, 1], [1, 0], [97]),
        (length, pattern) => {
          counter.block.fill(10)
          for (let i = 0; i < length; i++) counter.block[i] = pattern[i % pattern.length] as number
          const used = counter.block.slice(0, length)
          expect(counter.lines(length)).toEqual({
            count: used.filter((byte) => byte === 10).length,
            ascii: used.every((byte) => byte < 128),
          })
          expect(counter.continuations(length)).toBe(used.filter((byte) => byte >= 128 && byte < 192).length)
          const controls = used.filter((byte) => byte < 32 && ![9, 10, 13].includes(byte))
          expect(counter.controls(length)).toEqual({ count: controls.length, nul: controls.includes(0) })
        },
      ),
      { numRuns: 50 },
    )
    counter.block.fill(10)
    expect(counter.lines(BLOCK_BYTES)).toEqual({ count: BLOCK_BYTES, ascii: true })
    counter.block.fill(0xbf)
    expect(counter.continuations(BLOCK_BYTES)).toBe(BLOCK_BYTES)
  })

  it('uses WebAssembly where there is one', () => {
    // Its memory is the one kind of buffer that cannot be handed over.
    const { buffer } = takeCounter().block
    expect(() => structuredClone(buffer, { transfer: [buffer as ArrayBuffer] })).toThrow()
  })

  it('counts bytes longer than a block', () => {
    const many = new Uint8Array(BLOCK_BYTES * 2 + 77).fill(10)
    expect(countLineFeeds(many)).toBe(many.length)
  })
})
