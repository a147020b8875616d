/** Finding out what both sides have: our commits are told newest first, in rounds that grow, until the server knows enough. */
import type { Oid } from '../../core/repository.ts'
import type { Negotiation } from './fetch_pack.ts'
import { createFrontier } from './frontier.ts'
import type { Graph } from './graph.ts'

const [FIRST_ROUND, LARGEST_ROUND] = [16, 16_384]
/** How many unknown commits in a row are told after the server knew one. */
const MOST_IN_VAIN = 256
/** How many commits are told at most: histories that share so little are not worth more. */
const MOST_TOLD = 100_000

/** Begins at `tips`. Those in `shared` are known to be on the server: they are told, and nothing behind them is. */
export function createNegotiation(graph: Graph, tips: readonly Oid[], shared: ReadonlySet<Oid>): Negotiation {
  /** What the server has is marked: it need not be told. */
  const frontier = createFrontier(graph)
  const acknowledged = new Set<Oid>()
  let round = FIRST_ROUND
  let told = 0
  let inVain = 0

  return {
    async next() {
      if (told === 0) for (const tip of tips) await frontier.look(tip)
      const haves: Oid[] = []
      // What is left and all theirs tells nothing new.
      while (haves.length < round && frontier.isOpen()) {
        const commit = frontier.next()
        if (!commit) break
        const known = frontier.isMarked(commit.oid)
        if (!known) haves.push(commit.oid)
        for (const parent of commit.parents) {
          if (known || shared.has(commit.oid)) await frontier.mark(parent)
          await frontier.look(parent)
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
        await frontier.mark(oid)
      }
    },
    enough: () => told >= MOST_TOLD || (acknowledged.size > 0 && inVain >= MOST_IN_VAIN),
  }
}
