/** Contents by hash: what files hold, before-images, staged bytes and long records, in chunks that the database can take. */
import { concatBytes } from '../../core/bytes.ts'
import type { Content } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash, Hasher } from '../../core/hash.ts'
import type { Sql, SqlRow } from '../../core/sql.ts'

/** Largest value of one row, part of the schema. A Durable Object's SQLite takes 2 MB; rows are what is billed. */
export const CHUNK_BYTES: number = 512 * 1024

/** Staged content that no commit used is swept after this time. */
const STAGED_MS = 24 * 60 * 60 * 1000
/** How often staging looks for what is to be swept, and how much it sweeps at once. */
const SWEEP_MS = 60 * 60 * 1000
const SWEEP_ROWS = 1000

const HASH_LENGTH = 64

/** Content as it is stored: the bytes, or the hashes of its chunks one after another. */
export interface StoredContent {
  readonly hash: Hash
  readonly size: number
  readonly parts: string | null
  readonly bytes: Uint8Array | null
}

/** Takes in one content, part by part. */
export interface Stager {
  add(bytes: Uint8Array): void
  finish(): Content
}

/** The contents of one database. `use`, `keep` and `release` belong into a transaction. */
export interface Contents {
  /** Content that is held or staged. */
  find(hash: Hash): StoredContent | null
  /** One chunk of a content, checked against its hash. Throws `corrupt`. */
  chunk(content: StoredContent, index: number): Uint8Array
  /** Keeps the chunks of an open reader; returns how to end it. */
  pin(hash: Hash): () => void
  /** Begins to store content that nothing refers to yet. `finish` throws `too_large` beyond the limit, as `add` does. */
  stager(maxBytes: number): Stager
  /** One more user of a content: its own bytes, or held ones. Throws `invalid_argument`, `not_found`. */
  use(content: Content): void
  /** One more user of a content that is held or staged; false when it is neither. */
  keep(hash: Hash): boolean
  /** One user less, or more than one; what nothing uses is gone. Answers how many bytes were freed. */
  release(hash: Hash, users?: number): number
  /** Removes what was staged long ago and never used. */
  sweep(): void
}

/** The columns that {@link contentOf} expects. */
export const CONTENT_COLUMNS = 'hash, size, parts, bytes'

