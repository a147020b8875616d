/** What a workspace does with its past as a whole, as its callers see it. */
import type { JournalRecord } from '../../core/record.ts'
import type { Collected, Retention } from './collect.ts'
import type { PatchPart } from './patch.ts'
import type { PurgeOptions, PurgeTarget } from './purge.ts'
import type { RecordRange } from './range.ts'
import type { Replayed } from './replay.ts'
import type { Restored } from './restore.ts'

/** What a purge did, or would do. */
export interface Purged {
  /** The records that tell of it; none in a dry run. */
  readonly records: readonly JournalRecord[]
  readonly objects: number
  readonly bytes: number
}

/** What going back did, or would do. */
export interface Reverted {
  /** Null in a dry run, and when there was nothing to take back. */
  readonly record: JournalRecord | null
  /** The record whose state came back. */
  readonly sequence: number
  /** The paths that change, in order. */
  readonly paths: readonly string[]
}

/** Options of a replay. */
export interface ReplayOptions {
  readonly subject?: string
  /** Only check whether every record would fit. */
  readonly dryRun?: boolean
  readonly onProgress?: (records: number) => void
}

/** The part of a workspace that concerns its past as a whole. */
export interface Past {
  /**
   * Drops the contents of old records from history; records stay, and the chain can be checked as before. What was dropped can be
   * neither shown nor undone. Without a limit nothing is dropped.
   */
  collect(options?: Retention & { readonly dryRun?: boolean }): Promise<Collected>
  /**
   * Takes contents out of history for good: those of a path and of what is below it, or one by its hash. Hashes stay, and a record
   * of the kind `purge` says who did it. Throws `not_found` when history holds no such content, `conflict` with `details.paths`
   * while a file still holds it.
   */
  purge(target: PurgeTarget, options?: PurgeOptions): Promise<Purged>
  /**
   * Takes back all that came after a record, as one change that can be undone like a call. Throws `not_found`, `conflict` with `details.paths` when files moved on
   * outside the journal, `unsupported` when content is not held any more.
   */
  revertTo(which: string | number, options?: { readonly subject?: string; readonly dryRun?: boolean }): Promise<Reverted>
  /**
   * What a run of records did, net, as a patch that `git apply` takes; by default of all records. Throws `not_found`,
   * `invalid_argument` for a run that ends before it begins, `unsupported` when content is not held any more.
   */
  patch(range?: RecordRange): AsyncIterable<PatchPart>
  /**
   * A run of records with their changes and contents, as lines of JSON; see {@link replay}. By default all records. Throws
   * `not_found`, and `invalid_argument` for a run that ends before it begins.
   */
  exportRecords(range?: RecordRange): AsyncIterable<Uint8Array>
  /**
   * Makes the records of another workspace again here, each as a change of its own that must find what it found there. Throws the
   * error of the first that does not fit, with its `sequence` in `details`; those before it stay. `corrupt` for unsound lines.
   */
  replay(lines: AsyncIterable<Uint8Array>, options?: ReplayOptions): Promise<Replayed>
  /**
   * The files with their whole history as one tar, made while it is read. Throws `conflict` when the workspace changes meanwhile.
   * Calls that wait for a person, and what is only staged, do not come along.
   */
  archive(options?: { readonly onProgress?: (entries: number) => void }): AsyncIterable<Uint8Array>
  /**
   * Takes over an archive, all or nothing, into a workspace without files and records. Throws `already_exists`, `corrupt` when
   * anything in it does not match its hash, `too_large`, `unsupported` for a newer format.
   */
  restore(archive: AsyncIterable<Uint8Array>, options?: { readonly onProgress?: (entries: number) => void }): Promise<Restored>
}
