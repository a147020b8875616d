/** The plan of a commit: what is about to be renamed, written down first so that a crash can be finished or forgotten. */
import type { Hash } from '../../core/hash.ts'
import type { Path } from '../../core/path.ts'
import type { Stats } from './syscalls.ts'

/** What tells whether an entry is still the one that was seen. A rename and a hard link keep it; any write does not. */
export interface Mark {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

/** What a step may replace: nothing, the marked entry, or whatever an earlier step of the same plan put there. */
export type Over = Mark | 'nothing' | 'earlier'

/**
 * One rename. Names in the store are used once, so what is still there tells after a crash which steps were done:
 * `put` brings a staged entry to its path, `drop` takes an entry out of the tree, `move` is within the tree.
 */
export type Step =
  | {
      readonly do: 'put'
      readonly staged: string
      readonly path: Path
      readonly over: Over
      readonly saved: string | null
      readonly hash: Hash | null
    }
  | { readonly do: 'drop'; readonly path: Path; readonly staged: string; readonly mark: Mark | null; readonly directory: boolean }
  | { readonly do: 'move'; readonly path: Path; readonly to: Path; readonly ino: number | null }

/** A staged entry that becomes a kept object once the steps are done. */
export interface Keeping {
  readonly staged: string
  readonly hash: Hash
}

/** All of it. */
export interface Plan {
  /** The record that it belongs to; without that record in the journal, the commit never happened. Comes first in the file. */
  readonly sequence: number
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
