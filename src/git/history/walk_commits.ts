/** The commits of a history, in the order and the selection of `git log`. */
import type { Path } from '../../core/path.ts'
import type { Commit, LogQuery, Oid } from '../../core/repository.ts'
import type { CommitGraph, CommitNode } from './commit_graph.ts'
import { type CommitQueue, commitQueue } from './commit_queue.ts'
import { differAt } from './diff_trees.ts'

/** A query with its beginning. */
export interface WalkQuery extends LogQuery {
  readonly from: Oid
}

/** Git's default of {@link LogQuery.limit} is none; an answer needs one. */
const LIMIT = 50
/** Where commits are left out, the walk goes on until so long before the oldest chosen one, and for so many commits more. */
const [CLOCK_SKEW, MORE_COMMITS] = [86_400_000, 64]

/**
 * Yields commits newest first by the committers' dates, as `git log` does; parents come after their children unless clocks were wrong.
 * With `paths`, only commits that changed something there: of a merge that took all of it from one parent, only that parent is
 * followed. Reads no further than needed for the next one, unless commits are to be left out.
 */
export async function* walkCommits(graph: CommitGraph, query: WalkQuery): AsyncGenerator<Commit, void, undefined> {
  const { limit = LIMIT, skip = 0 } = query
  let [passed, left] = [0, limit]
  if (left <= 0) return
  for await (const oid of chosenCommits(graph, query)) {
    if (passed++ < skip) continue
    yield await graph.commit(oid)
    if (--left === 0) return
  }
}

async function* chosenCommits(graph: CommitGraph, query: WalkQuery): AsyncGenerator<Oid, void, undefined> {
  const { from, except = [], signal } = query
  const walk = createWalk(graph)
  const followed = (node: CommitNode): readonly Oid[] => (query.firstParent ? node.parents.slice(0, 1) : node.parents)
  await walk.enter(from)
  for (const oid of except) await walk.exclude(oid)
  const bottom = new Set(except)
  const limited = except.length > 0
  const chosen: CommitNode[] = []
  let oldest = Number.POSITIVE_INFINITY
  let more = MORE_COMMITS
  for (let node = walk.queue.pop(); node; node = walk.queue.pop()) {
    signal?.throwIfAborted()
    if (walk.excluded.has(node.oid)) {
      for (const parent of node.parents) await walk.exclude(parent)
      const next = walk.queue.peek()
      const settled = walk.wanted.size === 0 && (next === undefined || next.timeMs < oldest - CLOCK_SKEW)
      if (settled && --more < 0) break
      if (!settled) more = MORE_COMMITS
      continue
    }
    walk.wanted.delete(node.oid)
    const isRelevant = (oid: Oid): boolean => !walk.excluded.has(oid) || bottom.has(oid)
    const { parents, shown } =
      query.paths === undefined
        ? { parents: followed(node), shown: true }
        : await simplify(graph, node, followed(node), query.paths, isRelevant)
    for (const parent of parents) await walk.enter(parent)
    oldest = Math.min(oldest, node.timeMs)
    if (!shown) continue
    // What is chosen can still turn out to be left out.
    if (limited) chosen.push(node)
    else yield node.oid
  }
  for (const { oid } of chosen) if (!walk.excluded.has(oid)) yield oid
}

interface Walk {
  readonly queue: CommitQueue
  /** What the excepted commits lead to, as far as is known. */
  readonly excluded: ReadonlySet<Oid>
  /** What waits and is not excluded. */
  readonly wanted: Set<Oid>
  enter(oid: Oid): Promise<void>
  /** Enters it, too. */
  exclude(oid: Oid): Promise<void>
}

function createWalk(graph: CommitGraph): Walk {
  const queue = commitQueue()
  const entered = new Map<Oid, CommitNode>()
  const [excluded, wanted] = [new Set<Oid>(), new Set<Oid>()]
  const enter = async (oid: Oid): Promise<void> => {
    if (entered.has(oid)) return
    const node = await graph.node(oid)
    entered.set(oid, node)
    queue.push(node)
    if (!excluded.has(oid)) wanted.add(oid)
  }
  return {
    queue,
    excluded,
    wanted,
    enter,
    async exclude(first) {
      const pending = [first]
      for (let oid = pending.pop(); oid; oid = pending.pop()) {
        if (excluded.has(oid)) continue
        excluded.add(oid)
        wanted.delete(oid)
        const node = entered.get(oid)
        // What was entered may have been passed already, and is not met again.
        if (node) pending.push(...node.parents)
        else await enter(oid)
      }
    },
  }
}

/**
 * Which parents of a commit are followed, and whether it is shown, when only some paths matter. A parent that is left out does not
 * stand for a commit's content, unless it was left out by name.
 */
async function simplify(
  graph: CommitGraph,
  node: CommitNode,
  parents: readonly Oid[],
  paths: readonly Path[],
  isRelevant: (oid: Oid) => boolean,
): Promise<{ readonly parents: readonly Oid[]; readonly shown: boolean }> {
  if (node.parents.length === 0) return { parents, shown: await differAt(graph.objects, null, node.tree, paths) }
  let [hasRelevant, relevantDiffers, otherDiffers] = [false, false, false]
  for (const parent of parents) {
    const relevant = isRelevant(parent)
    hasRelevant ||= relevant
    const { tree } = await graph.node(parent)
    if (await differAt(graph.objects, tree, node.tree, paths)) {
      if (relevant) relevantDiffers = true
      else otherDiffers = true
    } else if (relevant) return { parents: [parent], shown: false }
  }
  return { parents, shown: hasRelevant ? relevantDiffers : otherDiffers }
}
