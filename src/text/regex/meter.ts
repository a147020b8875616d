/** How much work a pattern is for a backtracking engine in the text at hand. */
import { costOf } from './cost.ts'
import { isAnchored, literalPrefix, withoutTail } from './literal.ts'
import type { RegexScope } from './source.ts'
import type { RegexNode } from './tree.ts'

/** Most steps of a backtracking engine in one piece. */
export const PIECE_STEPS = 5e7

/** Upper bounds of work. */
export interface Meter {
  /** The pattern may take exponential time. */
  readonly isEndless: boolean
  /** Steps in one line, or in the whole text. */
  work(text: string, from: number, to: number): number
  /** Whether all of a text takes no more than {@link PIECE_STEPS}. */
  isQuick(text: string): boolean
}

export function createMeter(tree: RegexNode, scope: RegexScope): Meter {
  // What is repeated at the end is read once for each match, since nothing after it can fail, and matches do not overlap.
  const cost = costOf(withoutTail(tree))
  const prefix = literalPrefix(tree)
  const anchored = isAnchored(tree)

  /** How often the text that matches begin with stands in a part of a text: nowhere else can a match begin. */
  function startsIn(text: string, from: number, to: number): number {
    let starts = 0
    for (let at = text.indexOf(prefix, from); at >= 0 && at < to; at = text.indexOf(prefix, at + 1)) starts++
    return starts
  }

  /** Steps in one line, or in the whole text: starts × steps × n^degree, and what matches read at their ends. */
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

  return { isEndless: costOf(tree).steps === Number.POSITIVE_INFINITY, work, isQuick }
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
