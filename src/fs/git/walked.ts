/** The adapter's tree as a scan walks it: directories that nobody has loaded are told from git's trees, and stay unloaded. */
import { bareEntry } from '../../core/entry.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Entry, EntryKind, MaybePromise, Want } from '../../core/file_system.ts'
import { nameOf, type Path } from '../../core/path.ts'
import type { GitMode, Oid } from '../../core/repository.ts'
import { childrenByPath, childrenOf } from '../../core/tree/nodes.ts'
import type { Walked } from '../../core/tree/scan.ts'
import type { ObjectDatabase } from '../../git/objects.ts'
import { treeCursor } from '../../git/tree.ts'
import { impossibleName, loadDirectory } from './load.ts'
import { type GitDirectoryNode, type GitKinds, storedDirectory } from './nodes.ts'
import { entriesIn, plainEntries } from './places.ts'

/** A directory of which git knows all that a scan tells. A node for each of its files would cost several times as much. */
interface BareDirectory {
  readonly kind: 'bare'
  readonly entries: Entry[]
  /** By name; null for what is no directory. */
  readonly trees: ReadonlyMap<string, Oid | null>
}

type Directory = GitDirectoryNode | BareDirectory

const KINDS: Readonly<Record<GitMode, EntryKind>> = {
  '100644': 'file',
  '100755': 'file',
  '120000': 'link',
  '160000': 'special',
  '040000': 'directory',
}
/** Of all modes that git has. */
const ACCESS = { read: true, write: true } as const

/** A directory that cannot be read is told, and not entered. */
export function walkedIn(objects: ObjectDatabase, want: Want): Walked<Directory> {
  const load = (directory: GitDirectoryNode): MaybePromise<Directory> => {
    const loading = loadDirectory(objects, directory)
    return loading ? loading.then(() => directory) : directory
  }
  const told = (bytes: Uint8Array, tree: Oid, path: Path, directory: GitDirectoryNode): MaybePromise<Directory> =>
    bareDirectory(bytes, tree, path, want) ?? load(directory)
  const enter = (above: Directory, path: Path): MaybePromise<Directory> => {
    const directory = childOf(above, nameOf(path))
    const tree = want.stat ? null : treeOf(directory)
    if (tree === null) return load(directory)
    const bytes = objects.readAs(tree, 'tree')
    return bytes instanceof Promise ? bytes.then((bytes) => told(bytes, tree, path, directory)) : told(bytes, tree, path, directory)
  }
  return {
    entries(path, directory) {
      if (directory.kind === 'bare') return directory.entries
      const children = directory.inOrder ? childrenOf<GitKinds>(directory) : childrenByPath<GitKinds>(directory)
      return want.stat || want.target ? entriesIn(objects, path, children, want) : plainEntries(path, children, want)
    },
    enter(above, path) {
      try {
        const entered = enter(above, path)
        return entered instanceof Promise ? entered.catch(unreadable) : entered
      } catch (error) {
        return unreadable(error)
      }
    },
  }
}

/** A directory that a scan told of. */
function childOf(above: Directory, name: string): GitDirectoryNode {
  if (above.kind === 'directory') return childrenOf<GitKinds>(above).get(name) as GitDirectoryNode
  // Of this scan alone: only facts that nobody asked for would tell it from the workspace's own.
  return storedDirectory({ tree: above.trees.get(name) as Oid, facts: null, beside: false }, '', null)
}

/** The tree of a directory that is not loaded, and of which there is nothing else; null of any other. */
function treeOf({ children, changed, recent, stored: { tree, facts } }: GitDirectoryNode): Oid | null {
  return children === null && !changed && recent === null && facts === null ? tree : null
}

/** Null when it is not enough: what a link leads to is in an object of its own. Throws `corrupt`, as loading it does. */
function bareDirectory(bytes: Uint8Array, tree: Oid, path: Path, { target, access }: Want): BareDirectory | null {
  const entries: Entry[] = []
  const trees = new Map<string, Oid | null>()
  const prefix = `${path}/`
  const cursor = treeCursor(bytes, tree)
  while (cursor.next()) {
    const { name } = cursor
    const kind = KINDS[cursor.mode]
    if (kind === 'link' && target) return null
    if (name === '.' || name === '..' || trees.has(name)) throw impossibleName(name)
    trees.set(name, kind === 'directory' ? cursor.oid : null)
    const entry = bareEntry((prefix + name) as Path, kind)
    entries.push(access ? { ...entry, access: ACCESS } : entry)
  }
  return { kind: 'bare', entries, trees }
}

function unreadable(error: unknown): null {
  if (error instanceof FilewrightError) return null
  throw error
}
