/** What the text algorithms must give on every platform: with and without Buffer, and where WebAssembly cannot be compiled. */
import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../src/core/bytes.ts'
import { commonPrefix, commonSuffix, indexOfBytes } from '../../src/text/bytes.ts'
import { unifiedDiff } from '../../src/text/diff/unified.ts'
import { planEdits } from '../../src/text/edit/edit.ts'
import { decodeLossy, decodeStrict, encodeText, isUtf8 } from '../../src/text/utf8.ts'
import { type BlockCounter, countContinuations, countLineFeeds, plainCounter, takeCounter } from '../../src/text/window/block_counts.ts'
import { readFacts } from '../../src/text/window/text_facts.ts'
import { readWindow } from '../../src/text/window/window.ts'
import { readerOf } from './reader.ts'

const TEXT = 'a line\nézwei\r\n漢字 😀\n\n'
const MANY: Uint8Array = encodeText(TEXT.repeat(20_000))

/** Runs the suite; `compiles` says whether this platform compiles WebAssembly at run time. */
export function portableSuite(compiles: boolean): void {
  describe('text algorithms here', () => {
    it('count in blocks', () => {
      const same = (counter: BlockCounter) => [counter.lines.toString(), counter.continuations.toString()]
      expect(same(takeCounter()).join() !== same(plainCounter()).join()).toBe(compiles)
      expect(countLineFeeds(MANY)).toBe(80_000)
      expect(countContinuations(MANY)).toBe(MANY.length - 20_000 * [...TEXT].length)
    })

    it('find, compare and join bytes', () => {
      const needle = encodeText('字 😀\n\na line\nX')
      const bytes = concatBytes([MANY, needle, MANY])
      expect(indexOfBytes(bytes, needle)).toBe(MANY.length)
      expect(indexOfBytes(bytes, encodeText('Y'))).toBe(-1)
      expect(indexOfBytes(bytes, concatBytes([MANY.subarray(-2000), needle]))).toBe(MANY.length - 2000)
      expect(commonPrefix(bytes, MANY)).toBe(MANY.length)
      expect(commonSuffix(bytes, MANY, MANY.length)).toBe(MANY.length)
    })

    it('decode', () => {
      expect(isUtf8(MANY)).toBe(true)
      expect(decodeStrict(MANY, 'a').length).toBe(20_000 * TEXT.length)
      expect(decodeLossy(Uint8Array.of(0x61, 0xe6, 0xbc, 0xff, 0x62))).toEqual({ text: 'a\ufffd\ufffdb', replaced: true })
      expect(() => decodeStrict(Uint8Array.of(0x61, 0xff), 'a')).toThrowError(expect.objectContaining({ details: { offset: 1 } }))
    })

    it('read windows', async () => {
      const facts = await readFacts(readerOf(MANY, { late: true }))
      expect(facts).toMatchObject({ totalLines: 80_000, totalChars: 20_000 * [...TEXT].length, validUtf8: true })
      const window = await readWindow(readerOf(MANY), facts, { kind: 'lines', start: 79_998 })
      expect(window).toMatchObject({ content: '79998\tézwei\n79999\t漢字 😀\n80000\t', eof: true })
      const chars = await readWindow(readerOf(MANY), facts, { kind: 'chars', offset: 10_000 * [...TEXT].length + 14, limit: 5 })
      expect(chars.content).toBe('漢字 😀\n')
    })

    it('edit and compare', () => {
      const item = { oldText: 'X', newText: 'Y', replaceAll: false, requireUnique: true }
      const before = concatBytes([MANY, encodeText('X\n'), MANY])
      const plan = planEdits(before, [item], { ignoreWhitespace: false, confusables: false, maxCandidates: 3, maxBytes: 1e9 })
      if (!plan.ok) throw new Error('It was refused.')
      const { text } = unifiedDiff(before, plan.bytes, { oldPath: 'a', newPath: 'a', context: 1 })
      expect(text).toBe('--- a/a\n+++ b/a\n@@ -80000,3 +80000,3 @@\n \n-X\n+Y\n a line\n')
    })
  })
}
