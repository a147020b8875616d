/** The memory adapter's tree: nodes that never change once a commit is done, edited by copying the directories on the way. */
import type { Side, Version } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { compareText, nameOf, namesOf, type Path, parentOf } from '../../core/path.ts'

interface NodeFacts {
  readonly mode: number
  readonly mtimeMs: number
  readonly createdMs: number
  readonly version: Version
}

export interface FileNode extends NodeFacts {
  readonly kind: 'file'
  readonly hash: Hash
  readonly bytes: Uint8Array
}

export interface LinkNode extends NodeFacts {
  readonly kind: 'link'
  readonly target: string
}

export interface DirectoryNode extends NodeFacts {
  readonly kind: 'directory'
  readonly children: ReadonlyMap<string, TreeNode>
  /** Orders of the children, made when first asked for. */
  byName?: readonly Child[]
  byPath?: readonly Child[]
}

export type TreeNode = FileNode | LinkNode | DirectoryNode
export type Child = readonly [name: string, node: TreeNode]

/** Children in code-point order of their names. */
export function childrenByName(directory: DirectoryNode): readonly Child[] {
  directory.byName ??= [...directory.children].sort(([a], [b]) => compareText(a, b))
  return directory.byName
}

/** Children in the order of a scan: a directory compares as if its name ended in `/`. */
export function childrenByPath(directory: DirectoryNode): readonly Child[] {
  directory.byPath ??= [...directory.children].sort((a, b) => compareText(scanName(a), scanName(b)))
  return directory.byPath
}

function scanName([name, node]: Child): string {
  return node.kind === 'directory' ? `${name}/` : name
}

/** The node at a path. Throws `not_found`, or `not_directory` when the path passes through a file or a link. */
export function findNode(root: DirectoryNode, path: Path): TreeNode {
  let node: TreeNode = root
  for (const name of namesOf(path)) {
    if (node.kind !== 'directory') throw notDirectory(path)
    const child = node.children.get(name)
    if (!child) throw notFound(path)
    node = child
  }
  return node
}

/** A finder that remembers the last directory, since paths mostly come in runs of neighbours. */
export function createFinder(root: DirectoryNode): (path: Path) => TreeNode {
  let at: Path | null = null
  let directory: TreeNode = root
  return (path) => {
    if (path === '') return root
    const parent = parentOf(path)
    if (parent !== at) {
      directory = findNode(root, parent)
      at = parent
    }
    if (directory.kind !== 'directory') throw notDirectory(path)
    const node = directory.children.get(nameOf(path))
    if (!node) throw notFound(path)
    return node
  }
}

/** A changed tree in the making. The tree it began with is never touched: dropping the edit is the way back. */
export interface TreeEdit {
  root(): DirectoryNode
  /** What is at a path; null when nothing is, also where the path passes through something that is not a directory. */
  peek(path: Path): TreeNode | null
  /** Throws `not_found` or `not_directory` unless the parent of a path is a directory. */
  enter(path: Path): void
  /** Puts a node in the place of whatever is there. Throws as `enter`. */
  put(path: Path, node: TreeNode): void
  /** Takes away what is there. */
  drop(path: Path): void
}

interface OpenDirectory extends DirectoryNode {
  readonly children: Map<string, TreeNode>
  mtimeMs: number
}

/** Begins an edit. Directories whose children change get `now` as their time. */
export function editTree(original: DirectoryNode, now: number): TreeEdit {
  const own = new Set<DirectoryNode>()
  let root = original

  /** This edit's own copy of a directory. */
  const open = (directory: DirectoryNode): OpenDirectory => {
    if (own.has(directory)) return directory as OpenDirectory
    const { byName: _, byPath: __, ...facts } = directory
    const copy = { ...facts, children: new Map(directory.children) }
    own.add(copy)
    return copy
  }

  const openParent = (path: Path): OpenDirectory => {
    let directory = open(root)
    root = directory
    for (const name of namesOf(parentOf(path))) {
      const child = directory.children.get(name)
      if (!child) throw notFound(path)
      if (child.kind !== 'directory') throw notDirectory(path)
      const copy = open(child)
      directory.children.set(name, copy)
      directory = copy
    }
    directory.mtimeMs = now
    return directory
  }

  return {
    root: () => root,
    peek(path) {
      let node: TreeNode | undefined = root
      for (const name of namesOf(path)) {
        if (node?.kind !== 'directory') return null
        node = node.children.get(name)
      }
      return node ?? null
    },
    enter: (path) => void openParent(path),
    put: (path, node) => void openParent(path).children.set(nameOf(path), node),
    drop: (path) => void openParent(path).children.delete(nameOf(path)),
  }
}

/** A node as the journal records it. */
export function sideOf(node: TreeNode | null): Side | null {
  if (node === null) return null
  if (node.kind === 'link') return { kind: 'link', target: node.target }
  if (node.kind === 'directory') return { kind: 'directory', mode: node.mode }
  return { kind: 'file', hash: node.hash, size: node.bytes.length, mode: node.mode }
}

function notFound(path: Path): FilewrightError {
  return new FilewrightError('not_found', `${path} does not exist.`)
}

function notDirectory(path: Path): FilewrightError {
  return new FilewrightError('not_directory', `${path} passes through something that is not a directory.`)
}
