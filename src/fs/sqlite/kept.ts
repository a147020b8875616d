/** What history holds of the contents: every use that no file and no longer content has. */
import type { KeptContent } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import type { Sql } from '../../core/sql.ts'
import type { Contents } from './contents.ts'

/** Most contents in one page. Every page counts all files anew, so that an edit need not write who holds what: few and long pages. */
const PAGE = 50_000
/** Most hashes in one statement, as a text that every database takes. */
const HASHES = 10_000

/** Rows of `(rowid, hash, size, uses)` of contents that history uses, and how often. */
const KEPT = `
  WITH RECURSIVE
    chunk (hash, rest) AS (
      SELECT substr(parts, 1, 64), substr(parts, 65) FROM fw_content WHERE parts IS NOT NULL
      UNION ALL SELECT substr(rest, 1, 64), substr(rest, 65) FROM chunk WHERE rest <> ''
    ),
    other (hash, uses) AS (
      SELECT hash, count(*) FROM (SELECT hash FROM fw_entry WHERE hash IS NOT NULL UNION ALL SELECT hash FROM chunk) GROUP BY hash
    )
  SELECT c.rowid, c.hash, c.size, c.uses - coalesce(other.uses, 0)
    FROM fw_content c LEFT JOIN other ON other.hash = c.hash WHERE c.uses > coalesce(other.uses, 0)`

type Kept = [row: number, hash: Hash, size: number, uses: number]

/** All that history holds. `check` throws once the storage is closed. */
export async function* keptContents(sql: Sql, check: () => void, page: number = PAGE): AsyncGenerator<KeptContent[]> {
  for (let after = 0; ; ) {
    check()
    const rows = sql.exec(`${KEPT} AND c.rowid > ? ORDER BY c.rowid LIMIT ?`, after, page) as unknown as Kept[]
    if (rows.length > 0) yield rows.map(([, hash, size]) => ({ hash, size }))
    const last = rows.at(-1)
    if (rows.length < page || !last) return
    after = last[0]
  }
}

/** History gives up contents. Answers how many bytes were freed. */
export function forgetContents(sql: Sql, contents: Contents, hashes: readonly Hash[]): number {
  return sql.transaction(() => {
    let freed = 0
    for (let at = 0; at < hashes.length; at += HASHES) {
      const some = JSON.stringify(hashes.slice(at, at + HASHES))
      const rows = sql.exec(`${KEPT} AND c.hash IN (SELECT value FROM json_each(?))`, some) as unknown as Kept[]
      for (const [, hash, , uses] of rows) freed += contents.release(hash, uses)
    }
    return freed
  })
}
