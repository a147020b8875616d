/** Walking a tree in the order of its keys: rows are read by pages, and what a filter leaves out is stepped over. */
import { FilewrightError } from '../../core/errors.ts'
import type { Entry, ScanOptions } from '../../core/file_system.ts'
import { compareText, type Path } from '../../core/path.ts'
import { COLUMNS, type EntryRow, entryOf, rowOf } from './entries.ts'
import { directoryKey, endOf } from './key.ts'
import type { Sql } from './sql.ts'

/** Rows of one statement, and most entries in one page of a scan. */
const PAGE = 1024

/** Everything below a directory, as `FileSystem.scan` says. */
export async function* scanTree(sql: Sql, start: Path, options: ScanOptions): AsyncGenerator<Entry[]> {
  const { filter, signal, maxDepth = Number.POSITIVE_INFINITY } = options
  if (maxDepth < 1) return
  const childrenOf = readDirectories(sql, start)
  const enter = async (dir: Path): Promise<{ readonly entries: readonly Entry[]; at: number }> => {
    if (signal?.aborted) throw new FilewrightError('canceled', 'The call was canceled.')
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
      page = []
    }
    if (entry.kind === 'directory' && levels.length < maxDepth) levels.push(await enter(entry.path))
  }
  if (page.length > 0) yield page
}

/** A directory compares as if its name ended in `/`; rows come in the order of bare names, which is nearly that. */
function inScanOrder(rows: EntryRow[]): EntryRow[] {
  return rows.some((row) => row.kind === 'directory') ? rows.sort((a, b) => compareText(scanName(a), scanName(b))) : rows
}

function scanName({ name, kind }: EntryRow): string {
  return kind === 'directory' ? `${name}/` : name
}

/**
 * The children of directories, asked for in the order of a scan. That is the order of their keys, so one pass over the rows
 * serves all: rows of directories that are not asked for are stepped over, and a new page begins where they end.
 */
function readDirectories(sql: Sql, start: Path): (dir: Path) => EntryRow[] {
  const end = endOf(directoryKey(start))
  let rows: EntryRow[] = []
  let at = 0
  let more = true
  const nextPage = (dir: string, name: string): void => {
    const query = `SELECT ${COLUMNS} FROM fw_entry WHERE (dir, name) > (?, ?) AND dir < ? ORDER BY dir, name LIMIT ${PAGE}`
    rows = sql.exec(query, dir, name, end).map(rowOf)
    at = 0
    more = rows.length === PAGE
  }
  nextPage(directoryKey(start), '')
  return (dir) => {
    const key = directoryKey(dir)
    const last = rows.at(-1)
    if (more && last && compareText(last.dir, key) < 0) nextPage(key, '')
    while (at < rows.length && compareText((rows[at] as EntryRow).dir, key) < 0) at++
    const children: EntryRow[] = []
    for (;;) {
      const row = rows[at]
      if (row?.dir === key) {
        children.push(row)
        at++
      } else if (!row && more && children.length > 0) {
        const { dir: lastDir, name } = children.at(-1) as EntryRow
        nextPage(lastDir, name)
      } else {
        return children
      }
    }
  }
}
