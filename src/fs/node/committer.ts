/** Commits, one after another, under the lock. */
import type { Change } from '../../core/change.ts'
import type { Hash } from '../../core/hash.ts'
import type { JournalRecord, RecordDraft } from '../../core/record.ts'
import { carryOut } from './carry_out.ts'
import type { CommitParts } from './commit_parts.ts'
import { attempt, failureAt } from './errno.ts'
import { type Cursor, createCursor, inDir } from './handles.ts'
import { type Judgement, type JudgeParts, judge } from './judge.ts'
import { readUp } from './recovery.ts'
import { HashFirst, readHash } from './sides.ts'
import { COMMIT_PREFIX, sweep } from './staged_files.ts'
import { syncDirectory } from './steps.ts'
import type { Store } from './store.ts'

/** Commits lists of changes, one after another. */
export interface Committer {
  /** See `FileSystem.commit`. */
  commit(changes: readonly Change[], draft: RecordDraft): Promise<JournalRecord>
  /** Finishes or forgets what a crash left in an existing store. */
  complete(store: Store): Promise<void>
}

export function createCommitter(parts: CommitParts): Committer {
  let current: Store | null = null
  /** The store, up to date with what others did. */
  const catchUp = async (store: Store, cursor: Cursor, alone: boolean): Promise<void> => {
    if (alone && store === current && store.settled) return
    await readUp(parts, store, cursor)
    if (store !== current) {
      const device = attempt('The store', () => store.fineTimes())
      if (device !== null) parts.hashes.trustTimes(device)
    }
    current = store
  }
  const underLock = async <T>(action: (cursor: Cursor, alone: boolean) => Promise<T>): Promise<T> => {
    const alone = await parts.lock.acquire()
    const cursor = createCursor(parts.root)
    try {
      return await action(cursor, alone)
    } catch (error) {
      throw failureAt('The workspace', error)
    } finally {
      cursor.reset()
      parts.lock.release()
    }
  }
  return {
    commit: (changes, draft) =>
      underLock(async (cursor, alone) => {
        const before = parts.store()
        if (before) await catchUp(before, cursor, alone)
        // The number only has to be unlike that of the commit before.
        const prefix = `${COMMIT_PREFIX}${(before?.journal.head.sequence ?? 0) + 1}-`
        const known = before?.journal.known ?? null
        const holds = (hash: Hash): boolean => parts.source(hash, cursor) !== null
        const isKept = (hash: Hash, size: number): boolean =>
          before !== null && parts.root.sys.lstat(inDir(before.objects, hash))?.size === size
        const judgement = await judgeInTurns({ ...parts, cursor, prefix, known, holds, isKept, large: new Map() }, changes)
        const store = before ?? parts.makeStore()
        if (!before) {
          // A journal that nobody finds after a power cut is none.
          if (parts.durable) for (const dir of [store.self, parts.root.dir]) await syncDirectory(parts.root, dir)
          await catchUp(store, cursor, false)
        }
        return carryOut(parts, cursor, store, judgement, prefix, draft)
      }),
    complete: (store) =>
      underLock(async (cursor) => {
        await readUp(parts, store, cursor)
        sweep(parts.root, store, Date.now())
      }),
  }
}

/** Judges; large files whose hash that takes are read first. */
async function judgeInTurns(parts: JudgeParts, changes: readonly Change[]): Promise<Judgement> {
  for (;;) {
    try {
      return judge(parts, changes)
    } catch (error) {
      if (!(error instanceof HashFirst)) throw error
      await readHash(parts, error.path)
    }
  }
}
