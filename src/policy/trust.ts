/** The operator's policy of trusted automation: which calls run unasked in the approval mode `trusted` (contract P-159, W-7). */
import { FilewrightError } from '../core/errors.ts'
import type { Path } from '../core/path.ts'

/** Who may do what where, without being asked. */
export interface TrustRule {
  /** Tools by name. A batch must be named itself, with all that it performs. */
  readonly operations: readonly string[]
  /**
   * Globs as in `.gitignore`, relative to the workspace's root: `/dist/` is that folder with all that is in it, `dist/` every folder of
   * that name, `/notes/*.md` files of one folder; `!` takes back what an earlier one selected.
   */
  readonly paths: readonly string[]
  /** Exact subjects; default: everyone. */
  readonly subjects?: readonly string[]
}

/** A policy file. */
export interface TrustPolicy {
  readonly version: 1
  readonly rules: readonly TrustRule[]
}

/** What is asked about. */
export interface TrustQuestion {
  /** The tool, and what it performed. */
  readonly operations: readonly string[]
  /** Every path that the changes touch. */
  readonly paths: readonly { readonly path: Path; readonly directory: boolean }[]
  readonly subject: string
}

/** Compiles globs to a test of paths. Throws `invalid_argument` on `field`. */
export type GlobCompiler = (globs: readonly string[], field: string) => (path: Path, directory: boolean) => boolean

/** Most rules of a policy, and most entries of one list. */
const MOST = 1000
const LONGEST_NAME = 200

/** Checks a policy. Throws `invalid_argument`, naming the place, for anything that the format does not have. */
export function parseTrustPolicy(value: unknown): TrustPolicy {
  const { version, rules } = membersOf(value, ['version', 'rules'], '')
  if (version !== 1) throw wrong('version', 'must be 1')
  if (!Array.isArray(rules) || rules.length > MOST) throw wrong('rules', `must be a list of at most ${MOST} rules`)
  return { version, rules: rules.map((rule, at) => ruleOf(rule, `rules[${at}]`)) }
}

function ruleOf(value: unknown, place: string): TrustRule {
  const { operations, paths, subjects } = membersOf(value, ['operations', 'paths', 'subjects'], place)
  return {
    operations: namesOf(operations, `${place}.operations`),
    paths: namesOf(paths, `${place}.paths`),
    ...(subjects !== undefined && { subjects: namesOf(subjects, `${place}.subjects`) }),
  }
}

function membersOf(value: unknown, known: readonly string[], place: string): { readonly [name: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(place, 'must be an object')
  const stranger = Object.keys(value).find((name) => !known.includes(name))
  if (stranger !== undefined) throw wrong(place, `has no member ${JSON.stringify(stranger)}, only ${known.join(', ')}`)
  return value as { readonly [name: string]: unknown }
}

function namesOf(value: unknown, place: string): readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST) throw wrong(place, `must be a list of 1 to ${MOST} texts`)
  const at = value.findIndex((name) => typeof name !== 'string' || name === '' || name.length > LONGEST_NAME)
  if (at >= 0) throw wrong(`${place}[${at}]`, `must be a text of 1 to ${LONGEST_NAME} characters`)
  return value
}

function wrong(place: string, problem: string): FilewrightError {
  const subject = place === '' ? 'The trust policy' : `In the trust policy, ${place}`
  return new FilewrightError('invalid_argument', `${subject} ${problem}.`, { field: 'trust-policy' })
}

/**
 * The test that a policy stands for: each path of the changes is covered by a rule that names all of the operations and the subject.
 * A call that changes nothing is covered where a rule names it. Throws `invalid_argument` for a glob that is none.
 */
export function compileTrust(policy: TrustPolicy, compile: GlobCompiler): (question: TrustQuestion) => boolean {
  const rules = parseTrustPolicy(policy).rules.map(({ operations, paths, subjects }, at) => ({
    operations: new Set(operations),
    subjects: subjects && new Set(subjects),
    covers: compile(paths, `rules[${at}].paths`),
  }))
  return ({ operations, paths, subject }) => {
    const fitting = rules.filter(
      (rule) => operations.every((name) => rule.operations.has(name)) && (rule.subjects === undefined || rule.subjects.has(subject)),
    )
    return fitting.length > 0 && paths.every(({ path, directory }) => fitting.some((rule) => rule.covers(path, directory)))
  }
}
