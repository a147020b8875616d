/** Children of a directory, read through its handle. */
import type { Entry, EntryKind, Want } from '../../core/file_system.ts'
import { compareText, type Path, ROOT } from '../../core/path.ts'
import { accessTo, bareEntry, entryOf, kindOf, targetOf } from './entries.ts'
import { type Dir, inDir, type Root, STORE_NAME } from './handles.ts'
import { textOfBytes } from './names.ts'

/** The order of names, or that of full paths, where a directory's name ends in `/`. */
export type ChildOrder = 'name' | 'path'

const REPLACEMENT = '\ufffd'

/** Children of `path`, which is open as `dir`. Throws the system's errors. */
export function childrenOf(root: Root, dir: Dir, path: Path, want: Want, order: ChildOrder): Entry[] {
  const kinds = new Map<string, EntryKind>()
  const keys = sorted(readKeys(root, dir, kinds, order))
  const prefix = path === '' ? '' : `${path}/`
  const asked = want.stat || want.target || want.access
  const entries: Entry[] = []
  for (const key of keys) {
    const folder = key.endsWith('/')
    const name = folder ? key.slice(0, -1) : key
    if (path === ROOT && name === STORE_NAME) continue
    const child = `${prefix}${name}` as Path
    const entry = asked ? detailed(root, dir, name, child, want) : bareEntry(child, folder ? 'directory' : (kinds.get(name) ?? 'file'))
    if (entry) entries.push(entry)
  }
  return entries
}

/** What the children are sorted by. Kinds other than `file` are put into `kinds`, unless a slash at the end of the key says it. */
function readKeys(root: Root, dir: Dir, kinds: Map<string, EntryKind>, order: ChildOrder): string[] {
  const keyOf = (name: string, kind: EntryKind): string => {
    if (kind === 'directory' && order === 'path') return `${name}/`
    if (kind !== 'file') kinds.set(name, kind)
    return name
  }
  const keys: string[] = []
  for (const entry of root.sys.list(dir.self)) {
    const { name } = entry
    // Node shows a bad byte as U+FFFD, which no file can be opened by: list again, as bytes.
    if (name.includes(REPLACEMENT)) {
      kinds.clear()
      return root.sys.listBytes(dir.self).map((raw) => keyOf(textOfBytes(raw.name), kindOf(raw)))
    }
    keys.push(keyOf(name, kindOf(entry)))
  }
  return keys
}

/** Code-point order. The engine's own is several times faster, and the same while no key holds a surrogate or what sorts after one. */
function sorted(keys: string[]): string[] {
  return keys.some((key) => HIGH.test(key)) ? keys.sort(compareText) : keys.sort()
}

const HIGH = /[\ud800-\uffff]/

function detailed(root: Root, dir: Dir, name: string, path: Path, want: Want): Entry | null {
  const stats = root.sys.lstat(inDir(dir, name))
  // Gone since it was listed.
  if (!stats) return null
  const kind = kindOf(stats)
  const target = want.target && kind === 'link' ? targetOf(root, dir, name) : null
  const entry = want.stat ? entryOf(path, stats, null, target) : { ...bareEntry(path, kind), target }
  return want.access ? { ...entry, access: accessTo(root, dir, name) } : entry
}
