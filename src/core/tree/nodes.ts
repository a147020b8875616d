/** Trees in memory whose nodes never change once a commit is done; what a node is made of beyond the common facts is the storage's own. */
import type { Side } from '../change.ts'
import { FilewrightError } from '../errors.ts'
import type { Hash } from '../hash.ts'
import { compareText, nameOf, type Path, parentOf } from '../path.ts'

/** Facts of every node. Times are null where the storage has none. */
export interface NodeFacts {
  readonly mode: number
  readonly mtimeMs: number | null
  readonly createdMs: number | null
}

interface FileFacts extends NodeFacts {
  readonly kind: 'file'
  /** This and the size are null until somebody needed them, where a storage has to look. */
  readonly hash: Hash | null
  readonly size: number | null
}

interface LinkFacts extends NodeFacts {
  readonly kind: 'link'
  /** Null until somebody needed it, where a storage has to look. */
  readonly target: string | null
}

interface SpecialFacts extends NodeFacts {
  readonly kind: 'special'
}

interface DirectoryFacts<Kinds extends NodeKinds> extends NodeFacts {
  readonly kind: 'directory'
  /** Null until it is loaded. */
  readonly children: ReadonlyMap<string, TreeNode<Kinds>> | null
  /** Orders of the children, made when first asked for. */
  byName?: readonly Child<Kinds>[] | undefined
  byPath?: readonly Child<Kinds>[] | undefined
}

/** What a storage's own nodes have besides; `never` where it has no such nodes. */
export interface NodeKinds {
  readonly file: object
  readonly link: object
  readonly special: object
  readonly directory: object
}

export type FileNode<Kinds extends NodeKinds> = FileFacts & Kinds['file']
export type LinkNode<Kinds extends NodeKinds> = LinkFacts & Kinds['link']
export type SpecialNode<Kinds extends NodeKinds> = SpecialFacts & Kinds['special']
export type DirectoryNode<Kinds extends NodeKinds> = DirectoryFacts<Kinds> & Kinds['directory']
export type TreeNode<Kinds extends NodeKinds> = FileNode<Kinds> | LinkNode<Kinds> | SpecialNode<Kinds> | DirectoryNode<Kinds>
export type Child<Kinds extends NodeKinds> = readonly [name: string, node: TreeNode<Kinds>]

/** The children of a directory that is loaded. */
export function childrenOf<Kinds extends NodeKinds>(directory: DirectoryNode<Kinds>): ReadonlyMap<string, TreeNode<Kinds>> {
  const { children } = directory as DirectoryFacts<Kinds>
  if (children === null) throw new FilewrightError('io_error', 'A directory was used before it was loaded.')
  return children
}

/** Children in code-point order of their names. */
export function childrenByName<Kinds extends NodeKinds>(directory: DirectoryNode<Kinds>): readonly Child<Kinds>[] {
  const cached: DirectoryFacts<Kinds> = directory
  cached.byName ??= [...childrenOf(directory)].sort(([a], [b]) => compareText(a, b))
  return cached.byName
}

/** Children in the order of a scan: a directory compares as if its name ended in `/`. */
export function childrenByPath<Kinds extends NodeKinds>(directory: DirectoryNode<Kinds>): readonly Child<Kinds>[] {
  const cached: DirectoryFacts<Kinds> = directory
  cached.byPath ??= [...childrenOf(directory)].sort((a, b) => compareText(scanName(a), scanName(b)))
  return cached.byPath
}

function scanName<Kinds extends NodeKinds>([name, node]: Child<Kinds>): string {
  return node.kind === 'directory' ? `${name}/` : name
}

/** The node at a path. Throws `not_found`, or `not_directory` when the path passes through a file or a link. */
export function findNode<Kinds extends NodeKinds>(root: DirectoryNode<Kinds>, path: Path): TreeNode<Kinds> {
  let node: TreeNode<Kinds> = root
  // No list of the names is made: it would cost as much as the steps.
  for (let start = 0; start < path.length; ) {
    const slash = path.indexOf('/', start)
    const end = slash < 0 ? path.length : slash
    node = childNamed(node, path.slice(start, end), path)
    start = end + 1
  }
  return node
}

/** A finder that remembers the last directory, since paths mostly come in runs of neighbours. */
export function createFinder<Kinds extends NodeKinds>(root: DirectoryNode<Kinds>): (path: Path) => TreeNode<Kinds> {
  let at: Path | null = null
  let children: ReadonlyMap<string, TreeNode<Kinds>> = childrenOf(root)
  return (path) => {
    if (path === '') return root
    const parent = parentOf(path)
    if (parent !== at) {
      const directory = findNode(root, parent)
      if (directory.kind !== 'directory') throw notDirectory(path)
      children = childrenOf<Kinds>(directory)
      at = parent
    }
    const node = children.get(nameOf(path))
    if (!node) throw notFound(path)
    return node
  }
}

/** One step of a walk to `path`. Throws `not_found`, `not_directory`. */
export function childNamed<Kinds extends NodeKinds>(node: TreeNode<Kinds>, name: string, path: Path): TreeNode<Kinds> {
  if (node.kind !== 'directory') throw notDirectory(path)
  const child = childrenOf<Kinds>(node).get(name)
  if (!child) throw notFound(path)
  return child
}

/** A node that is a regular file. Throws `is_directory`, `not_regular`. */
export function regular<Kinds extends NodeKinds>(path: Path, node: TreeNode<Kinds>): FileNode<Kinds> {
  if (node.kind === 'file') return node
  if (node.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory.`)
  throw new FilewrightError('not_regular', `${path} is ${node.kind === 'link' ? 'a link, ' : ''}not a regular file.`)
}

/** A node as the journal records it. What it is made of must be known. */
export function sideOf<Kinds extends NodeKinds>(node: TreeNode<Kinds> | null): Side | null {
  if (node === null || node.kind === 'special') return null
  const { mode } = node
  if (node.kind === 'directory') return { kind: 'directory', mode }
  if (node.kind === 'link') return { kind: 'link', target: known(node.target) }
  return { kind: 'file', hash: known(node.hash), size: known(node.size), mode }
}

function known<Fact>(fact: Fact | null): Fact {
  if (fact === null) throw new FilewrightError('io_error', 'A fact of a file was used before it was known.')
  return fact
}

export function notFound(path: Path): FilewrightError {
  return new FilewrightError('not_found', `${path} does not exist.`)
}

export function notDirectory(path: Path): FilewrightError {
  return new FilewrightError('not_directory', `${path} passes through something that is not a directory.`)
}
