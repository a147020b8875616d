/** System calls that fail, fall short, or are the last ones of a process: every operation of a commit can be the one. */
import { constants, copyFileSync } from 'node:fs'
import { type HostPath, nodeSys, type Sys } from '../../../src/fs/node/syscalls.ts'

/** What happens at one operation. `dead` ends the process as far as the disk can tell; `kill` ends it for real. */
export type FaultMode = 'none' | 'dead-before' | 'dead-after' | 'kill-before' | 'kill-after' | 'EIO' | 'ENOSPC' | 'short'

export interface Fault {
  readonly mode: FaultMode
  /** Number of the operation, from 1 on. */
  readonly at: number
}

export interface FaultySys {
  readonly sys: Sys
  /** Names of the operations so far that could change something. */
  readonly log: string[]
  /** True once the process counts as dead. */
  isDead(): boolean
}

/** Thrown by every call of a process that is dead. */
export class Dead extends Error {
  override readonly name = 'Dead'
}

/** A copy that has ended when the process dies. */
function copyAtOnce(...args: unknown[]): Promise<void> {
  const [from, to] = args as [HostPath, HostPath]
  copyFileSync(from, to)
  return Promise.resolve()
}

/** No process has this number: what a dead one left must look like that of a dead one. */
const NO_PROCESS = 2 ** 31 - 1

const WRITES: ReadonlySet<keyof Sys> = new Set([
  'write',
  'truncate',
  'makeDirectory',
  'removeDirectory',
  'link',
  'symlink',
  'rename',
  'unlink',
  'copy',
  'setMode',
  'setOwner',
  'setTimes',
  'sync',
  'syncData',
])

/**
 * The system's calls with one fault. Only operations that change something are counted: dying around any other is the same as
 * dying around the last that did. Flushes are counted and left out: what a killed process wrote is there without them.
 */
export function faultySys(fault: Fault, real: Sys = nodeSys): FaultySys {
  const log: string[] = []
  let dead = false
  const die = (): never => {
    if (fault.mode.startsWith('kill')) process.kill(process.pid, 'SIGKILL')
    dead = true
    throw new Dead('The process is dead.')
  }
  const counted =
    (name: string, call: (...args: never[]) => unknown) =>
    (...args: never[]): unknown => {
      if (dead) throw new Dead('The process is dead.')
      log.push(name)
      const now = log.length === fault.at
      if (now && fault.mode.endsWith('-before')) die()
      if (now && (fault.mode === 'EIO' || fault.mode === 'ENOSPC')) throw Object.assign(new Error(fault.mode), { code: fault.mode })
      if (now && fault.mode === 'short' && name === 'write') {
        const [fd, bytes, position] = args as unknown as [number, Uint8Array, number]
        return real.write(fd, bytes.subarray(0, Math.max(1, bytes.length >> 1)), position)
      }
      const result = name.startsWith('sync') ? Promise.resolve() : name === 'copy' ? copyAtOnce(...args) : call(...args)
      if (now && fault.mode.endsWith('-after')) {
        if (name === 'create') real.close(result as number)
        die()
      }
      return result
    }
  const table: Record<string, unknown> = {}
  for (const name of Object.keys(real) as (keyof Sys)[]) {
    const call = real[name] as (...args: never[]) => unknown
    // Handles are closed by the kernel when a process dies.
    if (name === 'close' || name === 'startOf') table[name] = call
    else if (name === 'pid') table[name] = NO_PROCESS
    else if (WRITES.has(name)) table[name] = counted(name, call)
    else
      table[name] = (...args: never[]): unknown => {
        if (dead) throw new Dead('The process is dead.')
        return call(...args)
      }
  }
  const open = counted('create', real.open as (...args: never[]) => unknown) as unknown as Sys['open']
  table.open = (path: HostPath, flags: number, mode?: number): number => {
    if (dead) throw new Dead('The process is dead.')
    return flags & constants.O_CREAT ? open(path, flags, mode) : real.open(path, flags, mode)
  }
  return { sys: table as unknown as Sys, log, isDead: () => dead }
}
