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
  for (let node = walk.pop(); node; node = walk.pop()) {
    signal?.throwIfAborted()
    if (walk.excluded.has(node.oid)) {
      for (const parent of node.parents) await walk.enter(parent)
      const next = walk.peek()
      const settled = walk.wanted() === 0 && (next === undefined || next.timeMs < oldest - CLOCK_SKEW)
      if (settled && --more < 0) break
      if (!settled) more = MORE_COMMITS
      continue
    }
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

interface Walk extends Pick<CommitQueue, 'peek' | 'pop'> {
  /** What the excepted commits lead to, as far as is known. */
  readonly excluded: ReadonlySet<Oid>
  /** How many wait and are not excluded. */
  wanted(): number
  /** Puts a commit into the queue, once. */
  enter(oid: Oid): Promise<void>
  /** Enters it, too. */
  exclude(oid: Oid): Promise<void>
}

function createWalk(graph: CommitGraph): Walk {
  const queue = commitQueue()
  const entered = new Map<Oid, CommitNode>()
  const [excluded, waiting, passed] = [new Set<Oid>(), new Set<Oid>(), new Set<Oid>()]
  const enter = async (oid: Oid): Promise<void> => {
    if (entered.has(oid)) return
    const node = await graph.node(oid)
    entered.set(oid, node)
    queue.push(node)
    if (excluded.has(oid)) await spread(node.parents)
    else waiting.add(oid)
  }
  /** Marks commits, and what is known to be below them. */
  const spread = async (oids: readonly Oid[]): Promise<void> => {
    const pending = [...oids]
    for (let oid = pending.pop(); oid; oid = pending.pop()) {
      if (excluded.has(oid)) continue
      excluded.add(oid)
      waiting.delete(oid)
      const node = entered.get(oid)
      if (!node) continue
      pending.push(...node.parents)
      // What was passed is not met again, so its parents would not be.
      if (passed.has(oid)) for (const parent of node.parents) await enter(parent)
    }
  }
  return {
    excluded,
    wanted: () => waiting.size,
    enter,
    peek: queue.peek,
    pop() {
      const node = queue.pop()
      if (node) {
        passed.add(node.oid)
        waiting.delete(node.oid)
      }
      return node
    },
    async exclude(oid) {
      await spread([oid])
      await enter(oid)
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
