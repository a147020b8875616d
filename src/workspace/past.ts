/** What a workspace does with its past: going back, giving up what is old or secret. */
import type { Change } from '../core/change.ts'
import type { FileSystem } from '../core/file_system.ts'
import { readBlocks } from '../core/read.ts'
import type { JournalRecord, RecordDraft } from '../core/record.ts'
import { type Collected, collectContents, type Retention } from './collect.ts'
import { commitAndVerify } from './commit.ts'
import { guardRestored } from './guards.ts'
import { newestRecord } from './journal.ts'
import type { PatchPart } from './patch.ts'
import { PURGED_HASHES, type PurgeOptions, type PurgeTarget, planPurge } from './purge.ts'
import type { Queue } from './queue.ts'
import type { RecordRange } from './range.ts'
import type { Replayed, ReplayParts } from './replay.ts'
import type { Restored } from './restore.ts'
import { planRevert } from './revert.ts'
import type { OperatorSettings } from './workspace.ts'

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

/** What the past shares with the rest of its workspace. */
export interface PastParts {
  readonly fs: FileSystem
  readonly settings: OperatorSettings
  readonly now: () => number
  readonly newId: () => string
  readonly queue: Queue
  draft(parts: Pick<RecordDraft, 'kind' | 'tool'> & Partial<RecordDraft>, subject: string | undefined): RecordDraft
  announce(record: JournalRecord): JournalRecord
  /** Throws `read_only` where nothing may be changed. */
  requireWritable(act: string): void
}

export function createPast({ fs, settings, now, newId, queue, draft, announce, requireWritable }: PastParts): Past {
  return {
    async *patch(range = {}) {
      const { patchOf } = await import('./patch.ts')
      yield* patchOf(fs, range)
    },
    async *exportRecords(range = {}) {
      const { recordLines } = await import('./record_stream.ts')
      const encoder = new TextEncoder()
      for await (const line of recordLines(fs, range)) yield encoder.encode(line)
    },
    async replay(lines, { subject, dryRun = false, onProgress = () => {} } = {}) {
      if (!dryRun) requireWritable('a replay')
      const { replayLines } = await import('./replay.ts')
      const guard = (changes: readonly Change[]): void => guardRestored(changes, settings)
      const commit: ReplayParts['commit'] = (changes, parts) =>
        queue(async () => announce((await commitAndVerify(fs, changes, draft(parts, subject))).record))
      return replayLines({ fs, dryRun, newId, guard, commit, onProgress }, lines)
    },
    async *archive({ onProgress = () => {} } = {}) {
      const { archiveOf } = await import('./archive.ts')
      yield* archiveOf(fs, onProgress)
    },
    async restore(archive, { onProgress = () => {} } = {}) {
      requireWritable('taking over an archive')
      const { restoreArchive } = await import('./restore.ts')
      return queue(async () => {
        const restored = await restoreArchive(fs, archive, onProgress)
        const newest = await newestRecord(fs)
        if (newest) announce(newest)
        return restored
      })
    },
    async collect({ dryRun = false, ...retention } = {}) {
      if (!dryRun) requireWritable('dropping history')
      return queue(() => collectContents(fs, retention, now(), dryRun))
    },
    async purge(target, options = {}) {
      if (!options.dryRun) requireWritable('a purge')
      return queue(async () => {
        const { hashes, bytes, what } = await planPurge(fs, target, options)
        const records: JournalRecord[] = []
        if (options.dryRun) return { records, objects: hashes.length, bytes }
        // Told before it is done: a purge that was interrupted is asked for again, and one that nobody can see is worse.
        for (let at = 0; at < hashes.length; at += PURGED_HASHES) {
          const purged = hashes.slice(at, at + PURGED_HASHES)
          const note = `Purge of ${what} from history`
          records.push(announce(await fs.commit([], draft({ kind: 'purge', tool: 'purge', note, purged }, options.subject))))
        }
        return { records, objects: hashes.length, bytes: await fs.forget(hashes) }
      })
    },
    async revertTo(which, { subject, dryRun = false } = {}) {
      if (!dryRun) requireWritable('going back')
      return queue(async () => {
        const { sequence, changes, stage } = await planRevert(fs, which)
        guardRestored(changes, settings)
        const paths = changes.map((change) => (change.kind === 'move' ? change.to : change.path))
        if (dryRun || changes.length === 0) return { record: null, sequence, paths }
        for (const path of stage) await stageFile(fs, path)
        const parts = { kind: 'call', tool: 'revert_to', note: `Back to change ${sequence}` } as const
        const { record } = await commitAndVerify(fs, changes, draft(parts, subject))
        return { record: announce(record), sequence, paths }
      })
    },
  }
}

async function stageFile(fs: FileSystem, path: Parameters<FileSystem['open']>[0]): Promise<void> {
  const reader = await fs.open(path)
  try {
    await fs.stage(readBlocks(reader))
  } finally {
    await reader.close()
  }
}
