/** Rows of the entry table, read as entries. */
import type { Side, Version } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Entry, Want } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { type Path, parentOf } from '../../core/path.ts'
import { directoryKey, fromStored, keyOf } from './key.ts'
import type { Sql, SqlRow } from './sql.ts'

/** The columns that {@link rowOf} expects, in its order. */
export const COLUMNS = 'dir, name, kind, mode, modified, created, revision, size, hash, target'

const KINDS = ['directory', 'file', 'link'] as const

/** One row of the entry table. */
export interface EntryRow {
  readonly dir: string
  readonly name: string
  readonly kind: (typeof KINDS)[number]
  readonly mode: number
  readonly modified: number
  readonly created: number
  readonly revision: number
  readonly size: number | null
  readonly hash: Hash | null
  readonly target: string | null
}

export function rowOf(row: SqlRow): EntryRow {
  const [dir, name, kind, mode, modified, created, revision, size, hash, target] = row as [
    string,
    string,
    number,
    number,
    number,
    number,
    number,
    number | null,
    Hash | null,
    string | null,
  ]
  return { dir, name, kind: KINDS[kind] as EntryRow['kind'], mode, modified, created, revision, size, hash, target }
}

/** The number that stands for a kind in the table. */
export function kindCode(kind: EntryRow['kind']): number {
  return KINDS.indexOf(kind)
}

/** What is at a path; null when nothing is. */
export function findRow(sql: Sql, path: Path): EntryRow | null {
  const found = sql.exec(`SELECT ${COLUMNS} FROM fw_entry WHERE dir = ? AND name = ?`, ...keyOf(path))[0]
  return found ? rowOf(found) : null
}

/** What is at a path. Throws `not_found`, or `not_directory` when the path passes through a file or a link. */
export function requireRow(sql: Sql, path: Path): EntryRow {
  const row = findRow(sql, path)
  if (row) return row
  throw missing(sql, path)
}

/** The directory at a path. Throws `not_found`, `not_directory`. */
export function requireDirectory(sql: Sql, path: Path): EntryRow {
  const row = requireRow(sql, path)
  if (row.kind !== 'directory') throw new FilewrightError('not_directory', `${path} is not a directory.`)
  return row
}

/** Why nothing is at a path. */
export function missing(sql: Sql, path: Path): FilewrightError {
  for (let above = path; above !== ''; ) {
    above = parentOf(above)
    const row = findRow(sql, above)
    if (row && row.kind !== 'directory') {
      return new FilewrightError('not_directory', `${path} passes through something that is not a directory.`)
    }
    if (row) break
  }
  return new FilewrightError('not_found', `${path} does not exist.`)
}

/** A directory's children in the order of their names. */
export function childRows(sql: Sql, dir: Path): EntryRow[] {
  return sql.exec(`SELECT ${COLUMNS} FROM fw_entry WHERE dir = ? AND name > '' ORDER BY name`, directoryKey(dir)).map(rowOf)
}

export function pathOf({ dir, name }: EntryRow): Path {
  return fromStored(dir + name) as Path
}

export function versionOf(row: EntryRow): Version {
  return `r:${row.revision}` as Version
}

/** A row as an entry; facts that are not wanted are null. */
export function entryOf(row: EntryRow, want: Want): Entry {
  const { stat } = want
  return {
    path: pathOf(row),
    kind: row.kind,
    size: stat ? row.size : null,
    mtimeMs: stat ? row.modified : null,
    createdMs: stat ? row.created : null,
    mode: stat ? row.mode : null,
    version: stat ? versionOf(row) : null,
    hash: row.hash,
    target: want.target && row.target !== null ? fromStored(row.target) : null,
    access: want.access ? { read: (row.mode & 0o400) !== 0, write: (row.mode & 0o200) !== 0 } : null,
  }
}

/** A row as the journal records it. */
export function sideOf(row: EntryRow | null): Side | null {
  if (row === null) return null
  if (row.kind === 'link') return { kind: 'link', target: fromStored(row.target as string) }
  if (row.kind === 'directory') return { kind: 'directory', mode: row.mode }
  return { kind: 'file', hash: row.hash as Hash, size: row.size as number, mode: row.mode }
}
