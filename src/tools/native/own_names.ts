/** Shared tools under the argument names of the `native` profile. */
import { FilewrightError } from '../../core/errors.ts'

/** The argument of a shared tool that each own one stands for. */
export interface OwnNames {
  readonly [own: string]: string
}

/** Runs what calls a shared tool; a failure is told in the own names, with `at` before them. Throws what `work` throws. */
export async function inOwnNames<Result>(names: OwnNames, work: () => Promise<Result>, at = ''): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof FilewrightError ? renamed(error, names, at) : error
  }
}

function renamed(error: FilewrightError, names: OwnNames, at: string): FilewrightError {
  const { code, field, details } = error
  let [message, own] = [error.message, field]
  for (const [name, foreign] of Object.entries(names)) {
    // A word by itself: the foreign names are long and do not occur in prose, but files may be called so.
    if (foreign.includes('_')) message = message.replace(new RegExp(`(?<![\\w./-])${foreign}(?![\\w/-]|\\.\\w)`, 'g'), name)
    if (field === foreign || field?.startsWith(`${foreign}[`)) own = name + (field as string).slice(foreign.length)
  }
  return new FilewrightError(code, message, {
    ...(own !== undefined && { field: at + own }),
    ...(details && { details }),
    cause: error,
  })
}

/** As {@link inOwnNames}, for what answers at once. */
export function inOwnNamesNow<Result>(names: OwnNames, work: () => Result, at: string): Result {
  try {
    return work()
  } catch (error) {
    throw error instanceof FilewrightError ? renamed(error, names, at) : error
  }
}
