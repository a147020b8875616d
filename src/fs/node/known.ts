/** What the journal last saw at every path that it ever mentioned. */
import type { RecordedChange, Side } from '../../core/change.ts'
import type { Hash } from '../../core/hash.ts'
import { isWithin, type Path } from '../../core/path.ts'

/** The last known states. */
export interface Known {
  /** Undefined when the journal never mentioned the path. */
  get(path: Path): Side | null | undefined
  /** A path that held this content when the journal last saw it. */
  holderOf(hash: Hash): Path | undefined
  learn(change: RecordedChange): void
}

export function createKnown(): Known {
  const sides = new Map<Path, Side | null>()
  const holders = new Map<Hash, Path>()
  const set = (path: Path, side: Side | null): void => {
    sides.set(path, side)
    if (side?.kind === 'file') holders.set(side.hash, path)
  }
  return {
    get: (path) => sides.get(path),
    holderOf(hash) {
      const path = holders.get(hash)
      const side = path === undefined ? null : sides.get(path)
      return side?.kind === 'file' && side.hash === hash ? path : undefined
    },
    learn({ kind, path, to, after }) {
      if (kind !== 'move' || to === undefined) return set(path, after)
      if (after?.kind === 'directory') {
        for (const [old, side] of [...sides]) {
          if (old === path || !isWithin(old, path)) continue
          set((to + old.slice(path.length)) as Path, side)
          sides.set(old, null)
        }
      }
      set(path, null)
      set(to, after)
    },
  }
}
