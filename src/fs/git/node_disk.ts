/** Files and directories of a git directory on disk, one at a time. */
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { allocate } from '../../core/bytes.ts'
import { failureAt } from '../../core/errno.ts'
import type { GitFile } from '../../git/files.ts'
import { mayLeadOut } from '../../git/git_paths.ts'
import { isRefName } from '../../git/ref_names.ts'
import { isMissing } from './node_places.ts'

/** Names in a directory, those of directories with a slash. */
export function namesIn(at: string, path: string): string[] {
  return fs.readdirSync(at, { withFileTypes: true }).map((found) => {
    // Links to directories are directories; where they must not lead out, reading them says so.
    const directory =
      found.isDirectory() || (found.isSymbolicLink() && fs.statSync(join(at, found.name), { throwIfNoEntry: false })?.isDirectory())
    return directory && (mayLeadOut(path) || found.isDirectory()) ? `${found.name}/` : found.name
  })
}

/**
 * What a symbolic reference would say that is kept as a symbolic link, as git does with `core.preferSymlinkRefs`; null for anything else.
 * The link's text is a name, from the git directory on, and is never followed as a path.
 */
export function symbolicRefAt(at: string): Uint8Array | null {
  if (!fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return null
  const target = fs.readlinkSync(at)
  return isRefName(target) && target.startsWith('refs/') ? new TextEncoder().encode(`ref: ${target}\n`) : null
}

/** All bytes of an open file. */
export function readWhole(fd: number): Uint8Array {
  const { size } = fs.fstatSync(fd)
  const bytes = allocate(size)
  let at = 0
  while (at < size) {
    const count = fs.readSync(fd, bytes, at, size - at, at)
    if (count === 0) break
    at += count
  }
  return at === size ? bytes : bytes.subarray(0, at)
}

/** An open file, as others read it. */
export function openFile(path: string, fd: number): GitFile {
  return {
    size: fs.fstatSync(fd).size,
    read(offset, length) {
      try {
        const bytes = allocate(length)
        let at = 0
        while (at < length) {
          const count = fs.readSync(fd, bytes, at, length - at, offset + at)
          if (count === 0) break
          at += count
        }
        return at === length ? bytes : bytes.subarray(0, at)
      } catch (error) {
        throw failureAt(path, error)
      }
    },
    close: () => fs.closeSync(fd),
  }
}

/** Writes all bytes, however many calls it takes. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at, bytes.length - at)
}

/** Waits until an open file is on the device. */
export function sync(fd: number): Promise<void> {
  return new Promise((done, failed) => fs.fsync(fd, (error) => (error ? failed(error) : done())))
}

/** Waits until the names in a directory are on the device. */
export async function syncDirectory(dir: string): Promise<void> {
  // A directory that is gone again has nothing to keep; Windows cannot open one.
  if (process.platform === 'win32') return
  let fd: number
  try {
    fd = fs.openSync(dir, fs.constants.O_RDONLY)
  } catch (error) {
    if (isMissing(error)) return
    throw error
  }
  try {
    await sync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Removes a directory that holds nothing but empty ones. */
export function removeEmpty(dir: string): boolean {
  try {
    for (const name of fs.readdirSync(dir)) if (!removeEmpty(join(dir, name))) return false
    fs.rmdirSync(dir)
    return true
  } catch {
    return false
  }
}

/** Removes directories that a removed reference leaves empty, but for those like `refs/heads`. */
export function removeEmptyParents(at: string, path: string): void {
  const names = path.split('/').length - (path.startsWith('logs/') ? 4 : 3)
  let dir = dirname(at)
  for (let left = names; left > 0; left--, dir = dirname(dir)) {
    try {
      fs.rmdirSync(dir)
    } catch {
      // Something is in it.
      return
    }
  }
}
