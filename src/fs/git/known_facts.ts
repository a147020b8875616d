/** What is known of files and directories beside what git holds of them. */
import type { Hash } from '../../core/hash.ts'

/** Of a file or link. A mode is null where git's own says it all. */
export interface ChildFacts {
  readonly mode: number | null
  readonly mtimeMs: number | null
  readonly createdMs: number | null
  readonly revision: number | null
  readonly hash: Hash | null
  readonly size: number | null
}

/** Of the directory itself. An id is null where it is that of the directory above, and the name. */
export interface OwnFacts {
  readonly mode: number | null
  readonly mtimeMs: number | null
  readonly createdMs: number | null
  readonly id: string | null
}

/** One directory's. */
export interface DirectoryFacts {
  readonly own: OwnFacts
  readonly children: ReadonlyMap<string, ChildFacts>
}

/**
 * Facts that came since those of a directory and of those below it were stored: small edits write one blob of these for all, until
 * there are many, or the tree changes its shape.
 */
export interface Recent {
  readonly own: OwnFacts | null
  readonly children: ReadonlyMap<string, ChildFacts>
  readonly below: ReadonlyMap<string, Recent>
}
