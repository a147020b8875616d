/** Hostile patterns on hostile texts: every one ends, or is refused, and the event loop is served in between. */
import { describe, expect, test } from 'vitest'
import { isFilewrightError } from '../../../src/core/errors.ts'
import { compileRegex } from '../../../src/text/regex/regex.ts'
import type { RegexScope } from '../../../src/text/regex/source.ts'

const PATTERNS: readonly string[] = [
  // Nested repetition.
  ...['^(a+)+$', '(a+)+b', '(a*)*b', '(a|a)*b', '(a|aa)+$', '(?:a+)*c', '((a*)*)*d', '(a+a+)+b', '(.*)*x', '(.+)+x', '([^x]+)+x'],
  ...[
    '(x+x+)+y',
    '(\\w+)+!x',
    '(\\w*)*!x',
    '(\\w+\\d*)+!x',
    '(\\s*)*\\S!',
    '(a?)*b',
    '(a{1,5})+b',
    '(a{2,})*b',
    '(?:a|b|ab)*c',
    '(a+b?)+c',
  ],
  ...['(a*?)*b', '(a+?)+b', '((ab)*)*c', '((a|b)+)*c', '(([a-z])+.)+[A-Z]([a-z])+$', '^(([a-z])+)+$', '(a|b|c|ab|bc)*d', '(aa|aab?)*c'],
  // Overlapping neighbours.
  ...[
    'a*a*a*a*b',
    '.*.*.*x',
    '.*.*.*.*.*x',
    '\\s+$',
    '\\s*\\s*\\s*x',
    '\\w+\\w+\\w+\\w+!x',
    '[a-z]+[0-9]',
    'a+$',
    'a*b',
    '.*a.*b.*c.*d.*e',
    '^.*a.*b',
  ],
  ...[
    '(.*a){10}b',
    '(.*,){11}P',
    '(a.*){12}b',
    '\\d+\\d+\\d+x',
    'x*y*x*y*x*z',
    '[^b]*[^c]*[^d]*e',
    'a.*a.*a.*a.*b',
    '(\\w+\\s?)*$x',
    '\\s*,\\s*,\\s*x',
  ],
  // From advisories, in kind: e-mail, URLs, dates, comments, trimming, HTML, numbers, front matter, ANSI, semver.
  ...['^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$'],
  ...[
    '^([a-zA-Z0-9_\\-\\.]+)@([a-zA-Z0-9_\\-\\.]+)\\.([a-zA-Z]{2,5})$',
    '(\\w+\\.)+\\w+@x',
    '^(([\\w\\-]+)\\.?)+@',
    '(?:\\w+://)?(?:\\w+\\.)*\\w+/x',
  ],
  ...[
    '^(\\d+\\s*)+$x',
    '/\\*(.|\\n)*?\\*/x',
    '<(\\w+)(\\s+\\w+="[^"]*")*\\s*>x',
    '<.*>.*</.*>',
    '^\\s+|\\s+$',
    '(\\/\\*[\\s\\S]*?\\*\\/|\\s)+x',
  ],
  ...[
    '^---\\s*\\n(.*?)\\n---',
    '[\\u001b\\u009b][[()#;?]*(?:[0-9]{1,4}(?:;[0-9]{0,4})*)?[0-9A-ORZcf-nqry=><]',
    '(\\d+)\\.(\\d+)\\.(\\d+)(?:-(.*))?$',
  ],
  ...[
    '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
    '(?:[^\\\\"]|\\\\.)*"x',
    '"(?:[^"\\\\]|\\\\.|\\\\\\n)*"',
    "'([^'\\\\]*(\\\\.)?)*'",
  ],
  ...[
    '^(?:.?a)*$',
    '(?:\\.?[a-z]+)+;',
    '^([a-z]+:?)+$x',
    '(=+[^=]+)+x',
    '([a-z]+[a-z]*)+[0-9]',
    '^[\\s\\u200c]+|[\\s\\u200c]+$',
    '(_+[a-z]*)*-',
  ],
  ...[
    '(.*?)(,(.*?))*;',
    '\\{\\{(.*?)\\}\\}.*\\{\\{',
    '^(.+?)=(.+?)&(.+?)#',
    '(?:a(?:b(?:c*)*)*)*d',
    '([^,]*,)*[^;]*;',
    '(ba+)+c',
    '(a|b)*?c',
    '((a+|b+)+)c',
  ],
  // Counted repetition.
  ...[
    '(a{0,50}){50}b',
    'a{1000}',
    '(a{100}){10}b',
    '(?:a?){30}a{30}',
    'a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaaaaaaaaaaaaaaa!',
    '(a{1,30}){1,30}b',
  ],
  ...['((a{10}){10}){10}', '.{0,1000}x', '(?:.{1,100}){1,100}x', '(a|b|[ab]){30}c', '[ab]*a[ab]{12}c', '(\\w{1,3}){1,40}!x'],
  // Look-around and backreferences.
  ...[
    '(?=(a+))a*b\\1',
    '(a+)\\1\\1b',
    '(?!.*x).*y',
    '(?=.*a)(?=.*b)(?=.*x)',
    '(\\w+)\\s+\\1x',
    '(?:(?!foo).)*bar',
    '(?<=a+)b',
    '(?<!a*)b',
    '(?<=(?:a|aa)+)b',
  ],
  ...['(?:(?!.*z)a)*b', '((?=a+)a)*b', '^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z]).{8,}$', '(a)*\\1b', '(?<=^.*)x'],
  // Case and Unicode.
  ...['(?i)(A+)+b', '(?i)(k|\\u212a)+x', '(\\p{L}+)+1', '(\\p{L}|\\p{Lu})*1', '(?s)(.|\\s)*x', '(?i)(?:straße|strasse)+x', '([é-ü]+)+x'],
]

