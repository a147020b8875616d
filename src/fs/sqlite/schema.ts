/** The tables of the `sqlite` adapter, and the check that this program knows them. */
import { FilewrightError } from '../../core/errors.ts'
import type { Sql } from '../../core/sql.ts'

/** Raised with every change of the tables that older programs would not understand. */
const SCHEMA = 1

/**
 * Facts and contents are apart, so that looking up and listing never pass over content. Entries are keyed by directory and name:
 * a directory's children are one range, and so is a subtree. `fw_content` has a row number on purpose: wide rows that are kept
 * in the order of their hash are seven times slower to find.
 */
const TABLES: readonly string[] = [
  'CREATE TABLE fw_schema (version INTEGER NOT NULL)',
  // kind: 0 directory, 1 file, 2 link. The root is the entry without a name.
  `CREATE TABLE fw_entry (
    dir TEXT NOT NULL, name TEXT NOT NULL, kind INTEGER NOT NULL, mode INTEGER NOT NULL, modified REAL NOT NULL,
    created REAL NOT NULL, revision INTEGER NOT NULL, size INTEGER, hash TEXT, target TEXT,
    PRIMARY KEY (dir, name)
  ) WITHOUT ROWID`,
  // Content of more than one chunk has the hashes of its chunks in `parts`; each chunk is a content of its own.
  // uses: how many files, longer contents, kept states and records refer to it. staged: since when it waits for a commit; null when it does not.
  `CREATE TABLE fw_content (
    hash TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, uses INTEGER NOT NULL, staged REAL, parts TEXT, bytes BLOB
  )`,
  'CREATE INDEX fw_content_staged ON fw_content (staged) WHERE staged IS NOT NULL',
  'CREATE TABLE fw_journal (sequence INTEGER PRIMARY KEY, id TEXT NOT NULL, hash TEXT NOT NULL, record TEXT NOT NULL)',
]

/** Came later: a database that has none gets one. */
const NOTES = 'CREATE TABLE IF NOT EXISTS fw_note (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID'

/** Makes the tables in a new database. Throws `unsupported` when a newer program made them. */
export function openSchema(sql: Sql, now: number): void {
  if (versionOf(sql) === SCHEMA && hasTable(sql, 'fw_note')) return
  sql.transaction(() => {
    const version = versionOf(sql)
    if (version !== null && version !== SCHEMA) {
      throw new FilewrightError(
        'unsupported',
        `The database has schema ${version}, and this program knows ${SCHEMA}. Open it with a newer version of the program.`,
      )
    }
    if (version === null) {
      for (const statement of TABLES) sql.exec(statement)
      sql.exec('INSERT INTO fw_schema (version) VALUES (?)', SCHEMA)
      sql.exec(`INSERT INTO fw_entry (dir, name, kind, mode, modified, created, revision) VALUES ('', '', 0, 493, ?, ?, 0)`, now, now)
    }
    sql.exec(NOTES)
  })
}

function versionOf(sql: Sql): number | null {
  if (!hasTable(sql, 'fw_schema')) return null
  return (sql.exec('SELECT version FROM fw_schema')[0]?.[0] ?? 0) as number
}

function hasTable(sql: Sql, name: string): boolean {
  return sql.exec(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`, name).length > 0
}
