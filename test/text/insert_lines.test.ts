/** Lines put into a text: between which they come, and what they never change. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { insertLines } from '../../src/text/insert_lines.ts'
import { countLines } from '../../src/text/lines.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

const ROWS: readonly (readonly [before: string, line: number, text: string, after: string, first: number, last: number])[] = [
  ['a\nb\n', 0, 'x', 'x\na\nb\n', 1, 1],
  ['a\nb\n', 1, 'x\n', 'a\nx\nb\n', 2, 2],
  ['a\nb\n', 2, 'x\ny', 'a\nb\nx\ny\n', 3, 4],
  ['a\nb', 1, 'x', 'a\nx\nb', 2, 2],
  ['a\nb', 2, 'x', 'a\nb\nx', 3, 3],
  ['a\nb', 2, 'x\n', 'a\nb\nx\n', 3, 3],
  ['a\r\nb\r\n', 1, 'x\ny', 'a\r\nx\r\ny\r\nb\r\n', 2, 3],
  ['a\r\nb', 2, 'x', 'a\r\nb\r\nx', 3, 3],
  ['a\nb\n', 1, 'x\r\n', 'a\nx\r\nb\n', 2, 2],
  ['a\nb\n', 1, '', 'a\n\nb\n', 2, 2],
  ['', 0, 'x', 'x', 1, 1],
  ['', 0, 'x\n', 'x\n', 1, 1],
  ['\ufeff', 0, 'x', '\ufeffx', 1, 1],
  ['\ufeffa\n', 0, 'x', '\ufeffx\na\n', 1, 1],
]

test.each(ROWS)('into %j after line %i: %j', (before, line, text, after, firstLine, lastLine) => {
  const inserted = insertLines(encode(before), line, text)
  expect(decode(inserted.bytes)).toBe(after)
  expect(inserted).toMatchObject({ firstLine, lastLine })
})

test('what was there stays, around what was put in', () => {
  const line = fc.constantFrom('', 'a', 'é', '\t', 'a\rb')
  const texts = fc.tuple(fc.array(line), fc.constantFrom('\n', '\r\n'), fc.boolean()).map(([lines, end, open]) => {
    const whole = lines.map((one) => one + end).join('')
    return open ? `${whole}z` : whole
  })
  fc.assert(
    fc.property(texts, fc.nat(), line, fc.boolean(), (before, seed, added, ended) => {
      const total = countLines(encode(before))
      const at = seed % (total + 1)
      const { bytes } = insertLines(encode(before), at, ended ? `${added}\n` : added)
      const split = (text: string): string[] => text.split(/\r?\n/)
      const lines = split(before)
      const wanted = before === '' ? split(ended ? `${added}\n` : added) : [...lines.slice(0, at), added, ...lines.slice(at)]
      const opened = at === total && before !== '' && !before.endsWith('\n') && ended ? [...wanted, ''] : wanted
      expect(split(decode(bytes))).toEqual(opened)
    }),
  )
})
