/** Where a git directory is kept: a folder on disk, memory, a database, a browser's storage. */
import type { MaybePromise } from '../core/file_system.ts'

/** An open file, for reading parts of it. It goes on reading what it opened when the file is replaced or removed. */
export interface GitFile {
  readonly size: number
  /** The bytes from `offset` on, fewer than `length` only at the end. */
  read(offset: number, length: number): MaybePromise<Uint8Array>
  close(): MaybePromise<void>
}

/** Files that nothing needs any more: noted at first, and removed later. */
export interface NeedlessFiles {
  /** Milliseconds, on the clock of the notes. */
  now(): number
  /**
   * Notes that these files and no others are needless, and removes those that were noted at `before` or earlier, each with the files
   * that go along. Writing or touching a file takes its note away. `pause` is waited for between steps; all of them may be the last.
   */
  settle(
    found: ReadonlyMap<string, readonly string[]>,
    before: number,
    pause: () => Promise<void>,
  ): Promise<{ readonly removed: number; readonly bytes: number }>
}

/**
 * The files of one git directory, by paths such as `refs/heads/main`. Of a linked worktree, what all worktrees share is there as well.
 * Failures are {@link FilewrightError}: `no_space`, `permission_denied`, `io_error`; what is missing is null, false or empty.
 *
 * A new storage is one file that implements this; the suite in `test/git/files_suite.ts` is its proof. In a browser's private file
 * system, for instance, a path is a path there, whole files come from `createWritable`, which swaps them in when it is closed, and an
 * update runs inside a Web Lock that has the path as its name.
 */
export interface GitFiles {
  /** What a finished write survives. */
  readonly durability: 'power' | 'process' | 'memory'
  /** Whether other programs can change the files, such as the user's own git. */
  readonly shared: boolean
  /** Where no program of git's can remove what is needless. */
  readonly needless?: NeedlessFiles
  /** A small file, whole; null when there is none. */
  read(path: string): MaybePromise<Uint8Array | null>
  open(path: string): MaybePromise<GitFile | null>
  /** Names in a directory, in no particular order; those of directories end in `/`. */
  list(dir: string): MaybePromise<readonly string[]>
  /** Equal stamps of one path mean that nothing changed there; null when nothing is there. */
  stamp(path: string): MaybePromise<string | null>
  /**
   * Writes a file whole: nobody ever sees a part of it. Directories are made. An existing file is replaced. Throws `conflict` where a
   * directory of the path is a file, or the path a directory.
   */
  write(path: string, body: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>
  /** Writes several small files, as `write` does: one that comes later is never there without those before it. */
  writeMany(files: readonly { readonly path: string; readonly bytes: Uint8Array }[]): Promise<void>
  /** Adds to the end of a small file, which is made when it is missing; for logs, whose lines nobody may lose. */
  append(path: string, bytes: Uint8Array): Promise<void>
  /** Makes a file count as new, so that no garbage collection removes it; false when nothing is there. */
  touch(path: string): MaybePromise<boolean>
  /** Removes a file, and directories of references that it leaves empty. Answers whether there was something to remove. */
  remove(path: string): Promise<boolean>
  /** Renames a file within the git directory, replacing. */
  rename(from: string, to: string): Promise<void>
  /**
   * Runs `change` with the contents of a small file, alone: no program that takes git's own lock (`<path>.lock`) changes it meanwhile.
   * The file then holds what it answers; null removes it, undefined leaves it. When somebody was faster all the same, `change` runs
   * once more. Throws `conflict` when the lock cannot be had.
   */
  update(path: string, change: (current: Uint8Array | null) => MaybePromise<Uint8Array | null | undefined>): Promise<void>
  /** Makes directories that other programs look for, where there can be empty ones. */
  makeDirectories?(dirs: readonly string[]): MaybePromise<void>
  close(): MaybePromise<void>
}
