/** What a tool sees: the workspace as it is with the changes staged so far. A tool reads and stages; it never writes. */
import type { Change, Content, Expect, Keep } from './change.ts'
import type { Entry, FileSystem, FileVisitor, ReadEachOptions, Reader, ScanOptions, Want } from './file_system.ts'
import type { Hash, Hasher } from './hash.ts'
import type { Path } from './path.ts'
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
}

/**
 * A workspace seen by one call. Reads show the staged changes of the same call (so that later steps of a batch see earlier
 * ones); nothing is stored until the workspace commits them. The product's own store is not there.
 */
export interface View extends Pick<FileSystem, 'stat' | 'list' | 'open' | 'readLink'> {
  readonly traits: Traits
  readonly hasher: Hasher
  /** Resolves a caller's path; `follow` also resolves a link in the last place. See {@link resolvePath} for errors. */
  resolve(given: unknown, options?: { readonly last?: 'follow' | 'keep'; readonly field?: string }): Promise<Resolved>
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
  makeDirectory(target: Resolved): void
  /** What is staged, in order. */
  changes(): readonly Change[]
}
