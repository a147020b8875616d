/** Retention: how much of the past keeps its contents. Records are never dropped, so the chain can be checked for ever. */
import { FilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { allRecords, changesOf, newestRecord } from './journal.ts'
import { contentsNamed } from './losses.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** How often the count begins again when another process commits meanwhile. */
const MOST_ATTEMPTS = 5

/** What is kept; with several limits, what each of them keeps. */
export interface Retention {
  /** The contents of the newest records, this many. */
  readonly keepRecords?: number | undefined
  /** The contents of records that are at most this many days old. */
  readonly keepDays?: number | undefined
  /** The contents of the newest records that have at most this many bytes together. */
  readonly keepBytes?: number | undefined
}

/** What was dropped, or would be. */
export interface Collected {
  /** Records of the journal; all of them stay. */
  readonly records: number
  /** How many of the newest keep their contents: they can be shown and undone. */
  readonly recordsKept: number
  /** Contents that history held before. */
  readonly objects: number
  readonly objectsDropped: number
  /** Bytes that were freed; in a dry run, the bytes of what would be dropped, which files may hold too. */
  readonly bytesFreed: number
}

/**
 * Drops the contents that only older records name; backups that were made by hand go with their records. Without a limit nothing
 * is dropped. Must run while this workspace commits nothing. Throws `invalid_argument` for a limit that is no number from 0 on.
 */
export async function collectContents(fs: FileSystem, retention: Retention, now: number, dryRun: boolean): Promise<Collected> {
  checkRetention(retention)
  for (let attempt = 1; ; attempt++) {
    const head = await newestRecord(fs)
    const { dropped, bytes, ...counts } = await judgeContents(fs, retention, now)
    const told = { ...counts, objectsDropped: dropped.length }
    if (dryRun) return { ...told, bytesFreed: bytes }
    // What another process committed meanwhile may need what looked unneeded. A storage also cleans itself when nothing is dropped.
    if (dropped.length === 0 || (await newestRecord(fs))?.hash === head?.hash) return { ...told, bytesFreed: await fs.forget(dropped) }
    if (attempt === MOST_ATTEMPTS) throw new FilewrightError('conflict', 'The workspace changed all the time; nothing was dropped.')
  }
}

interface Judged extends Pick<Collected, 'records' | 'recordsKept' | 'objects'> {
  readonly dropped: readonly Hash[]
  readonly bytes: number
}

async function judgeContents(fs: FileSystem, retention: Retention, now: number): Promise<Judged> {
  const held = new Map<Hash, number>()
  for await (const page of fs.contents()) for (const { hash, size } of page) held.set(hash, size)
  const needed = new Set<Hash>()
  const withinLimits = limitsOf(retention, now)
  let [records, recordsKept, bytesKept] = [0, 0, 0]
  for await (const page of allRecords(fs)) {
    for (const record of page) {
      records++
      if (record.changes === null) needed.add(record.changesHash)
      // Older than one that is not kept.
      if (recordsKept < records - 1) continue
      const named = new Set(contentsNamed(await changesOf(fs, record)).filter((hash) => held.has(hash) && !needed.has(hash)))
      const bytes = bytesKept + [...named].reduce((sum, hash) => sum + (held.get(hash) as number), 0)
      if (!withinLimits(records, record.time, bytes)) continue
      for (const hash of named) needed.add(hash)
      bytesKept = bytes
      recordsKept++
    }
  }
  const asked = Object.values(retention).some((limit) => limit !== undefined)
  const dropped = asked ? [...held.keys()].filter((hash) => !needed.has(hash)) : []
  const bytes = dropped.reduce((sum, hash) => sum + (held.get(hash) as number), 0)
  return { records, recordsKept, objects: held.size, dropped, bytes }
}

function limitsOf({ keepRecords, keepDays, keepBytes }: Retention, now: number): (nth: number, time: string, bytes: number) => boolean {
  const oldest = now - (keepDays ?? 0) * DAY_MS
  return (nth, time, bytes) =>
    (keepRecords === undefined || nth <= keepRecords) &&
    (keepDays === undefined || Date.parse(time) >= oldest) &&
    (keepBytes === undefined || bytes <= keepBytes)
}

function checkRetention({ keepRecords, keepDays, keepBytes }: Retention): void {
  for (const [field, limit] of Object.entries({ keepRecords, keepDays, keepBytes })) {
    if (limit === undefined || (Number.isFinite(limit) && limit >= 0)) continue
    throw new FilewrightError('invalid_argument', `${field} must be a number from 0 on.`, { field })
  }
}
