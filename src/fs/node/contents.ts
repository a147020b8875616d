/** Contents by hash: kept for history, staged for a commit, or still in the file that a record put there. */
import { FilewrightError } from '../../core/errors.ts'
import type { Reader } from '../../core/file_system.ts'
import type { Hash, Hasher } from '../../core/hash.ts'
import type { Path } from '../../core/path.ts'
import { entryOf } from './entries.ts'
import { type Dir, inDir, type Root } from './handles.ts'
import { closeQuietly, type HostPath, OPEN, type Stats, type Sys, writeAll } from './syscalls.ts'
import { createTurns } from './turns.ts'

/** Larger writes are slower: they make the page cache look for large pages. */
const BLOCK = 256 * 1024

/** An open regular file. */
export interface OpenFile {
  readonly fd: number
  readonly stats: Stats
}

/** Opens a regular file in a directory of the tree for reading. Throws the system's errors and `not_regular`, `is_directory`. */
export function openRegular(root: Root, dir: Dir, name: string, shown: string): OpenFile {
  const file = openFile(root.sys, inDir(dir, name), shown)
  try {
    root.recheck(dir)
    return file
  } catch (error) {
    closeQuietly(root.sys, file.fd)
    throw error
  }
}

/** Opens a regular file of the store. */
export function openFile(sys: Sys, path: HostPath, shown: string): OpenFile {
  const fd = sys.open(path, OPEN.read)
  try {
    const stats = sys.fstat(fd)
    if (stats.isDirectory()) throw new FilewrightError('is_directory', `${shown} is a directory.`)
    if (!stats.isFile()) throw new FilewrightError('not_regular', `${shown} is not a regular file.`)
    return { fd, stats }
  } catch (error) {
    closeQuietly(sys, fd)
    throw error
  }
}

/** A block that is used again by the next one to read a file. */
let spare: Uint8Array | null = null

function takeBlock(): Uint8Array {
  const block = spare ?? new Uint8Array(BLOCK)
  spare = null
  return block
}

/** Reads a file by blocks, which are valid until the next. */
function* blocksOf(sys: Sys, fd: number): Generator<Uint8Array> {
  const block = takeBlock()
  try {
    for (let at = 0; ; ) {
      const count = sys.read(fd, block, at)
      if (count === 0) return
      yield block.subarray(0, count)
      at += count
    }
  } finally {
    spare = block
  }
}

/** SHA-256 of an open file, at once. */
export function hashFile(sys: Sys, hasher: Hasher, { fd }: OpenFile): Hash {
  const block = takeBlock()
  try {
    const first = sys.read(fd, block, 0)
    if (first < block.length && sys.read(fd, block.subarray(first), first) === 0) return hasher.hash(block.subarray(0, first))
  } finally {
    spare = block
  }
  const stream = hasher.stream()
  for (const part of blocksOf(sys, fd)) stream.update(part)
  return stream.digest()
}

/** As `hashFile`, letting other work run in between. */
export async function hashLargeFile(sys: Sys, hasher: Hasher, { fd }: OpenFile): Promise<Hash> {
  const turns = createTurns()
  const stream = hasher.stream()
  for (const part of blocksOf(sys, fd)) {
    stream.update(part)
    if (turns.due()) await turns.next()
  }
  return stream.digest()
}

/** Copies an open file into another, letting other work run in between, and returns the hash of what was copied. */
export async function copyInto(sys: Sys, hasher: Hasher, from: OpenFile, to: number): Promise<Hash> {
  const turns = createTurns()
  const stream = hasher.stream()
  let at = 0
  for (const part of blocksOf(sys, from.fd)) {
    stream.update(part)
    writeAll(sys, to, part, at)
    at += part.length
    if (turns.due()) await turns.next()
  }
  return stream.digest()
}

/** A reader that owns the handle of an open file. */
export function readerOf(sys: Sys, path: Path, file: OpenFile, hash: Hash | null): Reader {
  let open = true
  return {
    entry: entryOf(path, file.stats, hash),
    size: file.stats.size,
    read(offset, into) {
      if (!open) throw new FilewrightError('unsupported', 'The reader is closed.')
      return into.length === 0 ? 0 : sys.read(file.fd, into, offset)
    },
    close() {
      if (open) sys.close(file.fd)
      open = false
    },
  }
}
