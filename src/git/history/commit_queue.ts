/** Commits that wait to be looked at: the newest first, of equally old ones the one that came first. */
import type { CommitNode } from './commit_graph.ts'

/** A queue by committer date. */
export interface CommitQueue {
  readonly size: number
  push(node: CommitNode): void
  /** The newest, which stays. */
  peek(): CommitNode | undefined
  pop(): CommitNode | undefined
}

interface Waiting {
  readonly node: CommitNode
  readonly turn: number
}

/** An empty queue: a binary heap. */
export function commitQueue(): CommitQueue {
  const heap: Waiting[] = []
  let turns = 0
  const before = (i: number, j: number): boolean => {
    const [a, b] = [heap[i] as Waiting, heap[j] as Waiting]
    return a.node.timeMs === b.node.timeMs ? a.turn < b.turn : a.node.timeMs > b.node.timeMs
  }
  const swap = (i: number, j: number): void => {
    const held = heap[i] as Waiting
    heap[i] = heap[j] as Waiting
    heap[j] = held
  }
  return {
    get size() {
      return heap.length
    },
    push(node) {
      let at = heap.push({ node, turn: turns++ }) - 1
      for (let up = (at - 1) >> 1; at > 0 && before(at, up); up = (at - 1) >> 1) {
        swap(at, up)
        at = up
      }
    },
    peek: () => heap[0]?.node,
    pop() {
      if (heap.length === 0) return undefined
      swap(0, heap.length - 1)
      const { node } = heap.pop() as Waiting
      for (let at = 0; ; ) {
        let first = at
        for (const child of [2 * at + 1, 2 * at + 2]) if (child < heap.length && before(child, first)) first = child
        if (first === at) return node
        swap(at, first)
        at = first
      }
    },
  }
}
