/** The lock where there are no abstract sockets: a file that names its holder. */

import { errnoOf, failureAt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Lock } from './lock.ts'
import { closeQuietly, type HostPath, OPEN, type Sys, writeAll } from './syscalls.ts'

const POLL_MS = 20
/** A file without a name this old is that of a holder that died before it could write it. */
const NAMELESS_MS = 5000

/**
 * A lock made of a file at `path`, held for one use at a time. A holder that does not run any more is recognised by its process
 * number (and start, where that can be known), so that its file is taken away at once.
 */
export function createFileLock(sys: Sys, path: string, waitMs: number): Lock {
  const own = `${sys.pid} ${sys.startOf(sys.pid) ?? 0} ${Math.random()}`

  const take = (): boolean => {
    let fd: number
    try {
      fd = sys.open(path, OPEN.create, 0o600)
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false
      throw failureAt('The lock of the workspace', error)
    }
    try {
      writeAll(sys, fd, new TextEncoder().encode(own), 0)
    } finally {
      closeQuietly(sys, fd)
    }
    return true
  }

  /** Takes the file of a dead holder away. Of several that try, one gets the file, and what it gets it looks at again. */
  const clearStale = (): void => {
    const seen = readText(sys, path)
    const age = Date.now() - (sys.lstat(path)?.mtimeMs ?? Number.POSITIVE_INFINITY)
    if (seen === null || (seen === '' ? age < NAMELESS_MS : isAlive(sys, seen))) return
    const aside = `${path}.${own.replaceAll(' ', '.')}`
    try {
      sys.rename(path, aside)
      if (readText(sys, aside) === seen) sys.unlink(aside)
      // Somebody else cleared it first, and a living holder's was taken: it goes back.
      else sys.rename(aside, path)
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw failureAt('The lock of the workspace', error)
    }
  }

  return {
    async acquire() {
      for (const until = performance.now() + waitMs; !take(); ) {
        clearStale()
        if (performance.now() > until) {
          throw new FilewrightError('timeout', 'Another process is changing this workspace and does not finish. Try again later.')
        }
        await new Promise((resolve) => setTimeout(resolve, POLL_MS * Math.random()))
      }
      // Held for one use only: others may have been here since the last.
      return false
    },
    release() {
      if (readText(sys, path) === own) sys.unlink(path)
    },
    close() {},
  }
}

function readText(sys: Sys, path: HostPath): string | null {
  try {
    const fd = sys.open(path, OPEN.read)
    try {
      const bytes = new Uint8Array(200)
      return new TextDecoder().decode(bytes.subarray(0, sys.read(fd, bytes, 0)))
    } finally {
      closeQuietly(sys, fd)
    }
  } catch {
    return null
  }
}

function isAlive(sys: Sys, holder: string): boolean {
  const [pid, start] = holder.split(' ').map(Number)
  return pid !== undefined && sys.startOf(pid) === start
}
