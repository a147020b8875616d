/** The `sqlite` adapter on the SQLite of a Cloudflare Durable Object. */
import type { FileSystem } from '../../core/file_system.ts'
import { type Sql, type SqlRow, sqlError } from '../../core/sql.ts'
import { EDGE_TEXT_BYTES } from '../../core/traits.ts'
import { createSqliteFs, type SqliteFsOptions } from '../sqlite.ts'

/** The part of a Durable Object's `ctx.storage` that is used. */
export interface DurableObjectStorageLike {
  readonly sql: { exec(query: string, ...values: unknown[]): { raw(): Iterable<unknown> } }
  transactionSync<T>(action: () => T): T
  sync(): Promise<void>
}

/**
 * A workspace in a Durable Object: `openDurableObjectFs(ctx.storage)`. Its tables begin with `fw_` and live beside any others.
 * A commit is durable when it returns. Text is read whole up to 16 MiB by default. Throws what {@link createSqliteFs} throws.
 */
export function openDurableObjectFs(storage: DurableObjectStorageLike, options: Omit<SqliteFsOptions, 'sql'> = {}): Promise<FileSystem> {
  const limits = { textBytes: EDGE_TEXT_BYTES, ...options.limits }
  return createSqliteFs({ ...options, limits, sql: durableObjectSql(storage) })
}

/** A Durable Object's storage as a {@link Sql}. */
export function durableObjectSql(storage: DurableObjectStorageLike): Sql {
  const transaction = <T>(action: () => T): T => attempt(() => storage.transactionSync(action))
  return {
    durability: 'power',
    shared: false,
    exec: (query, ...values) => attempt(() => [...storage.sql.exec(query, ...values).raw()].map(withViews)),
    transaction,
    relaxed: transaction,
    settle: () => storage.sync(),
    close() {},
  }
}

/** The same row, its blobs as views: they come as bare buffers. */
function withViews(row: unknown): SqlRow {
  const columns = row as (SqlRow[number] | ArrayBuffer)[]
  for (let at = 0; at < columns.length; at++) {
    const value = columns[at]
    if (value instanceof ArrayBuffer) columns[at] = new Uint8Array(value)
  }
  return columns as SqlRow
}

function attempt<T>(action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw sqlError(/SQLITE_([A-Z]+)/.exec(String(error))?.[1], error)
  }
}
