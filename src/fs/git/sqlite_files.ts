/** A git directory in a SQLite database: a Durable Object's, or any other that is a {@link Sql}. */
import { concatBytes } from '../../core/bytes.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Sql } from '../../core/sql.ts'
import { createTurns } from '../../git/file_turns.ts'
import type { GitFile, GitFiles } from '../../git/files.ts'
import { checkGitPath } from '../../git/git_paths.ts'
import { createNeedless } from './sqlite_needless.ts'

/** Bytes in one row. A Durable Object refuses rows above 2 MB, and reading a part of a pack should not read much more. */
const CHUNK_BYTES = 256 * 1024
/** How long what other processes may still be reading stays after its file is gone. */
const GRACE_MS = 10 * 60_000
/** Most contents given up at once. */
const SWEEP_ROWS = 100
/** Contents have numbers below this, so that many of them can be added up. */
const NUMBERS = 2 ** 46

/**
 * `content` is a number that no other content ever had: it finds the chunks, and tells that a file changed. What fits into one chunk
 * stands in the row itself. A content in `fw_git_dropped` belongs to no file any more, or not yet.
 */
const TABLES: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS fw_git_file (
    dir TEXT NOT NULL, name TEXT NOT NULL, content INTEGER NOT NULL, size INTEGER NOT NULL, bytes BLOB, PRIMARY KEY (dir, name)
  )`,
  `CREATE TABLE IF NOT EXISTS fw_git_chunk (
    content INTEGER NOT NULL, seq INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (content, seq)
  )`,
  'CREATE TABLE IF NOT EXISTS fw_git_dropped (content INTEGER PRIMARY KEY, since REAL NOT NULL)',
  'CREATE TABLE IF NOT EXISTS fw_git_needless (path TEXT PRIMARY KEY, since REAL NOT NULL)',
]

interface FileRow {
  readonly content: number
  readonly size: number
  readonly bytes: Uint8Array | null
}

/** A git directory in tables that begin with `fw_git_`, beside any others. Throws what the database throws. */
export function createSqliteGitFiles(sql: Sql, now: () => number = Date.now): GitFiles {
  sql.transaction(() => {
    for (const statement of TABLES) sql.exec(statement)
  })
  const turns = createTurns()
  const pins = new Map<number, number>()

  const find = (path: string): FileRow | null => {
    const row = sql.exec('SELECT content, size, bytes FROM fw_git_file WHERE dir = ? AND name = ?', ...split(path))[0]
    if (!row) return null
    const [content, size, bytes] = row as [number, number, Uint8Array | null]
    return { content, size, bytes }
  }

  const chunk = (content: number, seq: number): Uint8Array => {
    const row = sql.exec('SELECT bytes FROM fw_git_chunk WHERE content = ? AND seq = ?', content, seq)[0]
    if (!row) throw new FilewrightError('io_error', 'A part of a file in the repository is gone; open the repository again.')
    return row[0] as Uint8Array
  }

  const whole = ({ content, size, bytes }: FileRow): Uint8Array =>
    bytes ?? concatBytes(Array.from({ length: Math.ceil(size / CHUNK_BYTES) }, (_, seq) => chunk(content, seq)))

  /** Gives up the chunks of a content, at once when nobody can be reading them. */
  const abandon = ({ content, bytes }: Pick<FileRow, 'content' | 'bytes'>): void => {
    if (bytes) return
    if (sql.shared || pins.has(content)) {
      sql.exec('INSERT OR REPLACE INTO fw_git_dropped (content, since) VALUES (?, ?)', content, now())
    } else sql.exec('DELETE FROM fw_git_chunk WHERE content = ?', content)
  }

  /** Puts a row in the place of `before`. */
  const put = (path: string, row: FileRow, before: FileRow | null): void => {
    if (before) abandon(before)
    else refuseClash(sql, path)
    sql.exec(
      `INSERT INTO fw_git_file (dir, name, content, size, bytes) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (dir, name) DO UPDATE SET content = excluded.content, size = excluded.size, bytes = excluded.bytes`,
      ...split(path),
      ...[row.content, row.size, row.bytes],
    )
    if (!row.bytes) sql.exec('DELETE FROM fw_git_dropped WHERE content = ?', row.content)
    needless.forget(path)
  }

  const drop = (path: string): boolean => {
    const row = find(path)
    if (!row) return false
    abandon(row)
    sql.exec('DELETE FROM fw_git_file WHERE dir = ? AND name = ?', ...split(path))
    needless.forget(path)
    return true
  }

  const needless = createNeedless(sql, now, (path) => {
    const size = find(path)?.size ?? 0
    drop(path)
    return size
  })

  const small = (bytes: Uint8Array): FileRow => ({ content: newNumber(), size: bytes.length, bytes })

  /** Stores a body that does not fit into a row, as a content of no file yet. */
  const storeChunks = async (body: Uint8Array | AsyncIterable<Uint8Array>): Promise<FileRow> => {
    const content = newNumber()
    let seq = 0
    let size = 0
    const add = (bytes: Uint8Array): void => {
      sql.relaxed(() => {
        if (seq === 0) sql.exec('INSERT INTO fw_git_dropped (content, since) VALUES (?, ?)', content, now())
        sql.exec('INSERT INTO fw_git_chunk (content, seq, bytes) VALUES (?, ?, ?)', content, seq, bytes)
      })
      seq++
      size += bytes.length
    }
    pins.set(content, 1)
    try {
      let last: Uint8Array | null = null
      for await (const bytes of inChunks(body)) {
        if (last) add(last)
        last = bytes
      }
      if (seq === 0) return small(last ?? new Uint8Array(0))
      add(last as Uint8Array)
      return { content, size, bytes: null }
    } catch (error) {
      sql.relaxed(() => {
        sql.exec('DELETE FROM fw_git_chunk WHERE content = ?', content)
        sql.exec('DELETE FROM fw_git_dropped WHERE content = ?', content)
      })
      throw error
    } finally {
      pins.delete(content)
    }
  }

  /** Frees what nobody reads any more: after a while, or at once where this is the only process. */
  const sweep = (): void => {
    const until = sql.shared ? now() - GRACE_MS : Number.MAX_VALUE
    const old = () => sql.exec(`SELECT content FROM fw_git_dropped WHERE since < ? LIMIT ${SWEEP_ROWS}`, until) as [number][]
    if (old().every(([content]) => pins.has(content))) return
    sql.relaxed(() => {
      for (const [content] of old()) {
        if (pins.has(content)) continue
        sql.exec('DELETE FROM fw_git_chunk WHERE content = ?', content)
        sql.exec('DELETE FROM fw_git_dropped WHERE content = ?', content)
      }
    })
  }
  sweep()

  const openRow = (row: FileRow): GitFile => {
    const { content, size, bytes } = row
    if (bytes) return { size, read: (offset, length) => bytes.subarray(offset, offset + length), close() {} }
    pins.set(content, (pins.get(content) ?? 0) + 1)
    // Reads go forward mostly, in parts smaller than a chunk.
    let held: { readonly seq: number; readonly bytes: Uint8Array } | null = null
    const at = (seq: number): Uint8Array => {
      if (held?.seq !== seq) held = { seq, bytes: chunk(content, seq) }
      return held.bytes
    }
    let closed = false
    return {
      size,
      read(offset, length) {
        const end = Math.min(size, offset + length)
        const parts: Uint8Array[] = []
        for (let from = offset; from < end; ) {
          const seq = Math.floor(from / CHUNK_BYTES)
          const start = seq * CHUNK_BYTES
          parts.push(at(seq).subarray(from - start, end - start))
          from = start + CHUNK_BYTES
        }
        return parts.length === 1 ? (parts[0] as Uint8Array) : concatBytes(parts)
      },
      close() {
        if (closed) return
        closed = true
        const left = (pins.get(content) as number) - 1
        if (left > 0) pins.set(content, left)
        else pins.delete(content)
      },
    }
  }

  return {
    durability: sql.durability,
    shared: sql.shared,
    read(path) {
      const row = find(path)
      return row && whole(row)
    },
    open(path) {
      const row = find(path)
      return row && openRow(row)
    },
    list: (dir) => listNames(sql, dir.replace(/\/$/, '')),
    stamp(path) {
      const row = sql.exec('SELECT content FROM fw_git_file WHERE dir = ? AND name = ?', ...split(path))[0]
      if (row) return String(row[0])
      const [count, sum] = sql.exec('SELECT count(*), total(content) FROM fw_git_file WHERE dir = ?', path)[0] as [number, number]
      return count > 0 ? `${count}:${sum}` : listNames(sql, path).length > 0 ? '0' : null
    },
    async write(path, body) {
      checkGitPath(path)
      sweep()
      const row = body instanceof Uint8Array && body.length <= CHUNK_BYTES ? small(body) : await storeChunks(body)
      sql.transaction(() => put(path, row, find(path)))
      await sql.settle()
    },
    async writeMany(many) {
      const rows: [path: string, row: FileRow][] = []
      for (const { path, bytes } of many) {
        checkGitPath(path)
        rows.push([path, bytes.length <= CHUNK_BYTES ? small(bytes) : await storeChunks(bytes)])
      }
      sql.transaction(() => {
        for (const [path, row] of rows) put(path, row, find(path))
      })
      await sql.settle()
    },
    async append(path, bytes) {
      checkGitPath(path)
      sql.transaction(() => {
        const before = find(path)
        const joined = concatBytes([...(before ? [whole(before)] : []), bytes])
        if (joined.length <= CHUNK_BYTES) return put(path, small(joined), before)
        const row: FileRow = { content: newNumber(), size: joined.length, bytes: null }
        for (let seq = 0; seq * CHUNK_BYTES < joined.length; seq++) {
          const part = joined.subarray(seq * CHUNK_BYTES, (seq + 1) * CHUNK_BYTES)
          sql.exec('INSERT INTO fw_git_chunk (content, seq, bytes) VALUES (?, ?, ?)', row.content, seq, part)
        }
        put(path, row, before)
      })
      await sql.settle()
    },
    touch(path) {
      // In this order: what has no note now will not be removed for as long as the grace is.
      if (needless.isNoted(path)) sql.transaction(() => needless.forget(path))
      return find(path) !== null
    },
    needless,
    async remove(path) {
      const removed = sql.transaction(() => drop(path))
      await sql.settle()
      return removed
    },
    async rename(from, to) {
      checkGitPath(to)
      sql.transaction(() => {
        const row = find(from)
        if (!row) throw new FilewrightError('not_found', `${from} is not in the repository.`)
        if (from === to) return
        put(to, row, find(to))
        sql.exec('DELETE FROM fw_git_file WHERE dir = ? AND name = ?', ...split(from))
      })
      await sql.settle()
    },
    update: (path, change) =>
      turns(path, async () => {
        checkGitPath(path)
        for (;;) {
          const before = find(path)
          const wanted = await change(before && whole(before))
          if (wanted === undefined) return
          const row = wanted === null ? null : wanted.length <= CHUNK_BYTES ? small(wanted) : await storeChunks(wanted)
          const done = sql.transaction(() => {
            const current = find(path)
            if (current?.content !== before?.content) return false
            if (row) put(path, row, current)
            else drop(path)
            return true
          })
          if (!done) continue
          return sql.settle()
        }
      }),
    close() {},
  }
}

function newNumber(): number {
  return 1 + Math.floor(Math.random() * NUMBERS)
}

function split(path: string): [dir: string, name: string] {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? ['', path] : [path.slice(0, slash), path.slice(slash + 1)]
}

function listNames(sql: Sql, dir: string): string[] {
  const files = sql.exec('SELECT name FROM fw_git_file WHERE dir = ?', dir).map(([name]) => name as string)
  const directories = new Set<string>()
  const prefix = dir === '' ? '' : `${dir}/`
  const end = dir === '' ? '\u{10ffff}' : `${dir}0`
  // A few looks for each directory, however much is below it: `a` comes first, then `a-b`, then `a/b`, which all of `a/` follows.
  for (let after = prefix; ; ) {
    const next = sql.exec('SELECT dir FROM fw_git_file WHERE dir > ? AND dir < ? ORDER BY dir LIMIT 1', after, end)[0]
    if (!next) return [...files, ...directories]
    const found = next[0] as string
    const name = found.slice(prefix.length).split('/', 1)[0] as string
    directories.add(`${name}/`)
    after = found.length === prefix.length + name.length ? found : `${prefix}${name}/\u{10ffff}`
  }
}

/** A path is a file or a directory, never both. */
function refuseClash(sql: Sql, path: string): void {
  if (sql.exec('SELECT 1 FROM fw_git_file WHERE dir = ? OR (dir >= ? AND dir < ?) LIMIT 1', path, `${path}/`, `${path}0`).length > 0) {
    throw new FilewrightError('conflict', `${path} is a directory in the repository.`)
  }
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
    const dir = path.slice(0, slash)
    const found = sql.exec('SELECT 1 FROM fw_git_file WHERE dir = ? AND name = ?', ...split(dir))
    if (found.length > 0) throw new FilewrightError('conflict', `${dir} is a file in the repository, so ${path} cannot be made.`)
  }
}

/** A body in parts of one chunk each; the last may be shorter. */
async function* inChunks(body: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = []
  let size = 0
  for await (const part of body instanceof Uint8Array ? [body] : body) {
    for (let at = 0; at < part.length; ) {
      const taken = part.slice(at, at + CHUNK_BYTES - size)
      pending.push(taken)
      size += taken.length
      at += taken.length
      if (size < CHUNK_BYTES) continue
      yield concatBytes(pending)
      pending = []
      size = 0
    }
  }
  if (size > 0) yield concatBytes(pending)
}
