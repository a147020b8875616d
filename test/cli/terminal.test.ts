/** What reaches a terminal cannot steer it (security H21, H22). */
import { describe, expect, test } from 'vitest'
import { paintDiff, paintFor, visible, visibleJson, visibleName } from '../../src/cli/terminal.ts'

describe('visible', () => {
  test.each([
    ['a clipboard write', '\u001b]52;c;cm0gLXJm\u0007', '\\x1b]52;c;cm0gLXJm\\x07'],
    ['a link', '\u001b]8;;http://evil\u001b\\x', '\\x1b]8;;http://evil\\x1b\\x'],
    ['a C1 control sequence', '\u009b31mred', '\\x9b31mred'],
    ['a carriage return', 'good\rbad', 'good\\x0dbad'],
    ['a right-to-left override', 'exe.\u202etxt', 'exe.\\u{202e}txt'],
    ['an isolate', '\u2066a\u2069', '\\u{2066}a\\u{2069}'],
    ['a zero-width space and a BOM', 'a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
    ['tag characters', 'a\u{e0041}', 'a\\u{e0041}'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['a byte that is not UTF-8', 'caf\udce9', 'caf\\xe9'],
    ['letters of any script', 'naïve 漢字 😀 עברית', 'naïve 漢字 😀 עברית'],
    ['lines and tabs', 'a\tb\nc', 'a\tb\nc'],
  ])('%s', (_, text, shown) => {
    expect(visible(text)).toBe(shown)
  })

  test('a name stays on its line', () => {
    expect(visibleName('a\nb\tc')).toBe('a\\nb\\tc')
  })
})

test('JSON keeps its meaning with the unsafe characters escaped', () => {
  const value = { name: 'a\u202e\u{e0041}\u009b\ufeff\udce9', lines: ['x\ny', '😀'] }
  const text = visibleJson(value, 2)
  expect(JSON.parse(text)).toEqual(value)
  expect(text).toBe(visible(text))
})

test('a diff gets colors on a terminal only', () => {
  const diff = '--- a/f\n+++ b/f\n@@ -1 +1 @@\n-old\n+new\n same'
  expect(paintDiff(diff, paintFor({ isTTY: false }))).toBe(diff)
  const before = { NO_COLOR: process.env.NO_COLOR, TERM: process.env.TERM }
  try {
    delete process.env.NO_COLOR
    process.env.TERM = 'xterm'
    expect(paintDiff(diff, paintFor({ isTTY: true }))).toContain('\u001b[32m+new\u001b[39m')
    process.env.NO_COLOR = '1'
    expect(paintDiff(diff, paintFor({ isTTY: true }))).toBe(diff)
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
})
