/** The syntax of git's configuration file. Texts have a character for each byte of the file. */
import { FilewrightError } from '../core/errors.ts'

/** One setting, and where it stands. */
export interface ConfigEntry {
  /** Lower case. */
  readonly section: string
  readonly subsection: string | null
  /** Lower case. */
  readonly name: string
  /** Null for a name without `=`. */
  readonly value: string | null
  /** Where the name begins. */
  readonly start: number
  /** Where the line begins on which it does. */
  readonly lineStart: number
  /** Behind the line end that ends the value. */
  readonly lineEnd: number
}

const NAME = /[A-Za-z][A-Za-z0-9-]*/y
const PLAIN_HEAD = /\[([A-Za-z0-9.-]+)\]/y
const NAMED_HEAD = /\[([A-Za-z0-9.-]+)[ \t\r]+"((?:\\[^\n]|[^"\\\n])*)"\]/y
const ESCAPED: { readonly [char: string]: string } = { t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"' }

/** Reads all settings, in order. Throws `corrupt` with the number of the line that is wrong. */
export function parseConfig(text: string): ConfigEntry[] {
  const entries: ConfigEntry[] = []
  let section = ''
  let subsection: string | null = null
  let at = text.startsWith('\xef\xbb\xbf') ? 3 : 0

  const bad = (): FilewrightError => {
    const line = text.slice(0, at).split('\n').length
    return new FilewrightError('corrupt', `The settings of the repository cannot be read: line ${line} of config is wrong.`)
  }
  /** What a pattern finds here. */
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  const skipLine = (): void => {
    const end = text.indexOf('\n', at)
    at = end < 0 ? text.length : end + 1
  }

  const readHead = (): void => {
    const named = match(NAMED_HEAD)
    const plain = named ?? match(PLAIN_HEAD)
    if (!plain) throw bad()
    section = (plain[1] as string).toLowerCase()
    subsection = named ? (named[2] as string).replace(/\\(.)/gs, '$1') : null
    const dot = section.indexOf('.')
    if (dot < 0) return
    // The old notation, in which subsections are in lower case.
    subsection = [section.slice(dot + 1), ...(subsection === null ? [] : [subsection])].join('.')
    section = section.slice(0, dot)
  }

  /** The value behind `=`, up to and with its line end. */
  const readValue = (): string => {
    let value = ''
    let spaces = 0
    let isQuoted = false
    let isComment = false
    for (;;) {
      let char = text[at++] ?? '\n'
      if (char === '\r' && text[at] === '\n') char = text[at++] as string
      if (char === '\n') {
        if (isQuoted) throw bad()
        return value
      }
      if (isComment) continue
      if (!isQuoted && (char === ' ' || char === '\t' || char === '\r')) {
        if (value !== '') spaces++
        continue
      }
      if (!isQuoted && (char === ';' || char === '#')) {
        isComment = true
        continue
      }
      value += ' '.repeat(spaces)
      spaces = 0
      if (char === '"') {
        isQuoted = !isQuoted
        continue
      }
      if (char === '\\') {
        let next = text[at++] ?? '\n'
        if (next === '\r' && text[at] === '\n') next = text[at++] as string
        if (next === '\n') continue
        char = ESCAPED[next] ?? ''
        if (char === '') throw bad()
      }
      value += char
    }
  }

  while (at < text.length) {
    const char = text[at] as string
    if (' \t\r\n'.includes(char)) at++
    else if (char === '#' || char === ';') skipLine()
    else if (char === '[') readHead()
    else {
      const start = at
      const name = match(NAME)?.[0].toLowerCase()
      if (name === undefined) throw bad()
      while (text[at] === ' ' || text[at] === '\t') at++
      if (text[at] === '\r' && text[at + 1] === '\n') at++
      let value: string | null = null
      if (text[at] === '=') {
        at++
        value = readValue()
      } else if (at < text.length && text[at] !== '\n') throw bad()
      else at++
      at = Math.min(at, text.length)
      entries.push({ section, subsection, name, value, start, lineStart: text.lastIndexOf('\n', start - 1) + 1, lineEnd: at })
    }
  }
  return entries
}
