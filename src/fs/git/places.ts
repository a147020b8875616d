/** Finding nodes by path in a tree whose directories are loaded as they are entered. */
import { FilewrightError } from '../../core/errors.ts'
import type { Entry, MaybePromise, Want } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { nameOf, namesOf, type Path, parentOf } from '../../core/path.ts'
import { type Child, childNamed, childrenOf, notDirectory } from '../../core/tree/nodes.ts'
import type { ObjectDatabase } from '../../git/objects.ts'
import { learnTarget } from './learn.ts'
import { loadDirectory } from './load.ts'
import { entryOf, type GitDirectoryNode, type GitFileNode, type GitKinds, type GitNode } from './nodes.ts'
import { learnSizes } from './reads.ts'

/** The node at a path. Throws `not_found`, `not_directory`. */
export async function findIn(objects: ObjectDatabase, root: GitDirectoryNode, path: Path): Promise<GitNode> {
  let node: GitNode = root
  for (const name of namesOf(path)) {
    if (node.kind !== 'directory') throw notDirectory(path)
    const loading = loadDirectory(objects, node)
    if (loading) await loading
    node = childNamed<GitKinds>(node, name, path)
  }
  return node
}

/** A loaded directory. Throws `not_found`, `not_directory`. */
export async function directoryIn(objects: ObjectDatabase, root: GitDirectoryNode, path: Path): Promise<GitDirectoryNode> {
  const node = await findIn(objects, root, path)
  if (node.kind !== 'directory') throw new FilewrightError('not_directory', `${path} is not a directory.`)
  await loadDirectory(objects, node)
  return node
}

/** A finder that remembers the last directory, since paths mostly come in runs of neighbours. Failures are values. */
export function createFinderIn(objects: ObjectDatabase, root: GitDirectoryNode): (path: Path) => MaybePromise<GitNode | FilewrightError> {
  let at: Path | null = null
  let directory: GitDirectoryNode | null = null
  const findSlowly = async (path: Path): Promise<GitNode | FilewrightError> => {
    try {
      const node = await findIn(objects, root, path)
      const parent = parentOf(path)
      directory = path === '' ? root : ((await findIn(objects, root, parent)) as GitDirectoryNode)
      at = parent
      return node
    } catch (error) {
      if (error instanceof FilewrightError) return error
      throw error
    }
  }
  return (path) => {
    if (directory === null || path === '' || parentOf(path) !== at) return findSlowly(path)
    return childrenOf(directory).get(nameOf(path)) ?? findSlowly(path)
  }
}

/** A file that holds a content now, as far as a record told of it. Where git alone knows a directory, no record was of anything in it. */
export async function holderIn(objects: ObjectDatabase, root: GitDirectoryNode, hash: Hash): Promise<GitFileNode | undefined> {
  const waiting = [root]
  for (let directory = waiting.pop(); directory; directory = waiting.pop()) {
    if (directory.stored && (directory.stored.facts ?? directory.recent) === null) continue
    await loadDirectory(objects, directory)
    for (const node of directory.children?.values() ?? []) {
      if (node.kind === 'directory') waiting.push(node)
      else if (node.kind === 'file' && node.hash === hash) return node
    }
  }
  return undefined
}

/** Learns what entries of these nodes tell, as far as that fetches nothing. */
export async function learnFor(objects: ObjectDatabase, nodes: Iterable<GitNode>, want: Want): Promise<void> {
  const all = [...nodes]
  if (want.stat) await learnSizes(objects, all)
  for (const node of all) {
    if (want.target && node.kind === 'link' && node.target === null) await learnTarget(objects, node)
    // Times and identity of a directory are in it.
    if (want.stat && node.kind === 'directory' && (node.stored.facts ?? node.recent) !== null) await loadDirectory(objects, node)
  }
}

/** The entries of children of a directory. */
export async function entriesIn(objects: ObjectDatabase, dir: Path, children: Iterable<Child<GitKinds>>, want: Want): Promise<Entry[]> {
  if (want.stat || want.target) await learnFor(objects, nodesOf(children), want)
  return plainEntries(dir, children, want)
}

/** The same where nothing has to be looked up. */
export function plainEntries(dir: Path, children: Iterable<Child<GitKinds>>, want: Want): Entry[] {
  const prefix = dir === '' ? '' : `${dir}/`
  const entries: Entry[] = []
  for (const [name, node] of children) entries.push(entryOf((prefix + name) as Path, node, want))
  return entries
}

function* nodesOf(children: Iterable<Child<GitKinds>>): Generator<GitNode> {
  for (const [, node] of children) yield node
}
