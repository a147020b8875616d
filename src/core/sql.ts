/** The little that the `sqlite` adapter asks of a database, so that one code runs on every SQLite there is. */
import { type ErrorCode, FilewrightError, isFilewrightError } from './errors.ts'

/** What a column holds. */
export type SqlValue = string | number | null | Uint8Array

/** The columns of one row, in the order of the query. */
export type SqlRow = readonly SqlValue[]

/** An open SQLite database. Everything is synchronous: nothing else runs between two statements of a transaction. */
export interface Sql {
  /** What a finished transaction survives. */
  readonly durability: 'power' | 'process' | 'memory'
  /** True when other processes may change the same database. */
  readonly shared: boolean
  /** Runs one statement, with a value for each `?` (at most 100), and gives its rows. */
  exec(query: string, ...values: SqlValue[]): SqlRow[]
  /** Runs `action`, alone on the database: all its statements count, or none when it throws. */
  transaction<T>(action: () => T): T
  /** As `transaction`, but it may be lost in a power cut until a later `transaction` is done. */
  relaxed<T>(action: () => T): T
  /** Waits until what was done is durable, where that is not so at once. */
  settle(): Promise<void>
  close(): void
}

const CODES: { readonly [name: string]: readonly [ErrorCode, string] } = {
  FULL: ['no_space', 'The database is full.'],
  TOOBIG: ['too_large', 'A value is too large for the database.'],
  CORRUPT: ['corrupt', 'The database is damaged.'],
  NOTADB: ['corrupt', 'This is not a database.'],
  BUSY: ['timeout', 'The database is busy with another process.'],
  READONLY: ['read_only', 'The database cannot be written.'],
  CANTOPEN: ['permission_denied', 'The database cannot be opened.'],
  PERM: ['permission_denied', 'The database cannot be used.'],
}

/** A database's error as the product's own. `name` is SQLite's, without `SQLITE_`. */
export function sqlError(name: string | undefined, cause: unknown): FilewrightError {
  if (isFilewrightError(cause)) return cause
  const [code, message] = CODES[name ?? ''] ?? ['io_error', 'The database failed; nothing was changed.']
  return new FilewrightError(code, message, { cause })
}
