/**
 * A large YAML text seen by its lines: where the entry stands that a change touches, so that only that is parsed. It takes what it
 * knows to be well-formed, and gives up on everything else: then the whole text is parsed.
 */
import { Lexer } from 'yaml'
import { MAX_DEPTH } from '../json/pointer.ts'
import { checkYaml } from './document.ts'
import type { SeenSteps } from './splice.ts'

/** Whole lines that hold one entry of a block map or sequence. */
export interface YamlFragment {
  readonly start: number
  readonly end: number
  /** The path from the fragment, as a document of its own, to the place. */
  readonly path: readonly string[]
  /** What the whole text shows of its indentation. */
  readonly steps: SeenSteps
}

/** The smallest entry that holds the container of the place at `path`; null when there is none, or the text is not simple enough. */
export function findFragment(text: string, path: readonly string[]): YamlFragment | null {
  if (path.length < 2) return null
  const outline = createOutline(path)
  return isTaken(text, outline) ? outline.fragment(text.length) : null
}

/** Length from which on a text is large, in UTF-16 units: below it, parsing all of it is quicker than looking at its lines. */
export const LARGE = 32_768

/** Whether a large text is known to be one well-formed document by its lines alone. */
export function isSimpleYaml(text: string): boolean {
  return text.length >= LARGE && isTaken(text, createOutline([]))
}

function isTaken(text: string, outline: Outline): boolean {
  // Control characters are not YAML; some are marks of the lexer.
  if (/\r(?!\n)|[^\n\r -\u{10ffff}]/u.test(text)) return false
  const scan: Scan = { offset: 0, lineStart: 0, phase: 'indent', scalar: false, spaced: true, key: null, flow: null, block: false }
  for (const lexeme of new Lexer().lex(text)) {
    if (!take(scan, outline, lexeme, text)) return false
  }
  return endLine(scan, outline)
}

/** Where on a line the scan is: before its first token, after a `-`, after a key, after its `:`, or after a value. */
type Phase = 'indent' | 'dash' | 'key' | 'value' | 'end'

interface Scan {
  offset: number
  lineStart: number
  phase: Phase
  /** The next lexeme is a plain or block scalar. */
  scalar: boolean
  /** White space or a line's beginning was just passed. */
  spaced: boolean
  /** A scalar that is a key if a `:` follows. */
  key: { readonly text: string; readonly column: number; readonly startsLine: boolean } | null
  /** Where the flow collection begins that is open, and how deep it is. */
  flow: { readonly start: number; depth: number } | null
  /** The text of a block scalar follows. */
  block: boolean
}

const SCALAR_MARK = '\x1f'
const DOCUMENT_MARK = '\x02'

/** Takes one lexeme; false when the text is not simple. */
function take(scan: Scan, outline: Outline, lexeme: string, text: string): boolean {
  if (lexeme === DOCUMENT_MARK) return true
  if (lexeme === SCALAR_MARK) {
    scan.scalar = true
    return true
  }
  const start = scan.offset
  scan.offset += lexeme.length
  const isScalar = scan.scalar
  scan.scalar = false
  if (scan.flow) return takeFlow(scan, outline, isScalar ? '' : lexeme, text)
  if (isScalar) return scan.block ? takeBlock(scan, outline, lexeme) : takeNode(scan, outline, lexeme, PLAIN.test(lexeme), start)
  const spaced = scan.spaced
  scan.spaced = false
  switch (lexeme[0]) {
    case '\n':
    case '\r':
      return endLine(scan, outline)
    case ' ':
      scan.spaced = true
      return scan.phase !== 'key'
    case '#':
      if (scan.phase === 'key' || !spaced) return false
      return true
    case '-':
      if (lexeme !== '-' || (scan.phase !== 'indent' && scan.phase !== 'dash')) return false
      if (!outline.open('seq', start - scan.lineStart, scan.phase === 'indent', null, scan.lineStart)) return false
      scan.phase = 'dash'
      return true
    case ':':
      return takeColon(scan, outline)
    case '"':
      return takeNode(scan, outline, lexeme, DOUBLE.test(lexeme), start)
    case "'":
      return takeNode(scan, outline, lexeme, SINGLE.test(lexeme), start)
    case '[':
    case '{':
      if (scan.phase !== 'value' && scan.phase !== 'dash') return false
      scan.flow = { start, depth: 1 }
      return true
    case '|':
    case '>':
      if ((scan.phase !== 'value' && scan.phase !== 'dash') || !/^[|>][+-]?$/.test(lexeme)) return false
      scan.block = true
      scan.phase = 'end'
      return true
    default:
      return false
  }
}

