/** Whatever is written, one after another, under the lock. */
import type { Change, RecordedChange } from '../../core/change.ts'
import { attempt, failureAt } from '../../core/errno.ts'
import { type Origin, UNKNOWN_ORIGIN } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import type { Path } from '../../core/path.ts'
import { type ChainHead, type JournalRecord, type RecordDraft, sealRecord } from '../../core/record.ts'
import { type Act, Apart, carryOut } from './carry_out.ts'
import type { CommitParts } from './commit_parts.ts'
import { type CopiedAhead, copyAhead } from './copying.ts'
import { isApart, type Judgement, type JudgeParts } from './court.ts'
import { type Cursor, createCursor, inDir } from './handles.ts'
import { judge } from './judge.ts'
import { readUp } from './recovery.ts'
import { HashFirst, readHash } from './sides.ts'
import { COMMIT_PREFIX, sweep, sweepCommit } from './staged_files.ts'
import { syncDirectory } from './steps.ts'
import type { Store } from './store.ts'

/** One turn at the lock. */
export interface Session {
  readonly cursor: Cursor
  /** The store, up to date with what others did and nothing left undone; null when there is none yet. */
  store(): Promise<Store | null>
  /** The store, made if need be. */
  makeStore(): Promise<Store>
}

/** Everything that writes. */
export interface Committer {
  /** See `FileSystem.commit`. */
  commit(changes: readonly Change[], draft: RecordDraft): Promise<JournalRecord>
  /** Judges changes as a commit does, and does what comes of it. */
  apply(session: Session, changes: readonly Change[], actOf: (judgement: Judgement) => Act): Promise<JournalRecord | null>
  /** Runs `action` under the lock, when nothing is left undone. */
  inTurn<T>(action: (session: Session) => Promise<T>): Promise<T>
  /** Finishes or forgets what a crash left in an existing store. */
  complete(store: Store): Promise<void>
  /** Waits until everything that was begun has ended. */
  idle(): Promise<unknown>
}

export function createCommitter(parts: CommitParts): Committer {
  const { root } = parts
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
  let last: Promise<unknown> = Promise.resolve()
  /** What one process does takes turns: the lock is between processes. */
  const underLock = <T>(action: (cursor: Cursor, alone: boolean) => Promise<T>): Promise<T> => {
    const turn = last.then(() => locked(action))
    last = turn.catch(() => {})
    return turn
  }
  const locked = async <T>(action: (cursor: Cursor, alone: boolean) => Promise<T>): Promise<T> => {
    const alone = await parts.lock.acquire()
    const cursor = createCursor(root)
    try {
      return await action(cursor, alone)
    } catch (error) {
      throw failureAt('The workspace', error)
    } finally {
      cursor.reset()
      parts.lock.release()
    }
  }
  const inTurn: Committer['inTurn'] = (action) =>
    underLock(async (cursor, alone) => {
      let store = parts.store()
      if (store) await catchUp(store, cursor, alone)
      return action({
        cursor,
        async store() {
          if (store) await catchUp(store, cursor, true)
          return store
        },
        async makeStore() {
          if (store) return store
          const made = parts.makeStore()
          // A journal that nobody finds after a power cut is none.
          if (parts.durable) for (const dir of [made.self, root.dir]) await syncDirectory(root, dir)
          await catchUp(made, cursor, false)
          store = made
          return made
        },
      })
    })

  const apply: Committer['apply'] = async (session, changes, actOf) => {
    const { cursor } = session
    const apart = new Set<Path>()
    for (;;) {
      const before = await session.store()
      // The number only has to be unlike that of the commit before.
      const prefix = `${COMMIT_PREFIX}${(before?.journal.head.sequence ?? 0) + 1}-`
      const ahead: CopiedAhead = new Map()
      const judging: JudgeParts = {
        ...parts,
        cursor,
        prefix,
        apart,
        large: new Map(),
        known: before?.journal.known ?? null,
        holds: (hash) => parts.source(hash, cursor) !== null,
        isKept: (hash: Hash, size) => before !== null && root.sys.lstat(inDir(before.objects, hash))?.size === size,
      }
      const judgement = await judgeInTurns(judging, session, ahead, changes)
      const store = await session.makeStore()
      try {
        return await carryOut(parts, cursor, store, actOf(judgement), prefix, ahead)
      } catch (error) {
        if (!(error instanceof Apart)) throw error
        if (isApart(judging, error.path)) throw error.cause
        apart.add(error.path)
        cursor.reset()
      }
    }
  }

  return {
    inTurn,
    apply,
    commit: (changes, draft) =>
      inTurn(async (session) => {
        const record = await apply(session, changes, (judgement) => actOfCommit(parts, judgement, draft))
        return record as JournalRecord
      }),
    complete: (store) =>
      underLock(async (cursor) => {
        await readUp(parts, store, cursor)
        sweep(root, store, Date.now())
      }),
    idle: () => last,
  }
}

/** Judges; large files whose hash that takes are read first, and copied on the way if they are to be copied. */
async function judgeInTurns(parts: JudgeParts, session: Session, ahead: CopiedAhead, changes: readonly Change[]): Promise<Judgement> {
  let store: Store | null = null
  try {
    for (;;) {
      try {
        return judge(parts, changes)
      } catch (error) {
        if (!(error instanceof HashFirst)) throw error
        if (error.copyTo === null) await readHash(parts, error.path)
        else {
          store ??= await session.makeStore()
          store.begin()
          await copyAhead(parts, store, ahead, error.path, error.copyTo)
        }
      }
    }
  } catch (error) {
    if (store) sweepQuietly(parts, store)
    throw error
  }
}

/** What cannot be swept now, the next commit sweeps. */
function sweepQuietly({ root, prefix }: JudgeParts, store: Store): void {
  try {
    sweepCommit(root, store, prefix)
  } catch {
    // The failure that led here is the one to report.
  }
}

/** The act of a commit: what others did is recorded before it. */
function actOfCommit(parts: CommitParts, judgement: Judgement, draft: RecordDraft): Act {
  return {
    ...judgement,
    seal(head) {
      const { external, recorded } = judgement
      const before = external.size > 0 ? [sealExternal(parts, head, draft.time, [...external.values()])] : []
      const last = before[0]?.record
      const { record, object } = sealRecord(parts.hasher, draft, recorded, last ? { sequence: last.sequence, hash: last.hash } : head)
      return [...before, { record, changes: recorded, object }]
    },
  }
}

/** The record of what other programs did. */
export function sealExternal(
  parts: CommitParts,
  head: ChainHead,
  time: string,
  changes: readonly RecordedChange[],
  origin: Origin | undefined = undefined,
): ReturnType<Act['seal']>[number] {
  const draft: RecordDraft = { id: parts.newId(), time, ...(origin ?? UNKNOWN_ORIGIN) }
  return { ...sealRecord(parts.hasher, draft, changes, head), changes }
}
