/** Walking a tree in the order of its keys: rows are read by pages, and what a filter leaves out is stepped over. */
import type { Entry, ScanOptions } from '../../core/file_system.ts'
import { lazily } from '../../core/lazy.ts'
import { compareText, type Path } from '../../core/path.ts'
import type { Sql, SqlRow } from '../../core/sql.ts'
import { scanTree, type Walked } from '../../core/tree/scan.ts'
import { columnsFor, DIR, DIRECTORY, entryOf, KIND, NAME } from './entries.ts'
import { directoryKey, endOf } from './key.ts'

/** Rows of one statement. */
const PAGE = 1024
const SLASH = 0x2f

/** Everything below a directory, as `FileSystem.scan` says. */
export function scanRows(sql: Sql, start: Path, options: ScanOptions): AsyncGenerator<Entry[]> {
  const childrenOf = lazily(() => readDirectories(sql, start, columnsFor(options)))
  const walked: Walked<Path> = {
    entries: (dir) => inScanOrder(childrenOf()(dir)).map((row) => entryOf(row, options)),
    enter: (_, dir) => dir,
  }
  return scanTree(walked, start, start, options)
}

/** A directory compares as if its name ended in `/`; rows come in the order of bare names, which is mostly the same. */
function inScanOrder(rows: SqlRow[]): SqlRow[] {
  const misplaced = (row: SqlRow, index: number): boolean => {
    const name = row[NAME] as string
    const next = rows[index + 1]?.[NAME] as string | undefined
    return row[KIND] === DIRECTORY && next !== undefined && next.startsWith(name) && next.charCodeAt(name.length) < SLASH
  }
  return rows.some(misplaced) ? rows.sort((a, b) => compareText(scanName(a), scanName(b))) : rows
}

function scanName(row: SqlRow): string {
  return row[KIND] === DIRECTORY ? `${row[NAME]}/` : (row[NAME] as string)
}

/**
 * The children of directories, mostly asked for in the order of a scan. That is the order of their keys, so one pass over the
 * rows serves all: rows of directories that are not asked for are stepped over, and a new page begins where they end.
 */
function readDirectories(sql: Sql, start: Path, columns: string): (dir: Path) => SqlRow[] {
  const end = endOf(directoryKey(start))
  const query = `SELECT ${columns} FROM fw_entry WHERE (dir, name) > (?, ?) AND dir < ? ORDER BY dir, name LIMIT ${PAGE}`
  let rows: SqlRow[] = []
  let at = 0
  let more = true
  let asked = ''
  const nextPage = (dir: string, name: string): void => {
    rows = sql.exec(query, dir, name, end)
    at = 0
    more = rows.length === PAGE
  }
  const dirAt = (index: number): string | undefined => rows[index]?.[DIR] as string | undefined
  nextPage(directoryKey(start), '')
  return (dir) => {
    const key = directoryKey(dir)
    const last = dirAt(rows.length - 1)
    const ahead = more && last !== undefined && compareText(last, key) < 0
    // A filter may have changed the order.
    if (ahead || compareText(key, asked) < 0) nextPage(key, '')
    asked = key
    while (at < rows.length && compareText(dirAt(at) as string, key) < 0) at++
    const children: SqlRow[] = []
    for (;;) {
      for (; dirAt(at) === key; at++) children.push(rows[at] as SqlRow)
      if (at < rows.length || !more || children.length === 0) return children
      nextPage(key, children.at(-1)?.[NAME] as string)
    }
  }
}
