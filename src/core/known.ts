/** What the journal last saw at every path that it ever mentioned, and what others did there since. */
import type { RecordedChange, Side } from './change.ts'
import type { Hash } from './hash.ts'
import { isWithin, type Path } from './path.ts'

/** The last known states. */
export interface Known {
  /** Undefined when the journal never mentioned the path. */
  get(path: Path): Side | null | undefined
  /** A path that held this content when the journal last saw it. */
  holderOf(hash: Hash): Path | undefined
  learn(change: RecordedChange): void
  /** Every path that the journal ever mentioned. */
  paths(): Iterable<Path>
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
    paths: () => sides.keys(),
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

/**
 * What another program must have done for a path to be as it is; null when nothing. `kept` says whether what it destroyed is held
 * all the same.
 */
export function externalChange(path: Path, before: Side | null, after: Side | null, kept: boolean): RecordedChange | null {
  if (sameSide(before, after)) return null
  const kind = !after ? 'remove' : after.kind === 'file' ? 'write' : after.kind === 'link' ? 'link' : 'makeDirectory'
  return { kind, path, before, after, kept }
}

/** Whether two states are the same to anybody who looks. */
function sameSide(a: Side | null, b: Side | null): boolean {
  if (a === null || b === null) return a === b
  if (a.kind === 'file') return b.kind === 'file' && a.hash === b.hash && a.mode === b.mode
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target
  return b.kind === 'directory' && a.mode === b.mode
}
