/** A command line as words, by the quoting rules of a POSIX shell and nothing else of one (F-70). */
import { FilewrightError } from '../core/errors.ts'

const BLANKS = ' \t\n'
/** What a backslash takes the meaning from within double quotes. */
const ESCAPED_IN_QUOTES = '"\\$`'

/**
 * Splits a command line. Single quotes, double quotes and backslashes quote as in a shell; a backslash at the end of a line joins it
 * to the next. Nothing is expanded, and operators and `#` are characters like others. Throws `invalid_argument` for a quote that is
 * not closed, and for a backslash at the end.
 */
export function splitShellWords(text: string, field = 'command'): string[] {
  const words: string[] = []
  let word: string | null = null
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (BLANKS.includes(char)) {
      if (word !== null) words.push(word)
      word = null
    } else if (char === "'") {
      const end = text.indexOf("'", at + 1)
      if (end < 0) throw open(text, at, field)
      word = (word ?? '') + text.slice(at + 1, end)
      at = end
    } else if (char === '"') {
      const quoted = readQuoted(text, at, field)
      word = (word ?? '') + quoted.text
      at = quoted.end
    } else if (char === '\\') {
      const next = text[++at]
      if (next === undefined) throw new FilewrightError('invalid_argument', `${field} ends in a backslash that quotes nothing.`, { field })
      if (next !== '\n') word = (word ?? '') + next
    } else {
      word = (word ?? '') + char
    }
  }
  return word === null ? words : [...words, word]
}

/** What stands in the double quotes that open at `start`, and where they close. */
function readQuoted(text: string, start: number, field: string): { readonly text: string; readonly end: number } {
  let quoted = ''
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at] as string
    if (char === '"') return { text: quoted, end: at }
    const next = char === '\\' ? text[at + 1] : undefined
    if (next === undefined || (next !== '\n' && !ESCAPED_IN_QUOTES.includes(next))) {
      quoted += char
      continue
    }
    if (next !== '\n') quoted += next
    at++
  }
  throw open(text, start, field)
}

function open(text: string, at: number, field: string): FilewrightError {
  const quote = text[at] === "'" ? 'single' : 'double'
  const place = Array.from(text.slice(0, at)).length + 1
  return new FilewrightError('invalid_argument', `${field} has a ${quote} quote at character ${place} that is not closed.`, { field })
}
