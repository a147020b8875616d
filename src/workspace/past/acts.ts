/** The acts that concern the past as a whole: going back, giving up what is old or secret, leaving and coming in with all of it. */
import type { Change } from '../../core/change.ts'
import type { FileSystem } from '../../core/file_system.ts'
import { readBlocks } from '../../core/read.ts'
import type { JournalRecord, RecordDraft } from '../../core/record.ts'
import { forgetRequests } from '../approvals/notes.ts'
import { commitAndVerify } from '../commit.ts'
import { basisBefore } from '../git/basis.ts'
import { guardRestored } from '../guards.ts'
import type { Queue } from '../queue.ts'
import type { OperatorSettings } from '../workspace.ts'
import { collectContents } from './collect.ts'
import { newestRecord, recordsAfter } from './journal.ts'
import type { Past } from './past.ts'
import { PURGED_HASHES, planPurge } from './purge.ts'
import type { ReplayParts } from './replay.ts'
import { planRevert } from './revert.ts'

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
        await forgetRequests(fs)
        return { records, objects: hashes.length, bytes: await fs.forget(hashes) }
      })
    },
    async revertTo(which, { subject, dryRun = false } = {}) {
      if (!dryRun) requireWritable('going back')
      return queue(async () => {
        const { sequence, changes, stage } = await planRevert(fs, which)
        guardRestored(changes, settings)
        const paths = changes.map((change) => (change.kind === 'move' ? change.to : change.path))
        const basis = await basisBefore(fs, recordsAfter(fs, sequence))
        if (dryRun || (changes.length === 0 && !basis)) return { record: null, sequence, paths }
        for (const path of stage) await stageFile(fs, path)
        const parts = { kind: 'call', tool: 'revert_to', note: `Back to change ${sequence}`, ...(basis && { basis }) } as const
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
