/** Names in trees that no repository may bring along: they would lead out of a worktree, or into git's own files. */

/** Code points that some file systems drop from names. */
const IGNORABLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g
const [DOT, SLASH, BACKSLASH, LOWER_G, UPPER_G] = [0x2e, 0x2f, 0x5c, 0x67, 0x47]

/**
 * Whether the name that stands in `bytes` from `start` to `end` is refused: empty, `.`, `..`, with a slash, or `.git` in any disguise, as
 * `git fsck` does.
 */
export function isHostileName(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start] as number
  if (start >= end) return true
  // What could be one of those: nearly no name is looked at closely.
  let close = first === DOT || first === LOWER_G || first === UPPER_G || first >= 0x80
  for (let at = start; at < end; at++) {
    if (bytes[at] === SLASH) return true
    if (bytes[at] === BACKSLASH) close = true
  }
  return close && new TextDecoder().decode(bytes.subarray(start, end)).split('\\').some(isHostilePart)
}

function isHostilePart(part: string): boolean {
  if (part === '.' || part === '..') return true
  const plain = (part.split(':', 1)[0] as string)
    .normalize('NFC')
    .replace(IGNORABLE, '')
    .toLowerCase()
    .replace(/[. ]+$/, '')
  return /^(\.git|git~1)$/.test(plain)
}
