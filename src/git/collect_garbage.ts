/** Objects that nothing leads to any more are removed, where no git program can do it: in memory, and in a database. */
import { FilewrightError } from '../core/errors.ts'
import type { Oid } from '../core/repository.ts'
import type { GitDirectory } from './directory.ts'
import { loosePath } from './loose.ts'
import type { GitProgress } from './objects.ts'
import { isOid } from './oid.ts'
import type { OidSet } from './oid_set.ts'
import { openPackIndex } from './pack_index.ts'
import { findReachable } from './reachable.ts'

/** Options of {@link collectGarbage}. */
export interface CollectGarbageOptions {
  /**
   * How long an object stays after it was first found to be needless, milliseconds; default an hour. It must be longer than anything
   * takes that writes objects first and a reference to them afterwards.
   */
  readonly graceMs?: number
  readonly signal?: AbortSignal
  readonly onProgress?: GitProgress
}

/** What {@link collectGarbage} did. */
export interface CollectedGarbage {
  /** Objects that something leads to. */
  readonly reachable: number
  /** Loose objects and packs that were removed, and their bytes as they were stored. */
  readonly removed: number
  readonly bytesFreed: number
  /** Loose objects and packs that nothing leads to, which stay for their time. */
  readonly spared: number
}

const GRACE_MS = 3600_000
/** So many objects are read before others have a turn. */
const AT_ONCE = 200

/**
 * Removes loose objects that nothing leads to, and packs of nothing else. What is needless is noted at first; it is removed by a later
 * run when it was noted for the whole time of grace, and no writer wrote or reused it meanwhile. So an act under way loses nothing, also
 * one of another process. Loose objects that a pack holds too stay. Packs of a promisor, packs with a `.keep` and alternates are left
 * alone. It may end at any moment without harm.
 *
 * Throws `unsupported` for a repository on disk and for one with an index or linked worktrees (`git gc` is for those), `not_found` and
 * `corrupt` when what a reference needs is missing or damaged, which removes nothing, and `canceled`.
 */
export async function collectGarbage(git: GitDirectory, options: CollectGarbageOptions = {}): Promise<CollectedGarbage> {
  const { graceMs = GRACE_MS, signal, onProgress } = options
  const { needless } = git.files
  if (!(graceMs >= 0)) throw new FilewrightError('invalid_argument', 'graceMs must be a number from 0 on.', { field: 'graceMs' })
  if (!needless) throw new FilewrightError('unsupported', 'This repository is on disk: run `git gc`.')
  if ((await git.files.stamp('index')) !== null || (await git.files.list('worktrees')).length > 0) {
    throw new FilewrightError('unsupported', 'This repository has a worktree: copy it to a disk and run `git gc`.')
  }
  const before = needless.now() - graceMs
  await git.objects.refresh()
  let steps = 0
  const pause = async (): Promise<void> => {
    if (++steps % AT_ONCE !== 0) return
    if (signal?.aborted) throw new FilewrightError('canceled', 'The collection was canceled; what it removed was needed by nothing.')
    onProgress?.('marking', steps, null)
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  const reached = await findReachable(git, await isPartial(git), pause)
  const found = new Map<string, readonly string[]>()
  await findLoose(git, reached, found, pause)
  await findPacks(git, reached, found, pause)
  const { removed, bytes } = await needless.settle(found, before, pause)
  await git.objects.refresh()
  return { reachable: reached.size, removed, bytesFreed: bytes, spared: found.size - removed }
}

/** Whether a server promised what is missing. */
async function isPartial(git: GitDirectory): Promise<boolean> {
  const { entries } = await git.config()
  if (entries.some(({ key }) => /^(extensions\.partialclone|remote\..*\.(promisor|partialclonefilter))$/i.test(key))) return true
  return (await git.files.list('objects/pack')).some((name) => name.endsWith('.promisor'))
}

/** Loose objects that are not reached. */
async function findLoose(
  { files }: GitDirectory,
  reached: OidSet,
  found: Map<string, readonly string[]>,
  pause: () => Promise<void>,
): Promise<void> {
  for (const dir of await files.list('objects')) {
    if (!/^[0-9a-f]{2}\/$/.test(dir)) continue
    await pause()
    for (const name of await files.list(`objects/${dir.slice(0, 2)}`)) {
      const oid = dir.slice(0, 2) + name
      if (isOid(oid) && !reached.has(oid)) found.set(loosePath(oid), [])
    }
  }
}

/** Packs that hold nothing that is reached, each with what belongs to it. */
async function findPacks(
  git: GitDirectory,
  reached: OidSet,
  found: Map<string, readonly string[]>,
  pause: () => Promise<void>,
): Promise<void> {
  const { files, platform } = git
  const all = await files.list('objects/pack')
  for (const name of all) {
    if (!name.endsWith('.idx')) continue
    const stem = name.slice(0, -3)
    const others = all.filter((other) => other.startsWith(stem) && other !== `${stem}pack`)
    if (!all.includes(`${stem}pack`) || others.some((other) => /\.(keep|promisor)$/.test(other))) continue
    const bytes = await files.read(`objects/pack/${name}`)
    if (!bytes) continue
    const index = openPackIndex(bytes, name, platform.sha1)
    index.check()
    let isNeeded = false
    for (let at = 0; at < index.count && !isNeeded; at++) isNeeded = reached.has(index.oid(at) as Oid)
    if (!isNeeded)
      found.set(
        `objects/pack/${stem}pack`,
        others.map((other) => `objects/pack/${other}`),
      )
    await pause()
  }
}
