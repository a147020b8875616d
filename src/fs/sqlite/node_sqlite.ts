/** The `sqlite` adapter on a database file, through Node's own SQLite. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { FileSystem } from '../../core/file_system.ts'
import { type Sql, type SqlRow, sqlError } from '../../core/sql.ts'
import { createSqliteFs, type SqliteFsOptions } from '../sqlite.ts'

/** How long a statement waits for another process, by default. */
const BUSY_MS = 10_000
/** Memory for pages. SQLite's own 2 MiB make reading many files twice as slow. */
const CACHE_KIB = 32 * 1024
/** SQLite's primary result codes that mean something to a caller. */
const NAMES: { readonly [code: number]: string } = {
  3: 'PERM',
  5: 'BUSY',
  8: 'READONLY',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  18: 'TOOBIG',
  26: 'NOTADB',
}

/** Options of {@link openNodeSqliteFs}. */
export interface NodeSqliteFsOptions extends Omit<SqliteFsOptions, 'sql'> {
  /** `power` (default): a commit survives a power cut. `process`: only the end of the process; commits are faster. */
  readonly durability?: 'power' | 'process'
  /** How long a commit waits for another process's, in milliseconds; default 10,000. Then it is `timeout`. */
  readonly busyMs?: number
}

/**
 * A workspace in one database file, made when it is missing; `:memory:` for none. Several processes may have it open: each
 * commit runs alone, and checks what it expects inside its transaction. Throws what {@link createSqliteFs} throws.
 */
export async function openNodeSqliteFs(filename: string, options: NodeSqliteFsOptions = {}): Promise<FileSystem> {
  const sql = openNodeSql(filename, options)
  try {
    return await createSqliteFs({ ...options, sql })
  } catch (error) {
    sql.close()
    throw error
  }
}

/** A database file as a {@link Sql}. */
export function openNodeSql(filename: string, options: Pick<NodeSqliteFsOptions, 'durability' | 'busyMs'> = {}): Sql {
  const inMemory = filename === ':memory:'
  const durability = inMemory ? 'memory' : (options.durability ?? 'power')
  const database = attempt(() => new DatabaseSync(filename, { timeout: options.busyMs ?? BUSY_MS }))
  const statements = new Map<string, StatementSync>()
  const exec = (query: string, ...values: Parameters<Sql['exec']>[1][]): SqlRow[] =>
    attempt(() => {
      let statement = statements.get(query)
      if (!statement) {
        statement = database.prepare(query)
        statement.setReturnArrays(true)
        statements.set(query, statement)
      }
      return statement.all(...values) as unknown as SqlRow[]
    })
  const transaction = <T>(action: () => T): T => {
    exec('BEGIN IMMEDIATE')
    try {
      const result = action()
      exec('COMMIT')
      return result
    } catch (error) {
      // SQLite has taken some failed transactions back by itself already.
      if (database.isTransaction) exec('ROLLBACK')
      throw error
    }
  }
  // With a write-ahead log, FULL syncs the log at each commit, and NORMAL leaves that to the next FULL one.
  const synchronous = (mode: 'FULL' | 'NORMAL') => exec(`PRAGMA synchronous = ${mode}`)
  try {
    exec('PRAGMA journal_mode = WAL')
    exec(`PRAGMA cache_size = -${CACHE_KIB}`)
    synchronous(durability === 'power' ? 'FULL' : 'NORMAL')
  } catch (error) {
    database.close()
    throw error
  }
  return {
    durability,
    shared: !inMemory,
    exec,
    transaction,
    relaxed(action) {
      if (durability !== 'power') return transaction(action)
      synchronous('NORMAL')
      try {
        return transaction(action)
      } finally {
        synchronous('FULL')
      }
    },
    async settle() {},
    close() {
      statements.clear()
      database.close()
    },
  }
}

function attempt<T>(action: () => T): T {
  try {
    return action()
  } catch (error) {
    const code = (error as { errcode?: number }).errcode
    throw sqlError(code === undefined ? undefined : NAMES[code & 0xff], error)
  }
}
