/** The journal on disk: one JSON text a line, appended; and what it knows of every path. */
import type { RecordedChange } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { createKnown, type Known } from '../../core/known.ts'
import { type ChainHead, EMPTY_CHAIN, headAfter, type JournalRecord, type RecordQuery } from '../../core/record.ts'
import { type Sys, writeAll } from './syscalls.ts'

const BLOCK = 256 * 1024
const RECORDS = 100
const NEWLINE = 10

/** A record with its changes, also when they are stored apart from it. */
export interface FullRecord {
  readonly record: JournalRecord
  /** Null when they are stored apart and were not read. */
  readonly changes: readonly RecordedChange[] | null
}

/** The journal, as far as it was read. */
export interface Journal {
  readonly head: ChainHead
  readonly known: Known
  /** Reads what was appended since, also by other processes. Throws `corrupt` for a line that is no record. */
  refresh(): void
  /** As `refresh`, under the lock: then everything is in its place, and what a crash left of an unfinished append can be cut. */
  settle(): void
  /** Says that changes which are missing now, under the lock and with nothing left undone, were dropped. */
  giveUpMissing(): void
  /** Takes back all records after the given one. */
  rewind(sequence: number): void
  /** Appends records in one write. Returns how to take them back, for as long as nothing else was appended. */
  append(records: readonly FullRecord[]): () => void
  sync(): Promise<void>
  records(query: RecordQuery): JournalRecord[]
}

/** `changesOf` reads the changes of a record that are stored as an object. */
export function openJournal(sys: Sys, fd: number, changesOf: (hash: Hash) => readonly RecordedChange[] | null): Journal {
  /** Where each record begins. */
  let starts: number[] = []
  let ids = new Map<string, number>()
  let known = createKnown()
  let head: ChainHead = EMPTY_CHAIN
  /** The end of the last whole line, and that line. */
  let end = 0
  let last: Uint8Array = new Uint8Array()
  /** Changes of some record were not there yet when it was read. */
  let incomplete = false
  /** Changes that history dropped. */
  const gone = new Set<Hash>()
  let missing = new Set<Hash>()

  const reset = (): void => {
    starts = []
    ids = new Map()
    known = createKnown()
    head = EMPTY_CHAIN
    end = 0
    last = new Uint8Array()
    incomplete = false
    missing = new Set()
  }

  const learn = (record: JournalRecord, changes: readonly RecordedChange[] | null, line: Uint8Array): void => {
    ids.set(record.id, starts.length)
    starts.push(end)
    end += line.length
    last = line
    head = headAfter(record)
    if (changes) for (const change of changes) known.learn(change)
    else {
      // What it changed, nobody can tell any more: nothing from before it is sure.
      known = createKnown()
      missing.add(record.changesHash)
      incomplete ||= !gone.has(record.changesHash)
    }
  }

  const read = (from: number, length: number): Uint8Array => {
    const bytes = new Uint8Array(length)
    let at = 0
    while (at < length) {
      const count = sys.read(fd, bytes.subarray(at), from + at)
      if (count === 0) break
      at += count
    }
    return bytes.subarray(0, at)
  }

  const refresh = (): void => {
    const { size } = sys.fstat(fd)
    // Another process took a record back, and may have put another in its place.
    if (size < end || Buffer.compare(read(end - last.length, last.length), last) !== 0) reset()
    let rest: Uint8Array = new Uint8Array()
    for (let at = end; at < size; ) {
      const block = read(at, Math.min(BLOCK, size - at))
      if (block.length === 0) break
      at += block.length
      const bytes = rest.length === 0 ? block : joined(rest, block)
      let from = 0
      for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
        const record = parseRecord(bytes.subarray(from, to), head.sequence + 1)
        learn(record, record.changes ?? changesOf(record.changesHash), bytes.subarray(from, to + 1))
        from = to + 1
      }
      rest = bytes.subarray(from)
    }
  }

  const recordAt = (index: number): JournalRecord => {
    const from = starts[index] as number
    const line = read(from, (starts[index + 1] ?? end) - from)
    return parseRecord(line, index + 1)
  }

  return {
    get head() {
      return head
    },
    get known() {
      return known
    },
    refresh,
    settle() {
      if (incomplete) reset()
      refresh()
      if (sys.fstat(fd).size > end) sys.truncate(fd, end)
    },
    giveUpMissing() {
      if (!incomplete) return
      for (const hash of missing) gone.add(hash)
      incomplete = false
    },
    rewind(sequence) {
      sys.truncate(fd, starts[sequence] ?? end)
      reset()
      refresh()
    },
    append(records) {
      const before = end
      const lines = records.map(({ record }) => Buffer.from(`${JSON.stringify(record)}\n`))
      try {
        writeAll(sys, fd, lines.length === 1 ? (lines[0] as Buffer) : Buffer.concat(lines), end)
      } catch (error) {
        sys.truncate(fd, before)
        throw error
      }
      records.forEach(({ record, changes }, index) => {
        learn(record, changes, lines[index] as Buffer)
      })
      return () => {
        sys.truncate(fd, before)
        reset()
      }
    },
    sync: () => sys.syncData(fd),
    records({ before = Number.POSITIVE_INFINITY, id, limit = RECORDS }) {
      refresh()
      if (id !== undefined) {
        const index = ids.get(id)
        return index === undefined || index + 1 >= before || limit < 1 ? [] : [recordAt(index)]
      }
      const found: JournalRecord[] = []
      for (let at = Math.min(before - 1, starts.length) - 1; at >= 0 && found.length < limit; at--) found.push(recordAt(at))
      return found
    },
  }
}

function parseRecord(line: Uint8Array, sequence: number): JournalRecord {
  let record: JournalRecord | null = null
  try {
    record = JSON.parse(new TextDecoder().decode(line)) as JournalRecord
  } catch {
    // Told below.
  }
  if (!record || !isRecord(record, sequence)) throw new FilewrightError('corrupt', `Journal record ${sequence} cannot be read.`)
  return record
}

/** Whether it has what this file relies on; whether it is true, only the chain can tell. */
export function isRecord({ sequence, id, hash, changesHash, changes }: JournalRecord, expected: number): boolean {
  const isHash = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
  const isChange = (change: RecordedChange | null) => typeof change?.path === 'string'
  const listed = changes === null || (Array.isArray(changes) && changes.every(isChange))
  return sequence === expected && typeof id === 'string' && isHash(hash) && isHash(changesHash) && listed
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length)
  bytes.set(a)
  bytes.set(b, a.length)
  return bytes
}
