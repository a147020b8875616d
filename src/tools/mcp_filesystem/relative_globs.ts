/** Globs of the `mcp-filesystem` profile: compared with whole paths relative to the directory that is searched. */
import { FilewrightError } from '../../core/errors.ts'
import { compilePathGlobs } from '../../text/glob/glob.ts'

/** Whether a path, relative to the directory of the call, is meant. */
export type RelativeGlob = (relative: string, directory: boolean) => boolean

/** `+(a|b)` and its like, which no compiler here knows; without the bar it would be a name with parentheses. */
const ALTERNATIVES_IN_PARENTHESES = /[@!?*+]\([^)]*\|/

/**
 * Compiles a glob in which `*` and `?` stay within one name and `**` reaches across directories; names that begin with a dot are
 * like all others, and letter case counts. A glob without a slash means the names directly in the directory. `!` at the start means
 * everything else. Throws `invalid_argument` on `field`.
 */
export function compileRelativeGlob(glob: string, field: string): RelativeGlob {
  if (ALTERNATIVES_IN_PARENTHESES.test(glob)) {
    throw new FilewrightError('invalid_argument', `${field} has alternatives in parentheses: write them as {a,b}.`, { field })
  }
  const [sign, body] = glob.startsWith('!') ? ['!', glob.slice(1)] : ['', glob]
  if (body === '') throw new FilewrightError('invalid_argument', `${field} must not be empty.`, { field })
  return compilePathGlobs([`${sign}/${body.replace(/^(?:\.?\/)+/, '')}`], field).matches
}

/** Any of several globs. */
export function compileRelativeGlobs(globs: readonly string[], field: string): RelativeGlob {
  const each = globs.map((glob, i) => compileRelativeGlob(glob, `${field}[${i}]`))
  return (relative, directory) => each.some((matches) => matches(relative, directory))
}
