/** Notes of a repository in SQLite about files that nothing needs. */
import type { Sql } from '../../core/sql.ts'
import type { NeedlessFiles } from '../../git/files.ts'

/** As {@link NeedlessFiles}, with what changes of files must tell. */
export interface SqliteNeedless extends NeedlessFiles {
  isNoted(path: string): boolean
  /** Within a transaction. */
  forget(path: string): void
}

/** Files in one transaction: others wait no longer. */
const STEP = 50

/** `drop` removes a file, within a transaction, and answers its size. */
export function createNeedless(sql: Sql, now: () => number, drop: (path: string) => number): SqliteNeedless {
  const since = (path: string): number | undefined =>
    sql.exec('SELECT since FROM fw_git_needless WHERE path = ?', path)[0]?.[0] as number | undefined
  const forget = (path: string): void => void sql.exec('DELETE FROM fw_git_needless WHERE path = ?', path)

  return {
    now,
    forget,
    isNoted: (path) => since(path) !== undefined,
    async settle(found, before, pause) {
      // What is needed again must wait anew when it is needless once more.
      for (let after = ''; ; ) {
        await pause()
        const paths = sql.exec(`SELECT path FROM fw_git_needless WHERE path > ? ORDER BY path LIMIT ${STEP}`, after) as [string][]
        if (paths.length === 0) break
        after = (paths.at(-1) as [string])[0]
        const needed = paths.filter(([path]) => !found.has(path))
        if (needed.length === 0) continue
        sql.relaxed(() => {
          for (const [path] of needed) forget(path)
        })
      }
      let [removed, bytes] = [0, 0]
      const all = [...found]
      for (let at = 0; at < all.length; at += STEP) {
        await pause()
        sql.relaxed(() => {
          for (const [path, along] of all.slice(at, at + STEP)) {
            const noted = since(path)
            if (noted === undefined) sql.exec('INSERT INTO fw_git_needless (path, since) VALUES (?, ?)', path, now())
            else if (noted <= before) {
              for (const gone of [...along, path]) bytes += drop(gone)
              forget(path)
              removed++
            }
          }
        })
      }
      await sql.settle()
      return { removed, bytes }
    },
  }
}
