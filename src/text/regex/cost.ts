/** How long a backtracking engine can take: an upper bound, from the tree alone (C-30). */
import { ALL, type CharSet, disjoint, NONE, type RegexNode, type RepeatNode, union } from './tree.ts'

/**
 * From one start in a text of n characters, a backtracking engine takes at most about `steps` × n^`degree` steps; `steps` is
 * infinite where they may be exponential. The bound is loose: what is within it is safe, what is not may be.
 */
export interface RegexCost {
  readonly steps: number
  readonly degree: number
}

/** The cost of a pattern. */
export function costOf(node: RegexNode): RegexCost {
  return cost(node, ALL, true)
}

/** States of a machine for the pattern, counted repetitions written out: what a linear engine may do for each character. */
export function statesOf(node: RegexNode): number {
  switch (node.kind) {
    case 'group':
    case 'look':
      return statesOf(node.body)
    case 'sequence':
      return sum(node.items.map(statesOf))
    case 'choice':
      return sum(node.options.map(statesOf))
    case 'repeat':
      return statesOf(node.body) * (node.max === Number.POSITIVE_INFINITY ? node.min + 1 : node.max)
    default:
      return 1
  }
}

/** The cost of a node, and in how many ways it can match at one place: `ways` × n^`spread`. What comes after it is tried for each. */
interface Parts extends RegexCost {
  readonly ways: number
  readonly spread: number
}

const ONE: Parts = { ways: 1, spread: 0, steps: 1, degree: 0 }
const ENDLESS: Parts = { ways: Number.POSITIVE_INFINITY, spread: 0, steps: Number.POSITIVE_INFINITY, degree: 0 }

/**
 * @param follow what can come after the node
 * @param forward false in a look-behind, which is matched backwards: then nothing is known of what comes next
 */
function cost(node: RegexNode, follow: CharSet, forward: boolean): Parts {
  switch (node.kind) {
    case 'atom':
    case 'assert':
      return ONE
    case 'backreference':
      return { ...ONE, degree: 1 }
    case 'look':
      // Once it has matched it is over: what comes after never goes back into it.
      return { ...cost(node.body, ALL, node.ahead), ways: 1, spread: 0 }
    case 'group':
      return cost(node.body, follow, forward)
    case 'sequence':
      return sequenceCost(node.items, follow, forward)
    case 'choice': {
      const options = node.options.map((option) => cost(option, follow, forward))
      const all = (of: (part: Parts) => number): number[] => options.map(of)
      const exclusive = forward && areExclusive(node.options, follow)
      const ways = exclusive ? Math.max(...all((part) => part.ways)) : sum(all((part) => part.ways))
      return {
        ways,
        spread: Math.max(...all((part) => part.spread)),
        steps: sum(all((part) => part.steps)),
        degree: Math.max(...all((part) => part.degree)),
      }
    }
    case 'repeat':
      return repeatCost(node, follow, forward)
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function sequenceCost(items: readonly RegexNode[], follow: CharSet, forward: boolean): Parts {
  let [ways, spread, steps, degree] = [1, 0, 1, 0]
  const follows = followsOf(items, follow)
  for (const [i, item] of items.entries()) {
    const part = cost(item, follows[i] as CharSet, forward)
    steps += ways * part.steps
    degree = Math.max(degree, spread + part.degree)
    ways *= part.ways
    spread += part.spread
  }
  return { ways, spread, steps, degree }
}

/** For each item of a sequence, what can come after it. */
function followsOf(items: readonly RegexNode[], follow: CharSet): CharSet[] {
  const follows: CharSet[] = []
  let next = follow
  for (let i = items.length - 1; i >= 0; i--) {
    const item = items[i] as RegexNode
    follows[i] = next
    next = item.nullable ? union(item.first, next) : item.first
  }
  return follows
}

function repeatCost(node: RepeatNode, follow: CharSet, forward: boolean): Parts {
  const { body, min, max } = node
  if (max === 0) return ONE
  const endless = max === Number.POSITIVE_INFINITY
  const part = cost(body, max > 1 ? union(body.first, follow) : follow, forward)
  const exclusive = forward && disjoint(body.first, follow)
  if (!body.nullable && isDeterministic(body, body.first, forward)) {
    // There is one way to match each count of repetitions. Together they read once what they consume, and look around each time.
    if (endless) return { ways: 1, spread: exclusive ? 0 : 1, steps: part.steps, degree: Math.max(part.degree, 1 + longestLook(body)) }
    return { ways: exclusive ? 1 : max - min + 1, spread: 0, steps: max * part.steps, degree: part.degree }
  }
  if (endless) return ENDLESS
  const ways = part.ways ** max
  return {
    ways: (max - min + 1) * ways,
    spread: part.spread * max,
    steps: max * ways * part.steps,
    degree: part.spread * (max - 1) + part.degree,
  }
}

/** Degree of the slowest look-around below a node: its time is taken anew at each repetition. */
function longestLook(node: RegexNode): number {
  switch (node.kind) {
    case 'look':
      return cost(node.body, ALL, node.ahead).degree
    case 'group':
    case 'repeat':
      return longestLook(node.body)
    case 'sequence':
      return Math.max(0, ...node.items.map(longestLook))
    case 'choice':
      return Math.max(0, ...node.options.map(longestLook))
    default:
      return 0
  }
}

/** Whether each text is matched in one way only, decided by its next character at every step. */
function isDeterministic(node: RegexNode, follow: CharSet, forward: boolean): boolean {
  switch (node.kind) {
    case 'atom':
    case 'assert':
    case 'look':
      return true
    case 'backreference':
      return false
    case 'group':
      return isDeterministic(node.body, follow, forward)
    case 'sequence': {
      const follows = followsOf(node.items, follow)
      return node.items.every((item, i) => isDeterministic(item, follows[i] as CharSet, forward))
    }
    case 'choice':
      return forward && areExclusive(node.options, follow) && node.options.every((option) => isDeterministic(option, follow, forward))
    case 'repeat': {
      const { body, min, max } = node
      const inside = isDeterministic(body, max > 1 ? union(body.first, follow) : follow, forward)
      if (min === max) return inside
      return forward && !body.nullable && disjoint(body.first, follow) && inside
    }
  }
}

/** Whether the next character says which of the options can match. */
function areExclusive(options: readonly RegexNode[], follow: CharSet): boolean {
  let seen = NONE
  for (const option of options) {
    const first = option.nullable ? union(option.first, follow) : option.first
    if (!disjoint(first, seen)) return false
    seen = union(seen, first)
  }
  return true
}
