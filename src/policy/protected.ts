/** Paths that no tool changes: git's own files in any disguise, and the product's store (contract C-39b, security.md 1.3 rule 7). */
import type { Path } from '../core/path.ts'
import { namesOf } from '../core/path.ts'
import type { Refusal } from './refusal.ts'

/** Name of the product's store, a folder at the root of a workspace on disk. */
export const STORE_NAME = '.filewright'

/** Code points that HFS+ drops from names, so that `.g\u200cit` opens `.git` there. */
const IGNORABLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** A name as the most forgiving file system would understand it: case, ignorable code points, trailing dots and spaces, streams. */
function plainName(name: string): string {
  const stream = name.indexOf(':')
  return (stream < 0 ? name : name.slice(0, stream))
    .normalize('NFC')
    .replace(IGNORABLE, '')
    .toLowerCase()
    .replace(/[. ]+$/, '')
}

/** Whether a name opens what `known` is. Windows also reads a backslash as a separator, and knows files by their short names. */
function opens(name: string, known: RegExp): boolean {
  return name.split('\\').some((part) => known.test(plainName(part)))
}

const GIT = /^(\.git|git~\d+)$/
const STORE = /^(\.filewright|filewr~\d+)$/

/** The reason why the path is protected, or null. Checked on the names a caller wrote and on every resolved path. */
export function checkProtected(path: Path, options: { readonly allowGitInternals: boolean }): Refusal | null {
  const names = namesOf(path)
  if (names[0] !== undefined && opens(names[0], STORE)) {
    return { code: 'protected_path', rule: STORE_NAME, source: 'the workspace store' }
  }
  const git = options.allowGitInternals ? undefined : names.find((name) => opens(name, GIT))
  return git === undefined ? null : { code: 'protected_path', rule: git, source: 'git internals' }
}
