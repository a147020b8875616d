/** What the conformance suite checks with: no test runner is needed to say that two things differ. */
import { type ErrorCode, type FilewrightError, isFilewrightError } from '../core/errors.ts'
import { canonicalJson } from '../core/record.ts'

/** Most characters of a value in a message. */
const SHOWN = 400

/** A storage did not do what the interface says. */
export class Difference extends Error {
  override readonly name = 'Difference'
}

/** Throws {@link Difference} unless `holds`. */
export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Difference(what)
}

/** Throws {@link Difference} unless both are equal as JSON, or as bytes. */
export function same(actual: unknown, expected: unknown, what: string): void {
  if (actual instanceof Uint8Array && expected instanceof Uint8Array) {
    if (!sameBytes(actual, expected)) throw new Difference(`${what}: got ${shown(actual)}, expected ${shown(expected)}`)
    return
  }
  if (actual === expected) return
  const [got, wanted] = [text(actual), text(expected)]
  if (got === wanted) return
  // Long values differ in one place; what is before it is of no help.
  let from = 0
  while (got[from] === wanted[from]) from++
  from = got.length < SHOWN ? 0 : Math.max(0, from - SHOWN / 4)
  throw new Difference(`${what}: got ${cut(got, from)}, expected ${cut(wanted, from)}`)
}

/** Throws {@link Difference} unless the action fails with `code`. Returns the error. */
export async function fails(action: () => unknown, code: ErrorCode, what: string): Promise<FilewrightError> {
  let result: unknown
  try {
    result = await action()
  } catch (error) {
    if (isFilewrightError(error, code)) return error
    throw new Difference(`${what}: failed with ${describeError(error)}, expected ${code}`, { cause: error })
  }
  throw new Difference(`${what}: got ${shown(result)}, expected ${code}`)
}

/** A thrown value in one line. */
export function describeError(error: unknown): string {
  if (isFilewrightError(error)) return `${error.code} (${error.message})`
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function text(value: unknown): string {
  return canonicalJson(value ?? null)
}

function shown(value: unknown): string {
  if (!(value instanceof Uint8Array)) return cut(text(value), 0)
  const head = [...value.subarray(0, 24)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
  return `${value.length} bytes [${head}${value.length > 24 ? ' …' : ''}]`
}

function cut(json: string, from: number): string {
  return `${from > 0 ? '… ' : ''}${json.slice(from, from + SHOWN)}${json.length > from + SHOWN ? ' …' : ''}`
}