export function createContents(sql: Sql, hasher: Hasher, now: () => number): Contents {
  const pins = new Map<Hash, number>()
  let swept = Number.NEGATIVE_INFINITY

  const find = (hash: Hash): StoredContent | null => {
    const row = sql.exec(`SELECT ${CONTENT_COLUMNS} FROM fw_content WHERE hash = ?`, hash)[0]
    return row ? contentOf(row) : null
  }

  const putStaged = (hash: Hash, bytes: Uint8Array): void => {
    sql.exec(
      `INSERT INTO fw_content (hash, size, uses, staged, bytes) VALUES (?, ?, 0, ?, ?)
        ON CONFLICT (hash) DO UPDATE SET staged = excluded.staged`,
      ...[hash, bytes.length, now(), bytes],
    )
  }

  const putParts = (hash: Hash, size: number, parts: readonly Hash[]): void => {
    const known = sql.exec('UPDATE fw_content SET staged = ? WHERE hash = ? RETURNING 1', now(), hash)
    if (known.length > 0) return
    for (const part of parts) {
      if (!keep(part)) throw new FilewrightError('io_error', 'A part of the content is gone; stage it again.')
    }
    const list = parts.join('')
    sql.exec('INSERT INTO fw_content (hash, size, uses, staged, parts) VALUES (?, ?, 0, ?, ?)', hash, size, now(), list)
  }

  const use = ({ hash, size, bytes }: Content): void => {
    if (bytes && bytes.length !== size) throw wrongSize(hash, bytes.length, size)
    const held =
      bytes && size <= CHUNK_BYTES
        ? sql.exec(
            `INSERT INTO fw_content (hash, size, uses, bytes) VALUES (?, ?, 1, ?)
              ON CONFLICT (hash) DO UPDATE SET uses = uses + 1, staged = NULL RETURNING size`,
            ...[hash, size, bytes],
          )[0]
        : sql.exec('UPDATE fw_content SET uses = uses + 1, staged = NULL WHERE hash = ? RETURNING size', hash)[0]
    if (held && held[0] !== size) throw wrongSize(hash, held[0] as number, size)
    if (held) return
    if (!bytes) throw new FilewrightError('not_found', `The content ${hash} is not stored here; stage it again.`)
    const parts = chunksOf(bytes).map((chunk) => ({ hash: hasher.hash(chunk), size: chunk.length, bytes: chunk }))
    for (const part of parts) use(part)
    const list = parts.map((part) => part.hash).join('')
    sql.exec('INSERT INTO fw_content (hash, size, uses, parts) VALUES (?, ?, 1, ?)', hash, size, list)
  }

  const keep = (hash: Hash): boolean =>
    sql.exec('UPDATE fw_content SET uses = uses + 1, staged = NULL WHERE hash = ? RETURNING 1', hash).length > 0

  const remove = (hash: Hash): number => {
    const [size, parts] = sql.exec('DELETE FROM fw_content WHERE hash = ? RETURNING size, parts', hash)[0] ?? [0, null]
    if (parts === null) return size as number
    return hashesIn(parts as string).reduce((freed, part) => freed + release(part), 0)
  }

  const release = (hash: Hash, users = 1): number => {
    const row = sql.exec('UPDATE fw_content SET uses = uses - ? WHERE hash = ? RETURNING uses, staged', users, hash)[0]
    if (row?.[0] !== 0 || row[1] !== null) return 0
    if (!pins.has(hash)) return remove(hash)
    sql.exec('UPDATE fw_content SET staged = ? WHERE hash = ?', now(), hash)
    return 0
  }

  const sweep = (): void => {
    swept = now()
    const stale = () => sql.exec(`SELECT hash FROM fw_content WHERE staged < ? LIMIT ${SWEEP_ROWS}`, swept - STAGED_MS)
    if (stale().length === 0) return
    sql.relaxed(() => {
      for (const [hash] of stale() as [Hash][]) {
        const used = sql.exec('UPDATE fw_content SET staged = NULL WHERE hash = ? AND uses > 0 RETURNING 1', hash)
        if (used.length === 0 && !pins.has(hash)) remove(hash)
      }
    })
  }

  return {
    find,
    chunk({ hash, parts, bytes }, index) {
      const part = parts === null ? hash : hashAt(parts, index)
      const chunk = parts === null ? bytes : find(part)?.bytes
      if (!chunk || hasher.hash(chunk) !== part) throw new FilewrightError('corrupt', `The stored content ${hash} does not match its hash.`)
      return chunk
    },
    pin(hash) {
      pins.set(hash, (pins.get(hash) ?? 0) + 1)
      let ended = false
      return () => {
        if (ended) return
        ended = true
        const left = (pins.get(hash) as number) - 1
        if (left === 0) pins.delete(hash)
        else pins.set(hash, left)
      }
    },
    stager(maxBytes) {
      if (now() - swept > SWEEP_MS) sweep()
      const whole = hasher.stream()
      const parts: Hash[] = []
      let size = 0
      let pending: Uint8Array[] = []
      let pendingSize = 0
      const flush = (): void => {
        const bytes = joined(pending)
        const hash = hasher.hash(bytes)
        sql.relaxed(() => putStaged(hash, bytes))
        parts.push(hash)
        pending = []
        pendingSize = 0
      }
      return {
        add(bytes) {
          size += bytes.length
          if (size > maxBytes) {
            throw new FilewrightError('too_large', `The content is larger than the ${maxBytes} bytes of the largest file.`)
          }
          whole.update(bytes)
          for (let at = 0; at < bytes.length; ) {
            // A full chunk waits for what follows: content of one chunk needs no list of parts.
            if (pendingSize === CHUNK_BYTES) flush()
            const part = bytes.slice(at, at + CHUNK_BYTES - pendingSize)
            pending.push(part)
            pendingSize += part.length
            at += part.length
          }
        },
        finish() {
          const hash = whole.digest()
          if (parts.length === 0) {
            const bytes = joined(pending)
            sql.relaxed(() => putStaged(hash, bytes))
          } else {
            flush()
            sql.relaxed(() => putParts(hash, size, parts))
          }
          return { hash, size }
        },
      }
    },
    use,
    keep,
    release,
    sweep,
  }
}

/** A row that begins with {@link CONTENT_COLUMNS}; null when there was no content to join. */
export function contentOf(row: SqlRow): StoredContent | null {
  const [hash, size, parts, bytes] = row as [Hash | null, number, string | null, Uint8Array | null]
  return hash === null ? null : { hash, size, parts, bytes }
}

/** The hashes in a list of parts. */
function hashesIn(parts: string): Hash[] {
  return Array.from({ length: parts.length / HASH_LENGTH }, (_, index) => hashAt(parts, index))
}

function hashAt(parts: string, index: number): Hash {
  return parts.slice(index * HASH_LENGTH, (index + 1) * HASH_LENGTH) as Hash
}

function chunksOf(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / CHUNK_BYTES)
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES))
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? (parts[0] as Uint8Array) : concatBytes(parts)
}

function wrongSize(hash: Hash, size: number, said: number): FilewrightError {
  return new FilewrightError('invalid_argument', `The content ${hash} has ${size} bytes, not ${said}.`)
}
