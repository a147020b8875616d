/** Where histories part: the best common ancestors of commits, right whatever the committers' clocks said. */
import type { Oid } from '../../core/repository.ts'
import type { CommitGraph, CommitNode } from './commit_graph.ts'
import { commitQueue } from './commit_queue.ts'

/** From which side a commit was reached; and that it is below a common ancestor that was found. */
const [ONE, OTHER, BOTH, BELOW] = [1, 2, 3, 4]

interface Painted {
  readonly flags: ReadonlyMap<Oid, number>
  /** Common ancestors, newest first: all best ones, and perhaps others. */
  readonly common: readonly Oid[]
}

/** All best common ancestors of two commits: none of them is an ancestor of another. Newest first; empty for unrelated histories. */
export function mergeBases(graph: CommitGraph, a: Oid, b: Oid, signal?: AbortSignal): Promise<Oid[]> {
  return mergeBasesOfHeads(graph, [a], [b], signal)
}

/** The newest of the best common ancestors; null for unrelated histories. */
export async function mergeBase(graph: CommitGraph, a: Oid, b: Oid, signal?: AbortSignal): Promise<Oid | null> {
  return (await mergeBases(graph, a, b, signal))[0] ?? null
}

/** As {@link mergeBases}, of two merges that have not become commits: each is given by its parents. */
export async function mergeBasesOfHeads(
  graph: CommitGraph,
  ones: readonly Oid[],
  others: readonly Oid[],
  signal?: AbortSignal,
): Promise<Oid[]> {
  const { common } = await paint(graph, ones, others, signal)
  if (common.length < 2) return [...common]
  // With skewed clocks an ancestor of a best one can be found before that is known.
  const best: Oid[] = []
  for (const oid of common) {
    const rest = common.filter((other) => other !== oid)
    const { flags } = await paint(graph, [oid], rest, signal)
    if (((flags.get(oid) as number) & OTHER) === 0) best.push(oid)
  }
  return best
}

/** Whether `descendant` is `ancestor` or leads to it. */
export async function isAncestor(graph: Pick<CommitGraph, 'node'>, ancestor: Oid, descendant: Oid, signal?: AbortSignal): Promise<boolean> {
  if (ancestor === descendant) return true
  const { flags } = await paint(graph, [ancestor], [descendant], signal)
  return ((flags.get(ancestor) as number) & OTHER) !== 0
}

/**
 * Marks what each side leads to, newest first, until nothing is left but what is below common ancestors. A commit whose marks change is looked at again, so the order never decides what is found: no way
 * from a side to a best common ancestor leads through another one.
 */
async function paint(
  graph: Pick<CommitGraph, 'node'>,
  ones: readonly Oid[],
  others: readonly Oid[],
  signal?: AbortSignal,
): Promise<Painted> {
  const flags = new Map<Oid, number>()
  const queue = commitQueue()
  const waiting = new Set<Oid>()
  const undecided = new Set<Oid>()
  const common: CommitNode[] = []
  const mark = async (oid: Oid, marks: number): Promise<void> => {
    const old = flags.get(oid) ?? 0
    if ((old & marks) === marks) return
    flags.set(oid, old | marks)
    if (!waiting.has(oid)) {
      const node = await graph.node(oid)
      waiting.add(oid)
      queue.push(node)
    }
    if (((old | marks) & BELOW) === 0) undecided.add(oid)
    else undecided.delete(oid)
  }
  for (const oid of ones) await mark(oid, ONE)
  for (const oid of others) await mark(oid, OTHER)
  const found = new Set<Oid>()
  while (undecided.size > 0) {
    signal?.throwIfAborted()
    const node = queue.pop() as CommitNode
    waiting.delete(node.oid)
    undecided.delete(node.oid)
    let marks = flags.get(node.oid) as number
    if (marks === BOTH) {
      if (!found.has(node.oid)) common.push(node)
      found.add(node.oid)
      marks |= BELOW
    }
    for (const parent of node.parents) await mark(parent, marks)
  }
  const best = common.filter(({ oid }) => ((flags.get(oid) as number) & BELOW) === 0)
  return { flags, common: best.sort((a, b) => b.timeMs - a.timeMs).map(({ oid }) => oid) }
}
