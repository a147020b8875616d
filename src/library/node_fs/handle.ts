/** Open files: what is written through one is gathered, and committed when it is synchronized or closed. */
import { concatBytes } from '../../core/bytes.ts'
import { FilewrightError } from '../../core/errors.ts'
import { createQueue } from '../../workspace/queue.ts'
import type { Door } from './door.ts'
import { refusal, wholeNumber } from './errors.ts'
import { readBytes, stat } from './reads.ts'
import type { NodeFsStats } from './stats.ts'
import { bytesOf, encodingOf, type NodeFsData, told } from './text.ts'
import { type OpenMode, placeOfFile, utimes, writeFile } from './writes.ts'

/** A part of an array, and a place in the file. */
export interface NodeFsPart {
  readonly offset?: number | null
  readonly length?: number | null
  readonly position?: number | bigint | null
}

/**
 * An open file. Others see what was written once `sync`, `datasync` or `close` has answered; `EBUSY` when the file was not emptied
 * at the opening, and somebody else changed it since.
 */
export interface NodeFsHandle {
  /** A number of its own; it is no descriptor of the system. */
  readonly fd: number
  /** Fills a part of `buffer`; from `position` on, or without one (or with -1) from where the last read or write ended. */
  read<Into extends ArrayBufferView>(
    buffer: Into,
    offset?: number | NodeFsPart | null,
    length?: number | null,
    position?: number | bigint | null,
  ): Promise<{ readonly bytesRead: number; readonly buffer: Into }>
  read(options?: NodeFsPart & { readonly buffer?: Uint8Array }): Promise<{ readonly bytesRead: number; readonly buffer: Uint8Array }>
  readFile(options?: unknown): Promise<Uint8Array | string>
  /** Writes bytes (`offset`, `length`, `position`), or a text (`position`, `encoding`). */
  write(
    data: ArrayBufferView | string,
    offset?: number | NodeFsPart | null,
    length?: number | string | null,
    position?: number | null,
  ): Promise<{ readonly bytesWritten: number; readonly buffer: ArrayBufferView | string }>
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
  if (!entry && how.exclusive) await writeFile(door, path, new Uint8Array(), how, mode === undefined ? {} : { mode })
  // Of a file that is only appended to nothing is read, so that others may append as well.
  const isRead = entry !== null && !how.truncate && !(how.append && !how.read)
  const { traits, hasher } = await door.view()
  const file = growing(isRead ? await readBytes(await door.view(), path) : new Uint8Array(), path, traits.limits.fileBytes)
  let base = isRead && !how.append ? hasher.hash(file.bytes()) : null
  let dirty = !entry && !how.exclusive ? true : how.truncate && (entry?.size ?? 0) > 0
  let position = 0
  let isOpen = true
  const later: OpenMode = { ...how, create: true, exclusive: false, truncate: !how.append }
  let appended: Uint8Array[] = []
  const commits = createQueue()

  function check(able: boolean): void {
    if (!isOpen) throw refusal('invalid_argument', 'EBADF', `${path} is closed.`)
    if (!able) throw refusal('permission_denied', 'EBADF', `${path} was not opened for that.`)
  }

  function put(part: Uint8Array, at: number | null): void {
    const from = how.append ? file.bytes().length : (at ?? position)
    if (how.append) appended.push(part)
    file.put(part, from)
    if (at === null || how.append) position = from + part.length
    dirty = true
  }

  /** What is written while it is under way is for the next. */
  function commit(): Promise<void> {
    return commits(async () => {
      if (!dirty) return
      const parts = appended
      const bytes = how.append ? concatBytes(parts) : file.bytes().slice()
      appended = []
      dirty = false
      try {
        await writeFile(door, path, bytes, later, { base, ...(mode !== undefined && { mode }) })
      } catch (error) {
        appended = [...parts, ...appended]
        dirty = true
        throw error
      }
      if (base !== null) base = hasher.hash(bytes)
    })
  }

