/** Parameters of a query, checked. */
import { FilewrightError } from '../core/errors.ts'

/** An integer parameter; undefined when it is not given. Below `min` is `invalid_argument`, above `max` counts as `max` (C-42). */
export function integerParameter(
  query: URLSearchParams,
  name: string,
  { min, max = Number.MAX_SAFE_INTEGER }: { readonly min: number; readonly max?: number },
): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min)) throw new FilewrightError('invalid_argument', `${name} must be an integer of at least ${min}.`, { field: name })
  return Math.min(value, max)
}

/** A yes-or-no parameter: `true`, or `false`, which is the default. */
export function booleanParameter(query: URLSearchParams, name: string): boolean {
  const text = query.get(name)
  if (text !== null && text !== 'true' && text !== 'false') {
    throw new FilewrightError('invalid_argument', `${name} must be true or false.`, { field: name })
  }
  return text === 'true'
}
