/** The notes of the `sqlite` adapter: each swap is one statement. */
import type { Notes } from '../../core/file_system.ts'
import { checkNote } from '../../core/notes.ts'
import type { Sql, SqlRow } from '../../core/sql.ts'
import { fromStored, toStored } from './key.ts'

/** Notes in a table. `check` throws once the storage is closed. */
export function createNotes(sql: Sql, check: () => void): Notes {
  const swap = (key: string, from: string | null, to: string | null): SqlRow[] => {
    const [old, next] = [from, to].map((value) => (value === null ? null : toStored(value))) as [string | null, string | null]
    if (old === null && next === null) return sql.exec('SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM fw_note WHERE key = ?)', key)
    if (old === null) return sql.exec('INSERT INTO fw_note (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING 1', key, next)
    if (next === null) return sql.exec('DELETE FROM fw_note WHERE key = ? AND value = ? RETURNING 1', key, old)
    return sql.exec('UPDATE fw_note SET value = ? WHERE key = ? AND value = ? RETURNING 1', next, key, old)
  }
  return {
    async list(prefix) {
      check()
      const rows = sql.exec(
        'SELECT key, value FROM fw_note WHERE key >= ? AND substr(key, 1, ?) = ? ORDER BY key',
        prefix,
        prefix.length,
        prefix,
      )
      return rows.map(([key, value]) => ({ key: key as string, value: fromStored(value as string) }))
    },
    async swap(key, from, to) {
      check()
      checkNote(key, to)
      const done = swap(key, from, to).length > 0
      await sql.settle()
      return done
    },
  }
}
