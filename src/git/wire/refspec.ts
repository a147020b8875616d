/** Which references of a remote become which of ours: `+refs/heads/*:refs/remotes/origin/*`. */
import { FilewrightError } from '../../core/errors.ts'
import { isOid } from '../oid.ts'
import { isSentRefName } from './names.ts'

/** One rule, as git reads it. */
export interface Refspec {
  /** Moves what it leads to also when history is lost. */
  readonly force: boolean
  /** Whatever is `from` is left out, also where other rules are about it: `^refs/heads/x`. */
  readonly excludes: boolean
  /** Full name, a shorter one that stands for one of {@link namesOf}, an object, or a pattern with one `*`. */
  readonly from: string
  /** Null: fetched, without a name here. */
  readonly to: string | null
}

/** Reads a rule. Throws `invalid_argument`. */
export function parseRefspec(text: string): Refspec {
  const [, sign, source, target] = /^([+^]?)([^:^+][^:]*)?(?::(.*))?$/.exec(text) ?? []
  const excludes = sign === '^'
  const from = source ?? 'HEAD'
  const to = target ? fullTarget(target) : null
  const stars = (name: string): number => name.split('*').length - 1
  const isName = (name: string): boolean => isSentRefName(name.replace('*', 'x'))
  const sound =
    (source !== undefined || (!excludes && text.includes(':'))) &&
    isName(`refs/${from}`) &&
    (excludes
      ? target === undefined && stars(from) < 2 && !isOid(from)
      : (to === null || isName(to)) && stars(from) === (to ? stars(to) : stars(from)))
  if (sign === undefined || !sound) {
    throw new FilewrightError(
      'invalid_argument',
      `Not a rule for references: ${text.slice(0, 200)}. Write from:to, or ^from to leave it out.`,
      {
        field: 'refspecs',
      },
    )
  }
  return { force: sign === '+', excludes, from, to }
}

/** What a rule leads to, in full: a branch, unless it says something else. */
function fullTarget(name: string): string {
  if (name.startsWith('refs/')) return name
  return /^(heads|tags|remotes)\//.test(name) ? `refs/${name}` : `refs/heads/${name}`
}

/** The full names that the source of a rule without `*` can mean; the first that there is counts. */
export function namesOf({ from }: Refspec): readonly string[] {
  return [from, ...(['', 'tags/', 'heads/', 'remotes/'] as const).map((kind) => `refs/${kind}${from}`), `refs/remotes/${from}/HEAD`]
}

/** The name that a rule gives to a full name; null when the rule is not about `name`. */
export function mapped({ from, to }: Pick<Refspec, 'from' | 'to'>, name: string): string | null {
  const star = from.indexOf('*')
  if (star < 0) return from === name ? (to ?? name) : null
  const [before, after] = [from.slice(0, star), from.slice(star + 1)]
  if (name.length < from.length - 1 || !name.startsWith(before) || !name.endsWith(after)) return null
  return (to ?? from).replace('*', () => name.slice(star, name.length - after.length))
}

/** Whether one of the rules leaves a full name out. */
export function isExcluded(refspecs: readonly Refspec[], name: string): boolean {
  return refspecs.some((spec) => spec.excludes && mapped(spec, name) !== null)
}

/** The beginnings of the names that a rule is about, for asking a server. */
export function prefixesOf(spec: Refspec): readonly string[] {
  const { excludes, from } = spec
  if (excludes || isOid(from)) return []
  const star = from.indexOf('*')
  if (star >= 0) return [from.slice(0, star)]
  return from.startsWith('refs/') ? [from] : namesOf(spec)
}
