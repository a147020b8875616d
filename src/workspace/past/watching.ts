/** Bringing into the journal, early, what other programs do to the files: storages themselves do it when they commit over it. */
import { FilewrightError } from '../../core/errors.ts'
import type { Cause, FileSystem } from '../../core/file_system.ts'
import type { Path } from '../../core/path.ts'
import type { JournalRecord } from '../../core/record.ts'
import type { Queue } from '../queue.ts'

/** What watching shares with its workspace. */
export interface WatchParts {
  readonly fs: FileSystem
  readonly queue: Queue
  announce(record: JournalRecord): JournalRecord
  requireWritable(act: string): void
  /** Why others may be changing files right now. */
  cause(): Cause | undefined
}

/** See `Workspace.observe`. */
export async function observeOnce(
  { fs, queue, announce, requireWritable, cause }: WatchParts,
  paths?: readonly Path[],
): Promise<JournalRecord | null> {
  requireWritable('recording what others did')
  if (!fs.observe) return null
  // After what this workspace is about to commit, which is no other program's.
  const record = await queue(async () => fs.observe?.(paths, cause()) ?? null)
  return record && announce(record)
}

/** See `Workspace.watch`. */
export async function watchStorage(parts: WatchParts, signal: AbortSignal): Promise<void> {
  const { fs } = parts
  parts.requireWritable('watching')
  if (!fs.watch || !fs.observe) {
    throw new FilewrightError('unsupported', 'Nothing else changes the files of this storage, or none of it is told: it cannot be watched.')
  }
  const news = fs.watch(signal)[Symbol.asyncIterator]()
  try {
    // It watches from here on, so that nothing is lost between the first look and what is told later.
    let next = news.next()
    // A failure is thrown where it is waited for.
    next.catch(() => {})
    await observeOnce(parts)
    for (let told = await next; !told.done; told = await next) {
      await observeOnce(parts, told.value)
      next = news.next()
    }
  } finally {
    await news.return?.()
  }
}
