/** Regular expressions: the dialect, one line for each rule; and properties that hold for every pattern. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isFilewrightError } from '../../../src/core/errors.ts'
import type { Finder } from '../../../src/text/regex/engine.ts'
import { compileRegex, type Regex } from '../../../src/text/regex/regex.ts'
import type { RegexScope } from '../../../src/text/regex/source.ts'

const compile = (pattern: string, scope: RegexScope = 'lines', fold = false): Regex =>
  compileRegex(pattern, { scope, fold, field: 'query' })

/** Where the first match in each line begins, as a search finds it. */
function inLines(finder: Finder, text: string): number[] {
  const found: number[] = []
  for (let from = 0; from < text.length; ) {
    const span = finder.find(text, from)
    if (!span || (span.start === text.length && text.endsWith('\n'))) break
    found.push(span.start)
    const feed = text.indexOf('\n', span.start)
    if (feed < 0) break
    from = feed + 1
  }
  return found
}

/** All matches one after another; an empty one moves on by a character. */
function inText(finder: Finder, text: string): string[] {
  const found: string[] = []
  for (let from = 0; from <= text.length; ) {
    const span = finder.find(text, from)
    if (!span) break
    found.push(`${span.start}-${span.end}`)
    from = span.end > span.start ? span.end : span.end + ((text.codePointAt(span.end) ?? 0) > 0xffff ? 2 : 1)
  }
  return found
}

describe('the dialect', () => {
  test.each<[pattern: string, line: string, match: string | null]>([
    ['a.b', 'xaxbx', 'axb'],
    ['(?i)foo', 'FOO', 'FOO'],
    ['(?im)^foo', 'FOO', 'FOO'],
    ['(?s)(?i)A', 'a', 'a'],
    ['(?P<n>a)(?P=n)', 'xaab', 'aa'],
    ['(?<n>a)\\k<n>', 'aa', 'aa'],
    ['(a)\\1', 'aa', 'aa'],
    ['\\Aab', 'ab', 'ab'],
    ['\\Ab', 'ab', null],
    ['b\\Z', 'ab', 'b'],
    ['a\\z', 'ab', null],
    ['\\-\\"\\#\\ \\!\\@\\%\\&\\\'\\,\\:\\;\\<\\=\\>\\`\\~\\_', '-"# !@%&\',:;<=>`~_', '-"# !@%&\',:;<=>`~_'],
    ['[\\"\\#\\-a]+', '"#-ab', '"#-a'],
    ['[\\&\\&]', '&', '&'],
    ['\\$\\{\\}\\/', '$' + '{}/', '$' + '{}/'],
    ['\\x41\\u0042\\u{43}\\cJ?\\t', 'ABC\t', 'ABC\t'],
    ['\\ud83d\\ude00', '😀', '😀'],
    ['\\u{1F600}.', '😀é', '😀é'],
    ['[^a]', '😀', '😀'],
    ['\\p{Lu}\\p{Script=Greek}', 'AΩ', 'AΩ'],
    ['é', 'É', null],
    ['(?i)é', 'É', 'É'],
    ['(?i)k', '\u212a', '\u212a'],
    ['(?i)s', 'ſ', 'ſ'],
    ['a|b|', 'c', ''],
    ['x*', 'abc', ''],
    ['(?<!b)a(?=c)', 'baac', 'a'],
    ['a{2}b{1,}c{0,1}?', 'aabbc', 'aabb'],
    ['^\\s*$', ' \t\u3000', ' \t\u3000'],
    ['\\bfoo\\b\\B', 'foo', null],
    // Only LF and CRLF end a line (C-15).
    ['^b', 'a\rb', null],
    ['a$', 'a\u2028b', null],
  ])('%s in %j', (pattern, line, match) => {
    const span = compile(pattern).platform.find(line, 0)
    expect(span && line.slice(span.start, span.end)).toBe(match)
  })

  test.each(['[invalid', '(', 'a)', 'a**', 'a++', '*', '(?P<n', '\\k<x>', 'a{2,1}', '{', '\\', '\\q', '\\x4', '(?x)a', '(?>a)', '[b-a]'])(
    '%s is invalid',
    (pattern) => {
      const error = codeOf(() => compile(pattern))
      expect(error).toBe('invalid_regex')
    },
  )

  test('the message is the engine’s', () => {
    expect(() => compile('[invalid')).toThrow(/Invalid regular expression.*Unterminated character class/)
  })

  test.each([`${'('.repeat(300)}a${')'.repeat(300)}`, 'a'.repeat(5000)])('too deep, too long: %s', (pattern) => {
    expect(codeOf(() => compile(pattern))).toBe('invalid_regex')
  })

  test.each<[pattern: string, construct: RegExp]>([
    ['(a+)+\\1', /backreference \(\\1\)/],
    ['(?P<x>a*)*(?P=x)', /backreference \(\\k<x>\)/],
    ['(a+)+(?=b)', /look-ahead \(\(\?=…\)\)/],
    ['(?!b)(a+)+', /look-ahead \(\(\?!…\)\)/],
  ])('%s is refused by its construct', (pattern, construct) => {
    expect(codeOf(() => compile(pattern))).toBe('unsupported')
    expect(() => compile(pattern)).toThrow(construct)
  })
})

