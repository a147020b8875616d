/** Trees of regular expressions as source for the two engines, so that both give the same matches. */
import type { AtomNode, RegexNode } from './tree.ts'

/** What a pattern is run on: the lines of a text, each by itself, or the whole text. */
export type RegexScope = 'lines' | 'text'

/**
 * The pattern for the platform's RegExp with the flags `u` and, when all of it folds, `i`. It is run on whole texts whose lines
 * end in LF; in the scope `lines` no atom matches LF, so that it finds what it would find in each line by itself.
 */
export function platformSource(node: RegexNode, scope: RegexScope): string {
  const source = (part: RegexNode): string => platformSource(part, scope)
  switch (node.kind) {
    case 'atom':
      return scope === 'lines' ? inLine(node) : node.source
    case 'assert':
      return PLATFORM_ASSERTIONS[scope][node.what]
    case 'backreference':
      return node.source
    case 'look':
      return `(?${node.ahead ? '' : '<'}${node.negative ? '!' : '='}${source(node.body)})`
    case 'group':
      return `${node.open}${source(node.body)})`
    case 'sequence':
      return node.items.map((item) => (item.kind === 'choice' ? `(?:${source(item)})` : source(item))).join('')
    case 'choice':
      return node.options.map(source).join('|')
    case 'repeat':
      return repeated(repeatable(node.body, source(node.body)), node)
  }
}

const [LINE_START, LINE_END] = ['(?<=^|\\n)', '(?=$|\\n)']
const WORDS = { b: '\\b', B: '\\B' }
const PLATFORM_ASSERTIONS = {
  lines: { start: LINE_START, lineStart: LINE_START, end: LINE_END, lineEnd: LINE_END, ...WORDS },
  text: { start: '^', lineStart: LINE_START, end: '$', lineEnd: LINE_END, ...WORDS },
}

/** Sets that match every character, as people write them. */
const EVERYTHING = new Set(['[^]', '[\\s\\S]', '[\\S\\s]', '[\\d\\D]', '[\\D\\d]', '[\\w\\W]', '[\\W\\w]'])

/** The atom without LF. */
function inLine({ source, code, fold }: AtomNode): string {
  if (code !== null) return code === 10 ? '[]' : source
  if (!new RegExp(`^${source}$`, fold ? 'iu' : 'u').test('\n')) return source
  if (EVERYTHING.has(source)) return '[^\\n]'
  if (source === '\\s') return '[^\\S\\n]'
  if (source.startsWith('[^')) return `[^\\n${source.slice(2)}`
  return `(?:(?!\\n)${source})`
}

function repeatable(body: RegexNode, source: string): string {
  return body.kind === 'atom' || (body.kind === 'group' && source.startsWith('(')) ? source : `(?:${source})`
}

function repeated(body: string, { min, max, lazy }: { readonly min: number; readonly max: number; readonly lazy: boolean }): string {
  const open = max === Number.POSITIVE_INFINITY
  const count = open && min < 2 ? '*+'[min] : min === 0 && max === 1 ? '?' : `{${min},${open ? '' : max}}`
  return body + count + (lazy ? '?' : '')
}

/** A pattern that the linear engine has no means for, with the construct that it lacks. */
export interface Lacking {
  readonly lacking: string
}

/**
 * The pattern for re2js, without flags: every set is spelled out as what the platform's engine says it holds, case folded or not.
 * Look-behinds need its flag LOOKBEHINDS.
 */
