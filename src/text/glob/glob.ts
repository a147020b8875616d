/** Globs that callers write: one compiler for every tool (C-32). Bounded: no pattern takes long to compile or to match. */
import { FilewrightError } from '../../core/errors.ts'
import { codesOf, type GlobToken, matchGlob, parseGlob, requiredText, SLASH } from './glob_tokens.ts'

/** Most alternatives that the braces of one glob, or of one list of globs, may stand for. */
export const MAX_ALTERNATIVES: number = 1000
/** Longest glob, in UTF-16 units. */
export const MAX_GLOB_LENGTH: number = 4096

/** A list of gitignore-style globs, relative to the directory that they are anchored at. The last one that matches decides. */
export interface PathGlobs {
  /** Whether an entry is selected. */
  matches(path: string, directory: boolean): boolean
  /** Whether an entry is selected by itself, else with the nearest directory above that a glob decides on. */
  covers(path: string, directory: boolean): boolean
  /** Whether a glob names, without wildcards, a way through this directory: it was meant, even where it is ignored. */
  leadsThrough(directory: string): boolean
  /** Every glob that selects ends in `/`: only directories are meant. */
  readonly directoriesOnly: boolean
  /** For how many alternatives the globs stand; at most {@link MAX_ALTERNATIVES}. */
  readonly alternatives: number
}

/**
 * A glob for one name: `*`, `?`, `[abc]`, `[!abc]`, `{a,b}`, `\` before a character that stands for itself. Case-sensitive.
 * Throws `invalid_argument` on `field`.
 */
export function compileNameGlob(glob: string, field: string): (name: string) => boolean {
  if (glob.includes('/')) throw invalid(field, glob, 'is compared with names, and a name has no /')
  const alternatives = expandBraces(glob, field).map((text) => parse(text, field, glob))
  return (name) => alternatives.some((tokens) => matchGlob(tokens, name))
}

/**
 * Gitignore-style globs: those of {@link compileNameGlob} and `**`; a `/` at the start or inside anchors, one at the end means
 * directories only, `!` takes back what an earlier glob selected (a list of nothing else starts from everything).
 * Throws `invalid_argument` on `field`.
 */
export function compilePathGlobs(globs: readonly string[], field: string): PathGlobs {
  return selection(
    globs.flatMap((glob, i) => compilePath(glob, `${field}[${i}]`)),
    field,
  )
}

/** As {@link compilePathGlobs}, for an argument that is one glob. */
export function compilePathGlob(glob: string, field: string): PathGlobs {
  return selection(compilePath(glob, field), field)
}

/** As {@link compilePathGlobs}, for leaving out: `dir/**` takes the directory itself along. */
export function compileExcludes(globs: readonly string[], field: string): PathGlobs {
  return selection(
    globs.flatMap((glob, i) => compilePath(glob, `${field}[${i}]`).flatMap(withDirectory)),
    field,
  )
}

function selection(patterns: readonly PathPattern[], field: string): PathGlobs {
  if (patterns.length > MAX_ALTERNATIVES) throw new FilewrightError('invalid_argument', tooMany(field), { field })
  const selecting = patterns.filter((pattern) => !pattern.negated)
  const untouched = selecting.length === 0 && patterns.length > 0
  /** What the last glob that matches says; null when none does. */
  const decide = (path: string, directory: boolean): boolean | null => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    for (let i = patterns.length - 1; i >= 0; i--) {
      const pattern = patterns[i] as PathPattern
      if (pattern.directory && !directory) continue
      const subject = pattern.anchored ? path : name
      if (subject.includes(pattern.required) && matchGlob(pattern.tokens, subject)) return !pattern.negated
    }
    return null
  }
  return {
    alternatives: patterns.length,
    matches: (path, directory) => decide(path, directory) ?? untouched,
    covers(path, directory) {
      let decided = decide(path, directory)
      for (let end = path.lastIndexOf('/'); decided === null && end > 0; end = path.lastIndexOf('/', end - 1)) {
        decided = decide(path.slice(0, end), true)
      }
      return decided ?? untouched
    },
    leadsThrough: (directory) => selecting.some(({ head }) => head !== '' && (isBelow(directory, head) || isBelow(head, directory))),
    directoriesOnly: selecting.length > 0 && selecting.every((pattern) => pattern.directory),
  }
}

