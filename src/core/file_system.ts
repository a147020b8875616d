/** The interface that every storage implements: bytes in and out, one way to write. */
import type { Change, Content, Side, Version } from './change.ts'
import type { FilewrightError } from './errors.ts'
import type { Hash, Hasher } from './hash.ts'
import type { Path } from './path.ts'
import type { JournalRecord, RecordDraft, RecordQuery } from './record.ts'
import type { Repository } from './repository.ts'
import type { Traits } from './traits.ts'

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>

/** What an entry is. `special` stands for FIFOs, sockets and devices: listed, never opened (C-10). */
export type EntryKind = 'file' | 'directory' | 'link' | 'special'

/** One directory entry. A field is null when it was not asked for, or when the storage has no such fact. */
export interface Entry {
  readonly path: Path
  readonly kind: EntryKind
  /** Bytes of content of a file; null for other kinds. */
  readonly size: number | null
  /** Last modification, milliseconds since 1970, fractions allowed. */
  readonly mtimeMs: number | null
  /** Creation, where the storage knows it. */
  readonly createdMs: number | null
  /** Permission bits (0 to 0o777). */
  readonly mode: number | null
  readonly version: Version | null
  /** SHA-256 of a file's content, only where the storage knows it without reading. */
  readonly hash: Hash | null
  /** Text of a link. */
  readonly target: string | null
  /** Whether this process may read and write it; null when not asked for. */
  readonly access: { readonly read: boolean; readonly write: boolean } | null
  /** Only of a file that other paths lead to as well (hard links): equal for all of them. Absent where a path stands for itself. */
  readonly identity?: string
}

/** Facts that cost something in a listing; asked for by name. `stat` always gives all but `access`. */
export interface Want {
  /** Size, times, mode, version. */
  readonly stat?: boolean
  /** Text of links. */
  readonly target?: boolean
  readonly access?: boolean
}

/** How a tree is walked. */
export interface ScanOptions extends Want {
  /** Levels below the start: 1 gives direct children only. Default: all. */
  readonly maxDepth?: number
  /**
   * Called once per directory with its children, sorted; what it returns is reported, and the directories in it are entered.
   * Ignore rules live here: rules of a directory are loaded before its children are judged.
   */
  readonly filter?: (dir: Path, children: Entry[]) => MaybePromise<Entry[]>
  readonly signal?: AbortSignal
}

/** One version of one file, pinned: later writes do not change what it reads. */
export interface Reader {
  readonly entry: Entry
  readonly size: number
  /** Fills `into` from `offset` of the file on; returns the bytes read, 0 only at the end of the file. */
  read(offset: number, into: Uint8Array): MaybePromise<number>
  close(): MaybePromise<void>
}

/** How many files are read in one pass. */
export interface ReadEachOptions {
  /** Files larger than this are reported as `too_large` instead of read. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

/** Receives one file of {@link FileSystem.readEach}. The bytes are valid during the call only. Return false to stop the pass. */
export type FileVisitor = (path: Path, bytes: Uint8Array | null, problem: FilewrightError | null) => boolean | undefined

/** Content that history holds. */
export interface KeptContent {
  readonly hash: Hash
  readonly size: number
}

/** One small value. */
export interface Note {
  readonly key: string
  readonly value: string
}

/** Why other programs changed files: somebody ran a command. */
export interface Origin extends Pick<RecordDraft, 'kind' | 'subject' | 'tool' | 'call'> {
  readonly note: string
  readonly approval?: string
}

/** What was at a path a while ago. Content of a file is staged, so that it can be kept for undo. */
export interface Remembered {
  readonly side: Side
  /** As an entry then told it. */
  readonly version: Version
}

/** What is known of changes that other programs made. */
export interface Cause {
  readonly origin: Origin
  /** What was there before them. */
  readonly before: ReadonlyMap<Path, Remembered>
}

/** What is said of changes whose author nobody knows. */
export const UNKNOWN_ORIGIN: Omit<Origin, 'note'> = { kind: 'external', subject: 'unknown', tool: 'external', call: null }

/** Longest value of a note, in UTF-8 bytes. */
export const NOTE_BYTES: number = 1024 * 1024

/** Small values that a workspace keeps beside its files, such as approvals that wait. As durable as commits. */
export interface Notes {
  /** The notes whose keys start with the prefix, in the order of their keys. */
  list(prefix: string): Promise<Note[]>
  /**
   * Puts `to` in the place of `from`, null standing for no note; answers whether it did. Of several callers with the same `from`,
   * in any process, one succeeds. A key is a group and a name, each of 1 to 100 letters, digits, `.`, `_` and `-` that do not begin
   * with a dot: `approval/7f`. Throws `invalid_argument` for another key, `too_large` above {@link NOTE_BYTES}.
   */
  swap(key: string, from: string | null, to: string | null): Promise<boolean>
}

/**
 * A storage. Paths are canonical; no method follows a link: a link in the middle of a path is `not_directory`, and opening one
 * is `not_regular`. Missing is the error `not_found`, never null, and no failure is turned into a value. Errors are
 * {@link FilewrightError}; a method may do its work before it first awaits.
 */
export interface FileSystem {
  readonly traits: Traits
  readonly hasher: Hasher

