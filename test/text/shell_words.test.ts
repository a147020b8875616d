/** Words of a command line, by rule and beside a real shell. */
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitShellWords } from '../../src/text/shell_words.ts'

const RUNS = Number(process.env.FILEWRIGHT_WORDS_RUNS ?? 20)

describe('splitShellWords', () => {
  it.each<[string, string, string[]]>([
    ['words', 'echo hello  world', ['echo', 'hello', 'world']],
    ['blanks at the ends', ' \t echo \n', ['echo']],
    ['a line feed as white space', 'a\nb', ['a', 'b']],
    ['a carriage return as a character', 'a\r b', ['a\r', 'b']],
    ['single quotes', `echo 'a b' 'it\\s' '"'`, ['echo', 'a b', 'it\\s', '"']],
    ['double quotes', `"c d" "it's"`, ['c d', "it's"]],
    ['escapes in double quotes', '"\\" \\\\ \\$ \\` \\n \\a"', ['" \\ $ ` \\n \\a']],
    ['a line joined in double quotes', '"a\\\nb"', ['ab']],
    ['a backslash outside of quotes', "e\\ f \\\\ \\' \\n", ['e f', '\\', "'", 'n']],
    ['a line joined outside of quotes', 'a\\\nb \\\n c', ['ab', 'c']],
    ['empty words', `'' "" a''b`, ['', '', 'ab']],
    ['quotes within a word', `a'b c'"d e"\\ f`, ['ab cd e f']],
    ['no comment', 'echo # x', ['echo', '#', 'x']],
    ['no operators', 'a|b && c; d > e < f & (g)', ['a|b', '&&', 'c;', 'd', '>', 'e', '<', 'f', '&', '(g)']],
    ['no expansion', 'echo $HOME *.txt ~ `x` $(a b) {c,d}', ['echo', '$HOME', '*.txt', '~', '`x`', '$(a', 'b)', '{c,d}']],
    ['other characters', 'é 😀 \u00a0', ['é', '😀', '\u00a0']],
    ['nothing', ' \n', []],
  ])('%s', (_, text, words) => {
    expect(splitShellWords(text)).toEqual(words)
  })

  it.each([`echo "a`, `echo 'a`, 'echo a\\', `"a\\"`, `'a\\' '`])('refuses %s', (text) => {
    expect(() => splitShellWords(text)).toThrow(expect.objectContaining({ code: 'invalid_argument', field: 'command' }))
  })

  it('gives the words that a shell gives, where a shell does nothing else', () => {
    const characters = [...'abcXYZ019-_./:,+%@^é漢😀']
    const inQuotes = [...characters, ...' \t\n|&;<>()*?[]{}#~!='].filter((character) => character !== '%')
    const word = fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 4 })
    const single = fc.string({ unit: fc.constantFrom(...inQuotes, '"', '\\', '$', '`'), maxLength: 6 }).map((text) => `'${text}'`)
    const escaped = fc.constantFrom(...inQuotes, '"', '\\', '$', '`', "'").map((character) => `\\${character}`)
    const double = fc.array(fc.oneof(fc.constantFrom(...inQuotes, "'"), escaped), { maxLength: 6 }).map((parts) => `"${parts.join('')}"`)
    const line = fc
      .array(fc.oneof(word, single, double, escaped, fc.constantFrom(' ', '\t', '  ')), { maxLength: 12 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), (lines) => {
        const script = lines.map((text) => `printf '%s\\0' ${text} ; printf '\\1\\0'`).join('\n')
        const { stdout, status } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
        expect(status).toBe(0)
        // Without arguments, printf prints one empty word.
        const expected = lines.map((text) => splitShellWords(text)).map((words) => (words.length === 0 ? [''] : words))
        expect(stdout).toBe(expected.map((words) => [...words, '\u0001'].map((one) => `${one}\0`).join('')).join(''))
      }),
      { numRuns: RUNS },
    )
  })
})
