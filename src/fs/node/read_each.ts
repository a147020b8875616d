/** Reading many files whole, one buffer for all. */

import { failureAt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { FileVisitor, ReadEachOptions } from '../../core/file_system.ts'
import { nameOf, type Path, parentOf } from '../../core/path.ts'
import { checkSignal } from '../../core/signal.ts'
import { type Cursor, checkName, createCursor, inDir, type Root } from './handles.ts'
import { closeQuietly, OPEN } from './syscalls.ts'
import { createTurns } from './turns.ts'

const BUFFER = 256 * 1024
/** A buffer that grew larger for one file is not kept for the next pass. */
const MOST_KEPT = 4 * 1024 * 1024
/** Files between two looks at the clock. */
const LOOK = 16

/** Reads files whole into one buffer that grows with the largest. */
export interface FileReader {
  readEach(paths: readonly Path[], options: ReadEachOptions, visit: FileVisitor): Promise<void>
}

export function createFileReader(root: Root): FileReader {
  // Taken while a pass runs, so that a pass within a pass gets its own.
  let spare: Uint8Array | null = null
  return {
    async readEach(paths, { maxBytes, signal }, visit) {
      checkSignal(signal)
      const buffer = { bytes: spare ?? new Uint8Array(BUFFER) }
      spare = null
      const cursor = createCursor(root)
      const turns = createTurns()
      try {
        let count = 0
        for (const path of paths) {
          let problem: FilewrightError | null = null
          let bytes: Uint8Array | null = null
          try {
            bytes = readWhole(root, cursor, path, buffer, maxBytes)
          } catch (error) {
            problem = failureAt(path, error)
          }
          if (visit(path, bytes, problem) === false) return
          if (++count % LOOK === 0 && turns.due()) await turns.next(signal)
        }
      } finally {
        cursor.reset()
        spare = buffer.bytes.length <= MOST_KEPT ? buffer.bytes : null
      }
    },
  }
}

function readWhole(root: Root, cursor: Cursor, path: Path, buffer: { bytes: Uint8Array }, maxBytes: number): Uint8Array {
  const { sys } = root
  const dir = cursor.enter(parentOf(path))
  const name = nameOf(path)
  if (path === '') throw new FilewrightError('is_directory', 'The root of the workspace is a directory.')
  checkName(name, dir === root.dir, path)
  const fd = sys.open(inDir(dir, name), OPEN.read)
  try {
    root.recheck(dir)
    // A read at a position fails on FIFOs, sockets and terminals; what is left that is no file is a device, which ends at once or never.
    let size = sys.read(fd, buffer.bytes, 0)
    if (size > 0 && size < buffer.bytes.length && size <= maxBytes) return buffer.bytes.subarray(0, size)
    const stats = sys.fstat(fd)
    if (stats.isDirectory()) throw new FilewrightError('is_directory', `${path} is a directory.`)
    if (!stats.isFile()) throw new FilewrightError('not_regular', `${path} is not a regular file.`)
    for (;;) {
      const known = Math.max(size, stats.size)
      if (known > maxBytes) {
        throw new FilewrightError('too_large', `${path} has ${known} bytes; the limit is ${maxBytes}.`, {
          details: { size: known, limit: maxBytes },
        })
      }
      if (size === buffer.bytes.length) buffer.bytes = grown(buffer.bytes, Math.max(known + 1, size * 2))
      const count = sys.read(fd, buffer.bytes.subarray(size), size)
      if (count === 0) return buffer.bytes.subarray(0, size)
      size += count
    }
  } finally {
    closeQuietly(sys, fd)
  }
}

function grown(bytes: Uint8Array, length: number): Uint8Array {
  const larger = new Uint8Array(length)
  larger.set(bytes)
  return larger
}
