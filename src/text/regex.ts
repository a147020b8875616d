/** Regular expressions that cannot hang: the dialect of C-29, run by the engine that is safe for the text at hand (C-30). */
import { FilewrightError } from '../core/errors.ts'
import { costOf, statesOf } from './regex_cost.ts'
import { readRegex } from './regex_dialect.ts'
import { type Finder, linearFinder, platformFinder } from './regex_engine.ts'
import { type Clause, isAnchored, literalPrefix, requiredTexts, weaken } from './regex_literal.ts'
import { type Lacking, linearSource, type RegexScope } from './regex_source.ts'
import { parseRegex, type RegexNode } from './regex_tree.ts'

/** Options of {@link compileRegex}. */
export interface RegexOptions {
  /** `lines`: each line by itself; `text`: the whole text, `^` and `$` at lines. Texts have LF alone as terminators. */
  readonly scope: RegexScope
  readonly fold: boolean
  /** The argument that holds the pattern, for errors. */
  readonly field: string
}

/** A part of a text, whole lines in the scope `lines`, that takes one engine a bounded time: hundredths of a second, up to a second for one line that is hostile and long. */
export interface Piece {
  readonly from: number
  readonly to: number
  /** `none`: a line that is too long for both. */
  readonly engine: 'platform' | 'linear' | 'none'
}

/** A compiled pattern. */
export interface Regex {
  readonly scope: RegexScope
  /** What every match contains. */
  readonly required: readonly Clause[]
  /** Finds something in every text that the pattern matches in, quickly in any text; null when there is nothing quicker. */
  readonly hint: Finder | null
  readonly platform: Finder
  /** The linear engine, or the construct that it lacks. Throws `unsupported` when the pattern is too large for it. */
  linear(): Promise<Finder | Lacking>
  /** Whether all of a text is one piece for the platform's engine. */
  isQuick(text: string): boolean
  /** The pieces of a text, in order. */
  pieces(text: string): Iterable<Piece>
}

/** Most steps of a backtracking engine in one piece. */
const PIECE_STEPS = 5e7
/** Lines are put together in one piece up to so many steps. */
const TURN_STEPS = 1e7
/** Most steps that a single line, or text, may take: a second on a slow machine. What is longer is searched by no engine. */
const MOST_STEPS = 4e8
/** What the linear engine does for one character and one state of the pattern, in such steps. */
const LINEAR_STEPS = 20

/**
 * Compiles a pattern. Throws `invalid_regex` with the engine's message; `unsupported`, naming the construct, when the pattern
 * could take exponential time and holds what the linear engine lacks.
 */
export function compileRegex(pattern: string, { scope, fold: folded, field }: RegexOptions): Regex {
  const { tokens, flags } = readRegex(pattern, { fold: folded, lines: scope === 'text', dotAll: false }, field)
  const { fold } = flags
  const tree = parseRegex(tokens, flags, field)
  const cost = costOf(tree)
  const states = statesOf(tree)
  const prefix = literalPrefix(tree)
  const anchored = isAnchored(tree)
  const weakened = weaken(tree)
  const endless = cost.steps === Number.POSITIVE_INFINITY
  const linear = endless ? linearSource(tree, scope) : null
  if (linear !== null && typeof linear !== 'string') {
    throw new FilewrightError('unsupported', `This pattern could take exponential time with ${linear.lacking}: simplify it.`, { field })
  }

  /** How often the text that matches begin with stands in a part of a text: nowhere else can a match begin. */
  function startsIn(text: string, from: number, to: number): number {
    let starts = 0
    for (let at = text.indexOf(prefix, from); at >= 0 && at < to; at = text.indexOf(prefix, at + 1)) starts++
    return starts
  }

  /** Steps in one line, or in the whole text: starts × steps × n^degree. */
  function work(text: string, from: number, to: number): number {
    const length = to - from
    const each = cost.steps * length ** cost.degree
    if (anchored && scope === 'lines') return each + length
    const most = length * each
    if (most <= PIECE_STEPS || prefix === '') return most
    return startsIn(text, from, to) * each + length
  }

  function isQuick(text: string): boolean {
    if (scope === 'text') return work(text, 0, text.length) <= PIECE_STEPS
    // An anchored pattern begins once a line: that is one power less of the line's length.
    const power = cost.degree - (anchored ? 1 : 0)
    if (power <= 0) return text.length * cost.steps <= PIECE_STEPS
    const most = (starts: number, degree: number): number => (PIECE_STEPS / (starts * cost.steps)) ** (1 / degree)
    if (hasShortLines(text, most(text.length, power))) return true
    return prefix !== '' && hasShortLines(text, most(startsIn(text, 0, text.length), cost.degree))
  }

  function* pieces(text: string): Generator<Piece> {
    let [from, load, engine] = [0, 0, 'platform' as Piece['engine']]
    for (let start = 0; start < text.length; ) {
      const feed = scope === 'text' ? -1 : text.indexOf('\n', start)
      const end = feed < 0 ? text.length : feed + 1
      const steps = work(text, start, end)
      const linearSteps = (end - start) * states * LINEAR_STEPS
      const weight = steps <= PIECE_STEPS ? steps : Math.min(steps, linearSteps)
      const chosen = weight > MOST_STEPS ? 'none' : weight === steps ? 'platform' : 'linear'
      if (start > from && (chosen !== engine || load + weight > TURN_STEPS)) {
        yield { from, to: start, engine }
        ;[from, load] = [start, 0]
      }
      engine = chosen
      load += weight
      start = end
    }
    if (from < text.length) yield { from, to: text.length, engine }
  }

  let loaded: Promise<Finder | Lacking> | null = null
  const load = async (): Promise<Finder | Lacking> => {
    const source = linear ?? linearSource(tree, scope)
    return typeof source === 'string' ? linearFinder(source, fold, field) : source
  }
  return {
    scope,
    required: requiredTexts(tree),
    hint: weakened && isCheap(weakened) ? platformFinder(weakened, scope, fold) : null,
    platform: platformFinder(tree, scope, fold),
    linear() {
      loaded ??= load()
      return loaded
    },
    isQuick,
    pieces,
  }
}

function isCheap(tree: RegexNode): boolean {
  const { steps, degree } = costOf(tree)
  return degree === 0 && steps < 100
}

/** Whether no line is longer than `limit`. Looks at a few characters of each line, not at all of them. */
function hasShortLines(text: string, limit: number): boolean {
  for (let start = 0; start + limit < text.length; ) {
    const feed = text.lastIndexOf('\n', start + limit)
    if (feed < start) return false
    start = feed + 1
  }
  return true
}
