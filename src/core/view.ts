/** What a tool sees: the workspace as it is with the changes staged so far. A tool reads and stages; it never writes. */
import type { BackupName, Change, Content, Expect, Keep } from './change.ts'
import type { Entry, FileSystem, FileVisitor, ReadEachOptions, Reader, ScanOptions, Want } from './file_system.ts'
import type { Hash, Hasher } from './hash.ts'
import type { Path } from './path.ts'
import type { RepositoryReads } from './repository.ts'
import type { Resolved } from './resolve.ts'
import type { Traits } from './traits.ts'

/** A file read whole. */
export interface WholeFile {
  readonly bytes: Uint8Array
  readonly entry: Entry
  readonly hash: Hash
}

/** How a file is written. */
export interface WriteOptions {
  /** The state this replaces, as the tool saw it. */
  readonly expect: Expect
  readonly keep?: Keep
  readonly mode?: number
  /** Default: the time of the commit. */
  readonly mtimeMs?: number
}

/** How a path is resolved. */
export interface ResolveOptions {
  readonly last?: 'follow' | 'keep'
  readonly field?: string
  /** What errors call the path; default: as it is given here. */
  readonly as?: string
  /** Also finds what is in folders of backups, which are not there otherwise. */
  readonly hidden?: boolean
}

/** How a file is copied. */
export interface CopyOptions {
  /** What is replaced. */
  readonly expect: Expect
  /** What the source is. */
  readonly source: Expect
  readonly keep?: Keep
  readonly mode?: number
}

/**
 * A workspace seen by one call. Reads show the staged changes of the same call (so that later steps of a batch see earlier
 * ones); nothing is stored until the workspace commits them. The product's own store is not there.
 */
export interface View extends Pick<FileSystem, 'stat' | 'list' | 'open' | 'readLink'> {
  readonly traits: Traits
  readonly hasher: Hasher
  /** The repository that the files are a commit of, without what the call may not see; absent where they are of none. */
  readonly repository?: RepositoryReads
  /** The directories that the call must stay in; absent when that is the whole workspace. */
  readonly places?: readonly Path[]
  /** Resolves a caller's path; `follow` also resolves a link in the last place. See {@link resolvePath} for errors. */
  resolve(given: unknown, options?: ResolveOptions): Promise<Resolved>
  /** The absolute output path in the workspace's own notation (C-11, W-6). */
  display(path: Path): string
  list(dir: Path, want?: Want): Promise<Entry[]>
  scan(dir: Path, options?: ScanOptions): AsyncIterable<Entry[]>
  open(path: Path): Promise<Reader>
  readEach(paths: readonly Path[], options: ReadEachOptions, visit: FileVisitor): Promise<void>
  /**
   * A regular file's bytes and hash. Throws `not_found`, `is_directory`, `not_regular`, `too_large` (above `traits.limits.textBytes`).
   * The messages name `resolved.given`.
   */
  readWhole(resolved: Resolved): Promise<WholeFile>
  /** Content ready for a change: its hash and size, with the bytes when they are small. */
  content(bytes: Uint8Array): Promise<Content>

  /** Stages a file. Missing parent directories are staged with it. Throws `invalid_name` for names that may not be created. */
  write(target: Resolved, content: Content, options: WriteOptions): void
  /** Stages the removal of a file, link or empty directory. */
  remove(target: Resolved, options: { readonly expect: Expect; readonly keep?: Keep }): void
  /** Stages a directory with its missing parents. */
  makeDirectory(target: Resolved, options?: { readonly mode?: number }): void
  /** Stages a link with its missing parents. */
  link(target: Resolved, text: string, options: { readonly expect: Expect; readonly keep?: Keep }): void
  /** Stages a rename of a file, link or directory; what is at the target must have been removed before. */
  move(source: Resolved, target: Resolved, options: { readonly expect: Expect }): void
  /** Stages a copy of a file; its bytes are not read. */
  copy(source: Resolved, target: Resolved, options: CopyOptions): void
  /** Stages a snapshot: what is there is kept under a backup id. */
  snapshot(target: Resolved, options: { readonly expect: Expect; readonly keep: BackupName }): void
  /** Declares a folder of backups: from now on only backup tools see it. */
  hide(dir: Path): void
  /** Whether a path is a folder of backups, or in one. */
  isHidden(path: Path): boolean
  /** Whether a folder of backups is somewhere below a directory. */
  holdsHidden(dir: Path): boolean
  /** What is staged, in order. */
  changes(): readonly Change[]
  /** Takes back what was staged after the first `count` changes. */
  rewind(count: number): void
}
