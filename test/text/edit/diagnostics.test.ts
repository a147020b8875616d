/** Why an edit does not fit: causes, nearest regions and differences, in bounded work (P-56). */
import { describe, expect, it } from 'vitest'
import { alignWithin } from '../../../src/text/diff/align.ts'
import type { Cause } from '../../../src/text/edit/cause.ts'
import { type EditDiagnostic, explainMissing } from '../../../src/text/edit/diagnostics.ts'
import { describeDifference } from '../../../src/text/edit/difference.ts'
import { encodeText } from '../../../src/text/utf8.ts'

function missing(
  file: string | Uint8Array,
  oldText: string,
  more: { newText?: string; most?: number; start?: number } = {},
): EditDiagnostic {
  const bytes = typeof file === 'string' ? encodeText(file) : file
  const range = { start: more.start ?? 0, end: bytes.length }
  return explainMissing(bytes, 0, { oldText, newText: more.newText ?? 'something new' }, range, more.most ?? 3)
}

const CODE = `function total(order) {
\tlet sum = 0
\tfor (const item of order.items) {
\t\tsum += item.price * item.count
\t}
\treturn sum
}

function print(order) {
\tconsole.log("Total:", total(order))
}
`

describe('the cause', () => {
  it.each<[Cause, string, string]>([
    ['indentation', CODE, '    let sum = 0\n    for (const item of order.items) {'],
    ['trailing_blanks', 'a = 1  \nb = 2\n', 'a = 1\nb = 2'],
    ['white_space', 'a  =  1\n', 'a = 1'],
    ['line_endings', 'one\r\ntwo\nthree\n', 'one\ntwo\nthree'],
    ['line_endings', 'one\ntwo\n', 'one\r\ntwo'],
    ['look_alikes', 'say “hi”\n', 'say "hi"'],
    ['look_alikes', '\tsay “hi”\n', '  say "hi" \n'],
    ['case', CODE, 'Function Total(order)'],
    ['escapes', CODE, 'console.log(\\"Total:\\", total(order))'],
    ['escapes', 'first line\nsecond line\n', 'first line\\nsecond line'],
    ['escapes', 'print("a\\nb")\n', 'print("a\nb")'],
    ['typo', CODE, 'sum += item.prise * item.count'],
    ['stale', CODE, 'const tax = order.sum * 0.2'],
  ])('is %s', (cause, file, oldText) => {
    expect(missing(file, oldText).cause).toBe(cause)
  })

  it('is that the edit was made before', () => {
    const newText = '\tlet sum = 0n'
    expect(missing(CODE.replace('\tlet sum = 0', newText), '\tlet sum = 0;', { newText }).cause).toBe('already_applied')
    expect(missing('completely different words\n', 'if (old) {\n  go()\n}', { newText: 'completely different' }).cause).toBe(
      'already_applied',
    )
  })

  it('is not that, when the new text stands elsewhere', () => {
    const file = `${CODE}\n// let sum = 0n\n`
    expect(missing(file, '\tlet sun = 0', { newText: 'let sum = 0n' }).cause).toBe('typo')
    expect(missing(CODE, 'sum += item.prise * item.count', { newText: 'sum' }).cause).toBe('typo')
  })

  it('is that it stands outside the lines that were given', () => {
    expect(missing(CODE, 'function total', { start: CODE.indexOf('function print') }).cause).toBe('outside_lines')
  })
})

