/** Lines found by what they say: as a comparison of every place tells, and in time that does not grow with their product. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planWholeLines } from '../../src/text/edit/whole_lines.ts'
import { createLineTable, indexAtOrAfter, PASSES } from '../../src/text/line_table.ts'
import { parseEnvelope } from '../../src/text/patch/envelope.ts'
import { planHunks } from '../../src/text/patch/hunks.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('runs of lines', () => {
  it('are found where each of their lines is, and nowhere else', () => {
    const line = fc.constantFrom('a', 'b', ' a', 'a ', '')
    const some = fc.array(line, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), some, fc.nat(5), fc.constantFrom(...PASSES), (lines, run, from, pass) => {
        const alike = (one: string): string => (pass === 'exact' ? one : pass === 'trailing_white_space' ? one.trimEnd() : one.trim())
        const fits = (at: number, count: number): boolean =>
          run.slice(0, count).every((wanted, i) => at + i < lines.length && alike(lines[at + i] as string) === alike(wanted))
        const table = createLineTable(encode(lines.map((text) => `${text}\n`).join('')))
        const starts = lines.flatMap((_, at) => (at >= from && fits(at, run.length) ? [at] : []))
        const most = Math.max(0, ...run.map((_, i) => (lines.some((_, at) => fits(at, i + 1)) ? i + 1 : 0)))
        expect([...table.find(run, pass, from)]).toEqual(starts)
        expect(table.longest(run, pass)).toBe(most)
      }),
    )
  })

  it('a line that is not UTF-8 is like no other', () => {
    const table = createLineTable(new Uint8Array([0xff, 0x0a, 0x61, 0x0a, 0xff, 0x0a]))
    expect([...table.find(['a'], 'exact', 0)]).toEqual([1])
    expect([...table.find(['\ufffd'], 'exact', 0)]).toEqual([])
  })

  it('ascending numbers are searched', () => {
    expect([0, 1, 2, 4, 5, 9].map((least) => indexAtOrAfter([1, 4, 4, 8], least))).toEqual([0, 0, 1, 1, 3, 4])
  })
})

/** How many times longer `work` takes for ten times as much: about 10 where it grows evenly, 100 where with the square. */
function growth(work: (size: number) => void): number {
  const timeOf = (size: number): number => {
    const start = performance.now()
    work(size)
    return performance.now() - start
  }
  work(500)
  const small = Math.min(timeOf(500), timeOf(500), timeOf(500))
  return timeOf(5000) / Math.max(small, 0.5)
}

const numbered = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i}\n`).join('')

describe('many edits of a long text', () => {
  it('by whole lines', { retry: 2 }, () => {
    const ratio = growth((size) => {
      const edits = Array.from({ length: size }, (_, i) => ({ oldText: `line ${i * 4}`, newText: `new ${i}` }))
      expect(planWholeLines(encode(numbered(size * 4)), edits).problems).toEqual([])
    })
    expect(ratio).toBeLessThan(50)
  })

  it('by hunks', { retry: 2 }, () => {
    const ratio = growth((size) => {
      const hunks = Array.from({ length: size }, (_, i) => `@@\n line ${i * 4}\n-line ${i * 4 + 1}\n+new`).join('\n')
      const [update] = parseEnvelope(`*** Begin Patch\n*** Update File: f\n${hunks}\n*** End Patch`)
      if (update?.kind !== 'update') throw new Error('no update')
      expect(planHunks(encode(numbered(size * 4)), update.hunks, 1e9).ok).toBe(true)
    })
    expect(ratio).toBeLessThan(50)
  })
})
