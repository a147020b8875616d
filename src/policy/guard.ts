/** One rule set over paths, asked on what a call names and again on what it would change. */
import { FilewrightError } from '../core/errors.ts'
import type { Path } from '../core/path.ts'
import { checkProtected } from './protected.ts'
import type { Refusal } from './refusal.ts'
import { checkSensitive } from './sensitive.ts'

/** What a guard needs to know. */
export interface GuardOptions {
  readonly allowGitInternals: boolean
  /** The call may change ignored files. */
  readonly allowIgnored: boolean
  /** The call may change sensitive files. */
  readonly allowSensitive: boolean
  /** Whether a path is in a folder of backups. */
  readonly isHidden: (path: Path) => boolean
  /** Judges one path by the ignore files; null when it is not ignored. */
  readonly ignored: (path: Path) => Promise<Refusal | null>
}

/**
 * Checks every spelling of one target: as written, as resolved, and the links in between. Protected comes first, then
 * sensitive, then ignored (C-40). Throws the refusal as an error that names rule and source.
 */
export async function guardPath(given: string, spellings: readonly Path[], options: GuardOptions): Promise<void> {
  const refusal =
    first(spellings, (path) => checkProtected(path, options) ?? checkHidden(path, options)) ??
    (options.allowSensitive ? null : first(spellings, checkSensitive)) ??
    (options.allowIgnored ? null : await firstIgnored(spellings, options))
  if (refusal) throw refusalError(given, refusal)
}

function first(paths: readonly Path[], check: (path: Path) => Refusal | null): Refusal | null {
  for (const path of paths) {
    const refusal = check(path)
    if (refusal) return refusal
  }
  return null
}

function checkHidden(path: Path, { isHidden }: GuardOptions): Refusal | null {
  return isHidden(path) ? { code: 'protected_path', rule: path, source: 'the folders of backups' } : null
}

async function firstIgnored(paths: readonly Path[], options: GuardOptions): Promise<Refusal | null> {
  for (const path of paths) {
    const refusal = await options.ignored(path)
    if (refusal) return refusal
  }
  return null
}

const EXPLAIN: { readonly [code in Refusal['code']]: string } = {
  protected_path: 'is protected and never changed by a tool',
  sensitive_path: 'looks like it holds secrets; pass allow_sensitive if the user agrees',
  ignored_path: 'is ignored; pass allow_ignored if the user agrees',
}

function refusalError(given: string, refusal: Refusal): FilewrightError {
  return new FilewrightError(
    refusal.code,
    `${given} ${EXPLAIN[refusal.code]} (rule ${JSON.stringify(refusal.rule)} of ${refusal.source}).`,
    {
      details: { rule: refusal.rule, rule_source: refusal.source },
    },
  )
}
