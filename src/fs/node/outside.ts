/** Reads of files that are in no workspace, for the one tool that may (F-60). */
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { concatBytes } from '../../core/bytes.ts'
import { failureAt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { OutsideReader } from '../../core/outside.ts'

const BLOCK = 256 * 1024

/**
 * Lets `file_bytes` read any file that this process may read. Pass it to `openWorkspace` as `unconfinedReads`; whoever can call the
 * tool can then learn what any such file holds.
 */
export function createUnconfinedReads(): OutsideReader {
  return {
    async read(given, { base, maxBytes }) {
      const path = placeOf(given, base)
      let handle: FileHandle | undefined
      try {
        // Looked at first: opening a FIFO waits for its other end, and opening a device can do anything.
        requireRegular(await stat(path), given)
        handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0))
        requireRegular(await handle.stat(), given)
        return { path: await realpath(path), bytes: await readUpTo(handle, maxBytes, given) }
      } catch (error) {
        throw failureAt(given, error)
      } finally {
        await handle?.close()
      }
    },
  }
}

function placeOf(given: string, base: string): string {
  if (given.includes('\0')) throw new FilewrightError('invalid_argument', 'path must not hold a NUL character.', { field: 'path' })
  if (given === '~' || given.startsWith('~/')) return join(homedir(), given.slice(1))
  return resolve(base || '/', given)
}

function requireRegular(stats: Stats, given: string): void {
  if (stats.isDirectory()) throw new FilewrightError('is_directory', `${given} is a directory.`)
  if (!stats.isFile()) throw new FilewrightError('not_regular', `${given} is not a regular file.`)
}

/** Until its end, since some files of the system do not know their size. */
async function readUpTo(handle: FileHandle, maxBytes: number, given: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { bytesRead, buffer } = await handle.read({ buffer: new Uint8Array(BLOCK) })
    if (bytesRead === 0) break
    size += bytesRead
    if (size > maxBytes) throw new FilewrightError('too_large', `${given} has more than ${maxBytes} bytes, the limit for reading it whole.`)
    parts.push(buffer.subarray(0, bytesRead))
  }
  return concatBytes(parts)
}
