/** Finding out what both sides have: our commits are told newest first, in rounds that grow, until the server knows enough. */
import type { Oid } from '../../core/repository.ts'
import { commitQueue } from '../history/commit_queue.ts'
import type { Negotiation } from './fetch_pack.ts'
import type { Graph } from './graph.ts'

const [FIRST_ROUND, LARGEST_ROUND] = [16, 16_384]
/** How many unknown commits in a row are told after the server knew one. */
const MOST_IN_VAIN = 256
/** How many commits are told at most: histories that share so little are not worth more. */
const MOST_TOLD = 100_000

/** Begins at `tips`. Those in `shared` are known to be on the server: they are told, and nothing behind them is. */
export function createNegotiation(graph: Graph, tips: readonly Oid[], shared: ReadonlySet<Oid>): Negotiation {
  const queue = commitQueue()
  const seen = new Set<Oid>()
  /** What the server has: it need not be told. */
  const theirs = new Set<Oid>()
  /** What is in the queue and not known to be theirs. */
  const open = new Set<Oid>()
  const acknowledged = new Set<Oid>()
  let round = FIRST_ROUND
  let told = 0
  let inVain = 0

  async function look(oid: Oid): Promise<void> {
    if (seen.has(oid)) return
    seen.add(oid)
    const node = await graph.node(oid)
    if (!node) return
    queue.push(node)
    if (!theirs.has(oid)) open.add(oid)
  }

  /** Marks a commit, and what of its history was looked at already. */
  async function markTheirs(start: Oid): Promise<void> {
    const stack = [start]
    for (let oid = stack.pop(); oid !== undefined; oid = stack.pop()) {
      if (theirs.has(oid)) continue
      theirs.add(oid)
      open.delete(oid)
      if (seen.has(oid)) stack.push(...((await graph.node(oid))?.parents ?? []))
    }
  }

  return {
    async next() {
      if (told === 0) for (const tip of tips) await look(tip)
      const haves: Oid[] = []
      // What is left and all theirs tells nothing new.
      while (haves.length < round && open.size > 0) {
        const commit = queue.pop()
        if (!commit) break
        const known = theirs.has(commit.oid)
        open.delete(commit.oid)
        if (!known) haves.push(commit.oid)
        for (const parent of commit.parents) {
          if (known || shared.has(commit.oid)) await markTheirs(parent)
          await look(parent)
        }
      }
      round = Math.min(round * 2, LARGEST_ROUND)
      told += haves.length
      inVain += haves.length
      return haves
    },
    common: () => [...acknowledged],
    async acknowledge(oids) {
      for (const oid of oids) {
        if (!acknowledged.has(oid)) inVain = 0
        acknowledged.add(oid)
        await markTheirs(oid)
      }
    },
    enough: () => told >= MOST_TOLD || (acknowledged.size > 0 && inVain >= MOST_IN_VAIN),
  }
}