export function linearSource(node: RegexNode, scope: RegexScope): string | Lacking {
  let lacking: string | null = null
  let [word, mixed] = [false, false]
  const source = (part: RegexNode): string => {
    switch (part.kind) {
      case 'atom':
        return spelledOut(part, scope)
      case 'assert':
        word ||= part.what === 'b' || part.what === 'B'
        return LINEAR_ASSERTIONS[scope][part.what]
      case 'backreference':
        lacking ??= `a backreference (${part.source})`
        return ''
      case 'look':
        if (part.ahead) lacking ??= `look-ahead (${part.negative ? '(?!…)' : '(?=…)'})`
        return `(?<${part.negative ? '!' : '='}${source(part.body)})`
      case 'group':
        mixed ||= part.open === '(?i:' || part.open === '(?-i:'
        return `(?:${source(part.body)})`
      case 'sequence':
        return part.items.map((item) => (item.kind === 'choice' ? `(?:${source(item)})` : source(item))).join('')
      case 'choice':
        return part.options.map(source).join('|')
      case 'repeat':
        if (part.min > MAX_REPEAT || (part.max !== Number.POSITIVE_INFINITY && part.max > MAX_REPEAT)) {
          lacking ??= `a repetition of more than ${MAX_REPEAT}`
        }
        // The engines agree on where a match of such a group begins, not on where it ends.
        if (scope === 'text' && part.max > part.min && part.body.nullable && prefersNothing(part.body))
          lacking ??= 'a repeated group like (a??)*'
        return repeated(`(?:${source(part.body)})`, part)
    }
  }
  const whole = source(node)
  // What is a word character depends on the case flag there.
  if (word && mixed) lacking ??= '\\b beside (?i:…)'
  return lacking === null ? whole : { lacking }
}

/** Whether a node can try to match nothing before it tries to match something. */
function prefersNothing(node: RegexNode): boolean {
  switch (node.kind) {
    case 'group':
      return prefersNothing(node.body)
    case 'sequence':
      return node.items.some(prefersNothing)
    case 'choice':
      return node.options.some((option, i) => (option.nullable && i < node.options.length - 1) || prefersNothing(option))
    case 'repeat':
      return node.lazy || prefersNothing(node.body)
    default:
      return false
  }
}

/** What re2js accepts at most. */
const MAX_REPEAT = 1000

const [LINEAR_START, LINEAR_END] = ['(?m:^)', '(?m:$)']
const LINEAR_ASSERTIONS = {
  lines: { start: LINEAR_START, lineStart: LINEAR_START, end: LINEAR_END, lineEnd: LINEAR_END, ...WORDS },
  text: { start: '\\A', lineStart: LINEAR_START, end: '\\z', lineEnd: LINEAR_END, ...WORDS },
}

const spelled = new Map<string, string>()

function spelledOut(atom: AtomNode, scope: RegexScope): string {
  const { code, fold } = atom
  const source = scope === 'lines' ? inLine(atom) : atom.source
  if (code !== null && !fold) return source === '[]' ? NOTHING : `\\x{${code.toString(16)}}`
  const key = `${fold} ${source}`
  let set = spelled.get(key)
  if (set === undefined) {
    const found = everyCharacter().matchAll(new RegExp(`(?:${source})+`, fold ? 'giu' : 'gu'))
    set = rangesOf([...found].map(([run]) => run))
    if (spelled.size < 256) spelled.set(key, set)
  }
  return set
}

const NOTHING = '[^\\x{0}-\\x{10ffff}]'

/** Runs of neighbouring characters as a class. */
function rangesOf(runs: readonly string[]): string {
  if (runs.length === 0) return NOTHING
  const hex = (code: number) => `\\x{${code.toString(16)}}`
  // A run may leap over the surrogates, which no text holds.
  const ranges = runs.map((run) => {
    const [low, high] = [run.codePointAt(0) as number, run.codePointAt(run.length - 1) as number]
    return `${hex(low)}-${hex(high > 0xdbff && high < 0xe000 ? (run.codePointAt(run.length - 2) as number) : high)}`
  })
  return `[${ranges.join('')}]`
}

let characters: string | null = null

/** Every character that a text can hold, in order. */
function everyCharacter(): string {
  if (characters !== null) return characters
  const parts: string[] = []
  for (let code = 0; code < 0x110000; code += 0x800) {
    if (code === 0xd800) continue
    parts.push(String.fromCodePoint(...Array.from({ length: 0x800 }, (_, i) => code + i)))
  }
  characters = parts.join('')
  return characters
}
