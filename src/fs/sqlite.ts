/** The `sqlite` adapter: files, history and journal as rows, on a Durable Object's SQLite or on Node's. */
import { verifyPast } from '../core/adopt.ts'
import { attempt } from '../core/attempt.ts'
import type { Change, RecordedChange } from '../core/change.ts'
import { FilewrightError } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'
import { type Hasher, platformHasher } from '../core/hash.ts'
import { createIds } from '../core/id.ts'
import { ROOT } from '../core/path.ts'
import { type ChainHead, EMPTY_CHAIN, type JournalRecord, sealRecord } from '../core/record.ts'
import { checkSignal } from '../core/signal.ts'
import type { Sql } from '../core/sql.ts'
import { type Limits, TEXT_BYTES, type Traits, VIRTUAL_TRAITS } from '../core/traits.ts'
import { applyChange, type CommitParts } from './sqlite/apply.ts'
import { CHUNK_BYTES, createContents } from './sqlite/contents.ts'
import { childRows, entryOf, requireDirectory, requireRow } from './sqlite/entries.ts'
import { forgetContents, keptContents } from './sqlite/kept.ts'
import { createNotes } from './sqlite/notes.ts'
import { findFile, readerOf, readWhole } from './sqlite/read.ts'
import { scanRows } from './sqlite/scan.ts'
import { openSchema } from './sqlite/schema.ts'

/** Most records of one answer when the query does not say. */
const RECORDS = 100

const LIMITS: Limits = { fileBytes: 1024 * 1024 * 1024, textBytes: TEXT_BYTES, inlineBytes: CHUNK_BYTES, changes: 100_000 }

/** Options of {@link createSqliteFs}. */
export interface SqliteFsOptions {
  readonly sql: Sql
  /** Default: the platform's own ({@link platformHasher}). */
  readonly hasher?: Hasher
  readonly limits?: Partial<Limits>
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number
}

/**
 * The workspace in a database; its tables, whose names begin with `fw_`, are made when they are missing. A commit is one
 * transaction that awaits nothing; large content is staged before it. A small edit writes four rows in three
 * statements. Content is checked against its hash when it is read. Permission bits are kept and shown, not enforced.
 * Throws `unsupported` for tables of a newer program, `corrupt` when it is no database.
 */
