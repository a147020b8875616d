/** Names that come from a server: of objects, and of references. */
import type { Oid } from '../../core/repository.ts'
import { isOid } from '../oid.ts'
import { isRefName } from '../ref_names.ts'
import { notGit } from './pkt_line.ts'

/** The name of an object. Throws `corrupt` for anything else. */
export function oidOf(text: string | undefined): Oid {
  if (text === undefined || !isOid(text)) throw notGit()
  return text
}

/** Whether what a server calls a reference may become one here: within `refs/`, of bounded length, in a name that is text. */
export function isSentRefName(name: string): boolean {
  return name.length <= 1024 && name.startsWith('refs/') && !name.includes('\ufffd') && isRefName(name)
}
