/** Work that waits only where it must: written once, it is synchronous on storages that are, which is many times as fast. */
import type { MaybePromise } from '../core/file_system.ts'

/** Work in steps. What it yields is waited for. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>

/** Does the work: at once, or as a promise from the first step on that has to wait. */
export function run<T>(steps: Steps<T>): MaybePromise<T> {
  const step = steps.next()
  return step.done ? step.value : rest(steps, step.value)
}

/** The value itself, waited for if it is a promise: `yield* settled(file.read(0, 10))`. */
export function* settled<T>(value: MaybePromise<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value
}

async function rest<T>(steps: Steps<T>, first: Promise<unknown>): Promise<T> {
  let pending = first
  for (;;) {
    const [value, fault] = await pending.then(
      (value) => [value, null] as const,
      (error: unknown) => [null, { error }] as const,
    )
    const step = fault ? steps.throw(fault.error) : steps.next(value)
    if (step.done) return step.value
    pending = step.value
  }
}
