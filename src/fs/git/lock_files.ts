/** Git's own locks, `<file>.lock`, which other programs respect. */
import { errnoOf } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import { processStart } from '../../host/process_start.ts'

/** What is asked of the host: a part of `node:fs`. */
export interface LockHost {
  symlinkSync(target: string, path: string): void
  readlinkSync(path: string): string
  readFileSync(path: string, encoding: 'latin1'): string
  unlinkSync(path: string): void
  writeFileSync(path: string, text: string, options: { readonly flag: 'wx' }): void
  lstatSync(path: string, options: { readonly throwIfNoEntry: false }): { readonly mtimeMs: number } | undefined
}

/** Locks on files. */
export interface LockFiles {
  /**
   * Takes the lock of the file at `at`; answers how it is given up. `run` runs an action in the file's directory, making it when it is
   * missing. Throws `conflict` after `waitMs`.
   */
  take(path: string, at: string, waitMs: number, run: (action: () => void) => void): Promise<() => void>
}

/** Longest time between two looks whether a lock is free. */
const LONGEST_PAUSE_MS = 20
/** Clearing a lock takes less than this by far. */
const CLEARING_MS = 10_000

/**
 * A lock is a symbolic link whose text names its holder, made in one step; it lasts as long as what it guards changes. So a lock
 * that one of our own processes left when it was killed is recognised, and taken away. Locks of others are never touched, as git
 * never does; `conflict` names them, and a person decides.
 */
export function createLockFiles(host: LockHost, machine: string): LockFiles {
  const mark = markOf(host, machine, process.pid)

  const tryTake = (lock: string): boolean => {
    try {
      host.symlinkSync(mark, lock)
      return true
    } catch (error) {
      const errno = errnoOf(error)
      if (errno === 'EEXIST') return false
      if (errno === 'ENOENT' || errno === 'ENOTDIR') throw error
    }
    // A file system without links.
    try {
      host.writeFileSync(lock, mark, { flag: 'wx' })
      return true
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false
      throw error
    }
  }

  const holderOf = (lock: string): string | null => {
    try {
      return host.readlinkSync(lock)
    } catch {
      return null
    }
  }

  /** Takes away the lock of one of our processes that died. Only one process does so at a time: nobody's new lock is removed. */
  const clearDead = (lock: string, at: string): void => {
    const holder = holderOf(lock)
    if (holder === null || !isDead(host, machine, holder)) return
    const clearing = `${at}.clearing.lock`
    try {
      host.writeFileSync(clearing, '', { flag: 'wx' })
    } catch {
      const made = host.lstatSync(clearing, { throwIfNoEntry: false })?.mtimeMs
      if (made !== undefined && Date.now() - made > CLEARING_MS) removeQuietly(host, clearing)
      return
    }
    try {
      if (holderOf(lock) === holder) host.unlinkSync(lock)
    } finally {
      removeQuietly(host, clearing)
    }
  }

  return {
    async take(path, at, waitMs, run) {
      const lock = `${at}.lock`
      const until = performance.now() + waitMs
      for (let pause = 1; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
        let taken = false
        run(() => {
          taken = tryTake(lock)
        })
        if (taken) return () => removeQuietly(host, lock)
        clearDead(lock, at)
        if (performance.now() > until) {
          throw new FilewrightError(
            'conflict',
            `${path} is locked: ${path}.lock exists in the repository. Try again when the other git command has ended; if none runs, remove that file.`,
            { details: { lock: `${path}.lock` } },
          )
        }
        await new Promise((done) => setTimeout(done, Math.random() * pause))
      }
    },
  }
}

function removeQuietly(host: LockHost, path: string): void {
  try {
    host.unlinkSync(path)
  } catch {
    // It is gone.
  }
}

/** Names a process for ever: its number is used again, on this machine and in other name spaces of processes. */
function markOf(host: LockHost, machine: string, pid: number): string {
  return `filewright ${placeOf(host, machine).join(' ')} ${pid} ${processStart(pid) ?? 0}`
}

/** Where a process number means something: a machine, since it was started last, and on Linux a name space of processes. */
function placeOf(host: LockHost, machine: string): [machine: string, boot: string, space: string] {
  const known = (action: () => string): string => {
    try {
      return encodeURIComponent(action().trim()) || '-'
    } catch {
      return '-'
    }
  }
  const id = known(() => host.readFileSync('/etc/machine-id', 'latin1'))
  const boot = known(() => host.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))
  return [`${encodeURIComponent(machine)}/${id}`, boot, known(() => host.readlinkSync('/proc/self/ns/pid'))]
}

/** True when a lock is of one of our processes that runs no more: its machine was started anew, or its number is another's or nobody's. */
function isDead(host: LockHost, machine: string, holder: string): boolean {
  const [name, itsMachine, itsBoot, itsSpace, pid, start] = holder.split(' ')
  const [ourMachine, ourBoot, ourSpace] = placeOf(host, machine)
  if (name !== 'filewright' || itsMachine !== ourMachine || !pid || !start) return false
  if (itsBoot !== ourBoot) return true
  return itsSpace === ourSpace && processStart(Number(pid)) !== Number(start)
}
