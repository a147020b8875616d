/** The few facts of a commit that walks need, read without its names and its message. */
import { FilewrightError } from '../core/errors.ts'
import type { Oid } from '../core/repository.ts'
import { parseSignature } from './commit.ts'

/** Where a commit stands. */
export interface CommitLinks {
  readonly tree: Oid
  readonly parents: readonly Oid[]
  /** The committer's time, milliseconds since 1970. */
  readonly timeMs: number
}

const decoder = new TextDecoder('latin1')

/** Reads the links of a commit. Throws `corrupt`. */
export function parseLinks(bytes: Uint8Array, oid: Oid): CommitLinks {
  const head = decoder.decode(bytes.subarray(0, headEnd(bytes)))
  const links = /^tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)/.exec(head)
  if (!links) throw new FilewrightError('corrupt', `The commit ${oid} is damaged.`, { details: { oid } })
  const parents = [...(links[2] as string).matchAll(/parent ([0-9a-f]{40})/g)].map(([, parent]) => parent as Oid)
  return { tree: links[1] as Oid, parents, timeMs: parseSignature(/\ncommitter ([^\n]*)/.exec(head)?.[1] ?? '').timeMs }
}

/** Where the head of a commit ends: at the first empty line. */
function headEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) if (bytes[at + 1] === 10) return at + 1
  return bytes.length
}