describe('candidates', () => {
  it('are the nearest regions, the best first, below 1', () => {
    const { candidates } = missing('value = compute(1)\nother\nvalue = compute(99)\nvalve = compote(9)\n', 'value = compute(9)')
    expect(candidates.map(({ start_line, end_line }) => [start_line, end_line])).toEqual([
      [1, 1],
      [3, 3],
      [4, 4],
    ])
    for (const { similarity } of candidates) {
      expect(similarity).toBeGreaterThanOrEqual(0.6)
      expect(similarity).toBeLessThan(1)
    }
  })

  it('have the lines and the text of the file', () => {
    const [candidate] = missing(CODE, '  for (const item of order.entries) {\n    sum += item.price * item.count\n  }').candidates
    expect(candidate).toMatchObject({
      start_line: 3,
      end_line: 5,
      text: '\tfor (const item of order.items) {\n\t\tsum += item.price * item.count\n\t}',
    })
  })

  it('count lines from the start of the file, inside a scope', () => {
    const start = CODE.indexOf('\treturn')
    expect(missing(CODE, 'console.log("Total", total(order))', { start }).candidates).toMatchObject([{ start_line: 10, end_line: 10 }])
  })

  it('are found for a part of a long line', () => {
    const file = `${'word '.repeat(100)}value = compute(1); ${'word '.repeat(100)}\n`
    expect(missing(file, 'value = compute(9);').candidates).toMatchObject([
      { start_line: 1, difference: 'line 1, column 517: the file has "1", the search text "9"' },
    ])
  })

  it('are as many as asked for', () => {
    const file = 'value = compute(1)\n'.repeat(9)
    for (const most of [0, 1, 2, 9, 20]) expect(missing(file, 'value = compute(9)', { most }).candidates.length).toBe(Math.min(most, 9))
  })

  it('are none when nothing is near', () => {
    expect(missing(CODE, 'SELECT id FROM users WHERE name = ?').candidates).toEqual([])
    expect(missing('', 'abc').candidates).toEqual([])
    expect(missing(CODE, '   \n\t ').candidates).toEqual([])
  })

  it('come from the first 5,000 lines', () => {
    const file = `${'x\n'.repeat(4999)}value = compute(1)\nvalue = compute(2)\n`
    expect(missing(file, 'value = compute(9)').candidates.map(({ start_line }) => start_line)).toEqual([5000])
  })

  it('bear bytes that are not UTF-8', () => {
    const bytes = Uint8Array.from([...encodeText('caf'), 0xe9, ...encodeText(' au lait\n')])
    expect(missing(bytes, 'cafe au lait').candidates).toMatchObject([{ text: 'caf\ufffd au lait' }])
  })
})

describe('describeDifference', () => {
  it.each([
    ['a = 1', 'a = 2', 'line 7, column 5: the file has "2", the search text "1"'],
    ['a\n  b\nc', 'a\n\tb\nc', 'line 8, column 1: the file has "\\t", the search text "  "'],
    ['a\nb\nc', 'a\nx\ny', 'line 8, column 1: the file has "x", the search text "b"; 1 more line differs'],
    ['a b', 'a\u00a0b', 'line 7, column 2: the file has "\\u00a0", the search text " "'],
    ['abc', 'ab', 'line 7, column 3: the file has nothing, the search text "c"'],
    ['é😀x', 'é😁x', 'line 7, column 2: the file has "😁", the search text "😀"'],
    ['a\nb', 'a', 'line 8, column 1: the file has nothing, the search text "b"'],
    ['a\r\nb', 'a\nb', 'the line ends differ'],
  ])('of %j and %j', (search, region, expected) => {
    expect(describeDifference(search, region, 7)).toBe(expected)
  })
})

describe('alignWithin', () => {
  it('finds the nearest part and its distance', () => {
    expect(alignWithin('kitten', 'a sitting cat')).toMatchObject({ distance: 2, start: 2 })
    expect(alignWithin('abc', 'xxabcxx')).toEqual({ distance: 0, start: 2, end: 5 })
    expect(alignWithin('abc', '')).toEqual({ distance: 3, start: 0, end: 0 })
  })

  it('leaves long texts alone', () => {
    expect(alignWithin('x'.repeat(1000), 'y'.repeat(1000))).toBeNull()
  })
})

describe('hostile texts', () => {
  // Without bounds on their work, each of these would take from minutes to years.
  it.each<[string, string, string, Cause]>([
    ['blanks', ' '.repeat(2_000_000), `${' '.repeat(100_000)}x`, 'stale'],
    ['one line', 'ab'.repeat(4_000_000), `${'ba'.repeat(300_000)}c`, 'stale'],
    ['backslashes', '\\'.repeat(1_000_000), '\\n'.repeat(200_000), 'stale'],
    ['equal lines', 'same\n'.repeat(400_000), `${'same\n'.repeat(100_000)}other`, 'stale'],
    ['a new text that is everywhere', 'a b\n'.repeat(400_000), 'x b', 'already_applied'],
  ])('of %s are explained', (_, file, oldText, cause) => {
    expect(missing(file, oldText, { newText: 'a b' }).cause).toBe(cause)
  })
})
