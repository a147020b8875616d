/** Reading the journal: records, their changes, and which of them were taken back. */
import type { RecordedChange } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import type { History } from '../../core/history.ts'
import { readAll } from '../../core/read.ts'
import { EMPTY_CHAIN, headAfter, type JournalRecord, verifyRecord } from '../../core/record.ts'

const PAGE = 500

/** The changes of a record, also when they are many and stored apart. Throws `corrupt` when they do not match their hash. */
export async function changesOf(fs: FileSystem, record: JournalRecord): Promise<readonly RecordedChange[]> {
  if (record.changes) return record.changes
  const reader = await fs.object(record.changesHash)
  try {
    return JSON.parse(new TextDecoder().decode(await readAll(reader, Number.MAX_SAFE_INTEGER, 'The record')))
  } finally {
    await reader.close()
  }
}

/** The past as tools read it. */
export function historyOf(fs: FileSystem): History {
  return { records: () => allRecords(fs), changes: (record) => changesOf(fs, record), object: (hash) => fs.object(hash) }
}

/** All records, newest first, in pages. */
export async function* allRecords(fs: FileSystem): AsyncGenerator<JournalRecord[]> {
  for (let before: number | undefined; ; ) {
    const page = await fs.records(before === undefined ? { limit: PAGE } : { before, limit: PAGE })
    if (page.length > 0) yield page
    const oldest = page[page.length - 1]
    if (!oldest || oldest.sequence === 1) return
    before = oldest.sequence
  }
}

/** The records after a sequence number, newest first. */
export async function* recordsAfter(fs: FileSystem, sequence: number): AsyncGenerator<JournalRecord> {
  for await (const page of allRecords(fs)) {
    for (const record of page) {
      if (record.sequence <= sequence) return
      yield record
    }
  }
}

/** The records from `first` to `last`, in the order in which they were made, in pages. */
export async function* recordsInOrder(fs: FileSystem, first: number, last: number): AsyncGenerator<JournalRecord[]> {
  for (let next = first; next <= last; next += PAGE) {
    const limit = Math.min(PAGE, last - next + 1)
    yield (await fs.records({ before: next + limit, limit })).reverse()
  }
}

/** The newest record; undefined in an empty journal. */
export async function newestRecord(fs: FileSystem): Promise<JournalRecord | undefined> {
  return (await fs.records({ limit: 1 }))[0]
}

/**
 * Finds a record by id, sequence number or `last` (the newest call or import that changed a file and is not taken back). Throws
 * `not_found`.
 */
export async function findRecord(fs: FileSystem, which: string | number): Promise<JournalRecord> {
  const name = String(which).trim()
  const found = name === 'last' ? await newestStanding(fs) : (await fs.records(query(name)))[0]
  const fits = found && (name === 'last' || found.id === name || String(found.sequence) === name)
  if (!fits)
    throw new FilewrightError('not_found', name === 'last' ? 'There is no change yet that still stands.' : `There is no change ${name}.`)
  return found
}

function query(name: string): { id: string; limit: number } | { before: number; limit: number } {
  return /^[0-9]{1,15}$/.test(name) ? { before: Number(name) + 1, limit: 1 } : { id: name, limit: 1 }
}

async function newestStanding(fs: FileSystem): Promise<JournalRecord | undefined> {
  const undone = createUndoneTracker(fs)
  for await (const page of allRecords(fs)) {
    for (const record of page) {
      if ((record.kind === 'call' || record.kind === 'import') && !onlyBackups(record) && !(await undone(record))) return record
    }
  }
  return undefined
}

/** Whether a record tells of backups and of no change of a file. */
function onlyBackups({ changes }: JournalRecord): boolean {
  return changes?.every(({ kind }) => kind === 'snapshot') ?? false
}

/**
 * Answers whether a record was taken back: the newest undo or redo that names it decides. Reads the journal from its
 * newest record back to the one in question, once, however often it is asked.
 */
export function createUndoneTracker(fs: FileSystem): (record: JournalRecord) => Promise<boolean> {
  const verdict = new Map<string, boolean>()
  const pages = allRecords(fs)
  let reached = Number.POSITIVE_INFINITY
  return async (record) => {
    while (reached > record.sequence) {
      const { value: page, done } = await pages.next()
      if (done) break
      for (const seen of page) {
        if ((seen.kind === 'undo' || seen.kind === 'redo') && seen.target !== undefined && !verdict.has(seen.target)) {
          verdict.set(seen.target, seen.kind === 'undo')
        }
        reached = seen.sequence
      }
    }
    return verdict.get(record.id) ?? false
  }
}

/** Checks the chain from its first record. Throws `corrupt`, naming the first record that does not fit. */
export async function verifyJournal(fs: FileSystem): Promise<{ readonly records: number; readonly head: Hash | null }> {
  const newest = await newestRecord(fs)
  let head = EMPTY_CHAIN
  for await (const page of recordsInOrder(fs, 1, newest?.sequence ?? 0)) {
    for (const record of page) {
      verifyRecord(fs.hasher, record, head, await changesOf(fs, record))
      head = headAfter(record)
    }
  }
  if (newest && head.hash !== newest.hash) throw new FilewrightError('corrupt', `Journal records before ${newest.sequence} are missing.`)
  return { records: head.sequence, head: head.hash }
}
