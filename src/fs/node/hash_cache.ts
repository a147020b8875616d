/** Hashes of files that were read, by version: what has not changed since is not read again. */
import type { Version } from '../../core/change.ts'
import type { Hash } from '../../core/hash.ts'
import { versionOf } from './entries.ts'
import type { Stats } from './syscalls.ts'

const MOST = 20_000
/** Longer than a tick of any kernel: a change this long after another has a later time stamp. */
const TICK_MS = 40

/** Remembers hashes for as long as a version is proof of the same bytes. */
export interface HashCache {
  get(stats: Stats): Hash | null
  /**
   * The content had this hash after the version was seen. Forgotten at once when the file changed so lately
   * that a further change could go unnoticed.
   */
  learn(stats: Stats, hash: Hash): void
  /** Whether a change that follows now gives the file another version. */
  tellsApart(stats: Stats): boolean
  /** On this device, the kernel gives every change that follows a look a time of its own: none is too late. */
  trustTimes(device: number): void
}

export function createHashCache(): HashCache {
  // By inode: a new version takes the place of the old one.
  const hashes = new Map<number, { readonly version: Version; readonly hash: Hash }>()
  let trusted: number | null = null
  const tellsApart = (stats: Stats): boolean => stats.dev === trusted || Date.now() - stats.ctimeMs >= TICK_MS
  return {
    get(stats) {
      const known = hashes.get(stats.ino)
      return known?.version === versionOf(stats) ? known.hash : null
    },
    learn(stats, hash) {
      if (!tellsApart(stats)) return
      if (hashes.size >= MOST) hashes.clear()
      hashes.set(stats.ino, { version: versionOf(stats), hash })
    },
    tellsApart,
    trustTimes(device) {
      trusted = device
    },
  }
}
