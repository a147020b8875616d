/** A walk back through history, newest first, in which what one side has is marked, with all that it leads to. */
import type { Oid } from '../../core/repository.ts'
import type { CommitNode } from '../history/commit_graph.ts'
import { commitQueue } from '../history/commit_queue.ts'
import type { Graph } from './graph.ts'

/** Commits that were found and not passed. */
export interface Frontier {
  /** Whether a commit that is not known to be marked is left: the others lead to marked ones alone. */
  isOpen(): boolean
  isMarked(oid: Oid): boolean
  /** Takes in a commit; answers whether it is here. */
  look(oid: Oid): Promise<boolean>
  /** Marks a commit, and what of its history was found already. */
  mark(oid: Oid): Promise<void>
  /** The newest, which is passed with that. */
  next(): CommitNode | undefined
}

export function createFrontier(graph: Graph): Frontier {
  const queue = commitQueue()
  const seen = new Set<Oid>()
  const marked = new Set<Oid>()
  /** In the queue, and not marked as far as is known. */
  const open = new Set<Oid>()
  return {
    isOpen: () => open.size > 0,
    isMarked: (oid) => marked.has(oid),
    async look(oid) {
      if (seen.has(oid)) return true
      seen.add(oid)
      const node = await graph.node(oid)
      if (!node) return false
      queue.push(node)
      if (!marked.has(oid)) open.add(oid)
      return true
    },
    async mark(start) {
      const stack = [start]
      for (let oid = stack.pop(); oid !== undefined; oid = stack.pop()) {
        if (marked.has(oid)) continue
        marked.add(oid)
        open.delete(oid)
        if (seen.has(oid)) stack.push(...((await graph.node(oid))?.parents ?? []))
      }
    },
    next() {
      const node = queue.pop()
      if (node) open.delete(node.oid)
      return node
    },
  }
}
