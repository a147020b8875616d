/** Regular files of a Node-shaped `fs`: opened without following links, read whole or by parts. */
import { attempt, errnoOf, failureAt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Entry, FileVisitor, ReadEachOptions, Reader } from '../../core/file_system.ts'
import type { Hash, Hasher } from '../../core/hash.ts'
import { type Path, parentOf, ROOT } from '../../core/path.ts'
import { bytesReader } from '../../core/read.ts'
import { checkSignal } from '../../core/signal.ts'
import type { NodeShapedFs, NodeShapedStats } from './node_shaped_fs.ts'
import { createLook, kindOf, type Look, type Volume } from './volume.ts'

/** Content up to this size is pinned by a copy; what is larger stays in its file, which must not change meanwhile. */
const PINNED_BYTES = 16 * 1024 * 1024
const BLOCK = 256 * 1024

/** Closes a handle whatever comes of it: the failure that led here, or the bytes that were read, matter more. */
function closeQuietly(fs: NodeShapedFs, fd: number): void {
  try {
    fs.closeSync(fd)
  } catch {}
}

/** Throws `is_directory` or `not_regular` for what is no regular file. */
export function checkRegular(path: Path, stats: NodeShapedStats): void {
  const kind = kindOf(stats)
  if (kind === 'directory') throw new FilewrightError('is_directory', `${path || 'The root of the workspace'} is a directory.`)
  if (kind === 'link') throw new FilewrightError('not_regular', `${path} is a link, not a regular file.`)
  if (kind !== 'file') throw new FilewrightError('not_regular', `${path} is not a regular file.`)
}

/** The flags that open a file and nothing else; null where only a look beforehand can tell. */
function readFlags({ constants }: NodeShapedFs): number | null {
  const { O_RDONLY = 0, O_NOFOLLOW, O_NONBLOCK } = (constants ?? {}) as { readonly [name: string]: number | undefined }
  return O_NOFOLLOW && O_NONBLOCK ? O_RDONLY | O_NOFOLLOW | O_NONBLOCK : null
}

/** Opens the file that was seen at a path. Throws `conflict` when another one is there by now. */
function openSeen({ fs, at }: Volume, path: Path, seen: NodeShapedStats): number {
  return attempt(path, () => {
    const fd = fs.openSync(at(path), readFlags(fs) ?? 'r')
    try {
      const { dev, ino } = fs.fstatSync(fd)
      if (dev !== seen.dev || ino !== seen.ino) throw changing(path)
      return fd
    } catch (error) {
      closeQuietly(fs, fd)
      throw error
    }
  })
}

function changing(path: Path): FilewrightError {
  return new FilewrightError('conflict', `${path} is being changed by another program.`, { details: { path } })
}

/** All bytes of the file that was seen at a path, in an array of their own. Throws `too_large` above `limit`. */
export function readWhole(volume: Volume, path: Path, seen: NodeShapedStats, limit: number): Uint8Array {
  checkRegular(path, seen)
  if (seen.size > limit) throw new FilewrightError('too_large', `${path} has ${seen.size} bytes; the limit is ${limit}.`)
  const fd = openSeen(volume, path, seen)
  try {
    const bytes = new Uint8Array(seen.size)
    const length = attempt(path, () => fill(volume.fs, fd, bytes))
    return length === bytes.length ? bytes : bytes.slice(0, length)
  } finally {
    closeQuietly(volume.fs, fd)
  }
}

function fill(fs: NodeShapedFs, fd: number, into: Uint8Array): number {
  let length = 0
  while (length < into.length) {
    const count = fs.readSync(fd, into, length, into.length - length, length)
    if (count === 0) break
    length += count
  }
  return length
}

/** SHA-256 of the file that was seen at a path. */
export function hashFile(volume: Volume, hasher: Hasher, path: Path, seen: NodeShapedStats): Hash {
  if (seen.size <= BLOCK) return hasher.hash(readWhole(volume, path, seen, BLOCK))
  const { fs } = volume
  const fd = openSeen(volume, path, seen)
  try {
    const stream = hasher.stream()
    const block = new Uint8Array(BLOCK)
    for (let from = 0; ; ) {
      const count = attempt(path, () => fs.readSync(fd, block, 0, block.length, from))
      if (count === 0) return stream.digest()
      stream.update(block.subarray(0, count))
      from += count
    }
  } finally {
    closeQuietly(fs, fd)
  }
}

/** A reader of the file that was seen at a path. */
export function openReader(volume: Volume, entry: Entry, seen: NodeShapedStats): Reader {
  const { path } = entry
  checkRegular(path, seen)
  if (seen.size <= PINNED_BYTES) return bytesReader(entry, readWhole(volume, path, seen, PINNED_BYTES))
  const { fs } = volume
  const fd = openSeen(volume, path, seen)
  let open = true
  return {
    entry,
    size: seen.size,
    read(offset, into) {
      if (!open) throw new FilewrightError('unsupported', 'The reader is closed.')
      return attempt(path, () => {
        const count = into.length === 0 ? 0 : fs.readSync(fd, into, 0, into.length, offset)
        // A commit puts another file in the place of this one; only other programs write into it.
        const { size, mtimeMs } = fs.fstatSync(fd)
        if (size !== seen.size || mtimeMs !== seen.mtimeMs) throw changing(path)
        return count
      })
    },
    close() {
      if (open) attempt(path, () => fs.closeSync(fd))
      open = false
    },
  }
}

/** See `FileSystem.readEach`: one buffer for all files, which grows with the largest. */
export function readEach(volume: Volume, paths: readonly Path[], options: ReadEachOptions, visit: FileVisitor): void {
  const { signal, maxBytes } = options
  const look = createLook(volume)
  const buffer = { bytes: new Uint8Array(BLOCK) }
  const flags = readFlags(volume.fs)
  for (const path of paths) {
    checkSignal(signal)
    let bytes: Uint8Array | null = null
    let problem: FilewrightError | null = null
    try {
      bytes = readInto(volume, look, path, flags, buffer, maxBytes)
    } catch (error) {
      problem = failureAt(path, error)
    }
    if (visit(path, bytes, problem) === false) return
  }
}

function readInto(
  volume: Volume,
  look: Look,
  path: Path,
  flags: number | null,
  buffer: { bytes: Uint8Array },
  maxBytes: number,
): Uint8Array {
  const { fs } = volume
  // Without these flags, or at a name that must be looked up to be told from another, it takes a look first.
  if (flags === null || path === ROOT || !path.isWellFormed()) return readWhole(volume, path, look.stats(path), maxBytes)
  look.enter(parentOf(path))
  const fd = fs.openSync(volume.at(path), flags)
  try {
    const first = fs.readSync(fd, buffer.bytes, 0, buffer.bytes.length, 0)
    // Directories and what is special have no bytes to read, so only a file gets here.
    if (first > 0 && first < buffer.bytes.length && first <= maxBytes) return buffer.bytes.subarray(0, first)
    const stats = fs.fstatSync(fd)
    checkRegular(path, stats)
    if (stats.size > maxBytes) throw new FilewrightError('too_large', `${path} has ${stats.size} bytes; the limit is ${maxBytes}.`)
    if (stats.size > buffer.bytes.length) buffer.bytes = new Uint8Array(stats.size)
    return buffer.bytes.subarray(0, fill(fs, fd, buffer.bytes.subarray(0, stats.size)))
  } catch (error) {
    // Some refuse to read a directory, others find it empty.
    if (errnoOf(error) === 'EISDIR') throw new FilewrightError('is_directory', `${path} is a directory.`)
    throw error
  } finally {
    closeQuietly(fs, fd)
  }
}
