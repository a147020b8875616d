/** A storage that fails on demand, to see what happens above it. */
import { type ErrorCode, FilewrightError } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'

/** The methods of a storage. */
export type FileSystemMethod = {
  [Key in keyof FileSystem]: FileSystem[Key] extends (...args: never[]) => unknown ? Key : never
}[keyof FileSystem]

/** One planned failure. */
export interface Fault {
  readonly method: FileSystemMethod
  /** Which call of the method fails, counted from 1. */
  readonly call: number
  readonly code: ErrorCode
  /** The call does its work and fails afterwards, as when an answer is lost. Default: it fails instead. */
  readonly after?: boolean
}

/** A storage in which the planned calls fail; everything else goes to `fs`. A failing `scan` throws when it is first asked for a page. */
export function withFaults(fs: FileSystem, faults: readonly Fault[]): FileSystem {
  const calls = new Map<PropertyKey, number>()
  return new Proxy(fs, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        const call = (calls.get(property) ?? 0) + 1
        calls.set(property, call)
        const fault = faults.find((planned) => planned.method === property && planned.call === call)
        const act = (): unknown => value.apply(target, args)
        if (!fault) return act()
        return property === 'scan' ? failedScan(fault) : failedCall(fault, act)
      }
    },
  })
}

function errorOf({ method, call, code }: Fault): FilewrightError {
  return new FilewrightError(code, `Planned failure of call ${call} of ${method}.`)
}

async function failedCall(fault: Fault, act: () => unknown): Promise<never> {
  if (fault.after) await act()
  throw errorOf(fault)
}

function failedScan(fault: Fault): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(errorOf(fault)) }) }
}
