/** Hunks applied to a text: where they fit, how they are compared, what they leave as it is, and why they do not fit. */
import { describe, expect, it } from 'vitest'
import { parseEnvelope } from '../../../src/text/patch/envelope.ts'
import { type HunkPlan, type HunkRefusal, planHunks } from '../../../src/text/patch/hunks.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

function plan(before: string | Uint8Array, body: string, maxBytes = 1e6): HunkPlan | HunkRefusal {
  const [operation] = parseEnvelope(`*** Begin Patch\n*** Update File: f\n${body}\n*** End Patch`)
  if (operation?.kind !== 'update') throw new Error('no update')
  return planHunks(typeof before === 'string' ? encode(before) : before, operation.hunks, maxBytes)
}

type Fitting = readonly [what: string, before: string, body: string, after: string, pass?: string]

const FITS: readonly Fitting[] = [
  ['one line', 'a\nb\nc\n', '@@\n-b\n+B', 'a\nB\nc\n'],
  ['lines around it', 'a\nb\nc\n', '@@\n a\n-b\n+B\n c', 'a\nB\nc\n'],
  ['several hunks', 'a\nb\nc\nd\ne\n', '@@\n-a\n+A\n@@\n-e\n+E', 'A\nb\nc\nd\nE\n'],
  ['hunks with the same lines around them', 'a\nb\nc\nd\ne\n', '@@\n a\n-b\n c\n@@\n c\n-d\n e', 'a\nc\ne\n'],
  ['a hunk that only keeps', 'a\nb\n', '@@\n a', 'a\nb\n'],
  ['a run that begins within another', 'a\na\na\nb\n', '@@\n a\n a\n-b\n+B', 'a\na\na\nB\n'],
  // Final line ends.
  ['no final line end', 'a\nb', '@@\n-b\n+B', 'a\nB'],
  ['no final line end, and more lines', 'a\nb', '@@\n-b\n+B\n+C', 'a\nB\nC'],
  ['lines after a last one without an end', 'a\nb', '@@\n b\n+C\n+D', 'a\nb\nC\nD'],
  ['the last line without an end taken out', 'a\nb', '@@\n a\n-b', 'a\n'],
  ['everything taken out', 'a\nb', '@@\n-a\n-b', ''],
  ['an empty file', '', '@@\n+a\n+b', 'a\nb\n'],
  // Line ends.
  ['CRLF', 'a\r\nb\r\nc\r\n', '@@\n a\n-b\n+B\n+C', 'a\r\nB\r\nC\r\nc\r\n'],
  ['CRLF without a final one', 'a\r\nb', '@@\n b\n+C', 'a\r\nb\r\nC'],
  ['mixed ends: those of what is replaced', 'a\nb\r\nc\n', '@@\n-a\n+A\n-b\n+B\n c', 'A\nB\r\nc\n'],
  ['mixed ends: those of the line before', 'a\nb\r\nc\n', '@@\n b\n+X', 'a\nb\r\nX\r\nc\n'],
  ['a lone CR is text', 'a\rb\nc\n', '@@\n-c\n+C', 'a\rb\nC\n'],
  ['a byte order mark', '\ufeffa\nb\n', '@@\n-a\n+A', '\ufeffA\nb\n'],
  // Headers.
  ['a header', 'def f\n  x\ndef g\n  x\n', '@@ def g\n-  x\n+  y', 'def f\n  x\ndef g\n  y\n'],
  [
    'headers in each other',
    'class A\n m\n  x\nclass B\n m\n  x\n',
    '@@ class B\n@@  m\n-  x\n+  y',
    'class A\n m\n  x\nclass B\n m\n  y\n',
  ],
  ['a header that is there twice, where one place fits', 'h\na\nh\nb\n', '@@ h\n-b\n+B', 'h\na\nh\nB\n'],
  ['the nearest place below a header', 'h\nx\nx\n', '@@ h\n-x\n+y', 'h\ny\nx\n'],
  // What is only put in.
  ['lines at the end', 'a\nb\n', '@@\n+c', 'a\nb\nc\n'],
  ['lines below a header', 'a\nb\nc\n', '@@ b\n+X', 'a\nb\nX\nc\n'],
  ['lines at the end, though there is a header', 'a\nb\nc\n', '@@ a\n+X\n*** End of File', 'a\nb\nc\nX\n'],
  // The end of the file.
  ['the last of several places', 'x\ny\nx\n', '@@\n-x\n+z\n*** End of File', 'x\ny\nz\n'],
  // Empty lines at the end of the patch.
  ['an empty line that is none', 'a\nb\n', '@@\n-b\n+B\n', 'a\nB\n'],
  ['an empty line that is one', 'a\n\nb\n', '@@\n-a\n+A\n', 'A\n\nb\n'],
  // Weaker comparisons.
  ['blanks at ends', 'a  \nb\t\nc\n', '@@\n a\n-b\n+B', 'a  \nB\nc\n', 'trailing_white_space'],
  ['indentation', '\ta\n\tb\n', '@@\n a\n-  b\n+\tB', '\ta\n\tB\n', 'surrounding_white_space'],
  ['punctuation', '“a” – b\nc\u00a0d\n', '@@\n "a" - b\n-c d\n+e', '“a” – b\ne\n', 'punctuation'],
  ['a header by indentation', 'h\n  x\n', '@@  h\n-  x\n+  y', 'h\n  y\n', 'surrounding_white_space'],
  ['the exact place before one that nearly fits', ' a\na\n', '@@\n-a\n+b', ' a\nb\n', 'exact'],
]

