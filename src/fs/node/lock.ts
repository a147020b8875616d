/** The lock of a workspace: one writer at a time, among all processes, released by the kernel when its holder dies. */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { FilewrightError } from '../../core/errors.ts'

/** A lock that stays held between uses until somebody else wants it. Not for use by two callers of one process at once. */
export interface Lock {
  /**
   * Waits until it is held; true when it was never given up since the last use, so that nobody else changed anything.
   * Throws `timeout` when another process keeps it longer than the time allowed.
   */
  acquire(): Promise<boolean>
  /** Ends a use; gives the lock up if others wait for it. */
  release(): void
  /** Gives it up. */
  close(): void
}

/** After giving way, how long others may take to come in before this process asks again. */
const GIVE_WAY_MS = 3
/** How long a holder works before it looks whether others wait. */
const LOOK_MS = 5

/**
 * A lock made of a socket in Linux's abstract name space, or a pipe of Windows: the name is taken while its holder lives, and
 * there is no file to be left behind. Those who wait are connected to the holder, so they learn at once that it let go or died.
 * On Linux, processes in different network name spaces do not see each other's locks.
 */
export function createSocketLock(path: string, waitMs: number): Lock {
  const waiting = new Set<Socket>()
  let server: Server | null = null
  let used = false
  let gaveWay = 0
  let looked = 0

  const giveUp = (): void => {
    if (!server) return
    server.close()
    server = null
    for (const socket of waiting) socket.destroy()
    waiting.clear()
    gaveWay = performance.now()
  }

  const take = (): Promise<Server | null> =>
    new Promise((resolve, reject) => {
      const candidate = createServer((socket) => {
        socket.unref()
        socket.on('error', () => {})
        socket.on('close', () => waiting.delete(socket))
        waiting.add(socket)
        if (!used && server === candidate) giveUp()
      })
      // Stays: later errors (too many open files) concern those who wait, who try again.
      candidate.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRINUSE') resolve(null)
        else reject(new FilewrightError('io_error', 'The lock of the workspace cannot be taken.', { cause: error }))
      })
      candidate.listen({ path }, () => {
        candidate.unref()
        resolve(candidate)
      })
    })

  return {
    async acquire() {
      used = true
      const now = performance.now()
      if (server) {
        if (now - looked < LOOK_MS) return true
        // The event loop has to turn for a connection to be seen.
        looked = now
        used = false
        await new Promise((resolve) => setImmediate(resolve))
        used = true
        if (server) return true
      }
      const until = now + waitMs
      if (now - gaveWay < GIVE_WAY_MS) await pause(GIVE_WAY_MS)
      while (!server) {
        server = await take()
        if (server) break
        const left = until - performance.now()
        if (left <= 0) {
          used = false
          throw new FilewrightError('timeout', 'Another process is changing this workspace and does not finish. Try again later.')
        }
        await holderLetsGo(path, left)
        // Who takes the name without answering must not keep this process busy.
        await pause(Math.random())
      }
      looked = performance.now()
      return false
    },
    release() {
      used = false
      if (waiting.size > 0) giveUp()
    },
    close: giveUp,
  }
}

/** Ends when the holder lets go, dies, or `ms` have passed. */
function holderLetsGo(path: string, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ path })
    const timer = setTimeout(() => socket.destroy(), ms)
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
    // Reading is what notices the end.
    socket.resume()
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
