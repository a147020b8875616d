/** Open files: what is written through one is gathered, and committed when it is synchronized or closed. */
import { concatBytes } from '../../core/bytes.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Door } from './door.ts'
import { refusal } from './errors.ts'
import { readBytes, stat } from './reads.ts'
import type { NodeFsStats } from './stats.ts'
import { bytesOf, encodingOf, type NodeFsData, told } from './text.ts'
import { type OpenMode, placeOfFile, utimes, writeFile } from './writes.ts'

/** An open file. Others see what was written once `sync`, `datasync` or `close` has answered. */
export interface NodeFsHandle {
  /** A number of its own; it is no descriptor of the system. */
  readonly fd: number
  /** Fills a part of `buffer`; from `position` on, or without one from where the last read or write ended. */
  read(
    buffer: Uint8Array,
    offset?: number | null,
    length?: number | null,
    position?: number | null,
  ): Promise<{ readonly bytesRead: number; readonly buffer: Uint8Array }>
  readFile(options?: unknown): Promise<Uint8Array | string>
  /** Writes bytes (`offset`, `length`, `position`), or a text (`position`, `encoding`). */
  write(
    data: Uint8Array | string,
    offset?: number | null,
    length?: number | string | null,
    position?: number | null,
  ): Promise<{ readonly bytesWritten: number; readonly buffer: Uint8Array | string }>
  writeFile(data: NodeFsData, options?: unknown): Promise<void>
  appendFile(data: NodeFsData, options?: unknown): Promise<void>
  truncate(length?: number): Promise<void>
  stat(): Promise<NodeFsStats>
  utimes(atime: unknown, mtime: unknown): Promise<void>
  sync(): Promise<void>
  datasync(): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

let handles = 1000

/** Opens a file. One that must be new is made at once, so that nobody else makes it too. */
export async function openHandle(door: Door, path: string, how: OpenMode, mode: number | undefined): Promise<NodeFsHandle> {
  const { entry } = await placeOfFile(await door.view(), path, how)
  if (!entry && how.exclusive) await writeFile(door, path, new Uint8Array(), how, mode)
  // Of a file that is only appended to nothing is read, so that others may append as well.
  let bytes: Uint8Array = entry && !how.truncate && !(how.append && !how.read) ? await readBytes(await door.view(), path) : new Uint8Array()
  let dirty = !entry && !how.exclusive ? true : how.truncate && (entry?.size ?? 0) > 0
  let position = 0
  let isOpen = true
  const later: OpenMode = { ...how, create: true, exclusive: false, truncate: !how.append }
  let appended: Uint8Array[] = []

  function check(able: boolean): void {
    if (!isOpen) throw refusal('invalid_argument', 'EBADF', `${path} is closed.`)
    if (!able) throw refusal('permission_denied', 'EBADF', `${path} was not opened for that.`)
  }

  function put(part: Uint8Array, at: number | null): void {
    const from = how.append ? bytes.length : (at ?? position)
    if (how.append) appended.push(part)
    const next = new Uint8Array(Math.max(bytes.length, from + part.length))
    next.set(bytes)
    next.set(part, from)
    bytes = next
    if (at === null || how.append) position = from + part.length
    dirty = true
  }

  async function commit(): Promise<void> {
    if (!dirty) return
    await writeFile(door, path, how.append ? concatBytes(appended) : bytes, later, mode)
    appended = []
    dirty = false
  }

  const handle: NodeFsHandle = {
    fd: handles++,
    async read(buffer, offset, length, at) {
      check(how.read)
      const from = at ?? position
      const start = offset ?? 0
      const part = bytes.subarray(from, from + Math.min(length ?? buffer.byteLength - start, buffer.byteLength - start))
      buffer.set(part, start)
      if (at === undefined || at === null) position += part.length
      return { bytesRead: part.length, buffer }
    },
    async readFile(options) {
      check(how.read)
      const rest = bytes.slice(position)
      position = bytes.length
      return told(rest, encodingOf(options))
    },
    async write(data, offset, length, at) {
      check(how.write)
      const text = typeof data === 'string'
      const whole = await bytesOf(data, text && typeof length === 'string' ? length : null)
      const start = text ? 0 : (offset ?? 0)
      const part = whole.subarray(start, text || typeof length !== 'number' ? undefined : start + length)
      put(part, (text ? offset : at) ?? null)
      return { bytesWritten: part.length, buffer: data }
    },
    async writeFile(data, options) {
      check(how.write)
      put(await bytesOf(data, encodingOf(options)), null)
    },
    async appendFile(data, options) {
      check(how.write)
      put(await bytesOf(data, encodingOf(options)), how.append ? null : bytes.length)
    },
    async truncate(length = 0) {
      check(how.write)
      if (how.append) throw new FilewrightError('unsupported', `${path} was opened for appending: cut it by its path.`)
      const next = new Uint8Array(length)
      next.set(bytes.subarray(0, length))
      bytes = next
      dirty = true
    },
    async stat() {
      check(true)
      await commit()
      return stat(await door.view(), path, 'follow')
    },
    async utimes(_atime, mtime) {
      check(true)
      await commit()
      await utimes(door, path, millisecondsOf(mtime), 'follow')
    },
    async sync() {
      check(true)
      await commit()
    },
    async datasync() {
      check(true)
      await commit()
    },
    async close() {
      if (!isOpen) return
      try {
        await commit()
      } finally {
        isOpen = false
      }
    },
    [Symbol.asyncDispose]: () => handle.close(),
  }
  return handle
}

/** A time as `fs` takes it: a date, seconds, or the text of either. */
export function millisecondsOf(time: unknown): number {
  if (time instanceof Date) return time.getTime()
  const ms = typeof time === 'string' && Number.isNaN(Number(time)) ? Date.parse(time) : Number(time) * 1000
  if (Number.isFinite(ms)) return ms
  throw Object.assign(new TypeError('The "mtime" argument must be a date or a number of seconds.'), { code: 'ERR_INVALID_ARG_TYPE' })
}
