/** Walking a tree in the order of its keys: rows are read by pages, and what a filter leaves out is stepped over. */
import { FilewrightError } from '../../core/errors.ts'
import type { Entry, ScanOptions } from '../../core/file_system.ts'
import { compareText, type Path } from '../../core/path.ts'
import type { Sql, SqlRow } from '../../core/sql.ts'
import { columnsFor, DIR, DIRECTORY, entryOf, KIND, NAME } from './entries.ts'
import { directoryKey, endOf } from './key.ts'

/** Rows of one statement, and most entries in one page of a scan. */
const PAGE = 1024
const SLASH = 0x2f

/** Everything below a directory, as `FileSystem.scan` says. */
export async function* scanTree(sql: Sql, start: Path, options: ScanOptions): AsyncGenerator<Entry[]> {
  const { filter, signal, maxDepth = Number.POSITIVE_INFINITY } = options
  if (maxDepth < 1) return
  const childrenOf = readDirectories(sql, start, columnsFor(options))
  const enter = async (dir: Path): Promise<{ readonly entries: readonly Entry[]; at: number }> => {
    checkSignal(signal)
    const children = inScanOrder(childrenOf(dir)).map((row) => entryOf(row, options))
    const kept = filter ? filter(dir, children) : children
    return { entries: kept instanceof Promise ? await kept : kept, at: 0 }
  }
  const levels = [await enter(start)]
  let page: Entry[] = []
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const entry = level.entries[level.at++]
    if (!entry) {
      levels.pop()
      continue
    }
    page.push(entry)
    if (page.length === PAGE) {
      yield page
      checkSignal(signal)
      page = []
    }
    if (entry.kind === 'directory' && levels.length < maxDepth) levels.push(await enter(entry.path))
  }
  if (page.length > 0) yield page
}

/** Throws `canceled` once a call is aborted. */
export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new FilewrightError('canceled', 'The call was canceled.')
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
