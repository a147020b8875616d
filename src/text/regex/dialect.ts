/** The dialect of C-29: JavaScript with the `u` flag, and a small translation for patterns written for Python or Rust. */
import { FilewrightError } from '../../core/errors.ts'

/** Flags of a pattern, or of a part of it. */
export interface RegexFlags {
  /** Case does not matter. */
  readonly fold: boolean
  /** `^` and `$` match at lines. */
  readonly lines: boolean
  /** `.` matches line feeds too. */
  readonly dotAll: boolean
}

/** What a bracket opens. */
export type GroupKind = 'plain' | 'capture' | 'ahead' | 'notAhead' | 'behind' | 'notBehind' | 'flags'

/** One token; `text` is JavaScript. */
export type RegexToken =
  | { readonly kind: 'char'; readonly text: string; readonly code: number }
  | { readonly kind: 'set' | 'dot' | 'close' | 'or' | 'backreference' | 'other'; readonly text: string }
  | { readonly kind: 'assert'; readonly text: string; readonly what: '^' | '$' | 'b' | 'B' | 'start' | 'end' }
  | { readonly kind: 'open'; readonly text: string; readonly group: GroupKind }
  | { readonly kind: 'repeat'; readonly text: string; readonly min: number; readonly max: number; readonly lazy: boolean }

/** A pattern in tokens, with the flags that stood at its start. */
export interface RegexTokens {
  readonly tokens: readonly RegexToken[]
  readonly flags: RegexFlags
}

/** Longest pattern, in UTF-16 units. */
export const MAX_PATTERN_LENGTH: number = 4096

/**
 * Reads a pattern. Throws `invalid_regex` with the engine's own message, on `field`.
 */
export function readRegex(pattern: string, flags: RegexFlags, field: string): RegexTokens {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new FilewrightError('invalid_regex', `Invalid regular expression: longer than ${MAX_PATTERN_LENGTH} characters.`, { field })
  }
  let [fold, lines, dotAll] = [flags.fold, flags.lines, flags.dotAll]
  let rest = pattern
  for (let leading = /^\(\?([ims]+)\)/.exec(rest); leading; leading = /^\(\?([ims]+)\)/.exec(rest)) {
    const letters = leading[1] as string
    if (letters.includes('i')) fold = true
    if (letters.includes('m')) lines = true
    if (letters.includes('s')) dotAll = true
    rest = rest.slice(leading[0].length)
  }
  const tokens: RegexToken[] = []
  for (let at = 0; at < rest.length; ) {
    const [token, length] = tokenAt(rest, at)
    tokens.push(token)
    at += length
  }
  try {
    // V8 finds some patterns too large only when it first runs them.
    new RegExp(tokens.map((token) => token.text).join(''), fold ? 'iu' : 'u').exec('')
  } catch (error) {
    throw new FilewrightError('invalid_regex', `${(error as Error).message}.`, { field, cause: error })
  }
  return { tokens, flags: { fold, lines, dotAll } }
}

type Read = readonly [token: RegexToken, length: number]

function tokenAt(text: string, at: number): Read {
  const char = text[at] as string
  switch (char) {
    case '\\':
      return escapeAt(text, at)
    case '[':
      return setAt(text, at)
    case '(':
      return groupAt(text, at)
    case ')':
      return [{ kind: 'close', text: char }, 1]
    case '|':
      return [{ kind: 'or', text: char }, 1]
    case '.':
      return [{ kind: 'dot', text: char }, 1]
    case '^':
    case '$':
      return [{ kind: 'assert', text: char, what: char }, 1]
    case '*':
    case '+':
    case '?':
    case '{':
      return repeatAt(text, at)
    default: {
      const code = text.codePointAt(at) as number
      const whole = String.fromCodePoint(code)
      return [{ kind: 'char', text: whole, code }, whole.length]
    }
  }
}

function repeatAt(text: string, at: number): Read {
  const found = /(?:[*+?]|\{(\d+)(,?)(\d*)\})(\??)/y
  found.lastIndex = at
  const parts = found.exec(text)
  if (!parts) return [{ kind: 'other', text: '{' }, 1]
  const [whole, low, comma, high, lazy] = parts as unknown as [string, string?, string?, string?, string?]
  const min = low !== undefined ? Number(low) : whole[0] === '+' ? 1 : 0
  const open = Number.POSITIVE_INFINITY
  const max = low === undefined ? (whole[0] === '?' ? 1 : open) : comma === '' ? min : high === '' ? open : Number(high)
  return [{ kind: 'repeat', text: whole, min, max, lazy: lazy === '?' }, whole.length]
}

