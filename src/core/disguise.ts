/** Names in disguise: what opens the same file on some platform although it is spelt otherwise (security.md 1.3 rule 7). */

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

/** Whether a name opens on some platform what `known` tells, in lower case. Windows also reads a backslash as a separator. */
export function opensAs(name: string, known: RegExp): boolean {
  return name.split('\\').some((part) => known.test(plainName(part)))
}

/** What git's own directory is called, and the short name that Windows gives it: trees with it are refused by git. */
export const DOT_GIT: RegExp = /^(?:\.git|git~1)$/
