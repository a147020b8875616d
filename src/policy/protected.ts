/** Paths that no tool changes: git's own files in any disguise, and the product's store (contract C-39b, security.md 1.3 rule 7). */
import { opensAs } from '../core/disguise.ts'
import type { Path } from '../core/path.ts'
import { namesOf } from '../core/path.ts'
import type { Refusal } from './refusal.ts'

/** Name of the product's store, a folder at the root of a workspace on disk. */
export const STORE_NAME = '.filewright'

/** Windows knows files by their short names too, whose number depends on what else is there. */
const GIT = /^(\.git|git~\d+)$/
const STORE = /^(\.filewright|filewr~\d+)$/

/** The reason why the path is protected, or null. Checked on the names a caller wrote and on every resolved path. */
export function checkProtected(path: Path, options: { readonly allowGitInternals: boolean }): Refusal | null {
  const names = namesOf(path)
  if (names[0] !== undefined && opensAs(names[0], STORE)) {
    return { code: 'protected_path', rule: STORE_NAME, source: 'the workspace store' }
  }
  const git = options.allowGitInternals ? undefined : names.find((name) => opensAs(name, GIT))
  return git === undefined ? null : { code: 'protected_path', rule: git, source: 'git internals' }
}
