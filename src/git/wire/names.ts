/** Names that come from a server: of objects, and of references. */
import type { Oid } from '../../core/repository.ts'
import { isOid } from '../oid.ts'
import { notGit } from './pkt_line.ts'

/** The name of an object. Throws `corrupt` for anything else. */
export function oidOf(text: string | undefined): Oid {
  if (text === undefined || !isOid(text)) throw notGit()
  return text
}

/** Whether git takes a name for a reference: what a server sends becomes a path in our repository. */
export function isRefName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (name.length > 1024 || /[\u0000-\u0020\u007f~^:?*[\\\ufffd]|\.\.|@\{|\/\/|\.$|\/$/.test(name)) return false
  return name.startsWith('refs/') && name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
}