interface PathPattern {
  readonly tokens: readonly GlobToken[]
  /** What stands in all that matches: most paths are told apart by it. */
  readonly required: string
  readonly negated: boolean
  readonly directory: boolean
  readonly anchored: boolean
  /** The leading names of an anchored glob that hold no wildcard. */
  readonly head: string
}

function compilePath(glob: string, field: string): PathPattern[] {
  const negated = glob.startsWith('!')
  return expandBraces(negated ? glob.slice(1) : glob, field).map((alternative) => {
    const inner = alternative.replace(/^(\.\/)+/, '')
    const directory = inner.endsWith('/')
    const body = directory ? inner.slice(0, -1) : inner
    const anchored = body.includes('/')
    const path = body.startsWith('/') ? body.slice(1) : body
    if (path === '') throw invalid(field, glob, 'is empty')
    const tokens = parse(path, field, glob)
    return { tokens, required: requiredText(tokens), negated, directory, anchored, head: anchored ? literalHead(path) : '' }
  })
}

/** The pattern; with its directory, when it is all of what a directory holds. */
function withDirectory(pattern: PathPattern): PathPattern[] {
  const { tokens } = pattern
  const slash = tokens.at(-2)
  const whole = tokens.at(-1)?.kind === 'globstar' && slash?.kind === 'literal' && slash.code === SLASH
  if (!whole) return [pattern]
  const itself = tokens.slice(0, -2)
  return [pattern, { ...pattern, tokens: itself, required: requiredText(itself), directory: true }]
}

function literalHead(path: string): string {
  const special = path.search(/[*?[\\]/)
  return special < 0 ? path : path.slice(0, Math.max(0, path.lastIndexOf('/', special)))
}

function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`)
}

function parse(text: string, field: string, glob: string): readonly GlobToken[] {
  const tokens = parseGlob(codesOf(text))
  if (typeof tokens === 'string') throw invalid(field, glob, tokens)
  return tokens
}

/** The globs that braces stand for. A group without a comma, as in `{id}.ts`, stands for itself. */
function expandBraces(glob: string, field: string): string[] {
  if (glob === '') throw invalid(field, glob, 'is empty')
  if (glob.length > MAX_GLOB_LENGTH) throw invalid(field, glob, `is longer than ${MAX_GLOB_LENGTH} characters`)
  const expand = (text: string): string[] => {
    for (let open = nextSpecial(text, 0, '{'); open >= 0; open = nextSpecial(text, open + 1, '{')) {
      const parts = groupAt(text, open)
      if (!parts) throw invalid(field, glob, 'has an unclosed {')
      if (parts.inner.length < 2) continue
      const middles = parts.inner.flatMap((part) => expand(part))
      const ends = expand(text.slice(parts.end))
      if (middles.length * ends.length > MAX_ALTERNATIVES) throw new FilewrightError('invalid_argument', tooMany(field), { field })
      const start = text.slice(0, open)
      return middles.flatMap((middle) => ends.map((end) => start + middle + end))
    }
    return [text]
  }
  return expand(glob)
}

/** The parts between the commas of the group that opens at `open`; null when it does not close. */
function groupAt(text: string, open: number): { inner: string[]; end: number } | null {
  const inner: string[] = []
  let depth = 1
  let from = open + 1
  for (let at = nextSpecial(text, from, '{,}'); at >= 0; at = nextSpecial(text, at + 1, '{,}')) {
    if (text[at] === '{') depth++
    else if (text[at] === '}') depth--
    if (depth > 1 || (depth === 1 && text[at] !== ',')) continue
    inner.push(text.slice(from, at))
    from = at + 1
    if (depth === 0) return { inner, end: from }
  }
  return null
}

/** Next of the characters of `wanted` that is neither escaped nor in a set. */
function nextSpecial(text: string, from: number, wanted: string): number {
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string
    if (wanted.includes(char)) return at
    if (char === '\\') at++
    else if (char === '[') {
      const close = text.indexOf(']', /[!^]/.test(text[at + 1] ?? '') ? at + 3 : at + 2)
      if (close > 0) at = close
    }
  }
  return -1
}

function invalid(field: string, glob: string, problem: string): FilewrightError {
  const shown = glob.length > 60 ? `${glob.slice(0, 60)}…` : glob
  return new FilewrightError('invalid_argument', `${field}: the pattern ${JSON.stringify(shown)} ${problem}.`, { field })
}

function tooMany(field: string): string {
  return `${field}: the braces stand for more than ${MAX_ALTERNATIVES} alternatives.`
}
