/** The plan of a commit: what is about to be renamed, written down first so that a crash can be finished or forgotten. */
import type { Hash } from '../../core/hash.ts'
import type { Path } from '../../core/path.ts'
import type { Stats } from './syscalls.ts'

/**
 * Names a staged entry: a name in the store, or a path in the tree when the target is on another device than the store, from
 * which nothing can be renamed to there.
 */
export type StagedRef = string

/** What tells whether an entry is still the one that was seen. A rename and a hard link keep it; any write does not. */
export interface Mark {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

/** An entry as it was seen on disk, or one that the same commit makes, whose mark is known once it is staged. */
export type Seen = Mark | { readonly made: StagedRef }

/** Where what is taken out of the tree was carried to: without its copy there, it stays. */
export interface Copy {
  readonly path: Path
  readonly made: StagedRef
  readonly seen?: Mark
}

/**
 * One rename, or removal. Names in the store are used once, and every entry is known by its mark: so what is there tells after a crash which
 * steps were done. `put` brings a staged entry to its path, `drop` takes an entry out of the tree, `move` is within the tree.
 */
export type Step =
  | {
      readonly do: 'put'
      readonly staged: StagedRef
      readonly path: Path
      readonly over: Seen | null
      /** A second name of what is replaced. */
      readonly saved: StagedRef | null
      readonly hash: Hash | null
    }
  | {
      readonly do: 'drop'
      readonly path: Path
      readonly staged: StagedRef
      readonly seen: Seen
      readonly directory: boolean
      readonly copy: Copy | null
    }
  /** Removes an empty directory that cannot be renamed. */
  | {
      readonly do: 'erase'
      readonly path: Path
      readonly seen: Seen
      readonly mode: number
      readonly owner: { readonly user: number; readonly group: number }
      readonly copy: Copy | null
    }
  | { readonly do: 'move'; readonly path: Path; readonly to: Path; readonly seen: Seen }

/** A staged entry that becomes a kept object once the steps are done. */
export interface Keeping {
  readonly staged: StagedRef
  readonly hash: Hash
}

/** All of it. */
export interface Plan {
  /** The record that it belongs to; without that record in the journal, the commit never happened. Comes first in the file. */
  readonly sequence: number
  /** Where the journal ended before it: when some of several records are there and not the last, none of them counts. */
  readonly since: number
  /** Nothing is recorded, and the commit happened all the same: once this plan is there. */
  readonly decided: boolean
  /** The store that it was written for: a store that was copied or shipped does not act. */
  readonly store: string
  readonly steps: readonly Step[]
  readonly keeps: readonly Keeping[]
}

export function markOf(stats: Stats): Mark {
  return { ino: stats.ino, size: stats.isDirectory() ? 0 : stats.size, mtimeMs: stats.isDirectory() ? 0 : stats.mtimeMs }
}

export function sameMark(a: Mark, b: Mark): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs
}

/** The steps with the marks of what was staged meanwhile. */
export function withMarks(steps: readonly Step[], marks: ReadonlyMap<StagedRef, Mark>): Step[] {
  const marked = (seen: Seen): Seen => ('made' in seen ? (marks.get(seen.made) ?? seen) : seen)
  return steps.map((step) => {
    if (step.do === 'put') return { ...step, over: step.over && marked(step.over) }
    if (step.do === 'move' || !step.copy) return { ...step, seen: marked(step.seen) }
    const seen = marks.get(step.copy.made)
    return { ...step, seen: marked(step.seen), copy: seen ? { ...step.copy, seen } : step.copy }
  })
}

/** Whether what is there is what was seen. A moved file may have been written to since: it is still the one to move. */
export function isSeen(there: Stats | undefined, seen: Seen, asMoved = false): boolean {
  if (!there || 'made' in seen) return false
  return asMoved ? there.ino === seen.ino : sameMark(seen, markOf(there))
}