const GROUPS: readonly [start: string, group: GroupKind][] = [
  ['(?:', 'plain'],
  ['(?=', 'ahead'],
  ['(?!', 'notAhead'],
  ['(?<=', 'behind'],
  ['(?<!', 'notBehind'],
]

function groupAt(text: string, at: number): Read {
  for (const [start, group] of GROUPS) {
    if (text.startsWith(start, at)) return [{ kind: 'open', text: start, group }, start.length]
  }
  const named = /\(\?(P?)<([^>]*)>|\(\?P=([^)]*)\)|\(\?[a-z]*-?[a-z]*:/y
  named.lastIndex = at
  const parts = named.exec(text)
  if (!parts) return [{ kind: 'open', text: '(', group: 'capture' }, 1]
  const [whole, , name, again] = parts
  if (name !== undefined) return [{ kind: 'open', text: `(?<${name}>`, group: 'capture' }, whole.length]
  if (again !== undefined) return [{ kind: 'backreference', text: `\\k<${again}>` }, whole.length]
  return [{ kind: 'open', text: whole, group: 'flags' }, whole.length]
}

const CONTROLS: { readonly [letter: string]: number } = { n: 10, r: 13, t: 9, v: 11, f: 12, '0': 0 }
/** What the `u` flag lets a backslash stand before, beside letters and digits. */
const SYNTAX = '^$\\.*+?()[]{}|/'

function escapeAt(text: string, at: number): Read {
  const letter = text[at + 1] ?? ''
  const whole = `\\${letter}`
  if (letter === 'A') return [{ kind: 'assert', text: '^', what: 'start' }, 2]
  if (letter === 'Z' || letter === 'z') return [{ kind: 'assert', text: '$', what: 'end' }, 2]
  if (letter === 'b' || letter === 'B') return [{ kind: 'assert', text: whole, what: letter }, 2]
  if ('dDwWsS'.includes(letter) && letter !== '') return [{ kind: 'set', text: whole }, 2]
  const code = CONTROLS[letter]
  if (code !== undefined && !/[0-9]/.test(letter === '0' ? (text[at + 2] ?? '') : '')) return [{ kind: 'char', text: whole, code }, 2]
  const long =
    /\\(?:[pP]\{[^}]*\}|k<[^>]*>|[1-9]\d*|x([\da-f]{2})|u\{([\da-f]+)\}|u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|u([\da-f]{4})|c([a-z]))/iy
  long.lastIndex = at
  const parts = long.exec(text)
  if (parts) return longEscape(parts)
  if (isPunctuation(letter)) {
    const escaped = SYNTAX.includes(letter) ? whole : letter
    return [{ kind: 'char', text: escaped, code: letter.charCodeAt(0) }, 2]
  }
  // Not an escape: the engine says so.
  const unknown = letter === '' ? '' : String.fromCodePoint(text.codePointAt(at + 1) as number)
  return [{ kind: 'other', text: `\\${unknown}` }, 1 + unknown.length]
}

function longEscape(parts: RegExpExecArray): Read {
  const [whole, hex, braced, high, low, unit, control] = parts as unknown as [string, ...(string | undefined)[]]
  const read = (code: number): Read => [{ kind: 'char', text: whole, code }, whole.length]
  const number = hex ?? braced ?? unit
  if (high !== undefined && low !== undefined) {
    return read((Number.parseInt(high, 16) - 0xd800) * 0x400 + (Number.parseInt(low, 16) - 0xdc00) + 0x10000)
  }
  if (number !== undefined) return read(Number.parseInt(number, 16))
  if (control !== undefined) return read(control.charCodeAt(0) % 32)
  return [{ kind: /^\\p/i.test(whole) ? 'set' : 'backreference', text: whole }, whole.length]
}

/** A class in brackets, without the escapes that the `u` flag rejects there. */
function setAt(text: string, at: number): Read {
  let set = '['
  for (let i = at + 1; i < text.length; i++) {
    const char = text[i] as string
    if (char === '\\') {
      const next = text[++i] ?? ''
      set += isPunctuation(next) && !SYNTAX.includes(next) && next !== '-' ? next : `\\${next}`
      continue
    }
    set += char
    if (char === ']') return [{ kind: 'set', text: set }, i + 1 - at]
  }
  return [{ kind: 'other', text: set }, text.length - at]
}

function isPunctuation(char: string): boolean {
  return /^[ -/:-@[-`{-~]$/.test(char)
}
