/** A storage in which what is planned goes wrong: calls that fail, are slow, or come after somebody else's. */
import { type ErrorCode, FilewrightError } from '../core/errors.ts'
import type { FileSystem, MaybePromise, Notes } from '../core/file_system.ts'

type Methods<T> = {
  [Key in keyof T]-?: NonNullable<T[Key]> extends (...args: never[]) => unknown ? Key & string : never
}[keyof T]

/** The methods of a storage, and those of its notes. */
export type FileSystemMethod = Methods<FileSystem> | `notes.${Methods<Notes>}`

/** Which call something happens to. */
interface Planned {
  readonly method: FileSystemMethod
  /** Counted from 1 for each method; `every`: all of them. */
  readonly call: number | 'every'
}

/** A call that fails. */
export interface FailingCall extends Planned {
  readonly code: ErrorCode
  /** The call does its work and fails afterwards, as when an answer is lost. Default: it fails instead. */
  readonly after?: boolean
}

/** A call that begins later. */
export interface DelayedCall extends Planned {
  readonly delayMs: number
}

/** A call before which another writer does something, such as a commit to the storage that it is given. */
export interface InterferedCall extends Planned {
  readonly meanwhile: (fs: FileSystem) => MaybePromise<unknown>
}

/** One thing that goes wrong. Of several for one call, delays come first, then other writers, then the failure. */
export type Fault = FailingCall | DelayedCall | InterferedCall

/** Methods that answer in pages. */
const PAGED: readonly string[] = ['scan', 'contents', 'watch']

/**
 * A storage in which the planned calls go wrong; everything else goes to `fs`. What answers in pages fails when it is first asked for
 * one, and cannot be delayed or interfered with: `invalid_argument`, as for a method that there is not, and a call before the first.
 */
export function withFaults(fs: FileSystem, faults: readonly Fault[]): FileSystem {
  const wrong = faults.find((fault) => PAGED.includes(fault.method) && !('code' in fault))
  if (wrong) throw new FilewrightError('invalid_argument', `${wrong.method} answers in pages: its calls can only fail.`)
  for (const fault of faults) requirePossible(fs, fault)
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
          const planned = faults.filter((fault) => fault.method === method && (fault.call === 'every' || fault.call === call))
          const act = (): unknown => value.apply(target, args)
          if (planned.length === 0) return act()
          return PAGED.includes(method) ? failedPages(planned[0] as FailingCall, call) : faultyCall(fs, planned, call, act)
        }
      },
    })
  return failing(fs, '')
}

/** What can never happen would let a test pass in vain. */
function requirePossible(fs: FileSystem, { method, call }: Fault): void {
  const [object, name] = method.startsWith('notes.') ? [fs.notes, method.slice('notes.'.length)] : [fs, method]
  if (typeof Reflect.get(object, name) !== 'function')
    throw new FilewrightError('invalid_argument', `The storage has no method ${method} that could fail.`)
  if (call !== 'every' && !(Number.isSafeInteger(call) && call > 0))
    throw new FilewrightError('invalid_argument', `${call} is no call of ${method}: the first is 1, and all are 'every'.`)
}

async function faultyCall(fs: FileSystem, planned: readonly Fault[], call: number, act: () => unknown): Promise<unknown> {
  for (const fault of planned) if ('delayMs' in fault) await new Promise((wake) => setTimeout(wake, fault.delayMs))
  for (const fault of planned) if ('meanwhile' in fault) await fault.meanwhile(fs)
  const failure = planned.find((fault) => 'code' in fault)
  if (!failure) return act()
  if (failure.after) await act()
  throw errorOf(failure, call)
}

function errorOf({ method, code }: FailingCall, call: number): FilewrightError {
  return new FilewrightError(code, `Planned failure of call ${call} of ${method}.`)
}

function failedPages(fault: FailingCall, call: number): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(errorOf(fault, call)) }) }
}
