/** A change to one path, with what it expects to replace: the unit that everything else is made of. */
import type { Hash } from './hash.ts'
import type { Path } from './path.ts'

/** A storage's own mark of one state of an entry. Equal versions of one path mean equal bytes, kind and mode. */
export type Version = string & { readonly __brand: 'Version' }

/** Content by its hash. Without `bytes`, the storage holds it already: staged, or kept in history. */
export interface Content {
  readonly hash: Hash
  readonly size: number
  readonly bytes?: Uint8Array
}

/**
 * What must be at a path when the change is committed, checked under the storage's lock. Anything else is `conflict`.
 * A `version` that the storage calls weak is re-hashed before it counts.
 */
export type Expect = 'absent' | 'directory' | { readonly hash: Hash } | { readonly link: string } | { readonly version: Version }

/** What a backup is known by. */
export interface BackupName {
  readonly id: string
  readonly label?: string
}

/** Whether the state that a change destroys is kept: not at all, for undo alone, or as a backup too. */
export type Keep = false | 'undo' | BackupName

interface Destroying {
  readonly expect: Expect
  /** Default: a backup, under an id that the commit makes. `false`: no before-image, so undo of this change is refused. */
  readonly keep?: Keep
}

/** Creates or replaces a regular file. */
export interface WriteChange extends Destroying {
  readonly kind: 'write'
  readonly path: Path
  readonly content: Content
  /** Permission bits; default: those of the file it replaces, else 0666 without the process's umask. */
  readonly mode?: number
  /** Modification time in milliseconds; default: the time of the commit. Imports keep the times of their source. */
  readonly mtimeMs?: number
}

/** Removes a file, a link or an empty directory. */
export interface RemoveChange extends Destroying {
  readonly kind: 'remove'
  readonly path: Path
}

/** Renames a file, a link or a whole directory. `to` must be absent: a replacement removes it first, in the same commit. */
export interface MoveChange {
  readonly kind: 'move'
  readonly path: Path
  readonly to: Path
  readonly expect: Expect
}

/** Creates a directory whose parent exists. */
export interface MakeDirectoryChange {
  readonly kind: 'makeDirectory'
  readonly path: Path
  /** Permission bits; default 0777 without the process's umask. */
  readonly mode?: number
}

/** Creates or replaces a symbolic link. */
export interface LinkChange extends Destroying {
  readonly kind: 'link'
  readonly path: Path
  readonly target: string
}

/** Puts what a regular file holds at another path, without its bytes passing through the caller. */
export interface CopyChange extends Destroying {
  readonly kind: 'copy'
  /** Where the copy goes. */
  readonly path: Path
  /** The file that is copied, as it is when this step's turn comes. */
  readonly from: Path
  /** What `from` must be: a hash or a version. */
  readonly source: Expect
  /** Permission bits; default: those of `from`. */
  readonly mode?: number
}

/** Keeps what a file or link holds under a backup id. Nothing at the path changes. */
export interface SnapshotChange {
  readonly kind: 'snapshot'
  readonly path: Path
  readonly expect: Expect
  readonly keep: BackupName
}

/** One step of a commit. Steps are applied in order; a parent directory must exist or be made by an earlier step. */
export type Change = WriteChange | RemoveChange | MoveChange | MakeDirectoryChange | LinkChange | CopyChange | SnapshotChange

/** One state of a path, as the journal records it. */
export type Side =
  | { readonly kind: 'file'; readonly hash: Hash; readonly size: number; readonly mode: number }
  | { readonly kind: 'directory'; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }

/** A change as it happened. `before` and `after` are null where nothing was, or is. */
export interface RecordedChange {
  readonly kind: Change['kind']
  readonly path: Path
  /** Where a moved entry went. */
  readonly to?: Path
  /** What a copy was made of. */
  readonly from?: Path
  readonly before: Side | null
  readonly after: Side | null
  /** The backup that the before-image is; absent when nothing was destroyed, nothing was kept, or it was kept for undo alone. */
  readonly backup?: BackupName
  /** False when the destroyed state was not kept on purpose: undo is refused. Always true where nothing was destroyed. */
  readonly kept: boolean
}