describe('the whole text and its lines', () => {
  test('a match never crosses a line', () => {
    const text = 'foo\nbar\n\nx\n'
    for (const pattern of [
      'foo\\sbar',
      'o[^x]+b',
      '[\\s\\S]{6}',
      'o\\Wb',
      '(?s)o.b',
      'foo\\n',
      'o[\\n]',
      '\\D\\Db',
      'foo(?=\\s)',
      '\\p{Cc}',
    ]) {
      expect(inLines(compile(pattern).platform, text), pattern).toEqual([])
    }
  })

  test('what can be empty matches every line once', () => {
    expect(inLines(compile('x*').platform, 'a\n\nb\n')).toEqual([0, 2, 3])
    expect(inLines(compile('^$').platform, 'a\n\nb\n')).toEqual([2])
    expect(inLines(compile('$').platform, 'a\nb')).toEqual([1, 3])
  })

  test('in the whole text ^ and $ are at lines, \\A and \\Z at its ends', () => {
    const text = 'a\nb\na\n'
    expect(inText(compile('^a$', 'text').platform, text)).toEqual(['0-1', '4-5'])
    expect(inText(compile('\\Aa', 'text').platform, text)).toEqual(['0-1'])
    expect(inText(compile('a\\s\\Z', 'text').platform, text)).toEqual(['4-6'])
    expect(inText(compile('a.b', 'text').platform, text)).toEqual([])
    expect(inText(compile('(?s)a.b', 'text').platform, text)).toEqual(['0-3'])
  })
})

// Patterns of few letters, so that they match often.
const atom = fc.constantFrom(
  'a',
  'b',
  'k',
  's',
  '.',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '\\d',
  '[ab]',
  '[^a]',
  '[^\\n]',
  '[\\s\\S]',
  '\\n',
  'é',
  '1',
  '😀',
)
const assertion = fc.constantFrom('^', '$', '\\b', '\\B', '\\A', '\\Z', '(?<=a)', '(?<!b|k)', '(?<=[^b]s)')
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}?', '{1,}')
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'regex' },
    fc.array(tie('part'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((options) => options.join('|')),
  ),
  part: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'regex' },
    { arbitrary: fc.tuple(atom, quantifier).map((parts) => parts.join('')), weight: 5 },
    { arbitrary: assertion, weight: 1 },
    {
      arbitrary: fc.tuple(fc.constantFrom('(', '(?:'), tie('pattern'), quantifier).map(([open, body, q]) => `${open}${body})${q}`),
      weight: 2,
    },
  ),
}))
const text = fc
  .array(fc.constantFrom('a', 'b', 'k', 's', 'K', '\u212a', 'ſ', ' ', '\n', '1', 'é', 'É', '😀', '\r', '\u2028'), { maxLength: 14 })
  .map((chars) => chars.join(''))
const runs = { numRuns: Number(process.env.FILEWRIGHT_SWEEP ?? 500) }

