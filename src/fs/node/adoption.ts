/** Taking over the files and the past of another workspace. */
import { verifyPast } from '../../core/adopt.ts'
import type { Change } from '../../core/change.ts'
import { attempt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { ROOT } from '../../core/path.ts'
import type { JournalRecord } from '../../core/record.ts'
import type { CommitParts } from './commit_parts.ts'
import type { Committer, Session } from './committer.ts'
import { inDir } from './handles.ts'
import { isRecord } from './journal.ts'
import { childrenOf } from './listing.ts'
import type { Keeping } from './plan.ts'
import type { Store } from './store.ts'
import { closeQuietly, OPEN } from './syscalls.ts'

/** What taking over needs beside the parts of commits. */
export interface AdoptParts extends CommitParts {
  readonly object: FileSystem['object']
}

/** See `FileSystem.adopt`: one commit that brings records along. */
export function adoptPast(
  parts: AdoptParts,
  committer: Committer,
  changes: readonly Change[],
  records: readonly JournalRecord[],
): Promise<void> {
  return committer.inTurn(async (session) => {
    await checkEmpty(parts, session)
    const wanted = await namedContents(parts, records)
    const keeps = await keepingsOf(parts, await session.makeStore(), wanted)
    await committer.apply(session, changes, (judgement) => ({
      ...judgement,
      keeps,
      seal: () => records.map((record) => ({ record, changes: record.changes, object: null })),
    }))
    for (const { hash } of keeps) parts.taken(hash)
  })
}

async function checkEmpty({ root }: AdoptParts, session: Session): Promise<void> {
  const store = await session.store()
  const isEmpty = attempt('', () => childrenOf(root, root.dir, ROOT, {}, 'name').length === 0)
  if (isEmpty && (store === null || store.journal.head.sequence === 0)) return
  throw new FilewrightError('already_exists', 'Only an empty workspace can take over another one.')
}

/** What the records name. Files that hold it too do not count: a later change may not keep what is in them. */
async function namedContents(parts: AdoptParts, records: readonly JournalRecord[]): Promise<Hash[]> {
  records.forEach((record, index) => {
    if (!isRecord(record, index + 1)) throw new FilewrightError('corrupt', `Record ${index + 1} is none of a journal.`)
  })
  const { files, changes } = await verifyPast(parts, records)
  return [...new Set([...files, ...changes])]
}

/** Staged contents as what is to be kept. Contents that are not there were dropped from the history before it came here. */
export async function keepingsOf({ root, durable, stagedName }: CommitParts, store: Store, wanted: readonly Hash[]): Promise<Keeping[]> {
  const { sys } = root
  const keeps: Keeping[] = []
  for (const hash of wanted) {
    const staged = stagedName(hash)
    if (staged === null) continue
    keeps.push({ staged, hash })
    if (!durable) continue
    const fd = attempt('Staged content', () => sys.open(inDir(store.staged, staged), OPEN.update))
    try {
      await sys.sync(fd)
    } finally {
      closeQuietly(sys, fd)
    }
  }
  return keeps
}
