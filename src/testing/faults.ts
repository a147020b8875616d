/** A storage that fails on demand, to see what happens above it. */
import { type ErrorCode, FilewrightError } from '../core/errors.ts'
import type { FileSystem, Notes } from '../core/file_system.ts'

type Methods<T> = {
  [Key in keyof T]-?: NonNullable<T[Key]> extends (...args: never[]) => unknown ? Key & string : never
}[keyof T]

/** The methods of a storage, and those of its notes. */
export type FileSystemMethod = Methods<FileSystem> | `notes.${Methods<Notes>}`

/** One planned failure. */
export interface Fault {
  readonly method: FileSystemMethod
  /** Which call of the method fails, counted from 1. */
  readonly call: number
  readonly code: ErrorCode
  /** The call does its work and fails afterwards, as when an answer is lost. Default: it fails instead. */
  readonly after?: boolean
}

/** Methods that answer in pages. */
const PAGED: readonly FileSystemMethod[] = ['scan', 'contents', 'watch']

/** A storage in which the planned calls fail; everything else goes to `fs`. What answers in pages throws when it is first asked for one. */
export function withFaults(fs: FileSystem, faults: readonly Fault[]): FileSystem {
  const calls = new Map<string, number>()
  const failing = <T extends object>(object: T, prefix: string): T =>
    new Proxy(object, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property)
        if (property === 'notes') return failing(value as Notes, 'notes.')
        if (typeof value !== 'function') return value
        const method = prefix + String(property)
        return (...args: unknown[]) => {
          const call = (calls.get(method) ?? 0) + 1
          calls.set(method, call)
          const fault = faults.find((planned) => planned.method === method && planned.call === call)
          const act = (): unknown => value.apply(target, args)
          if (!fault) return act()
          return PAGED.includes(fault.method) ? failedPages(fault) : failedCall(fault, act)
        }
      },
    })
  return failing(fs, '')
}

function errorOf({ method, call, code }: Fault): FilewrightError {
  return new FilewrightError(code, `Planned failure of call ${call} of ${method}.`)
}

async function failedCall(fault: Fault, act: () => unknown): Promise<never> {
  if (fault.after) await act()
  throw errorOf(fault)
}

function failedPages(fault: Fault): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(errorOf(fault)) }) }
}
