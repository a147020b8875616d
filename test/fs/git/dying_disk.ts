/** A disk that ends the process at one of its operations, as a power cut of the program would. */
import fs from 'node:fs'

/** What changes something. Whatever else is done to a disk leaves nothing behind. */
const CHANGES = [
  'mkdirSync',
  'renameSync',
  'rmSync',
  'rmdirSync',
  'unlinkSync',
  'linkSync',
  'utimesSync',
  'writeSync',
  'writeFileSync',
  'appendFileSync',
] as const

/** Counts changes from now on, and kills this process before the given one; a write that is the one is done by half. Null: never. */
export function dieAt(change: number | null): { count(): number } {
  let count = 0
  const die = (): never => {
    process.kill(process.pid, 'SIGKILL')
    // The signal comes in a moment.
    for (;;);
  }
  const host = fs as unknown as Record<string, (...args: unknown[]) => unknown>
  const watch = (name: string, isChange: (args: unknown[]) => boolean): void => {
    const real = host[name] as (...args: unknown[]) => unknown
    host[name] = (...args) => {
      if (isChange(args) && ++count === change) {
        if (name === 'writeSync') {
          const [fd, bytes] = args as [number, Uint8Array]
          real.call(fs, fd, bytes, 0, Math.floor(bytes.length / 2))
        }
        die()
      }
      return real.apply(fs, args)
    }
  }
  for (const name of CHANGES) watch(name, () => true)
  watch('openSync', ([, flags]) => typeof flags === 'number' && (flags & fs.constants.O_CREAT) !== 0)
  return { count: () => count }
}
