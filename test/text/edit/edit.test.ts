/** Edits on bytes: C-18, C-19, C-24 to C-28, P-50 to P-57, and T-X-03 against a reference splice. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../../src/core/bytes.ts'
import { diffLines } from '../../../src/text/diff/diff.ts'
import { formatEdits } from '../../../src/text/diff/unified.ts'
import { foldBytes, foldText, unfoldOffsets } from '../../../src/text/edit/confusables.ts'
import { type EditItem, type EditOptions, type EditPlan, planEdits, planEditsInTurns } from '../../../src/text/edit/edit.ts'
import { snippetsOf } from '../../../src/text/edit/snippet.ts'
import { encodeText } from '../../../src/text/utf8.ts'
import { bytes, char, text } from '../arbitraries.ts'

const OPTIONS: EditOptions = { ignoreWhitespace: false, confusables: false, maxCandidates: 3, maxBytes: 1e9 }
const WHITESPACE: EditOptions = { ...OPTIONS, ignoreWhitespace: true }
const CONFUSABLES: EditOptions = { ...OPTIONS, confusables: true }

const item = (oldText: string, newText: string, more: Partial<EditItem> = {}): EditItem => ({
  oldText,
  newText,
  replaceAll: false,
  requireUnique: true,
  ...more,
})

const latin1 = (input: Uint8Array): string => String.fromCharCode(...input)

function edited(input: string | Uint8Array, items: readonly EditItem[], options: EditOptions = OPTIONS): EditPlan {
  const plan = planEdits(typeof input === 'string' ? encodeText(input) : input, items, options)
  if (!plan.ok) throw new Error(JSON.stringify(plan.diagnostic))
  return plan
}

const result = (input: string, items: readonly EditItem[], options: EditOptions = OPTIONS): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(edited(input, items, options).bytes)

function refused(input: string, items: readonly EditItem[], options: EditOptions = OPTIONS) {
  const plan = planEdits(encodeText(input), items, options)
  if (plan.ok) throw new Error('It was applied.')
  return plan.diagnostic
}

const TODO = '1: done\n2: todo\n3: done\n4: done\n5: done\n6: todo\n7: done\n8: done\n9: todo\n10: done\n'

describe('planEdits', () => {
  it.each<[string, string, readonly EditItem[], string, EditOptions?]>([
    ['two items', 'alpha\nbeta\ngamma\n', [item('alpha', 'A'), item('gamma', 'G')], 'A\nbeta\nG\n'],
    ['what an item before made', 'alpha\nbeta\n', [item('beta', 'delta'), item('alpha\ndelta', 'one')], 'one\n'],
    ['the first of several', 'x x\n', [item('x', 'y', { requireUnique: false })], 'y x\n'],
    ['all', 'x x\n', [item('x', 'y', { replaceAll: true })], 'y y\n'],
    ['all, although unique is asked for', 'x x x', [item('x', 'y', { replaceAll: true, requireUnique: true })], 'y y y'],
    ['without overlap', 'aaa', [item('aa', 'b')], 'ba'],
    ['pairs without overlap', 'aaaa', [item('aa', 'b', { replaceAll: true })], 'bb'],
    ['nothing twice', 'aaa', [item('a', 'aa', { replaceAll: true })], 'aaaaaa'],
    ['a whole line away', 'alpha\nbeta\ngamma\n', [item('beta\n', '')], 'alpha\ngamma\n'],
    ['everything away', 'a\n', [item('a\n', '')], ''],
    ['with literal text', 'abc', [item('b', '[$&$1$$\\1\\n`$`]')], 'a[$&$1$$\\1\\n`$`]c'],
    ['emoji', 'x😀y👍\n', [item('😀', '😎')], 'x😎y👍\n'],
    ['decomposed letters only', 'e\u0301 é\n', [item('e\u0301', 'E')], 'E é\n'],
    ['in a CRLF file', 'a\r\nb\r\n', [item('b', 'B')], 'a\r\nB\r\n'],
    ['LF text in a CRLF file', 'x\r\ny\r\nz\r\n', [item('x\ny', 'p\nq\r\nr')], 'p\r\nq\r\nr\r\nz\r\n'],
    ['one line in a CRLF file, as given', 'x\r\ny\r\n', [item('x', 'p\nq')], 'p\nq\r\ny\r\n'],
    ['the LF region of a mixed file', 'a\r\nb\r\na\nb\n', [item('a\nb', 'c\nd')], 'a\r\nb\r\nc\nd\n'],
    ['the CRLF region of a mixed file', 'a\r\nb\r\nc\nd\n', [item('a\nb', 'x\ny')], 'x\r\ny\r\nc\nd\n'],
    ['CRLF text in a CRLF file', 'a\r\nb\r\n', [item('a\r\nb', 'c\nd')], 'c\nd\r\n'],
    ['after a BOM', '\ufefffirst\n', [item('first', '1st')], '\ufeff1st\n'],
    ['with the BOM', '\ufefffirst\n', [item('\ufefffirst', '1st')], '1st\n'],
    ['a lone CR', 'a\rb', [item('\r', '\n')], 'a\nb'],
    ['inside its lines', TODO, [item('todo', 'DONE', { startLine: 5, endLine: 8 })], TODO.replace('6: todo', '6: DONE')],
    ['from its line on', TODO, [item('todo', 'X', { startLine: 7 })], TODO.replace('9: todo', '9: X')],
    ['up to its line', TODO, [item('todo', 'X', { endLine: 5 })], TODO.replace('2: todo', '2: X')],
    [
      'all inside its lines',
      TODO,
      [item('done', 'X', { startLine: 3, endLine: 4, replaceAll: true })],
      TODO.replace('3: done', '3: X').replace('4: done', '4: X'),
    ],
    ['the end of its last line', 'a\nb\na\n', [item('a\n', 'c\n', { endLine: 1 })], 'c\nb\na\n'],
    ['the first line after a BOM', '\ufeffa\na\n', [item('a', 'b', { startLine: 1, endLine: 1 })], '\ufeffb\na\n'],
    ['indentation aside', '\tif (a) {\n\t\tb()\n\t}\n', [item('    if (a) {\n        b()\n    }', '  c()')], '  c()\n', WHITESPACE],
    ['spacing aside', 'x  =\t1   \nnext\n', [item('x = 1', 'y')], 'y\nnext\n', WHITESPACE],
    ['the line end only if asked for', 'x\n y\nz\n', [item('y\n', 'q\n')], 'x\n q\nz\n', WHITESPACE],
    ['the line end with the lines', 'x\n  y z\nw\n', [item('y  z\n', 'q')], 'x\nqw\n', WHITESPACE],
    ['indentation aside, in a CRLF file', '\ta\r\n\tb\r\nc\r\n', [item('a\n  b', 'x\ny')], 'x\r\ny\r\nc\r\n', WHITESPACE],
    ['indentation aside, exact first', '  go()\n\tgo()\n', [item('\tgo()', '\tstop()')], '  go()\n\tstop()\n', WHITESPACE],
    ['indentation aside, within lines', ' a\n a\n a\n', [item('  a', 'b', { startLine: 2, endLine: 2 })], ' a\nb\n a\n', WHITESPACE],
    ['look-alikes', 'say “hi” – ok\n', [item('"hi" - ok', 'x')], 'say x\n', CONFUSABLES],
    ['look-alikes on both sides', 'it’s\n', [item('itʼs'.replace('ʼ', '‘'), 'is')], 'is\n', CONFUSABLES],
    ['all look-alikes', '“a” "a" „a‟', [item('„a“', 'b', { replaceAll: true })], 'b b b', CONFUSABLES],
    ['look-alikes over lines of a CRLF file', 'a\u00a0b\r\n“c”\r\n', [item('a b\n"c"', 'd\ne')], 'd\r\ne\r\n', CONFUSABLES],
    ['an exact match before look-alikes', '“hi” "hi"\n', [item('"hi"', '"ho"')], '“hi” "ho"\n', CONFUSABLES],
  ])('replaces %s', (_, input, items, expected, options) => {
    expect(result(input, items, options)).toBe(expected)
  })

  it('counts items that change and places that match', () => {
    const plan = edited('a b b\n', [item('a', 'a'), item('b', 'c', { replaceAll: true }), item('c c', 'b b')])
    expect(plan).toMatchObject({ changed: false, appliedCount: 2, occurrences: 4, matchMode: 'exact', linesBefore: 1, linesAfter: 1 })
    expect(plan.edits).toEqual([])
  })

  it('names the weakest mode that was needed', () => {
    const both = { ...WHITESPACE, confusables: true }
    expect(edited(' a\n', [item('  a', 'b'), item('b', 'c')], both).matchMode).toBe('whitespace_normalized')
    expect(edited(' a\n“q”\n', [item('x "q"'.slice(2), 'r'), item('\ta', 'b')], both).matchMode).toBe('confusable_normalized')
  })

  it('keeps bytes that are not UTF-8', () => {
    const input = Uint8Array.of(0xe9, 0x61, 0xff, 0x0a)
    expect([...edited(input, [item('a', 'bc')]).bytes]).toEqual([0xe9, 0x62, 0x63, 0xff, 0x0a])
    const folded = Uint8Array.from([0xe2, 0x80, ...encodeText('‘'), 0xc2, 0xff])
    expect([...edited(folded, [item("'", 'x')], CONFUSABLES).bytes]).toEqual([0xe2, 0x80, 0x78, 0xc2, 0xff])
  })

  it('refuses U+FFFD where it stands for something else', () => {
    const cafe = Uint8Array.of(0x63, 0x61, 0x66, 0xe9)
    for (const items of [[item('caf\ufffd', 'x')], [item('caf', '\ufffd')]])
      expect(() => planEdits(cafe, items, OPTIONS)).toThrowError(expect.objectContaining({ code: 'invalid_utf8' }))
    expect(result('a\ufffd', [item('\ufffd', 'b')])).toBe('ab')
  })

  it('lets others run between many items, one of whom may cancel', async () => {
    const input = encodeText(`${'a line of text\n'.repeat(60_000)}${Array.from({ length: 1000 }, (_, i) => `<${i}>`).join('\n')}`)
    const items = Array.from({ length: 1000 }, (_, i) => item(`<${i}>`, `[${i * 7}]`))
    const canceling = new AbortController()
    setTimeout(() => canceling.abort(), 0)
    await expect(planEditsInTurns(input, items, OPTIONS, canceling.signal)).rejects.toMatchObject({ code: 'canceled' })
    const plan = await planEditsInTurns(input, items.slice(0, 50), OPTIONS, new AbortController().signal)
    expect(plan).toEqual(planEdits(input, items.slice(0, 50), OPTIONS))
    expect(plan).toMatchObject({ ok: true, appliedCount: 50 })
  })

  it('refuses a result that is too large', () => {
    const input = encodeText('x'.repeat(1000))
    const items = [item('x', 'y'.repeat(1000), { replaceAll: true })]
    expect(() => planEdits(input, items, { ...OPTIONS, maxBytes: 999_999 })).toThrowError(expect.objectContaining({ code: 'too_large' }))
    expect(planEdits(input, items, { ...OPTIONS, maxBytes: 1_000_000 }).ok).toBe(true)
  })

  it.each<[string, string, readonly EditItem[], object, EditOptions?]>([
    ['two places', 'x\nz\nx\n', [item('x', 'y')], { index: 0, reason: 'ambiguous_match', match_count: 2, match_lines: [1, 3] }],
    ['nothing in the second item', 'a\nb\n', [item('a', 'c'), item('a', 'd')], { index: 1, reason: 'no_match', match_count: 0 }],
    ['an empty text, before anything else', 'a\n', [item('q', 'c'), item('', 'd')], { index: 1, reason: 'empty_old_content' }],
    ['a place outside its lines', TODO, [item('todo', 'X', { startLine: 3, endLine: 5 })], { reason: 'no_match', cause: 'outside_lines' }],
    ['lines that do not exist', TODO, [item('todo', 'X', { startLine: 30 })], { reason: 'no_match' }],
    ['a match that leaves its lines', 'a\nb\nc\n', [item('a\nb', 'X', { endLine: 1 })], { reason: 'no_match' }],
    [
      'two windows',
      ' a\n b\n\ta\n\tb\n',
      [item('a\nb', 'X')],
      { reason: 'ambiguous_whitespace_match', match_count: 2, match_lines: [1, 3] },
      WHITESPACE,
    ],
    [
      'windows that overlap',
      ' a\n a\n a\n',
      [item('a\na', 'X', { replaceAll: true })],
      { reason: 'ambiguous_whitespace_match', match_count: 2 },
      WHITESPACE,
    ],
    ['two look-alikes', '“a” ”a“\n', [item('"a"', 'X')], { reason: 'ambiguous_match', match_count: 2 }, CONFUSABLES],
    ['white space and look-alikes at once', '\t“a”\n', [item('  "a"', 'X')], { reason: 'no_match' }, { ...WHITESPACE, confusables: true }],
    ['composed for decomposed letters', 'e\u0301\n', [item('é', 'X')], { reason: 'no_match' }],
  ])('refuses %s', (_, input, items, expected, options) => {
    expect(refused(input, items, options)).toMatchObject(expected)
  })

  it('tells the lines of the first twenty matches', () => {
    const { match_count, match_lines } = refused('x\n'.repeat(50), [item('x', 'y')])
    expect(match_count).toBe(50)
    expect(match_lines).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  })

  it('looks through hostile texts in linear time', () => {
    const both = { ...WHITESPACE, confusables: true }
    expect(refused('\n'.repeat(1_000_000), [item(' \n'.repeat(1000), 'x')], both)).toMatchObject({
      reason: 'ambiguous_whitespace_match',
      match_count: 999_001,
      match_lines: Array.from({ length: 20 }, (_, i) => i + 1),
    })
    expect(refused('“ '.repeat(1_000_000), [item(`${'" '.repeat(2000)}x`, 'x')], both).reason).toBe('no_match')
    expect(refused(' a'.repeat(2_000_000), [item('a\nb', 'x')], both).reason).toBe('no_match')
  })

  it('replaces millions of places', () => {
    const input = encodeText('ab\n'.repeat(700_000))
    const plan = edited(input, [item('a', 'xyz', { replaceAll: true }), item('yz', '', { replaceAll: true })])
    expect(plan).toMatchObject({ occurrences: 1_400_000, linesAfter: 700_000 })
    expect(plan.bytes).toEqual(encodeText('xb\n'.repeat(700_000)))
    expect(formatEdits(input, plan.bytes, plan.edits, { oldPath: 'a', newPath: 'a' })).toMatchObject({ added: 700_000, truncated: true })
    expect(snippetsOf(plan.bytes, plan.edits, 3).length).toBeLessThan(2)
  })
})

describe('properties', () => {
  it('splices a unique text as the reference does (T-X-03)', () => {
    const newText = fc
      .array(fc.oneof(char, fc.constantFrom('$&', '$1', '\\', '"', '`', '$<a>')), { maxLength: 8 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(bytes, fc.nat(), fc.nat({ max: 12 }), newText, (input, at, length, replacement) => {
        const start = at % (input.length + 1)
        const part = input.subarray(start, start + length)
        const oldText = new TextDecoder('utf-8', { ignoreBOM: true }).decode(part)
        const [haystack, needle] = [latin1(input), latin1(part)]
        fc.pre(part.length > 0 && latin1(encodeText(oldText)) === needle && !oldText.includes('\ufffd') && !replacement.includes('\ufffd'))
        fc.pre(haystack.indexOf(needle) === start && haystack.indexOf(needle, start + 1) < 0)
        fc.pre(start >= 3 || !haystack.startsWith('\xef\xbb\xbf'))
        const plan = planEdits(input, [item(oldText, replacement)], OPTIONS)
        expect(plan).toMatchObject({ ok: true, occurrences: 1, matchMode: 'exact' })
        const expected = concatBytes([input.subarray(0, start), encodeText(replacement), input.subarray(start + part.length)])
        expect(latin1((plan as EditPlan).bytes)).toBe(latin1(expected))
      }),
      { numRuns: 500 },
    )
  })

  it('shows the diff that comparing the whole would show, whatever was edited before', () => {
    const edit = fc.record({ oldText: char, newText: text, all: fc.boolean() })
    fc.assert(
      fc.property(text, fc.array(edit, { maxLength: 4 }), (input, edits) => {
        const items = edits.map(({ oldText, newText, all }) => item(oldText, newText, { replaceAll: all, requireUnique: false }))
        const before = encodeText(input)
        const plan = planEdits(before, items, OPTIONS)
        if (!plan.ok) return
        const paths = { oldPath: 'a', newPath: 'a', maxChars: 1e6 }
        const whole = formatEdits(before, plan.bytes, diffLines(before, plan.bytes), paths)
        const spans = formatEdits(before, plan.bytes, plan.edits, paths)
        expect(plan.changed).toBe(whole.text !== '')
        expect(spans.added - spans.removed).toBe(whole.added - whole.removed)
        expect(spans.text === '').toBe(whole.text === '')
      }),
      { numRuns: 500 },
    )
  })

  it('folds look-alikes one to one and finds the way back', () => {
    const folding = fc.array(fc.constantFrom('a', 'é', '漢', '’', '″', '−', '\u00a0', '（', '～', '\u2010', '😀'), { maxLength: 30 })
    fc.assert(
      fc.property(folding, (chars) => {
        const input = chars.join('')
        const encoded = encodeText(input)
        expect([...foldText(input)].length).toBe(chars.length)
        expect(new TextDecoder().decode(foldBytes(encoded))).toBe(foldText(input))
        const offsets = (change: (text: string) => string) =>
          Int32Array.from(chars.keys(), (n) => encodeText(change(chars.slice(0, n).join(''))).length)
        expect(unfoldOffsets(encoded, offsets(foldText))).toEqual(offsets((part) => part))
      }),
    )
  })
})

describe('snippetsOf', () => {
  const ten = 'line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\nline 10\n'
  const snippets = (input: string, items: readonly EditItem[], context: number) => {
    const plan = edited(input, items)
    return snippetsOf(plan.bytes, plan.edits, context)
  }

  it.each<[string, string, readonly EditItem[], number, object[]]>([
    ['only changed lines', ten, [item('line 5', 'LINE 5')], 0, [{ start_line: 5, end_line: 5, content: 'LINE 5' }]],
    [
      'what changed of a longer text',
      ten,
      [item('line 4\nline 5\nline 6', 'line 4\nX\nY\nline 6')],
      0,
      [{ start_line: 5, end_line: 6, content: 'X\nY' }],
    ],
    ['lines around, clipped at the start', ten, [item('line 1\n', 'LINE 1\n')], 2, [{ start_line: 1, end_line: 3 }]],
    ['lines around, clipped at the end', ten, [item('line 10', 'LINE 10')], 3, [{ start_line: 7, end_line: 10 }]],
    ['overlapping ones as one', ten, [item('line 3', 'X'), item('line 6', 'Y')], 2, [{ start_line: 1, end_line: 8 }]],
    [
      'apart ones apart',
      ten,
      [item('line 2', 'X'), item('line 9', 'Y')],
      1,
      [
        { start_line: 1, end_line: 3 },
        { start_line: 8, end_line: 10 },
      ],
    ],
    ['a removal by the line in its place', ten, [item('line 5\n', '')], 0, [{ start_line: 5, end_line: 5, content: 'line 6' }]],
    ['a removal at the end by the last line', ten, [item('line 10\n', '')], 0, [{ start_line: 9, end_line: 9, content: 'line 9' }]],
    ['nothing of an empty text', 'a\n', [item('a\n', '')], 3, []],
    ['raw line ends, without a BOM', '\ufeffa\r\nb\r\n', [item('a', 'A')], 1, [{ start_line: 1, end_line: 2, content: 'A\r\nb' }]],
  ])('shows %s', (_, input, items, context, expected) => {
    expect(snippets(input, items, context)).toMatchObject(expected)
    expect(snippets(input, items, context).length).toBe(expected.length)
  })
})
