/** Globs of the `mcp-filesystem` profile: compared with whole paths relative to the directory that is searched. */
import { FilewrightError } from '../../core/errors.ts'
import { compilePathGlob, MAX_ALTERNATIVES, type PathGlobs } from '../../text/glob/glob.ts'

/** Whether a path, relative to the directory of the call, is meant. */
export type RelativeGlob = (relative: string, directory: boolean) => boolean

/** `@(a|b)` is one of them, `?(a|b)` one or none: braces say the same. */
const CHOICE = /([@?])\(([^()]*)\)/g
/** `!(a)`, `+(a)` and `*(a)` mean what no brace can say. */
const REPETITION = /(?<!\\)[!+*]\(/

/**
 * Compiles a glob in which `*` and `?` stay within one name and `**` reaches across directories; names that begin with a dot are
 * like all others, and letter case counts. A glob without a slash means the names directly in the directory. `!` at the start means
 * everything else. Throws `invalid_argument` on `field`.
 */
export function compileRelativeGlob(glob: string, field: string): RelativeGlob {
  return compile(glob, field).matches
}

function compile(glob: string, field: string): PathGlobs {
  const choices = glob.replace(CHOICE, (_, sign: string, inner: string) => braces(inner.split('|'), sign === '?'))
  if (REPETITION.test(choices)) {
    const problem = '!(…), +(…) and *(…) are not known here; use {a,b}, or \\( for a parenthesis that is meant itself.'
    throw new FilewrightError('invalid_argument', `${field}: ${problem}`, { field })
  }
  const [sign, body] = choices.startsWith('!') ? ['!', choices.slice(1)] : ['', choices]
  if (body === '') throw new FilewrightError('invalid_argument', `${field} must not be empty.`, { field })
  return compilePathGlob(`${sign}/${body.replace(/^(?:\.?\/)+/, '')}`, field)
}

function braces(choices: readonly string[], optional: boolean): string {
  const [only] = choices
  if (choices.length === 1 && !optional) return only as string
  return `{${optional ? ',' : ''}${choices.map((choice) => choice.replaceAll(',', '\\,')).join(',')}}`
}

/** Any of several globs, each standing for some of the alternatives that a list may have. Throws `invalid_argument` on `field`. */
export function compileRelativeGlobs(globs: readonly string[], field: string): RelativeGlob {
  const each: PathGlobs[] = []
  let alternatives = 0
  for (const [i, glob] of globs.entries()) {
    const compiled = compile(glob, `${field}[${i}]`)
    alternatives += compiled.alternatives
    if (alternatives > MAX_ALTERNATIVES) {
      throw new FilewrightError('invalid_argument', `${field} stands for more than ${MAX_ALTERNATIVES} globs: give fewer.`, { field })
    }
    each.push(compiled)
  }
  return (relative, directory) => each.some(({ matches }) => matches(relative, directory))
}
