/** Line differences: right for every pair, shortest for small ones, bounded for hostile ones. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../../src/core/bytes.ts'
import { compareSequences } from '../../../src/core/myers.ts'
import { equalBytes } from '../../../src/text/bytes.ts'
import { diffLines, diffSpans, type LineEdit } from '../../../src/text/diff/diff.ts'
import { countLines } from '../../../src/text/lines.ts'
import { encodeText } from '../../../src/text/utf8.ts'
import { linesText } from '../arbitraries.ts'

/** The new text, made of the old one and the edits alone. Fails where an edit contradicts itself. */
function apply(a: Uint8Array, b: Uint8Array, edits: readonly LineEdit[]): Uint8Array {
  const parts: Uint8Array[] = []
  let [oldAt, newAt] = [0, 0]
  for (const [i, edit] of edits.entries()) {
    expect(edit.oldStart - oldAt).toBe(edit.newStart - newAt)
    if (i > 0) expect(edit.oldStart).toBeGreaterThan(oldAt)
    expect(countLines(a.subarray(0, edit.oldStart))).toBe(edit.oldLine)
    expect(countLines(b.subarray(0, edit.newStart))).toBe(edit.newLine)
    expect(countLines(a.subarray(edit.oldStart, edit.oldEnd))).toBe(edit.oldLines)
    expect(countLines(b.subarray(edit.newStart, edit.newEnd))).toBe(edit.newLines)
    parts.push(a.subarray(oldAt, edit.oldStart), b.subarray(edit.newStart, edit.newEnd))
    oldAt = edit.oldEnd
    newAt = edit.newEnd
  }
  parts.push(a.subarray(oldAt))
  return concatBytes(parts)
}

const changedLines = (edits: readonly LineEdit[]): number => edits.reduce((sum, edit) => sum + edit.oldLines + edit.newLines, 0)

/** Length of the shortest edit by the textbook table. */
function shortest(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (const [i, line] of a.entries()) {
    const next = [i + 1]
    for (const [j, other] of b.entries()) {
      next.push(line === other ? (row[j] as number) : 1 + Math.min(row[j + 1] as number, next[j] as number))
    }
    row = next
  }
  return row[b.length] as number
}

const split = (text: string): string[] => text.split(/(?<=\n)/).filter((line) => line !== '')
const random = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

describe('diffLines', () => {
  it('leads from one text to the other by the fewest lines', () => {
    fc.assert(
      fc.property(linesText, linesText, (left, right) => {
        const [a, b] = [encodeText(left), encodeText(right)]
        const edits = diffLines(a, b)
        expect(equalBytes(apply(a, b, edits), b)).toBe(true)
        expect(changedLines(edits)).toBe(shortest(split(left), split(right)))
      }),
      { numRuns: 500 },
    )
  })

  it('has nothing to say about equal texts', () => {
    for (const text of ['', 'a', 'a\n', 'a\r\nb']) expect(diffLines(encodeText(text), encodeText(text))).toEqual([])
  })

  it.each([
    ['an inserted repetition, at its end', 'x\na\ny\n', 'x\na\na\ny\n', [{ oldLine: 2, newLine: 2, newLines: 1 }]],
    ['a block inserted between equal blocks', '{\n}\n', '{\n}\n{\n}\n', [{ oldLine: 2, newLines: 2 }]],
    [
      'an insertion after other edits, at its end',
      '1\nX\n2\nB\nB\n',
      '1\nY\n2\nB\nB\nB\n',
      [{ oldLine: 1 }, { oldLine: 5, newLine: 5, newLines: 1 }],
    ],
    ['the end of the last line', 'a\nb', 'a\nb\n', [{ oldLine: 1, oldLines: 1, newLines: 1 }]],
  ])('places %s', (_, left, right, expected) => {
    expect(diffLines(encodeText(left), encodeText(right))).toMatchObject(expected)
  })

  it('gives a right answer, the same each time, where too much differs to find the shortest', () => {
    const next = random(7)
    const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`)
    const shuffled = lines.toSorted(() => next() - 0.5)
    const few = () => encodeText(Array.from({ length: 20_000 }, () => `${Math.floor(next() * 50)}\n`).join(''))
    const pairs = [
      [encodeText(lines.join('')), encodeText(shuffled.join(''))],
      [few(), few()],
      [encodeText('a\n'.repeat(60_000)), encodeText('b\na\n'.repeat(30_000))],
    ] as const
    for (const [a, b] of pairs) {
      const edits = diffLines(a, b)
      expect(equalBytes(apply(a, b, edits), b)).toBe(true)
      expect(diffLines(a, b)).toEqual(edits)
    }
  }, 30_000)

  it('numbers lines fast that are written to collide', () => {
    // All of one length and, in a hash of the usual kind, of one value.
    const line = (bits: number): string => Array.from({ length: 17 }, (_, i) => ((bits >> i) & 1 ? 'Aa' : 'BB')).join('')
    const lines = Array.from({ length: 100_000 }, (_, bits) => `${line(bits)}\n`)
    const [a, b] = [encodeText(lines.join('')), encodeText(lines.toReversed().join(''))]
    expect(equalBytes(apply(a, b, diffLines(a, b)), b)).toBe(true)
  }, 30_000)

  it('replaces the whole when there are too many lines to number', () => {
    const [a, b] = [new Uint8Array(2_000_000).fill(10), encodeText(`x${'\n\r'.repeat(1_500_000)}`)]
    const edits = diffLines(a, b)
    expect(edits).toMatchObject([{ oldLines: 2_000_000, newLines: 1_500_001 }])
    expect(equalBytes(apply(a, b, edits), b)).toBe(true)
  })
})

describe('diffSpans', () => {
  it('gives what comparing the whole gives, from the spans alone', () => {
    const splice = fc.tuple(fc.nat({ max: 80 }), fc.nat({ max: 12 }), linesText)
    fc.assert(
      fc.property(linesText, fc.array(splice, { maxLength: 4 }), (left, splices) => {
        const a = encodeText(left)
        const parts: Uint8Array[] = []
        const spans = []
        let [oldAt, newAt] = [0, 0]
        for (const [skip, length, text] of splices) {
          const start = Math.min(a.length, oldAt + skip)
          const end = Math.min(a.length, start + length)
          const bytes = encodeText(text)
          parts.push(a.subarray(oldAt, start), bytes)
          const newStart = newAt + start - oldAt
          spans.push({ oldStart: start, oldEnd: end, newStart, newEnd: newStart + bytes.length })
          oldAt = end
          newAt = newStart + bytes.length
        }
        parts.push(a.subarray(oldAt))
        const b = concatBytes(parts)
        expect(equalBytes(apply(a, b, diffSpans(a, b, spans)), b)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

describe('compareSequences', () => {
  it('marks what only one side has, also beyond its limit', () => {
    const next = random(3)
    for (const [length, values] of [
      [10, 3],
      [300, 2],
      [5000, 400],
    ] as const) {
      const a = Int32Array.from({ length }, () => Math.floor(next() * values))
      const b = Int32Array.from({ length }, () => Math.floor(next() * values))
      const [onlyA, onlyB] = [new Set<number>(), new Set<number>()]
      compareSequences(a, b, { a: (index) => void onlyA.add(index), b: (index) => void onlyB.add(index) })
      expect(a.filter((_, i) => !onlyA.has(i))).toEqual(b.filter((_, i) => !onlyB.has(i)))
    }
  })
})
