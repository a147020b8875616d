/** Which references of a remote become which of ours: `+refs/heads/*:refs/remotes/origin/*`. */
import { FilewrightError } from '../../core/errors.ts'
import { isSentRefName } from './names.ts'

/** One rule. */
export interface Refspec {
  /** Moves what it leads to also when history is lost. */
  readonly force: boolean
  /** Full name, or a pattern with one `*`. */
  readonly from: string
  /** Null: fetched, without a name here. */
  readonly to: string | null
}

/** Reads a rule. Throws `invalid_argument`. */
export function parseRefspec(text: string): Refspec {
  const [, plus, from, to] = /^(\+?)([^:^+][^:]*)(?::(.*))?$/.exec(text) ?? []
  const stars = (name: string): number => name.split('*').length - 1
  const sound =
    from !== undefined &&
    [from, ...(to ? [to] : [])].every((name) => isSentRefName(name.replace('*', 'x')) || (name === from && name === 'HEAD')) &&
    stars(from) === (to ? stars(to) : stars(from))
  if (!sound) {
    throw new FilewrightError('invalid_argument', `Not a rule for references: ${text.slice(0, 200)}. Write from:to with full names.`, {
      field: 'refspecs',
    })
  }
  return { force: plus === '+', from, to: to || null }
}

/** The name that a rule gives; null when the rule is not about `name`. */
export function mapped({ from, to }: Refspec, name: string): string | null {
  const star = from.indexOf('*')
  if (star < 0) return from === name ? (to ?? name) : null
  const [before, after] = [from.slice(0, star), from.slice(star + 1)]
  if (name.length < from.length - 1 || !name.startsWith(before) || !name.endsWith(after)) return null
  return (to ?? from).replace('*', () => name.slice(star, name.length - after.length))
}

/** A rule the other way round: from ours to the remote's. */
export function reversed({ force, from, to }: Refspec): Refspec {
  return { force, from: to ?? from, to: from }
}

/** The beginning of the names that a rule is about, for asking a server. */
export function prefixOf({ from }: Refspec): string {
  const star = from.indexOf('*')
  return star < 0 ? from : from.slice(0, star)
}
