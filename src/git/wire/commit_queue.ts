/** Commits that are yet to be looked at, newest first. */
import type { Oid } from '../../core/repository.ts'
import type { CommitLinks } from './graph.ts'

/** A commit in the queue. */
export interface QueuedCommit extends CommitLinks {
  readonly oid: Oid
}

/** A heap by time. */
export interface CommitQueue {
  push(commit: QueuedCommit): void
  pop(): QueuedCommit | undefined
}

/** An empty queue. */
export function createCommitQueue(): CommitQueue {
  const heap: QueuedCommit[] = []
  const timeAt = (at: number): number => (heap[at] as QueuedCommit).time
  return {
    push(commit) {
      let at = heap.push(commit) - 1
      for (let above = (at - 1) >> 1; at > 0 && timeAt(above) < commit.time; above = (at - 1) >> 1) {
        heap[at] = heap[above] as QueuedCommit
        at = above
      }
      heap[at] = commit
    },
    pop() {
      const [first] = heap
      const last = heap.pop()
      if (last === undefined || heap.length === 0) return first
      let at = 0
      for (let below = 1; below < heap.length; below = at * 2 + 1) {
        if (below + 1 < heap.length && timeAt(below + 1) > timeAt(below)) below++
        if (timeAt(below) <= last.time) break
        heap[at] = heap[below] as QueuedCommit
        at = below
      }
      heap[at] = last
      return first
    },
  }
}
