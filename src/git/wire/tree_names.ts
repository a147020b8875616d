/** Names in trees that no repository may bring along: they would lead out of a worktree, or into git's own files. */

import { DOT_GIT, opensAs } from '../../core/disguise.ts'

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
  if (!close) return false
  const name = new TextDecoder().decode(bytes.subarray(start, end))
  return opensAs(name, DOT_GIT) || name.split('\\').some((part) => part === '.' || part === '..')
}
