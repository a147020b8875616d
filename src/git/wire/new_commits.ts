/** Which commits some lead to that others do not, looking no further back than it takes to know. */
import type { Oid } from '../../core/repository.ts'
import { commitQueue } from '../history/commit_queue.ts'
import { checkCanceled } from './body.ts'
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
  const queue = commitQueue()
  const seen = new Set<Oid>()
  const old = new Set<Oid>()
  /** In the queue, and new as far as is known. */
  const open = new Set<Oid>()

  async function look(oid: Oid): Promise<void> {
    if (seen.has(oid)) return
    seen.add(oid)
    const node = await graph.node(oid)
    if (node) {
      queue.push(node)
      if (!old.has(oid)) open.add(oid)
    } else if (!old.has(oid)) await isHere(oid)
  }

  /** Marks a commit, and what of its history was looked at already. */
  async function markOld(start: Oid): Promise<void> {
    const stack = [start]
    for (let oid = stack.pop(); oid !== undefined; oid = stack.pop()) {
      if (old.has(oid)) continue
      old.add(oid)
      open.delete(oid)
      if (seen.has(oid)) stack.push(...((await graph.node(oid))?.parents ?? []))
    }
  }

  for (const excepted of except) {
    const commit = await graph.commitOf(excepted)
    if (commit === null) continue
    await markOld(commit)
    await look(commit)
  }
  for (const oid of from) await look(oid)
  const order: Oid[] = []
  // What is left and all old leads to nothing new.
  while (open.size > 0) {
    checkCanceled(signal)
    const commit = queue.pop()
    if (!commit) break
    open.delete(commit.oid)
    const isOld = old.has(commit.oid)
    if (!isOld) order.push(commit.oid)
    for (const parent of commit.parents) {
      if (isOld) await markOld(parent)
      await look(parent)
    }
  }
  const commits = order.filter((oid) => !old.has(oid))
  const edge = new Set<Oid>()
  for (const oid of commits) for (const parent of (await graph.node(oid))?.parents ?? []) if (old.has(parent)) edge.add(parent)
  return { commits, edge }
}
