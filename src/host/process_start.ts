/** When a process began: with its number it names one process, where the number alone comes to be another's. */
import { readFileSync } from 'node:fs'

/** In the system's own units; 0 where it does not tell. Undefined when the process does not run. */
export function processStart(pid: number): number | undefined {
  return process.platform === 'linux' ? linuxStart(pid) : runs(pid) ? 0 : undefined
}

function linuxStart(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is a name in brackets, which may hold anything. The third tells whether it only waits to be forgotten.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return /[ZX]/.test(fields[0] as string) ? undefined : Number(fields[19])
  } catch {
    return undefined
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
