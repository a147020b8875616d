/** Regular expressions that cannot hang: the dialect of C-29, run by the engine that is safe for the text at hand (C-30). */
import { FilewrightError } from '../../core/errors.ts'
import { onBytes } from './bytes.ts'
import { statesOf } from './cost.ts'
import { readRegex } from './dialect.ts'
import { type Finder, linearFinder, platformFinder } from './engine.ts'
import { type Clause, requiredTexts, weaken } from './literal.ts'
import { createMeter, PIECE_STEPS } from './meter.ts'
import { type Lacking, linearSource, type RegexScope } from './source.ts'
import { parseRegex, type RegexNode } from './tree.ts'

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
  /**
   * Whether a text may hold a match: false is certain. Quick in any text, which may be undecoded bytes, one character each, and have
   * CRLF at its lines' ends. Null when nothing can be said.
   */
  readonly mayMatch: ((text: string) => boolean) | null
  readonly platform: Finder
  /** The linear engine, or the construct that it lacks. Throws `unsupported` when the pattern is too large for it. */
  linear(): Promise<Finder | Lacking>
  /** Whether all of a text is one piece for the platform's engine. */
  isQuick(text: string): boolean
  /** The pieces of a text, in order. */
  pieces(text: string): Iterable<Piece>
}

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
  const states = statesOf(tree)
  const { work, isQuick, isEndless } = createMeter(tree, scope)
  const linear = isEndless ? linearSource(tree, scope) : null
  if (linear !== null && typeof linear !== 'string') {
    throw new FilewrightError('unsupported', `This pattern could take exponential time with ${linear.lacking}: simplify it.`, { field })
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
    mayMatch: hintOf(tree, scope),
    platform: platformFinder(tree, scope, fold),
    linear() {
      loaded ??= load()
      return loaded
    },
    isQuick,
    pieces,
  }
}

function hintOf(tree: RegexNode, scope: RegexScope): Regex['mayMatch'] {
  const whole = onBytes(tree, scope)
  const pattern = whole && (weaken(whole) ?? whole)
  if (!pattern || pattern.nullable) return null
  const { isEndless, isQuick } = createMeter(pattern, scope)
  if (isEndless) return null
  const { find } = platformFinder(pattern, scope, false)
  return (text) => !isQuick(text) || find(text, 0) !== null
}
