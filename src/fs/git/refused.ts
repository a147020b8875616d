/** Names that git takes into no commit: its own in any disguise, so that no checkout writes into a repository. */

import { DOT_GIT, opensAs } from '../../core/disguise.ts'

/** With the short names that Windows gives it, of which the longer it looks the fewer letters are left. */
const MODULES =
  /^(?:\.gitmodules|gitmod~[1-4]|gi7eba~[1-9]|gi7eb~[1-9]\d|gi7e~[1-9]\d{2}|gi7~[1-9]\d{3}|gi~[1-9]\d{4}|g~[1-9]\d{5}|~[1-9]\d{6})$/

/**
 * Whether git refuses an entry of a tree: `.git` as any file system may understand it, and a link in the place of `.gitmodules`.
 * A workspace keeps such entries beside what it commits.
 */
export function isRefused(name: string, kind: 'file' | 'link' | 'directory' | 'special'): boolean {
  return opensAs(name, DOT_GIT) || (kind === 'link' && opensAs(name, MODULES))
}
