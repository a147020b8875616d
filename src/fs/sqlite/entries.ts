/** Rows of the entry table, read as entries. */
import type { Side, Version } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Entry, Want } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { type Path, parentOf } from '../../core/path.ts'
import type { Sql, SqlRow } from '../../core/sql.ts'
import { directoryKey, fromStored, keyOf } from './key.ts'

/** The columns of a bare listing, and all columns; the places of those that are read from rows directly. */
const BARE_COLUMNS = 'dir, name, kind, hash, target'
export const COLUMNS: string = `${BARE_COLUMNS}, mode, modified, created, revision, size`
export const DIR = 0
export const NAME = 1
export const KIND = 2
export const DIRECTORY = 0
export const FILE = 1

const KINDS = ['directory', 'file', 'link'] as const

/** The columns that {@link entryOf} needs. */
export function columnsFor(want: Want): string {
  return want.stat || want.access ? COLUMNS : BARE_COLUMNS
}

/** One row of the entry table. */
export interface EntryRow {
  readonly dir: string
  readonly name: string
  readonly kind: (typeof KINDS)[number]
  readonly hash: Hash | null
  readonly target: string | null
  readonly mode: number
  readonly modified: number
  readonly created: number
  readonly revision: number
  readonly size: number | null
}

type Columns = [string, string, number, Hash | null, string | null, number, number, number, number, number | null]

/** A row of {@link COLUMNS} by names. */
export function rowOf(row: SqlRow): EntryRow {
  const [dir, name, kind, hash, target, mode, modified, created, revision, size] = row as Columns
  return { dir, name, kind: KINDS[kind] as EntryRow['kind'], hash, target, mode, modified, created, revision, size }
}

/** A row of {@link columnsFor} as an entry; facts that are not wanted are null. */
export function entryOf(row: SqlRow, want: Want): Entry {
  // By number: this runs once for every entry of a scan, where taking a row apart by pattern costs half as much again.
  const columns = row as Columns
  const { stat } = want
  const target = want.target ? columns[4] : null
  const mode = columns[5]
  return {
    path: fromStored(columns[DIR] + columns[NAME]) as Path,
    kind: KINDS[columns[KIND]] as EntryRow['kind'],
    size: stat ? columns[9] : null,
    mtimeMs: stat ? columns[6] : null,
    createdMs: stat ? columns[7] : null,
    mode: stat ? mode : null,
    version: stat ? versionOf(columns[8]) : null,
    hash: columns[3],
    target: target === null ? null : fromStored(target),
    access: want.access ? { read: (mode & 0o400) !== 0, write: (mode & 0o200) !== 0 } : null,
  }
}

/** The version of an entry that was last changed by one record. */
export function versionOf(revision: number): Version {
  return `r:${revision}` as Version
}

/** The number that stands for a kind in the table. */
export function kindCode(kind: EntryRow['kind']): number {
  return KINDS.indexOf(kind)
}

/** What is at a path, as a row of {@link COLUMNS}; undefined when nothing is. */
export function selectRow(sql: Sql, path: Path): SqlRow | undefined {
  return sql.exec(`SELECT ${COLUMNS} FROM fw_entry WHERE dir = ? AND name = ?`, ...keyOf(path))[0]
}

/** As {@link selectRow}. Throws `not_found`, or `not_directory` when the path passes through a file or a link. */
export function requireRow(sql: Sql, path: Path): SqlRow {
  const row = selectRow(sql, path)
  if (row) return row
  throw missing(sql, path)
}

/** Throws `not_found` or `not_directory` unless a directory is at the path. */
export function requireDirectory(sql: Sql, path: Path): void {
  if (requireRow(sql, path)[KIND] !== DIRECTORY) throw new FilewrightError('not_directory', `${path} is not a directory.`)
}

/** Why nothing is at a path. */
export function missing(sql: Sql, path: Path): FilewrightError {
  for (let above = path; above !== ''; ) {
    above = parentOf(above)
    const row = selectRow(sql, above)
    if (row && row[KIND] !== DIRECTORY) {
      return new FilewrightError('not_directory', `${path} passes through something that is not a directory.`)
    }
    if (row) break
  }
  return new FilewrightError('not_found', `${path} does not exist.`)
}

/** A directory's children in the order of their names. */
export function childRows(sql: Sql, dir: Path, want: Want): SqlRow[] {
  return sql.exec(`SELECT ${columnsFor(want)} FROM fw_entry WHERE dir = ? AND name > '' ORDER BY name`, directoryKey(dir))
}

/** A row as the journal records it. */
export function sideOf(row: EntryRow | null): Side | null {
  if (row === null) return null
  if (row.kind === 'link') return { kind: 'link', target: fromStored(row.target as string) }
  if (row.kind === 'directory') return { kind: 'directory', mode: row.mode }
  return { kind: 'file', hash: row.hash as Hash, size: row.size as number, mode: row.mode }
}
