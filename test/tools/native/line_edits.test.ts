/** Edits by lines: equal to an edit of a list of lines, and no byte changes outside of them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LineAddress, planLineEdits } from '../../../src/tools/native/line_edits.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const edited = (text: string, ...edits: readonly Omit<LineAddress, 'at'>[]): string =>
  decoder.decode(
    planLineEdits(
      encoder.encode(text),
      edits.map((edit) => ({ ...edit, at: 'edit' })),
    ).bytes,
  )

describe('edits by lines', () => {
  it.each<[name: string, before: string, edit: Omit<LineAddress, 'at'>, expected: string]>([
    ['a line', 'a\nb\nc\n', { start: 2, end: 2, text: 'B' }, 'a\nB\nc\n'],
    ['lines by more', 'a\nb\nc\n', { start: 1, end: 2, text: 'x\ny\nz\n' }, 'x\ny\nz\nc\n'],
    ['lines by none', 'a\nb\nc\n', { start: 2, end: 3, text: '' }, 'a\n'],
    ['the last line, which is open', 'a\nb', { start: 2, end: 2, text: 'B' }, 'a\nB'],
    ['nothing, at the beginning', 'a\n', { start: 1, end: 0, text: 'x' }, 'x\na\n'],
    ['nothing, at the end', 'a\n', { start: 2, end: 1, text: 'x' }, 'a\nx\n'],
    ['nothing, after an open line', 'a', { start: 2, end: 1, text: 'x' }, 'a\nx'],
    ['nothing, in an empty file', '', { start: 1, end: 0, text: 'x' }, 'x\n'],
    ['a line that ends in CRLF', 'a\r\nb\r\n', { start: 1, end: 1, text: 'x\ny' }, 'x\r\ny\r\nb\r\n'],
    ['a line behind a byte order mark', '\ufeffa\nb\n', { start: 1, end: 1, text: 'x' }, '\ufeffx\nb\n'],
  ])('replaces %s', (_, before, edit, expected) => {
    expect(edited(before, edit)).toBe(expected)
  })

  it('goes on after what another edit left at an open end', () => {
    const gone = { start: 2, end: 2, text: '' }
    const after = { start: 3, end: 2, text: 'c' }
    expect(edited('a\nb', gone, after)).toBe('a\nc')
    expect(edited('a\nb', { ...gone, text: 'B' }, after)).toBe('a\nB\nc')
    expect(edited('a\nb', { ...gone, text: 'B\n' }, after)).toBe('a\nB\nc')
    expect(edited('a\nb\n', gone, after)).toBe('a\nc\n')
    expect(edited('b', { start: 1, end: 1, text: '' }, { start: 2, end: 1, text: 'c' })).toBe('c')
  })

  it('walks once through a large text, however many edits there are', () => {
    const count = 20_000
    const line = `${'x'.repeat(99)}\n`
    const edits = Array.from({ length: count }, (_, at) => ({ start: at + 1, end: at + 1, text: `${at}` }))
    // Looking for each line from the beginning takes a minute.
    expect(edited(line.repeat(count), ...edits)).toBe(edits.map(({ text }) => `${text}\n`).join(''))
  })

  it('refuses lines that are not there, and overlaps', () => {
    expect(() => edited('a\nb\n', { start: 2, end: 3, text: '' })).toThrow(/2 lines/)
    expect(() => edited('a\n', { start: 3, end: 2, text: '' })).toThrow(/1 lines/)
    expect(() => edited('a\nb\n', { start: 1, end: 2, text: '' }, { start: 2, end: 2, text: '' })).toThrow(/another edit/)
  })

  it('is an edit of a list of lines, by the numbers before it', () => {
    const whole = (list: readonly string[]): string => list.map((one) => `${one}\n`).join('')
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '\r', '\t'), maxLength: 3 }).map((text) => text.replace(/\r$/, ''))
    const lines = fc.array(line, { minLength: 1, maxLength: 12 })
    const edits = fc.array(fc.record({ skip: fc.nat(3), take: fc.nat(3), text: fc.array(line, { minLength: 1, maxLength: 3 }) }), {
      maxLength: 4,
    })
    fc.assert(
      fc.property(lines, edits, (before, wished) => {
        const addresses: LineAddress[] = []
        const expected: string[] = []
        let at = 0
        for (const { skip, take, text } of wished) {
          const start = at + skip
          const end = start + Math.max(take, 1)
          if (end > before.length) break
          expected.push(...before.slice(at, start), ...text)
          addresses.push({ start: start + 1, end, text: whole(text), at: 'edit' })
          at = end
        }
        expected.push(...before.slice(at))
        const { bytes } = planLineEdits(encoder.encode(whole(before)), addresses.toReversed())
        expect(decoder.decode(bytes)).toBe(whole(expected))
      }),
    )
  })
})
