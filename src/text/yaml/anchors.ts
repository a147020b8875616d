/** What aliases stand for: found for a whole document, with the refusal of those that would make it explode (P-66). */
import type { TextProblem } from '../json/scan.ts'
import type { YamlEntry, YamlNode } from './tree.ts'

/** A document with each alias written out may replace this many of them … */
const MAX_EXPANSIONS = 1000
/** … or this many for each alias in the text. */
const MAX_FACTOR = 20

/** Finds the target of each alias, the nearest anchor of its name above it. The problem is an unknown name or an alias bomb. */
export function resolveAliases(root: YamlEntry): TextProblem | null {
  const walk: Walk = { anchors: new Map(), weights: new Map(), written: 0, problem: null }
  const total = weigh(walk, root.value)
  if (walk.problem) return walk.problem
  if (total <= MAX_EXPANSIONS || total <= walk.written * MAX_FACTOR) return null
  return { offset: root.value.start, message: 'the aliases multiply beyond measure (an alias bomb)' }
}

interface Walk {
  readonly anchors: Map<string, YamlNode>
  /** Aliases in a node when all of them are written out; a node that is not finished is not in here. */
  readonly weights: Map<YamlNode, number>
  written: number
  problem: TextProblem | null
}

function weigh(walk: Walk, node: YamlNode): number {
  if (node.kind === 'alias') return weighAlias(walk, node)
  if (node.anchor !== null) walk.anchors.set(node.anchor, node)
  let weight = 0
  for (const { key, value } of node.entries) weight += (key ? weigh(walk, key) : 0) + weigh(walk, value)
  if (node.anchor !== null) walk.weights.set(node, weight)
  return weight
}

function weighAlias(walk: Walk, alias: YamlNode): number {
  const target = walk.anchors.get(alias.value as string)
  if (!target) {
    walk.problem ??= { offset: alias.start, message: `there is no anchor &${alias.value} above this alias` }
    return 0
  }
  alias.target = target
  target.shared = true
  walk.written++
  const weight = walk.weights.get(target)
  if (weight === undefined) walk.problem ??= { offset: alias.start, message: `*${alias.value} stands for a part that holds it` }
  return 1 + (weight ?? 0)
}

/** Every node of a part of the document, itself first. */
export function* nodesIn(node: YamlNode): Generator<YamlNode> {
  yield node
  for (const { key, value } of node.entries) {
    if (key) yield* nodesIn(key)
    yield* nodesIn(value)
  }
}

/** Whether something outside of a node stands for a part inside it. */
export function isNeededOutside(root: YamlEntry, node: YamlNode): boolean {
  const inside = new Set<YamlNode>(nodesIn(node))
  for (const other of nodesIn(root.value)) if (other.target && inside.has(other.target) && !inside.has(other)) return true
  return false
}

/** Whether a member takes others in: an unquoted `<<`. */
export function isMerge({ key }: YamlEntry): boolean {
  return key?.kind === 'scalar' && key.style === 'plain' && key.value === '<<'
}

/** Whether a key comes into a map by its merge keys, directly or through the maps that those take in. */
export function isMerged(map: YamlNode, matches: (entry: YamlEntry) => boolean): boolean {
  const seen = new Set<YamlNode>()
  const has = (node: YamlNode): boolean => {
    const source = node.target ?? node
    if (seen.has(source)) return false
    seen.add(source)
    if (source.kind === 'array') return source.entries.some(({ value }) => has(value))
    return source.entries.some((entry) => (isMerge(entry) ? has(entry.value) : matches(entry)))
  }
  return map.entries.some((entry) => isMerge(entry) && has(entry.value))
}
