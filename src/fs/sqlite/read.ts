/** Reading files and kept objects: pinned to one version, and checked against its hash. */
import { FilewrightError } from '../../core/errors.ts'
import type { Entry, Reader } from '../../core/file_system.ts'
import type { Path } from '../../core/path.ts'
import type { Sql, SqlRow, SqlValue } from '../../core/sql.ts'
import { CHUNK_BYTES, CONTENT_COLUMNS, type Contents, contentOf, type StoredContent } from './contents.ts'
import { COLUMNS, DIRECTORY, FILE, KIND, missing } from './entries.ts'
import { keyOf } from './key.ts'

const CONTENT_COUNT = CONTENT_COLUMNS.split(',').length
const CONTENT = CONTENT_COLUMNS.replace(/\w+/g, 'c.$&')
const ENTRY = COLUMNS.replace(/\w+/g, 'e.$&')
const JOIN = 'FROM fw_entry e LEFT JOIN fw_content c ON c.hash = e.hash WHERE e.dir = ? AND e.name = ?'

/** A regular file's row and its content. Throws `not_found`, `not_directory`, `is_directory`, `not_regular`, `corrupt`. */
export function findFile(sql: Sql, path: Path): { readonly row: SqlRow; readonly content: StoredContent } {
  // One statement, so that no other process's commit comes between the two.
  const found = sql.exec(`SELECT ${CONTENT}, ${ENTRY} ${JOIN}`, ...keyOf(path))[0]
  if (!found) throw missing(sql, path)
  const row = found.slice(CONTENT_COUNT)
  return { row, content: regularContent(path, row[KIND], found) }
}

/** All bytes of a file. Throws as {@link findFile}, and `too_large`. */
export function readWhole(sql: Sql, contents: Contents, path: Path, maxBytes: number): Uint8Array {
  const found = sql.exec(`SELECT ${CONTENT}, e.kind ${JOIN}`, ...keyOf(path))[0]
  if (!found) throw missing(sql, path)
  const content = regularContent(path, found[CONTENT_COUNT], found)
  const { size } = content
  if (size > maxBytes) throw new FilewrightError('too_large', `${path} has ${size} bytes; the limit is ${maxBytes}.`)
  if (content.parts === null) return contents.chunk(content, 0)
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += CHUNK_BYTES) bytes.set(contents.chunk(content, at / CHUNK_BYTES), at)
  return bytes
}

function regularContent(path: Path, kind: SqlValue | undefined, found: SqlRow): StoredContent {
  if (kind === DIRECTORY) throw new FilewrightError('is_directory', `${path} is a directory.`)
  if (kind !== FILE) throw new FilewrightError('not_regular', `${path} is a link, not a regular file.`)
  const content = contentOf(found)
  if (content === null) throw new FilewrightError('corrupt', `The content of ${path} is missing from the database.`)
  return content
}

/** A reader of one content. Content of one chunk is read and checked at once, longer content as it is asked for. */
export function readerOf(contents: Contents, entry: Entry, content: StoredContent): Reader {
  const { size, parts, hash } = content
  const unpin = parts === null ? null : contents.pin(hash)
  let index = 0
  let chunk = parts === null ? contents.chunk(content, 0) : null
  return {
    entry,
    size,
    read(offset, into) {
      if (offset >= size) return 0
      const wanted = Math.floor(offset / CHUNK_BYTES)
      if (chunk === null || wanted !== index) {
        chunk = contents.chunk(content, wanted)
        index = wanted
      }
      const from = offset - index * CHUNK_BYTES
      const part = chunk.subarray(from, from + into.length)
      into.set(part)
      return part.length
    },
    close: () => unpin?.(),
  }
}