export async function createSqliteFs(options: SqliteFsOptions): Promise<FileSystem> {
  const { sql } = options
  const hasher = options.hasher ?? platformHasher()
  const now = options.now ?? Date.now
  const limits = { ...LIMITS, ...options.limits }
  const traits: Traits = { ...VIRTUAL_TRAITS, adapter: 'sqlite', durability: sql.durability, shared: sql.shared, limits }
  const newId = createIds(now)
  const contents = createContents(sql, hasher, now)
  let open = true
  const checkOpen = (): void => {
    if (!open) throw new FilewrightError('unsupported', 'The storage is closed.')
  }
  openSchema(sql, now())
  contents.sweep()

  const object: FileSystem['object'] = async (hash) => {
    checkOpen()
    const content = contents.find(hash)
    if (!content) throw new FilewrightError('not_found', `No content ${hash} is kept.`)
    return readerOf(contents, { ...BARE, path: ROOT, kind: 'file', size: content.size, hash }, content)
  }
  /** Applies changes as part of the transaction that appends the record of this number. */
  const applyAll = (changes: readonly Change[], revision: number): RecordedChange[] => {
    const { fileBytes } = limits
    const parts: CommitParts = { sql, contents, time: now(), revision, fileBytes, touched: new Set(), released: [], newId }
    const recorded = changes.map((change) => applyChange(parts, change))
    for (const hash of parts.released) contents.release(hash)
    return recorded
  }
  const checkCount = ({ length }: readonly Change[]): void => {
    if (length <= limits.changes) return
    throw new FilewrightError('too_large', `${length} changes are more than the ${limits.changes} of one commit.`)
  }

  return {
    traits,
    hasher,
    async stat(path, want) {
      checkOpen()
      return entryOf(requireRow(sql, path), { ...want, stat: true, target: true })
    },
    async statMany(paths) {
      checkOpen()
      return paths.map((path) => attempt(() => entryOf(requireRow(sql, path), { stat: true, target: true })))
    },
    async list(dir, want = {}) {
      checkOpen()
      const rows = childRows(sql, dir, want)
      if (rows.length === 0) requireDirectory(sql, dir)
      return rows.map((row) => entryOf(row, want))
    },
    async *scan(dir, scanOptions = {}) {
      checkOpen()
      requireDirectory(sql, dir)
      yield* scanRows(sql, dir, scanOptions)
    },
    async open(path) {
      checkOpen()
      const { row, content } = findFile(sql, path)
      return readerOf(contents, entryOf(row, { stat: true }), content)
    },
    async readEach(paths, { maxBytes, signal }, visit) {
      checkOpen()
      for (const path of paths) {
        checkSignal(signal)
        const bytes = attempt(() => readWhole(sql, contents, path, maxBytes))
        const goOn = bytes instanceof FilewrightError ? visit(path, null, bytes) : visit(path, bytes, null)
        if (goOn === false) return
      }
    },
    async readLink(path) {
      checkOpen()
      const { target } = entryOf(requireRow(sql, path), { target: true })
      if (target === null) throw new FilewrightError('invalid_argument', `${path} is not a link.`)
      return target
    },
    async stage(body) {
      checkOpen()
      const stager = contents.stager(limits.fileBytes)
      if (body instanceof Uint8Array) stager.add(body)
      else for await (const part of body) stager.add(part)
      return stager.finish()
    },
    async commit(changes, draft) {
      checkOpen()
      checkCount(changes)
      const record = sql.transaction(() => {
        const head = headOf(sql)
        const recorded = applyAll(changes, head.sequence + 1)
        const sealed = sealRecord(hasher, draft, recorded, head)
        if (sealed.object) contents.use({ hash: sealed.record.changesHash, size: sealed.object.length, bytes: sealed.object })
        append(sql, sealed.record)
        return sealed.record
      })
      await sql.settle()
      return record
    },
    async records({ before = Number.MAX_SAFE_INTEGER, id, limit = RECORDS } = {}) {
      checkOpen()
      // Without an index on ids: a row more for each commit costs more than this, which begins with the newest.
      const rows =
        id === undefined
          ? sql.exec('SELECT record FROM fw_journal WHERE sequence < ? ORDER BY sequence DESC LIMIT ?', before, limit)
          : sql.exec('SELECT record FROM fw_journal WHERE sequence < ? AND id = ? ORDER BY sequence DESC LIMIT ?', before, id, limit)
      return rows.map(([record]) => JSON.parse(record as string) as JournalRecord)
    },
    object,
    async *contents() {
      yield* keptContents(sql, checkOpen)
    },
    async forget(hashes) {
      checkOpen()
      const freed = forgetContents(sql, contents, hashes)
      await sql.settle()
      return freed
    },
    async adopt(changes, records) {
      checkOpen()
      checkCount(changes)
      checkEmpty(sql)
      const named = await verifyPast({ hasher, object }, records)
      sql.transaction(() => {
        // Something may have been committed in the meantime.
        checkEmpty(sql)
        for (const hash of named.files) contents.keep(hash)
        for (const hash of named.changes) {
          if (!contents.keep(hash)) throw new FilewrightError('not_found', `The content ${hash} is not stored here; stage it again.`)
        }
        applyAll(changes, records.length)
        for (const record of records) append(sql, record)
      })
      await sql.settle()
    },
    notes: createNotes(sql, checkOpen),
    async close() {
      if (open) sql.close()
      open = false
    },
  }
}

const BARE = { mtimeMs: null, createdMs: null, mode: null, version: null, target: null, access: null }

/** The end of the chain. */
function headOf(sql: Sql): ChainHead {
  const row = sql.exec('SELECT sequence, hash FROM fw_journal ORDER BY sequence DESC LIMIT 1')[0]
  return row ? { sequence: row[0] as number, hash: row[1] as ChainHead['hash'] } : EMPTY_CHAIN
}

/** Stores the next record of the chain. */
function append(sql: Sql, record: JournalRecord): void {
  const { sequence, id, hash } = record
  sql.exec('INSERT INTO fw_journal (sequence, id, hash, record) VALUES (?, ?, ?, ?)', sequence, id, hash, JSON.stringify(record))
}

/** Throws `already_exists` when there is a file or a record. */
function checkEmpty(sql: Sql): void {
  const found = sql.exec(`SELECT 1 FROM fw_journal UNION ALL SELECT 1 FROM fw_entry WHERE name > '' LIMIT 1`)
  if (found.length > 0) throw new FilewrightError('already_exists', 'Only an empty workspace can take over another one.')
}
