/** Which commits some lead to that others do not, looking no further back than it takes to know. */
import type { Oid } from '../../core/repository.ts'
import { checkCanceled } from './body.ts'
import { createFrontier } from './frontier.ts'
import type { Graph } from './graph.ts'

/** What is asked. */
export interface NewCommitsQuery {
  readonly graph: Graph
  readonly from: readonly Oid[]
  /** What these lead to is left out; tags are followed. Those that are not here count for nothing. */
  readonly except: Iterable<Oid>
  /** Asked about a commit that is missing: throws when that must not be. */
  readonly isHere: (oid: Oid) => Promise<boolean>
  readonly signal: AbortSignal | undefined
}

/** New commits, newest first, and the old ones that they come right after. */
export async function newCommits({ graph, from, except, isHere, signal }: NewCommitsQuery): Promise<{
  readonly commits: readonly Oid[]
  readonly edge: ReadonlySet<Oid>
}> {
  const frontier = createFrontier(graph)
  const look = async (oid: Oid): Promise<void> => {
    if (!(await frontier.look(oid)) && !frontier.isMarked(oid)) await isHere(oid)
  }
  for (const excepted of except) {
    const commit = await graph.commitOf(excepted)
    if (commit === null) continue
    await frontier.mark(commit)
    await look(commit)
  }
  for (const oid of from) await look(oid)
  const order: Oid[] = []
  // What is left and all old leads to nothing new.
  while (frontier.isOpen()) {
    checkCanceled(signal)
    const commit = frontier.next()
    if (!commit) break
    const isOld = frontier.isMarked(commit.oid)
    if (!isOld) order.push(commit.oid)
    for (const parent of commit.parents) {
      if (isOld) await frontier.mark(parent)
      await look(parent)
    }
  }
  const commits = order.filter((oid) => !frontier.isMarked(oid))
  const edge = new Set<Oid>()
  for (const oid of commits) for (const parent of (await graph.node(oid))?.parents ?? []) if (frontier.isMarked(parent)) edge.add(parent)
  return { commits, edge }
}