describe('what fits', () => {
  it.each(FITS.map((row) => [row[0], row] as const))('%s', (_, [, before, body, after, pass = 'exact']) => {
    const planned = plan(before, body)
    if (!planned.ok) throw new Error(JSON.stringify(planned.misfit))
    expect(decode(planned.bytes)).toBe(after)
    expect(planned).toMatchObject({ pass, changed: before !== after })
  })

  it('tells where each hunk was found', () => {
    expect(plan('a\nb \nc\n', '@@\n-a\n@@\n-b\n@@\n+d')).toMatchObject({
      places: [
        { line: 1, lines: 1, pass: 'exact' },
        { line: 2, lines: 1, pass: 'trailing_white_space' },
        { line: 4, lines: 0, pass: 'exact' },
      ],
    })
  })

  it('bad bytes elsewhere stay, and are like no line', () => {
    const before = Uint8Array.of(0xff, 10, 97, 10, 0xff, 0xff, 10)
    const planned = plan(before, '@@\n-a\n+b')
    expect(planned.ok && [...planned.bytes]).toEqual([0xff, 10, 98, 10, 0xff, 0xff, 10])
    expect(plan(before, '@@\n-\ufffd\n+b')).toMatchObject({ ok: false })
  })
})

const MISFITS: readonly (readonly [what: string, before: string, body: string, misfit: object])[] = [
  ['the first line that is not there', 'a\nb\nc\n', '@@\n a\n-x\n c', { reason: 'lines_not_found', missing: 'x', hunk: 1, patch_line: 3 }],
  ['all lines there, but not together', 'a\nb\nc\n', '@@\n a\n-c', { reason: 'lines_not_found', missing: 'c' }],
  ['two places', 'x\ny\nx\n', '@@\n-x\n+z', { reason: 'lines_ambiguous', match_lines: [1, 3] }],
  ['two places by white space alone', ' x\n  x\n', '@@\n-x\n+z', { reason: 'lines_ambiguous', match_lines: [1, 2] }],
  ['a header that is not there', 'a\nb\n', '@@ h\n-b', { reason: 'header_not_found', missing: 'h' }],
  ['lines to put in below a header that is there twice', 'h\nh\n', '@@ h\n+x', { reason: 'header_ambiguous', match_lines: [1, 2] }],
  ['not at the end', 'x\ny\n', '@@\n-x\n*** End of File', { reason: 'not_at_end', match_lines: [1] }],
  ['above its header', 'x\nh\n', '@@ h\n-x', { reason: 'not_below_header', match_lines: [1] }],
  ['hunks in the wrong order', 'a\nb\nc\n', '@@\n-c\n+C\n@@\n-a\n+A', { reason: 'out_of_order', match_lines: [1], hunk: 2, patch_line: 6 }],
  ['a second change of one line', 'a\n', '@@\n-a\n+b\n@@\n-a\n+c', { reason: 'out_of_order', hunk: 2 }],
  ['case', 'const Value = 1\n', '@@\n-const value = 1', { cause: 'case' }],
  ['what is done already', 'const value = 2\n', '@@\n-const value = 1\n+const value = 2', { cause: 'already_applied' }],
  [
    'what is done already, with CRLF',
    'const value = 2\r\nnext\r\n',
    '@@\n-const value = 1\n+const value = 2\n next',
    { cause: 'already_applied' },
  ],
  ['a slip', 'the quick brown fox\n', '@@\n-the quick browm fox', { cause: 'typo', candidates: [{ start_line: 1, end_line: 1 }] }],
]

describe('what does not fit', () => {
  it.each(MISFITS)('%s', (_, before, body, misfit) => {
    expect(plan(before, body)).toMatchObject({ ok: false, misfit })
  })

  it('a text that would grow too large is refused', () => {
    expect(() => plan('a\n', '@@\n+bcd', 5)).toThrow(expect.objectContaining({ code: 'too_large' }))
  })

  it('long texts of equal lines take no long time', () => {
    const before = 'x\n'.repeat(200_000)
    const body = `@@\n${' x\n'.repeat(20_000)}-y\n+z`
    expect(plan(before, body)).toMatchObject({ ok: false, misfit: { reason: 'lines_not_found', missing: 'y' } })
  })
})
