/** Edits by whole lines: where they are found, and that nothing else changes. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planWholeLines, type WholeLineEdit } from '../../../src/text/edit/whole_lines.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const edit = (oldText: string, newText: string, line?: number): WholeLineEdit => ({ oldText, newText, line })

function apply(text: string, ...edits: WholeLineEdit[]): string {
  const { bytes, problems } = planWholeLines(utf8(text), edits)
  expect(problems).toEqual([])
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

const problemsOf = (text: string, ...edits: WholeLineEdit[]) => planWholeLines(utf8(text), edits).problems

const TEN = Array.from({ length: 10 }, (_, at) => (at % 3 === 0 ? 'x' : `l${at + 1}`)).join('\n')

describe('where lines are found', () => {
  it('only whole lines count', () => {
    expect(apply('ab\na\n', edit('a', 'c'))).toBe('ab\nc\n')
    expect(problemsOf('ab\n', edit('a', 'c'))).toMatchObject([{ edit: 0, code: 'no_match' }])
  })

  it('at the hint, although others are as good', () => {
    expect(apply(TEN, edit('x', 'HERE', 4)).split('\n')[3]).toBe('HERE')
  })

  it('the nearest within five lines of the hint', () => {
    expect(apply(TEN, edit('x', 'HERE', 5)).split('\n')[3]).toBe('HERE')
    expect(apply(TEN, edit('x', 'HERE', 15)).split('\n')[9]).toBe('HERE')
  })

  it('nowhere when two are as near', () => {
    expect(problemsOf('x\na\nx\n', edit('x', 'y', 2))).toMatchObject([{ code: 'ambiguous_match' }])
  })

  it('anywhere when it is the only one', () => {
    expect(apply(`${'a\n'.repeat(100)}b\n`, edit('b', 'c', 1))).toBe(`${'a\n'.repeat(100)}c\n`)
    expect(apply('a\nb\n', edit('b', 'c'))).toBe('a\nc\n')
  })

  it('nowhere when there are several and the hint is far', () => {
    expect(problemsOf(`x\nx\n${'a\n'.repeat(30)}`, edit('x', 'y', 25))).toMatchObject([{ code: 'ambiguous_match', line: 1 }])
    expect(problemsOf('x\nx\n', edit('x', 'y'))).toMatchObject([{ code: 'ambiguous_match' }])
  })

  it('by the numbers before all edits', () => {
    expect(apply('a\nb\na\n', edit('a', '1\n2\n3', 1), edit('a', 'z', 3))).toBe('1\n2\n3\nb\nz\n')
  })

  it('refuses edits of the same lines, and takes neighbours', () => {
    expect(problemsOf('a\nb\nc\n', edit('a\nb', 'x'), edit('b\nc', 'y'))).toMatchObject([{ edit: 1, code: 'invalid_argument', line: 2 }])
    expect(apply('a\nb\nc\n', edit('b', 'y'), edit('a', 'x'))).toBe('x\ny\nc\n')
  })

  it('tells all problems', () => {
    expect(problemsOf('a\na\n', edit('none', 'x', 2), edit('a', 'x'))).toMatchObject([
      { edit: 0, code: 'no_match', line: 2 },
      { edit: 1, code: 'ambiguous_match' },
    ])
  })
})

describe('what lines become', () => {
  it.each<[string, string, WholeLineEdit, string]>([
    ['a line end after the last line means nothing', 'a\nb\n', edit('a\n', 'x\n'), 'x\nb\n'],
    ['CRLF stays CRLF', 'a\r\nb\r\n', edit('a', 'x\ny'), 'x\r\ny\r\nb\r\n'],
    ['CRLF that is sent means no more than LF', 'a\nb\n', edit('a\r\nb', 'x\r\ny'), 'x\ny\n'],
    ['mixed ends: as the line that is replaced', 'a\nb\r\nc\n', edit('b', 'x\ny'), 'a\nx\r\ny\r\nc\n'],
    ['no end at the end', 'a\nb', edit('b', 'x\ny'), 'a\nx\ny'],
    ['one line without an end', 'a', edit('a', 'x\ny'), 'x\ny'],
    ['empty deletes', 'a\nb\nc\n', edit('b', ''), 'a\nc\n'],
    ['a line end alone is an empty line', 'a\nb\n', edit('a', '\n'), '\nb\n'],
    ['an empty line is found', 'a\n\nb\n', edit('\n', 'x'), 'a\nx\nb\n'],
    ['a byte order mark stays', '\ufeffa\nb\n', edit('a', 'x'), '\ufeffx\nb\n'],
    ['a lone CR is a character', 'a\rb\nc\n', edit('a\rb', 'x'), 'x\nc\n'],
    ['$& is text', 'a\n', edit('a', '$&$1'), '$&$1\n'],
  ])('%s', (_, before, one, after) => {
    expect(apply(before, one)).toBe(after)
  })

  it('bad bytes elsewhere stay', () => {
    const before = new Uint8Array([0x61, 0x0a, 0xff, 0xc3, 0x0a])
    expect([...planWholeLines(before, [edit('a', 'b')]).bytes]).toEqual([0x62, 0x0a, 0xff, 0xc3, 0x0a])
  })

  it('as replacing the lines of a list does', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', '$', '\r', 'é'), maxLength: 3 }).filter((text) => !text.endsWith('\r'))
    const texts = fc.tuple(fc.array(line, { minLength: 1, maxLength: 12 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
    fc.assert(
      fc.property(texts, fc.nat(), fc.array(line, { minLength: 1, maxLength: 3 }), ([lines, eol, ended], pick, fresh) => {
        const at = pick % lines.length
        const old = lines[at] as string
        // A single line without an end shows no style of ends.
        fc.pre(lines.length > 1 || ended)
        // A text that ends in an empty line without an end has no such line.
        fc.pre(!(at === lines.length - 1 && old === '' && !ended) && !(fresh.length === 1 && fresh[0] === ''))
        const before = lines.join(eol) + (ended ? eol : '')
        const [asked, given] = [old === '' ? '\n' : old, fresh.at(-1) === '' ? `${fresh.join('\n')}\n` : fresh.join('\n')]
        const after = [...lines.slice(0, at), ...fresh, ...lines.slice(at + 1)]
        expect(apply(before, edit(asked, given, at + 1))).toBe(after.join(eol) + (ended ? eol : ''))
      }),
    )
  })
})
