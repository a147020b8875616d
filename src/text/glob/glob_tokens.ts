/** Globs as tokens, and their matcher: no recursion, no backtracking beyond the last star, so no pattern is slow. */

/** One step of a glob. */
export type GlobToken =
  | { readonly kind: 'literal'; readonly code: number }
  /** One character but `/`. */
  | { readonly kind: 'any' }
  /** One character of a set; never `/`. */
  | { readonly kind: 'set'; readonly has: (code: number) => boolean }
  /** Any run of characters without `/`. */
  | { readonly kind: 'star' }
  /** Any run of characters, `/` too. */
  | { readonly kind: 'globstar' }
  /** Nothing, or any run that ends in `/`. */
  | { readonly kind: 'directories' }

/** Why a glob is none. */
export type GlobProblem = 'has an unclosed [' | 'has an unknown class in [: :]' | 'ends in a lone backslash'

/** A text as the numbers of its characters. */
export function codesOf(text: string): number[] {
  return Array.from(text, (char) => char.codePointAt(0) as number)
}

/** The separator of names. */
export const SLASH = 47
const BACKSLASH = 92
const [STAR, QUESTION, OPEN, CLOSE, COLON, DASH, BANG, CARET] = [42, 63, 91, 93, 58, 45, 33, 94] as const

/**
 * Reads a glob with the rules of git's wildmatch: `*`, `?`, `[…]` with ranges and POSIX classes, `\` escapes, and `**` as
 * whole directory names. Answers the problem of a glob that can match nothing.
 */
export function parseGlob(codes: readonly number[]): readonly GlobToken[] | GlobProblem {
  const tokens: GlobToken[] = []
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] as number
    if (code === STAR) {
      const end = codes.findIndex((other, i) => i > at && other !== STAR)
      const after = end < 0 ? codes.length : end
      const [token, last] = starToken(codes, at, after)
      tokens.push(token)
      at = last
    } else if (code === QUESTION) {
      tokens.push({ kind: 'any' })
    } else if (code === OPEN) {
      const set = parseSet(codes, at)
      if (typeof set === 'string') return set
      tokens.push({ kind: 'set', has: set.has })
      at = set.last
    } else if (code === BACKSLASH) {
      const escaped = codes[++at]
      if (escaped === undefined) return 'ends in a lone backslash'
      tokens.push({ kind: 'literal', code: escaped })
    } else {
      tokens.push({ kind: 'literal', code })
    }
  }
  return tokens
}

/** The token of a run of stars, and where it ends. Two or more that fill a whole name reach across directories. */
function starToken(codes: readonly number[], start: number, after: number): readonly [token: GlobToken, last: number] {
  const next = codes[after]
  const fills = after - start > 1 && (start === 0 || codes[start - 1] === SLASH)
  if (fills && next === SLASH) return [{ kind: 'directories' }, after]
  const escapedSlash = next === BACKSLASH && codes[after + 1] === SLASH
  return [{ kind: fills && (next === undefined || escapedSlash) ? 'globstar' : 'star' }, after - 1]
}

const within = (low: number, high: number) => (code: number) => code >= low && code <= high
const [digit, lower, upper] = [within(48, 57), within(97, 122), within(65, 90)]
const alpha = (code: number) => lower(code) || upper(code)
const [graph, space] = [within(33, 126), (code: number) => code === 32 || code === 9 || code === 10 || code === 13]

/** POSIX classes, as git has them: ASCII only. */
const CLASSES: { readonly [name: string]: (code: number) => boolean } = {
  alnum: (code) => alpha(code) || digit(code),
  alpha,
  blank: (code) => code === 32 || code === 9,
  cntrl: (code) => code < 32 || code === 127,
  digit,
  graph,
  lower,
  print: within(32, 126),
  punct: (code) => graph(code) && !alpha(code) && !digit(code),
  space,
  upper,
  xdigit: (code) => digit(code) || within(97, 102)(code) || within(65, 70)(code),
}

function parseSet(codes: readonly number[], open: number): { has: (code: number) => boolean; last: number } | GlobProblem {
  let at = open + 1
  const negated = codes[at] === BANG || codes[at] === CARET
  if (negated) at++
  const members: ((code: number) => boolean)[] = []
  let low: number | null = null
  // A ] in the first place stands for itself.
  for (const first = at; ; at++) {
    let code = codes[at]
    if (code === undefined) return 'has an unclosed ['
    if (code === CLOSE && at > first) break
    if (code === DASH && low !== null && codes[at + 1] !== undefined && codes[at + 1] !== CLOSE) {
      let high = codes[++at] as number
      if (high === BACKSLASH) high = codes[++at] ?? -1
      if (high < 0) return 'has an unclosed ['
      members.push(within(low, high))
      low = null
      continue
    }
    if (code === OPEN && codes[at + 1] === COLON) {
      const close = codes.indexOf(CLOSE, at + 2)
      if (close < 0) return 'has an unclosed ['
      if (close - 1 >= at + 2 && codes[close - 1] === COLON) {
        const named = CLASSES[String.fromCodePoint(...codes.slice(at + 2, close - 1))]
        if (!named) return 'has an unknown class in [: :]'
        members.push(named)
        at = close
        low = null
        continue
      }
    }
    if (code === BACKSLASH) code = codes[++at]
    if (code === undefined) return 'has an unclosed ['
    const member = code
    members.push((other) => other === member)
    low = member
  }
  const has = (code: number) => code !== SLASH && members.some((member) => member(code)) !== negated
  return { has, last: at }
}

/** The longest text that stands in all that tokens match; empty when there is none. */
export function requiredText(tokens: readonly GlobToken[]): string {
  let [longest, run] = ['', '']
  for (const token of tokens) {
    run = token.kind === 'literal' ? run + String.fromCodePoint(token.code) : ''
    if (run.length > longest.length) longest = run
  }
  return longest
}

/** Whether tokens match all of `text` from `start` on. */
export function matchGlob(tokens: readonly GlobToken[], text: string, start = 0): boolean {
  let [step, at] = [0, start]
  // Where to go on after a mismatch: the last star takes one more character; if it cannot, the last ** takes more directories.
  let [starStep, starAt] = [-1, 0]
  let [deepStep, deepAt, deepWhole] = [-1, 0, false]
  for (;;) {
    const token = tokens[step]
    if (!token) {
      if (at === text.length) return true
    } else if (token.kind === 'star') {
      ;[starStep, starAt] = [++step, at]
      continue
    } else if (token.kind === 'globstar' || token.kind === 'directories') {
      ;[deepStep, deepAt, deepWhole, starStep] = [++step, at, token.kind === 'directories', -1]
      if (step === tokens.length && !deepWhole) return true
      continue
    } else if (at < text.length) {
      const code = text.codePointAt(at) as number
      if (token.kind === 'literal' ? code === token.code : token.kind === 'any' ? code !== SLASH : token.has(code)) {
        step++
        at += code > 0xffff ? 2 : 1
        continue
      }
    }
    if (starStep >= 0 && starAt < text.length && text.charCodeAt(starAt) !== SLASH) {
      starAt += (text.codePointAt(starAt) as number) > 0xffff ? 2 : 1
      ;[step, at] = [starStep, starAt]
      continue
    }
    if (deepStep < 0) return false
    const slash = text.indexOf('/', deepAt)
    if (deepWhole ? slash < 0 : deepAt >= text.length) return false
    deepAt = deepWhole ? slash + 1 : deepAt + 1
    ;[step, at, starStep] = [deepStep, deepAt, -1]
  }
}
