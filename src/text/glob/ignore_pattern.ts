/** Lines of a rule file (`.gitignore`, `.ignore`, `info/exclude`) as patterns, with git's meaning to the byte. */
import { codesOf, type GlobToken, matchGlob, parseGlob } from './glob_tokens.ts'

/** One pattern of a rule file. */
export interface IgnorePattern {
  /** As it is written. */
  readonly text: string
  /** From 1. */
  readonly line: number
  /** It begins with `!`: what it matches is not ignored. */
  readonly negated: boolean
  /** It ends in `/`: it matches directories only. */
  readonly directory: boolean
  /** Whether it is tried on the last name alone, or on the path below the rule file's directory. */
  readonly scope: 'name' | 'path'
  /** Whether it matches the part of `path` from `start` on. */
  readonly matches: (path: string, start: number) => boolean
}

/** The patterns of one rule file, for lookups. */
export interface IgnoreRuleSet {
  /**
   * The last pattern that matches an entry; null when none does. `path` is a {@link byteText}; at `below` begins what is below the
   * rule file's directory, at `name` the last name.
   */
  find(path: string, below: number, name: number, directory: boolean): IgnorePattern | null
}

const encoder = new TextEncoder()

/**
 * A path or pattern as text whose characters stand for its bytes: git's `?` and `[…]` see bytes.
 * ASCII stays what it is; a bad byte (a lone surrogate U+DC80 to U+DCFF, see `Path`) becomes that byte.
 */
export function byteText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is asked.
  if (/^[\x00-\x7f]*$/.test(text)) return text
  let bytes = ''
  for (const char of text) {
    const code = char.codePointAt(0) as number
    if (code >= 0xdc80 && code <= 0xdcff) bytes += String.fromCharCode(code - 0xdc00)
    else for (const byte of encoder.encode(char)) bytes += String.fromCharCode(byte)
  }
  return bytes
}

/** Reads a rule file. */
export function parseRules(file: Uint8Array, foldCase: boolean): IgnoreRuleSet {
  let text = ''
  for (const byte of file) text += String.fromCharCode(byte)
  if (text.startsWith('\xef\xbb\xbf')) text = text.slice(3)
  const patterns: IgnorePattern[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const pattern = parseLine(line, index + 1, foldCase)
    if (pattern) patterns.push(pattern)
  }
  return ruleSet(patterns, foldCase)
}

/** The pattern of a line; null for an empty line and a comment. */
function parseLine(line: string, number: number, foldCase: boolean): IgnorePattern | null {
  if (line === '' || line.startsWith('#')) return null
  const written = trimSpaces(line.replace(/\r$/, '').replace(/\0.*$/s, ''))
  const negated = written.startsWith('!')
  let body = negated ? written.slice(1) : written
  const directory = body.endsWith('/')
  if (directory) body = body.slice(0, -1)
  if (foldCase) body = foldBytes(body)
  const scope = body.includes('/') ? 'path' : 'name'
  const matches = scope === 'name' ? nameMatcher(body) : pathMatcher(body.startsWith('/') ? body.slice(1) : body)
  return { text: decodeBytes(written), line: number, negated, directory, scope, matches }
}

/** Spaces at the end do not count, unless a backslash stands before them. */
function trimSpaces(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === ' ') end--
  let slashes = 0
  while (text[end - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1 && end < text.length ? text.slice(0, end + 1) : text.slice(0, end)
}

const SPECIAL = /[*?[\\]/

type Matches = IgnorePattern['matches']

const isExactly =
  (body: string): Matches =>
  (path, start) =>
    path.length - start === body.length && path.endsWith(body)

function nameMatcher(body: string): Matches {
  if (!SPECIAL.test(body)) return isExactly(body)
  const ending = body.slice(1)
  if (!body.startsWith('*') || SPECIAL.test(ending)) return tokenMatcher(parseGlob(codesOf(body)), '')
  return (path, start) => path.length - start >= ending.length && path.endsWith(ending)
}

function pathMatcher(body: string): Matches {
  const special = body.search(SPECIAL)
  if (special < 0) return isExactly(body)
  // As git does: the text before the first special character is compared, and ** may stand first in what is left.
  return tokenMatcher(parseGlob(codesOf(body.slice(special))), body.slice(0, special))
}

function tokenMatcher(tokens: readonly GlobToken[] | string, prefix: string): Matches {
  if (typeof tokens === 'string') return () => false
  const needed = longestText(tokens)
  return (path, start) => path.startsWith(prefix, start) && path.includes(needed, start) && matchGlob(tokens, path, start + prefix.length)
}

/** The longest text that stands in a glob as it is: what does not hold it is no match, and most paths do not. */
function longestText(tokens: readonly GlobToken[]): string {
  let [run, longest] = ['', '']
  for (const token of tokens) {
    run = token.kind === 'literal' ? run + String.fromCodePoint(token.code) : ''
    if (run.length > longest.length) longest = run
  }
  return longest
}

function ruleSet(patterns: readonly IgnorePattern[], foldCase: boolean): IgnoreRuleSet {
  return {
    find(path, below, name, directory) {
      const subject = foldCase ? foldBytes(path) : path
      for (let i = patterns.length - 1; i >= 0; i--) {
        const pattern = patterns[i] as IgnorePattern
        if (pattern.directory && !directory) continue
        if (pattern.matches(subject, pattern.scope === 'name' ? name : below)) return pattern
      }
      return null
    },
  }
}

/** Lower case of text whose characters stand for bytes: ASCII letters, as git folds them. */
function foldBytes(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function decodeBytes(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0)))
}