describe('for every pattern and text', { timeout: 600_000 }, () => {
  test('both engines give the same matches', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(
        pattern,
        fc.array(text, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        fc.constantFrom<RegexScope>('lines', 'text'),
        async (source, texts, fold, scope) => {
          const regex = compileOrNull(source, scope, fold)
          if (!regex) return
          const linear = await regex.linear()
          if ('lacking' in linear) return
          compared++
          const matches = scope === 'lines' ? inLines : inText
          for (const each of texts) expect(matches(linear, each), JSON.stringify(each)).toEqual(matches(regex.platform, each))
        },
      ),
      runs,
    )
    expect(compared).toBeGreaterThan(runs.numRuns / 2)
  })

  test('a search of the text finds what a search of each line finds', () => {
    fc.assert(
      fc.property(pattern, text, fc.boolean(), (source, each, fold) => {
        // What is meant, said simply: the pattern on each line by itself.
        const plain = new RegExp(source.replaceAll('\\A', '^').replaceAll('\\Z', '$'), fold ? 'iuy' : 'uy')
        const expected: number[] = []
        let start = 0
        for (const line of each.replace(/\n$/, '').split('\n')) {
          let at = 0
          const matchesHere = () => {
            plain.lastIndex = at
            return plain.test(line)
          }
          while (at <= line.length && !matchesHere()) at += (line.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
          if (each !== '' && at <= line.length) expected.push(start + at)
          start += line.length + 1
        }
        expect(inLines(compile(source, 'lines', fold).platform, each)).toEqual(expected)
      }),
      runs,
    )
  })

  test('a match holds the required text, and is where a match may be, decoded or not', () => {
    fc.assert(
      fc.property(pattern, text, fc.boolean(), fc.constantFrom<RegexScope>('lines', 'text'), (source, each, fold, scope) => {
        const regex = compileOrNull(source, scope, fold)
        if (!regex) return
        for (const found of inText(regex.platform, each)) {
          const [start, end] = found.split('-').map(Number)
          const match = each.slice(start, end)
          for (const clause of regex.required)
            expect(
              clause.some((part) => match.includes(part)),
              match,
            ).toBe(true)
        }
        if (!regex.mayMatch) return
        for (const raw of [each, each.replaceAll('\n', '\r\n')]) {
          if (!regex.platform.find(raw.replaceAll('\r\n', '\n'), 0)) continue
          expect(regex.mayMatch(raw), 'decoded').toBe(true)
          expect(regex.mayMatch(Buffer.from(raw).toString('latin1')), 'bytes').toBe(true)
        }
      }),
      runs,
    )
  })

  test('the pieces of a text are all of it, in whole lines', () => {
    fc.assert(
      fc.property(pattern, text, fc.nat(3), (source, each, doublings) => {
        const long = each.repeat(10 ** doublings)
        const pieces = [...compile(source).pieces(long)]
        expect(pieces.map(({ from, to }) => long.slice(from, to)).join('')).toBe(long)
        for (const { from } of pieces) expect(from === 0 || long[from - 1] === '\n').toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

test.each<[pattern: string, required: string[][]]>([
  ['foo', [['foo']]],
  ['fo+bar', [['bar'], ['fo']]],
  ['(abc)+d', [['abc'], ['d']]],
  ['(?:ab|cd)efg', [['efg'], ['ab', 'cd']]],
  ['a?bc', [['bc']]],
  ['\\bclass\\s+\\w+', [['class']]],
  ['(?i)foo: 12', [[': 12']]],
  ['x{3}', [['x']]],
  ['a\\nbc', [['bc'], ['a']]],
  ['TODO|FIXME: |XXX', [['TODO', 'FIXME: ', 'XXX']]],
  ['a|b*', []],
  ['a[12]b[12]c[12]d', [['a'], ['b'], ['c']]],
  ['[a-z]{9,}', []],
])('%s needs %j', (pattern, required) => {
  expect(compile(pattern).required).toEqual(required)
})

function compileOrNull(pattern: string, scope: RegexScope, fold: boolean): Regex | null {
  try {
    return compile(pattern, scope, fold)
  } catch (error) {
    if (isFilewrightError(error, 'unsupported')) return null
    throw error
  }
}

function codeOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (isFilewrightError(error)) return error.code
    throw error
  }
  return 'none'
}
