/** One change applied to the tables, inside the transaction of its commit, with its record. */
import type { Change, Expect, Keep, RecordedChange } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { isWithin, type Path, parentOf, ROOT } from '../../core/path.ts'
import type { Sql } from '../../core/sql.ts'
import type { Contents } from './contents.ts'
import { COLUMNS, type EntryRow, kindCode, missing, rowOf, selectRow, sideOf, versionOf } from './entries.ts'
import { directoryKey, endOf, keyOf, toStored } from './key.ts'

const NEW_FILE_MODE = 0o644
const NEW_DIRECTORY_MODE = 0o755
const LINK_MODE = 0o777

/** What the changes of one commit share. */
export interface CommitParts {
  readonly sql: Sql
  readonly contents: Contents
  readonly time: number
  /** The number of the commit's record, which makes versions. */
  readonly revision: number
  readonly fileBytes: number
  /** Directories whose time this commit has set already. */
  readonly touched: Set<Path>
  /** Contents with one user less, given up when all changes are done: a later one may name the same content. */
  readonly released: Hash[]
  newId(): string
}

/** Applies one change. Throws what `FileSystem.commit` says; the transaction takes back what was done until then. */
export function applyChange(parts: CommitParts, change: Change): RecordedChange {
  const { path } = change
  const current = rowAt(parts.sql, path)
  expectState(path, current, change.kind === 'makeDirectory' ? 'absent' : change.expect)
  switch (change.kind) {
    case 'write':
    case 'link': {
      if (current?.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory.`)
      if (!current) touchParent(parts, path)
      const row = change.kind === 'write' ? putFile(parts, change, current) : putLink(parts, path, change.target, current)
      return recorded(parts, change.kind, path, current, row, change.keep)
    }
    case 'remove': {
      const row = movable(parts, path)
      if (row.kind === 'directory' && hasChildren(parts.sql, path)) {
        throw conflict(path, row, `${path} is not empty; remove what is in it first.`)
      }
      parts.sql.exec('DELETE FROM fw_entry WHERE dir = ? AND name = ?', ...keyOf(path))
      parts.touched.delete(path)
      touchParent(parts, path)
      return recorded(parts, 'remove', path, row, null, change.keep)
    }
    case 'move': {
      const row = movable(parts, path)
      const { to } = change
      expectState(to, rowAt(parts.sql, to), 'absent')
      if (isWithin(to, path)) throw new FilewrightError('invalid_argument', `${path} cannot be moved into itself.`)
      touchParent(parts, to)
      touchParent(parts, path)
      moveRows(parts, row, path, to)
      return { kind: 'move', path, to, before: sideOf(row), after: sideOf(row), kept: true }
    }
    case 'copy': {
      const source = copySource(parts, change)
      if (current?.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory.`)
      if (!current) touchParent(parts, path)
      const content = { hash: source.hash as Hash, size: source.size as number }
      const row = putFile(parts, { path, content, mode: change.mode ?? source.mode }, current)
      return { ...recorded(parts, 'copy', path, current, row, change.keep), from: change.from }
    }
    case 'snapshot': {
      const row = existing(parts, path)
      if (row.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory; a snapshot is of a file or a link.`)
      if (row.kind === 'file') parts.contents.use({ hash: row.hash as Hash, size: row.size as number })
      return { kind: 'snapshot', path, before: sideOf(row), after: sideOf(row), backup: { ...change.keep }, kept: true }
    }
    case 'makeDirectory': {
      touchParent(parts, path)
      const row = putRow(parts, path, current, { kind: 'directory', mode: (change.mode ?? NEW_DIRECTORY_MODE) & 0o777 })
      return { kind: 'makeDirectory', path, before: null, after: sideOf(row), kept: true }
    }
  }
}

/** What is at a path; null when nothing is. */
function rowAt(sql: Sql, path: Path): EntryRow | null {
  const row = selectRow(sql, path)
  return row ? rowOf(row) : null
}

/** The file that is copied. */
function copySource(parts: CommitParts, { path, from, source }: Change & { kind: 'copy' }): EntryRow {
  if (from === path) throw new FilewrightError('invalid_argument', `${path} cannot be copied onto itself.`)
  const row = existing(parts, from)
  if (row.kind === 'directory') throw new FilewrightError('is_directory', `${from} is a directory, not a regular file.`)
  if (row.kind === 'link') throw new FilewrightError('not_regular', `${from} is a link, not a regular file.`)
  expectState(from, row, source)
  return row
}

function putFile(
  parts: CommitParts,
  change: Pick<Change & { kind: 'write' }, 'path' | 'content' | 'mode' | 'mtimeMs'>,
  current: EntryRow | null,
): EntryRow {
  const { path, content } = change
  if (content.size > parts.fileBytes) {
    throw new FilewrightError('too_large', `${path} has ${content.size} bytes; the largest file is ${parts.fileBytes}.`)
  }
  parts.contents.use(content)
  const mode = change.mode ?? (current?.kind === 'file' ? current.mode : NEW_FILE_MODE)
  const modified = change.mtimeMs ?? parts.time
  return putRow(parts, path, current, { kind: 'file', mode: mode & 0o777, modified, size: content.size, hash: content.hash })
}

function putLink(parts: CommitParts, path: Path, target: string, current: EntryRow | null): EntryRow {
  return putRow(parts, path, current, { kind: 'link', mode: LINK_MODE, target: toStored(target) })
}

/** Stores a row in the place of `current`. */
function putRow(
  parts: CommitParts,
  path: Path,
  current: EntryRow | null,
  facts: Partial<EntryRow> & Pick<EntryRow, 'kind' | 'mode'>,
): EntryRow {
  const [dir, name] = keyOf(path)
  const { time, revision } = parts
  const none = { size: null, hash: null, target: null }
  const row: EntryRow = { dir, name, modified: time, created: current?.created ?? time, revision, ...none, ...facts }
  parts.sql.exec(
    `INSERT INTO fw_entry (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (dir, name) DO UPDATE SET kind = excluded.kind, mode = excluded.mode, modified = excluded.modified,
        revision = excluded.revision, size = excluded.size, hash = excluded.hash, target = excluded.target`,
    ...[dir, name, kindCode(row.kind), row.hash, row.target, row.mode, row.modified, row.created, revision, row.size],
  )
  return row
}

/** Renames a row, and all rows below it. Their versions change: the new path may have had the old ones. */
function moveRows({ sql, revision, touched }: CommitParts, row: EntryRow, path: Path, to: Path): void {
  sql.exec('UPDATE fw_entry SET dir = ?, name = ?, revision = ? WHERE dir = ? AND name = ?', ...keyOf(to), revision, row.dir, row.name)
  if (row.kind !== 'directory') return
  const from = directoryKey(path)
  sql.exec(
    'UPDATE fw_entry SET dir = ? || substr(dir, length(?) + 1), revision = ? WHERE dir >= ? AND dir < ?',
    ...[directoryKey(to), from, revision, from, endOf(from)],
  )
  for (const directory of touched) if (isWithin(directory, path)) touched.delete(directory)
}

/** Sets the time of the directory whose children change. Throws `not_found`, `not_directory` when there is no such directory. */
function touchParent({ sql, time, touched }: CommitParts, path: Path): void {
  const parent = parentOf(path)
  if (touched.has(parent)) return
  const found = sql.exec('UPDATE fw_entry SET modified = ? WHERE dir = ? AND name = ? AND kind = 0 RETURNING 1', time, ...keyOf(parent))
  if (found.length === 0) throw missing(sql, path)
  touched.add(parent)
}

function hasChildren(sql: Sql, path: Path): boolean {
  return sql.exec('SELECT 1 FROM fw_entry WHERE dir = ? LIMIT 1', directoryKey(path)).length > 0
}

/** The row that a removal or a move acts on. */
function movable(parts: CommitParts, path: Path): EntryRow {
  if (path === ROOT) throw new FilewrightError('invalid_argument', 'The root of the workspace cannot be removed or moved.')
  return existing(parts, path)
}

/** What is at a path. Throws `not_found` or `not_directory` when nothing is. */
function existing({ sql }: CommitParts, path: Path): EntryRow {
  const row = rowAt(sql, path)
  if (row === null) throw missing(sql, path)
  return row
}

/** The record of a change that put `after` in the place of `before`. A directory's before-image is the record itself. */
function recorded(
  parts: CommitParts,
  kind: Change['kind'],
  path: Path,
  before: EntryRow | null,
  after: EntryRow | null,
  keep: Keep | undefined,
): RecordedChange {
  const sides = { kind, path, before: sideOf(before), after: sideOf(after) }
  if (before === null) return { ...sides, kept: true }
  if (keep === false) {
    if (before.kind === 'file') parts.released.push(before.hash as Hash)
    return { ...sides, kept: false }
  }
  if (before.kind === 'directory' || keep === 'undo') return { ...sides, kept: true }
  return { ...sides, backup: keep ? { ...keep } : { id: parts.newId() }, kept: true }
}

function expectState(path: Path, current: EntryRow | null, expect: Expect): void {
  if (!holds(current, expect)) throw conflict(path, current, `${path} is not what this change expects to replace.`)
}

function holds(current: EntryRow | null, expect: Expect): boolean {
  if (expect === 'absent' || current === null) return expect === 'absent' && current === null
  if (expect === 'directory') return current.kind === 'directory'
  if ('hash' in expect) return current.kind === 'file' && current.hash === expect.hash
  if ('link' in expect) return current.kind === 'link' && current.target === toStored(expect.link)
  return versionOf(current.revision) === expect.version
}

function conflict(path: Path, current: EntryRow | null, message: string): FilewrightError {
  return new FilewrightError('conflict', message, { details: { path, current: sideOf(current) } })
}
