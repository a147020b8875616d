/** What history keeps: most of it spread out by hash, and the newest in one tree, which small edits write anew. */
import type { KeptContent } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import type { Oid } from '../../core/repository.ts'
import type { ObjectDatabase } from '../../git/objects.ts'
import { createFanOut, type FanOut } from './fan_out.ts'
import { readTree } from './load.ts'
import type { Savings } from './save.ts'

/** So many stand together before they are spread out. */
const MOST_RECENT = 256
/** Most contents in one page. */
const PAGE = 1024

/** What is to be kept; null: no longer. */
export type KeptChange = readonly [hash: Hash, oid: Oid | null]

/** Blobs by their SHA-256, as they were kept at one time. */
export interface Kept {
  readonly settled: FanOut
  /** The tree of the newest. */
  readonly recent: Oid | null
  get(hash: Hash): Promise<Oid | null>
  all(): AsyncIterable<readonly [hash: Hash, oid: Oid]>
  with(savings: Savings, changes: readonly KeptChange[]): Promise<Kept>
}

/** Reads what a state keeps. */
export async function readKept(objects: ObjectDatabase, settled: Oid | null, recent: Oid | null): Promise<Kept> {
  const newest = new Map((await readTree(objects, recent)).map(({ name, oid }) => [name as Hash, oid]))
  return createKept(createFanOut(objects, settled), recent, newest)
}

export function createKept(settled: FanOut, recent: Oid | null, newest: ReadonlyMap<Hash, Oid>): Kept {
  return {
    settled,
    recent,
    get: async (hash) => newest.get(hash) ?? settled.get(hash.slice(0, 2), hash),
    async *all() {
      yield* newest
      for (const group of await settled.groups()) {
        for (const [hash, oid] of await settled.group(group)) if (!newest.has(hash as Hash)) yield [hash as Hash, oid]
      }
    },
    async with(savings, changes) {
      if (changes.length === 0) return this
      const next = new Map<Hash, Oid | null>([...newest, ...changes])
      const kept = [...next].filter((change): change is [Hash, Oid] => change[1] !== null)
      if (kept.length === next.size && next.size <= MOST_RECENT) {
        const items = kept.map(([name, oid]) => ({ name, mode: '100644', oid }) as const)
        return createKept(settled, savings.addTree(items), new Map(kept))
      }
      const places = [...next].map(([name, oid]) => ({ group: name.slice(0, 2), name, oid }))
      return createKept(await settled.with(savings, places), null, new Map())
    },
  }
}

/** All that history keeps, in pages. */
export async function* keptContents(objects: ObjectDatabase, kept: Kept): AsyncGenerator<KeptContent[]> {
  let page: KeptContent[] = []
  for await (const [hash, oid] of kept.all()) {
    page.push({ hash, size: (await objects.header(oid)).size })
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