  async function read(
    given?: ArrayBufferView | (NodeFsPart & { readonly buffer?: Uint8Array }),
    ...[offset, length, place]: [(number | NodeFsPart | null)?, unknown?, unknown?]
  ): Promise<{ readonly bytesRead: number; readonly buffer: ArrayBufferView }> {
    check(how.read)
    const options = ArrayBuffer.isView(given) ? undefined : given
    const buffer = ArrayBuffer.isView(given) ? given : (options?.buffer ?? new Uint8Array(READ_BYTES))
    const { start, count, at } = partOf(buffer, options ?? offset, length, place)
    const from = at ?? position
    const part = file.bytes().subarray(from, from + count)
    new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).set(part, start)
    if (at === null) position += part.length
    return { bytesRead: part.length, buffer }
  }

  const handle: NodeFsHandle = {
    fd: handles++,
    read: read as NodeFsHandle['read'],
    async readFile(options) {
      check(how.read)
      const rest = file.bytes().slice(position)
      position += rest.length
      return told(rest, encodingOf(options))
    },
    async write(data, offset, length, at) {
      check(how.write)
      if (typeof data === 'string') {
        const whole = await bytesOf(data, typeof length === 'string' ? length : null)
        put(whole, partOf(whole, 0, whole.length, typeof offset === 'number' ? offset : null).at)
        return { bytesWritten: whole.length, buffer: data }
      }
      const whole = await bytesOf(data, null)
      const { start, count, at: place } = partOf(whole, offset, length, at)
      put(whole.subarray(start, start + count), place)
      return { bytesWritten: count, buffer: data }
    },
    async writeFile(data, options) {
      check(how.write)
      put(await bytesOf(data, encodingOf(options)), null)
    },
    async appendFile(data, options) {
      check(how.write)
      put(await bytesOf(data, encodingOf(options)), how.append ? null : file.bytes().length)
    },
    async truncate(length) {
      check(how.write)
      const size = sizeOf(length)
      if (how.append) throw new FilewrightError('unsupported', `${path} was opened for appending: cut it by its path.`)
      file.cut(size)
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

/** How much is read where the caller has no array. */
const READ_BYTES = 16_384

/** The part of an array that a call means, by options or one by one; `at` is null where the last call ended. Throws what Node throws. */
function partOf(
  { byteLength }: ArrayBufferView,
  offset: number | NodeFsPart | null | undefined,
  length: unknown,
  position: unknown,
): { readonly start: number; readonly count: number; readonly at: number | null } {
  const part = typeof offset === 'object' && offset !== null ? offset : { offset, length, position }
  const start = wholeNumber('offset', part.offset ?? 0, 0, byteLength)
  const count = wholeNumber('length', part.length ?? byteLength - start, 0, byteLength - start)
  const at = wholeNumber('position', typeof part.position === 'bigint' ? Number(part.position) : (part.position ?? -1), -1)
  return { start, count, at: at < 0 ? null : at }
}

/** A length as `fs` takes it: left out or below 0, it is 0. */
export function sizeOf(length: unknown = 0): number {
  return Math.max(0, wholeNumber('len', length, Number.MIN_SAFE_INTEGER))
}

/** Bytes that grow by more than is asked for, so that many small writes do not copy the file each time. Throws `too_large`. */
function growing(
  initial: Uint8Array,
  path: string,
  most: number,
): { bytes(): Uint8Array; put(part: Uint8Array, from: number): void; cut(size: number): void } {
  let [room, size] = [initial, initial.length]
  const grow = (to: number): void => {
    if (to > most) throw new FilewrightError('too_large', `${path} cannot have ${to} bytes; ${most} are the most.`)
    if (to > room.length) {
      const larger = new Uint8Array(Math.min(most, Math.max(to, 2 * room.length)))
      larger.set(room.subarray(0, size))
      room = larger
    }
    size = Math.max(size, to)
  }
  return {
    bytes: () => room.subarray(0, size),
    put(part, from) {
      if (part.length === 0) return
      grow(from + part.length)
      room.set(part, from)
    },
    cut(to) {
      grow(to)
      room.fill(0, to, size)
      size = to
    },
  }
}

/** A time as `fs` takes it: a date, seconds, or the text of either. */
export function millisecondsOf(time: unknown): number {
  if (time instanceof Date) return time.getTime()
  const ms = typeof time === 'string' && Number.isNaN(Number(time)) ? Date.parse(time) : Number(time) * 1000
  if (Number.isFinite(ms)) return ms
  throw Object.assign(new TypeError('The "mtime" argument must be a date or a number of seconds.'), { code: 'ERR_INVALID_ARG_TYPE' })
}
