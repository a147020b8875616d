/** The operator's policy of trusted automation: which calls run unasked in the approval mode `trusted` (contract P-159, W-7). */
import { z } from 'zod'
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

const names = z.array(z.string().min(1).max(200)).min(1).max(1000)
const document = z.strictObject({
  version: z.literal(1),
  rules: z.array(z.strictObject({ operations: names, paths: names, subjects: names.optional() })).max(1000),
})

/** Checks a policy. Throws `invalid_argument`, naming the place, for anything that the format does not have. */
export function parseTrustPolicy(value: unknown): TrustPolicy {
  const { data, error } = document.safeParse(value)
  if (data) return data as TrustPolicy
  const [issue] = error.issues
  const place = (issue?.path ?? []).map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')
  const where = place === '' ? '' : ` at ${place.replace(/^\./, '')}`
  throw new FilewrightError('invalid_argument', `The trust policy is wrong${where}: ${issue?.message ?? 'it cannot be read'}.`, {
    field: 'trust-policy',
  })
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
