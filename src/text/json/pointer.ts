/** JSON Pointers: the addresses of a patch (P-62). */
import { FilewrightError } from '../../core/errors.ts'

/** Most tokens of a pointer, and deepest nesting of a value: what is written here can be read by parsers that recurse. */
export const MAX_DEPTH = 200

/** The tokens of a pointer, unescaped; none for the whole document. Throws `invalid_argument` saying what is wrong. */
export function parsePointer(pointer: string): string[] {
  if (pointer === '') return []
  if (pointer.startsWith('#')) throw invalid('must begin with "/": the form with # is not accepted')
  if (!pointer.startsWith('/')) throw invalid('must be "" or begin with "/"')
  if (/~(?![01])/.test(pointer)) throw invalid('holds a "~" that is not followed by 0 or 1: write ~0 for "~" and ~1 for "/"')
  const tokens = pointer.slice(1).split('/')
  if (tokens.length > MAX_DEPTH) throw invalid(`must have at most ${MAX_DEPTH} parts`)
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The pointer of tokens. */
export function formatPointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The index that a token means in an array: `0`, or digits without a leading zero; null for anything else. */
export function indexOf(token: string): number | null {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(token) ? Number(token) : null
}

function invalid(problem: string): FilewrightError {
  return new FilewrightError('invalid_argument', problem)
}