const PLAIN = /^[\w./$~(+^<=;\u00a0-\ufefe-][^\n\r]*$/
const DOUBLE = /^"(?:[^"\\\n]|\\[ntrbf"\\/]|\\u[0-9a-fA-F]{4})*"$/
const SINGLE = /^'(?:[^'\n]|'')*'$/
/** Keys that are texts, and whole numbers, which may be keys too. */
const PLAIN_KEY = /^(?!(?:null|true|false)$)[A-Za-z_\u00a0-\ufefe][^\n\r]*$|^[1-9][0-9]{0,14}$/i
const QUOTED_KEY = /^(["'])[^"'\\\n]*\1$/
const MAX_KEY = 1000
const FLOW = /^\[(?:[\w./][\w./@+=-]*(?:, ?[\w./][\w./@+=-]*)*)?\]$/

function takeNode(scan: Scan, outline: Outline, lexeme: string, known: boolean, start: number): boolean {
  if (!known) return false
  if (scan.phase === 'value') {
    scan.phase = 'end'
    return outline.fill()
  }
  if (scan.phase !== 'indent' && scan.phase !== 'dash') return false
  scan.key = { text: lexeme, column: start - scan.lineStart, startsLine: scan.phase === 'indent' }
  scan.phase = 'key'
  return true
}

function takeColon(scan: Scan, outline: Outline): boolean {
  const { key } = scan
  if (scan.phase !== 'key' || !key || key.text.length > MAX_KEY) return false
  const isQuoted = QUOTED_KEY.test(key.text)
  if (!isQuoted && !PLAIN_KEY.test(key.text)) return false
  const name = isQuoted ? key.text.slice(1, -1) : key.text
  scan.key = null
  scan.phase = 'value'
  return outline.open('map', key.column, key.startsLine, name, scan.lineStart)
}

function takeFlow(scan: Scan, outline: Outline, lexeme: string, text: string): boolean {
  const flow = scan.flow as NonNullable<Scan['flow']>
  if (lexeme.includes('\n')) return false
  if (lexeme === '[' || lexeme === '{') flow.depth++
  else if ((lexeme === ']' || lexeme === '}') && --flow.depth === 0) {
    const piece = text.slice(flow.start, scan.offset)
    scan.flow = null
    scan.phase = 'end'
    return (FLOW.test(piece) || isSound(piece)) && outline.fill()
  }
  return flow.depth <= MAX_DEPTH
}

/** Whether a collection in brackets is well-formed by itself and needs nothing from outside. */
function isSound(piece: string): boolean {
  return !/[&*!#]/.test(piece) && checkYaml(piece).problem === null
}

function takeBlock(scan: Scan, outline: Outline, content: string): boolean {
  scan.block = false
  scan.lineStart = scan.offset
  scan.phase = 'indent'
  scan.spaced = true
  return /^ +[^ \r\n]/.test(content) && content.endsWith('\n') && outline.fill()
}

function endLine(scan: Scan, outline: Outline): boolean {
  if (scan.flow) return false
  // A scalar without a colon is an item, and nothing else.
  if (scan.phase === 'key' && (scan.key?.startsLine || !outline.fill())) return false
  scan.key = null
  scan.lineStart = scan.offset
  scan.phase = 'indent'
  scan.spaced = true
  return true
}

/** An open collection. */
interface Level {
  readonly kind: 'map' | 'seq'
  readonly column: number
  readonly keys: Set<string>
  index: number
  /** Its last entry has no value yet. */
  awaits: boolean
  /** Its last entry is on the path, and so are all above. */
  onPath: boolean
}

interface Outline {
  /** An entry begins. */
  open(kind: Level['kind'], column: number, startsLine: boolean, key: string | null, lineStart: number): boolean
  /** The last entry gets a value. */
  fill(): boolean
  fragment(length: number): YamlFragment | null
}

function createOutline(path: readonly string[]): Outline {
  const levels: Level[] = []
  const found: { readonly depth: number; readonly kind: Level['kind']; readonly start: number; end: number | null }[] = []
  const steps: SeenSteps = {}
  let begun = false
  const push = (kind: Level['kind'], column: number): void => {
    const top = levels.at(-1)
    if (top) top.awaits = false
    if (top?.kind === 'map' && kind === 'seq') steps.dashStep ??= column - top.column
    if (top?.kind === 'map' && kind === 'map') steps.step ??= column - top.column
    begun = true
    levels.push({ kind, column, keys: new Set(), index: -1, awaits: false, onPath: false })
  }
  /** Makes the level of an entry the last one. */
  const settle = (kind: Level['kind'], column: number): boolean => {
    while (levels.length > 0 && (levels.at(-1) as Level).column > column) levels.pop()
    let top = levels.at(-1)
    if (kind === 'map' && top?.kind === 'seq' && top.column === column) {
      levels.pop()
      top = levels.at(-1)
      return top?.kind === 'map' && top.column === column
    }
    if (top?.kind === kind && top.column === column) return true
    if (top ? !top.awaits || (top.column === column && kind === 'map') : begun || column !== 0) return false
    push(kind, column)
    return levels.length <= MAX_DEPTH
  }
  return {
    open(kind, column, startsLine, key, lineStart) {
      if (!settle(kind, column)) return false
      const depth = levels.length - 1
      const level = levels[depth] as Level
      for (const one of found) if (one.depth >= depth) one.end ??= lineStart
      if (key !== null && level.keys.has(key)) return false
      if (key !== null) level.keys.add(key)
      level.index++
      level.awaits = true
      const name = key ?? String(level.index)
      level.onPath = (depth === 0 || (levels[depth - 1] as Level).onPath) && name === path[depth]
      if (level.onPath && startsLine && depth <= path.length - 2) found.push({ depth, kind, start: lineStart, end: null })
      return true
    },
    fill() {
      const top = levels.at(-1)
      if (!top?.awaits) return false
      top.awaits = false
      return true
    },
    fragment(length) {
      const deepest = found.at(-1)
      if (!deepest) return null
      const { depth, kind, start, end } = deepest
      const first = kind === 'seq' ? '0' : (path[depth] as string)
      return { start, end: end ?? length, path: [first, ...path.slice(depth + 1)], steps }
    },
  }
}