// FILEWRIGHT_SWEEP=100000 for longer texts.
const LENGTH = Number(process.env.FILEWRIGHT_SWEEP ?? 10_000)

const TEXTS: readonly string[] = ['a', `${'a'.repeat(30)}!\n`, ' ', 'ab', 'a b ', 'x=1&', '\\', '<a b="c" ', '1.', '/*'].map(
  (part) => `"${part.repeat(LENGTH / part.length)}!`,
)

/** Time of a known number of steps on this machine, now: what the bound on a piece is made of. */
const UNIT = ((): number => {
  const text = 'x'.repeat(10_000)
  const times = [0, 1, 2].map(() => {
    const started = performance.now()
    ;/x*y/.test(text)
    return performance.now() - started
  })
  return Math.max(20, ...times)
})()

/** Longest time between two turns of the event loop in all of a search, in milliseconds. */
async function search(pattern: string, text: string, scope: RegexScope): Promise<number> {
  const regex = compileRegex(pattern, { scope, fold: false, field: 'query' })
  let longest = 0
  for (const { from, to, engine } of regex.pieces(text)) {
    const started = performance.now()
    const finder = engine === 'platform' ? regex.platform : engine === 'linear' ? await regex.linear() : null
    if (finder && !('lacking' in finder)) finder.find(text.slice(from, to), 0)
    longest = Math.max(longest, performance.now() - started)
    await new Promise((resume) => setImmediate(resume))
  }
  return longest
}

describe.each<RegexScope>(['lines', 'text'])('in %s', (scope) => {
  test.each(PATTERNS)('%s', { timeout: 60_000 }, async (pattern) => {
    for (const [i, text] of TEXTS.entries()) {
      try {
        const longest = await search(pattern, text, scope)
        expect(longest / UNIT, `text ${i}`).toBeLessThan(20)
      } catch (error) {
        if (!isFilewrightError(error, 'unsupported')) throw error
      }
    }
  })
})

test('the patterns are many', () => {
  expect(new Set(PATTERNS).size).toBeGreaterThan(100)
})