  /** The entry itself, links not followed. Throws `not_found`, `not_directory`, `permission_denied`. */
  stat(path: Path, want?: Want): Promise<Entry>
  /** As `stat` for many paths; a failure takes the place of its entry. */
  statMany(paths: readonly Path[]): Promise<(Entry | FilewrightError)[]>
  /** Children of a directory in code-point order of their names. Throws `not_found`, `not_directory`, `permission_denied`. */
  list(dir: Path, want?: Want): Promise<Entry[]>
  /**
   * Everything below a directory, in pages: the order of full paths by bytes, a directory before what is in it
   * (its name compares as if it ended in `/`). A directory that cannot be read is reported and not entered.
   */
  scan(dir: Path, options?: ScanOptions): AsyncIterable<Entry[]>
  /** Opens a regular file. Throws `not_found`, `is_directory`, `not_regular`, `permission_denied`. */
  open(path: Path): Promise<Reader>
  /** Reads files whole, one after another, without a promise for each: neighbours first is fastest. */
  readEach(paths: readonly Path[], options: ReadEachOptions, visit: FileVisitor): Promise<void>
  /** Text of a link. Throws `not_found`, `invalid_argument` when it is not a link. */
  readLink(path: Path): Promise<string>

  /** Stores content for a later commit, where that will need it. Content that no commit uses is swept later. */
  stage(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<Content>
  /**
   * The only write: applies all changes or none, durable as `traits` says when it returns, and appends the record in the same act.
   * An expectation that does not hold is `conflict`, with `details` `{path, current}` (a side, or null); below something that is
   * missing or is no directory, nothing is there. A new directory and the goal of a move expect `absent`, a removed directory to be
   * empty. Then come `not_found` and `not_directory` for a parent, `is_directory` where content would replace a directory,
   * `not_found` for content without bytes that is not held, `invalid_argument` for bytes of another size than said, for removing or
   * moving the root, and for a move into itself, `too_large` beyond a limit, `not_regular` for a copy of what is no file, or a
   * snapshot of what is neither file nor link. A file that another program changed since the journal last saw it is first recorded
   * as `external`.
   */
  commit(changes: readonly Change[], draft: RecordDraft): Promise<JournalRecord>

  /** Journal records. */
  records(query?: RecordQuery): Promise<JournalRecord[]>
  /** Content that history or staging holds, by hash. Throws `not_found`; `corrupt` when the bytes do not match the hash. */
  object(hash: Hash): Promise<Reader>

  /** What history holds, in pages: before-images, and records' changes that are stored apart. In no particular order. */
  contents(): AsyncIterable<readonly KeptContent[]>
  /** Drops content from history; unknown hashes are ignored. Files keep what they hold. Answers how many bytes were freed. */
  forget(hashes: readonly Hash[]): Promise<number>
  /**
   * Takes over the files and the past of another workspace, all or nothing: the changes are applied and the records stored as they
   * are, first to last. What they name was staged before and is kept. Throws `already_exists` when there is a file or a record,
   * `corrupt` when the records are no sound chain, and what `commit` throws for the changes.
   */
  adopt(changes: readonly Change[], records: readonly JournalRecord[]): Promise<void>
  readonly notes: Notes
  /** Only where the files are those of a commit: the repository that it is in. */
  readonly repository?: Repository
  /**
   * Only where other programs can change files: looks at these paths, or everywhere, and records what they did as one `external`
   * record; null when nothing is new. Where it is known whose call they did it for, it is that call's record, and begins the journal
   * if there is none yet.
   */
  observe?(paths?: readonly Path[], cause?: Cause): Promise<JournalRecord | null>
  /** Only where other programs can change files: paths that may have changed, soon after it happens, until the signal. */
  watch?(signal: AbortSignal): AsyncIterable<readonly Path[]>

  /** Releases what the storage holds. Calls after it throw `unsupported`; a second `close` does nothing. */
  close(): Promise<void>
}
