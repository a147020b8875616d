/** Names that git takes into no commit: its own in any disguise, so that no checkout writes into a repository. */

/** Code points that HFS+ drops from names. */
const IGNORABLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g
const DOT_GIT = /^(?:\.git|git~1)$/
/** With the short names that Windows gives it, of which the longer it looks the fewer letters are left. */
const MODULES =
  /^(?:\.gitmodules|gitmod~[1-4]|gi7eba~[1-9]|gi7eb~[1-9]\d|gi7e~[1-9]\d{2}|gi7~[1-9]\d{3}|gi~[1-9]\d{4}|g~[1-9]\d{5}|~[1-9]\d{6})$/

/**
 * Whether git refuses an entry of a tree: `.git` as any file system may understand it, and a link in the place of `.gitmodules`.
 * A workspace keeps such entries beside what it commits.
 */
export function isRefused(name: string, kind: 'file' | 'link' | 'directory' | 'special'): boolean {
  const refused = kind === 'link' ? [DOT_GIT, MODULES] : [DOT_GIT]
  return name.split('\\').some((part) => refused.some((pattern) => pattern.test(plain(part))))
}

/** A name as the most forgiving file system would understand it: case, ignorable code points, trailing dots and spaces, streams. */
function plain(name: string): string {
  const stream = name.indexOf(':')
  const bare = stream < 0 ? name : name.slice(0, stream)
  return bare
    .replace(IGNORABLE, '')
    .toLowerCase()
    .replace(/[. ]+$/, '')
}
