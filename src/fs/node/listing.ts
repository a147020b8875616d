/** Children of a directory, read through its handle. */

import { bareEntry } from '../../core/entry.ts'
import type { Entry, EntryKind, Want } from '../../core/file_system.ts'
import { compareText, type Path, ROOT } from '../../core/path.ts'
import { accessTo, entryOf, kindOf, targetOf } from './entries.ts'
import { type Dir, inDir, type Root, STORE_NAME } from './handles.ts'
import { textOfBytes } from './names.ts'
import type { Dirent } from './syscalls.ts'

/** The order of names, or that of full paths, where a directory's name ends in `/`. */
export type ChildOrder = 'name' | 'path'

/** What neither sorts as the engine sorts, nor need be what it looks like: surrogates, and all that comes after them. */
const HIGH = /[\ud800-\uffff]/
/** What Node shows in the place of a bad byte: no file can be opened by it. */
const REPLACEMENT = '\ufffd'
const SLASH = 47

/** Children of `path`, which is open as `dir`. Throws the system's errors. */
export function childrenOf(root: Root, dir: Dir, path: Path, want: Want, order: ChildOrder): Entry[] {
  /** Kinds other than `file`, unless a slash at the end of the key says it. */
  const kinds = new Map<string, EntryKind>()
  const keys = readKeys(root, dir, kinds, order === 'path')
  const prefix = path === '' ? '' : `${path}/`
  const entries: Entry[] = []
  for (const key of keys) {
    const folder = key.charCodeAt(key.length - 1) === SLASH
    const name = folder ? key.slice(0, -1) : key
    if (name === STORE_NAME && path === ROOT) continue
    const child = (prefix + name) as Path
    const kind = folder ? 'directory' : (kinds.get(name) ?? 'file')
    // The texts of links ask for a look at links alone.
    const asked = want.stat || want.access || (want.target && kind === 'link')
    const entry = asked ? detailed(root, dir, name, child, want) : bareEntry(child, kind)
    if (entry) entries.push(entry)
  }
  return entries
}

/** What the children are called, sorted; with `slashes`, directories by their names and a slash. */
function readKeys(root: Root, dir: Dir, kinds: Map<string, EntryKind>, slashes: boolean): string[] {
  const found = root.sys.list(dir.self)
  const keys: string[] = []
  let high = false
  for (const entry of found) {
    const { name } = entry
    high ||= HIGH.test(name)
    keys.push(keyOf(name, entry, kinds, slashes))
  }
  // The engine's order is several times faster than one that compares code points.
  if (!high) return keys.sort()
  if (!keys.some((key) => key.includes(REPLACEMENT))) return keys.sort(compareText)
  kinds.clear()
  return root.sys
    .listBytes(dir.self)
    .map((raw) => keyOf(textOfBytes(raw.name), raw, kinds, slashes))
    .sort(compareText)
}

function keyOf(
  name: string,
  entry: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>,
  kinds: Map<string, EntryKind>,
  slashes: boolean,
): string {
  if (entry.isFile()) return name
  if (slashes && entry.isDirectory()) return `${name}/`
  kinds.set(name, kindOf(entry))
  return name
}

function detailed(root: Root, dir: Dir, name: string, path: Path, want: Want): Entry | null {
  const stats = root.sys.lstat(inDir(dir, name))
  // Gone since it was listed.
  if (!stats) return null
  const kind = kindOf(stats)
  const target = want.target && kind === 'link' ? targetOf(root, dir, name) : null
  const entry = want.stat ? entryOf(path, stats, null, target) : { ...bareEntry(path, kind), target }
  return want.access ? { ...entry, access: accessTo(root, dir, name) } : entry
}
