/** The journal of a workspace in git: full chunks of records, each a blob, and the newest records in the state's own commit. */
import { FilewrightError } from '../../core/errors.ts'
import { type ChainHead, headAfter, type JournalRecord, type RecordQuery } from '../../core/record.ts'
import type { ObjectDatabase } from '../../git/objects.ts'
import type { FanOut, Placed } from './fan_out.ts'
import type { Savings } from './save.ts'

/** The newest records become a chunk when they are longer than this: each edit writes them anew. UTF-16 units. */
const CHUNK = 16 * 1024
/** Chunks of so many records stand in one group at most. */
const GROUP = 4096
/** Most records of one answer when the query does not say. */
const RECORDS = 100

/** The journal as it was at one time. */
export interface Journal {
  readonly chunks: FanOut
  /** The newest records, one a line. */
  readonly newest: string
  head(): ChainHead
  read(query: RecordQuery): Promise<JournalRecord[]>
  /** The same with more records, which follow the last one. */
  with(savings: Savings, records: readonly JournalRecord[]): Promise<Journal>
}

export function createJournal(objects: ObjectDatabase, chunks: FanOut, newest: string): Journal {
  const last = newest === '' ? undefined : recordsOf(newest.slice(newest.lastIndexOf('\n', newest.length - 2) + 1))[0]
  return {
    chunks,
    newest,
    head: () => headAfter(last),
    async read({ before = Number.POSITIVE_INFINITY, id, limit = RECORDS }) {
      const wanted: JournalRecord[] = []
      const take = (lines: string): void => {
        if (id !== undefined && !lines.includes(id)) return
        for (const record of recordsOf(lines).reverse()) {
          if (wanted.length < limit && record.sequence < before && (id === undefined || record.id === id)) wanted.push(record)
        }
      }
      take(newest)
      for (const group of (await chunks.groups()).toReversed()) {
        if (wanted.length >= limit) break
        for (const [name, oid] of [...(await chunks.group(group))].reverse()) {
          if (wanted.length >= limit) break
          if (Number(name) < before) take(new TextDecoder().decode(await objects.readAs(oid, 'blob')))
        }
      }
      return wanted
    },
    async with(savings, records) {
      const full: Placed[] = []
      let lines = newest
      for (const record of records) {
        if (lines.length > CHUNK) {
          full.push({ ...placeOf(recordsOf(lines.slice(0, lines.indexOf('\n') + 1))[0]), oid: savings.add('blob', bytesOf(lines)) })
          lines = ''
        }
        lines += `${JSON.stringify(record)}\n`
      }
      return createJournal(objects, await chunks.with(savings, full), lines)
    },
  }
}

function bytesOf(lines: string): Uint8Array {
  return new TextEncoder().encode(lines)
}

function recordsOf(lines: string): JournalRecord[] {
  try {
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JournalRecord)
  } catch (cause) {
    throw new FilewrightError('corrupt', 'The journal holds what is no record.', { cause })
  }
}

/** Where the chunk stands that begins with a record. */
function placeOf(first: JournalRecord | undefined): Omit<Placed, 'oid'> {
  const sequence = first?.sequence ?? 0
  return { group: String(Math.floor(sequence / GROUP)).padStart(9, '0'), name: String(sequence).padStart(12, '0') }
}
