/** Marks for what cannot be seen: the samples of CVE-2021-42574 and their kin. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { markHidden } from '../../src/text/hidden_characters.ts'

test.each([
  ['right-to-left override', 'if (user != "admin\u202e") {', 'if (user != "admin⟦U+202E⟧") {'],
  ['isolates', '/*\u2066 } \u2069\u2066if (admin)\u2069', '/*⟦U+2066⟧ } ⟦U+2069⟧⟦U+2066⟧if (admin)⟦U+2069⟧'],
  ['zero width', 'is\u200bAdmin\u200c\u200d\u2060\ufeff', 'is⟦U+200B⟧Admin⟦U+200C⟧⟦U+200D⟧⟦U+2060⟧⟦U+FEFF⟧'],
  ['tags', 'ok\u{e0041}\u{e007f}', 'ok⟦U+E0041⟧⟦U+E007F⟧'],
  ['fillers and selectors', '\u3164\u115f\uffa0\u034f\ufe0f\u{e0100}', '⟦U+3164⟧⟦U+115F⟧⟦U+FFA0⟧⟦U+034F⟧⟦U+FE0F⟧⟦U+E0100⟧'],
  ['blanks that are none', 'a\u00a0b\u2003c', 'a⟦U+00A0⟧b⟦U+2003⟧c'],
  ['line separators', 'a\u2028b\u2029c\u0085d', 'a⟦U+2028⟧b⟦U+2029⟧c⟦U+0085⟧d'],
  ['terminal controls', '\u001b]52;c;x\u0007\u009b2J\u007f', '⟦U+001B⟧]52;c;x⟦U+0007⟧⟦U+009B⟧2J⟦U+007F⟧'],
  ['lone surrogates', 'a\ud800b', 'a⟦U+D800⟧b'],
])('%s', (_, text, marked) => {
  expect(markHidden(text).text).toBe(marked)
  expect(markHidden(text).warnings).toHaveLength(1)
})

test('a mark is never mistaken for text', () => {
  expect(markHidden('⟦U+202E⟧').text).toBe('⟦U+27E6⟧U+202E⟧')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      expect(markHidden(a).text === markHidden(b).text).toBe(a === b)
    }),
  )
})

test('plain text of any script stays as it is, without a warning', () => {
  for (const text of ['a\tb\nc', 'жизнь λόγος 漢字 हिन्दी', 'naïve café', '😀', '']) expect(markHidden(text)).toEqual({ text, warnings: [] })
})

test('ends of lines are marked without a warning', () => {
  expect(markHidden('a\r\nb')).toEqual({ text: 'a⟦U+000D⟧\nb', warnings: [] })
})

test('words that mix Latin letters with look-alikes are named', () => {
  expect(markHidden('pаypal').warnings).toEqual(['Words with look-alike letters: pаypal (U+0430).'])
  expect(markHidden('ѕcope οr ＡBC').warnings).toHaveLength(1)
  expect(markHidden('Москва and Athens').warnings).toEqual([])
})

test('warnings are counted and bounded', () => {
  const { warnings } = markHidden('\u202e\u202e\u2066\u2067\u2068\u2069\u200b\u200c')
  expect(warnings).toEqual(['Hidden or reordering characters: U+202E ×2, U+2066, U+2067, U+2068, U+2069 and 2 more.'])
})
