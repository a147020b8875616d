/** A tree in the making: the directories on the way to a change are copied, everything else is shared with the tree before. */
import { nameOf, namesOf, type Path, parentOf } from '../path.ts'
import { childrenOf, type DirectoryNode, type NodeKinds, notDirectory, notFound, type TreeNode } from './nodes.ts'

/** A changed tree in the making. The tree it began with is never touched: dropping the edit is the way back. */
export interface TreeEdit<Kinds extends NodeKinds> {
  root(): DirectoryNode<Kinds>
  /** What is at a path; null when nothing is, also where the path passes through something that is not a directory. */
  peek(path: Path): TreeNode<Kinds> | null
  /** Throws `not_found` or `not_directory` unless the parent of a path is a directory. */
  enter(path: Path): void
  /** Puts a node in the place of whatever is there. Throws as `enter`. */
  put(path: Path, node: TreeNode<Kinds>): void
  /** Takes away what is there. */
  drop(path: Path): void
}

/**
 * Begins an edit. Directories whose children change get `now` as their time. `copy` makes a copy of a directory with other children:
 * those of the edit, which are still to change.
 */
export function editTree<Kinds extends NodeKinds>(
  original: DirectoryNode<Kinds>,
  now: number,
  copy: (directory: DirectoryNode<Kinds>, children: Map<string, TreeNode<Kinds>>) => DirectoryNode<Kinds>,
): TreeEdit<Kinds> {
  const own = new Map<TreeNode<Kinds>, Map<string, TreeNode<Kinds>>>()
  let root = original

  /** This edit's own copy of a directory. */
  const open = (directory: DirectoryNode<Kinds>): readonly [DirectoryNode<Kinds>, Map<string, TreeNode<Kinds>>] => {
    const known = own.get(directory)
    if (known) return [directory, known]
    const children = new Map(childrenOf(directory))
    const copied = copy(directory, children)
    own.set(copied, children)
    return [copied, children]
  }

  const openParent = (path: Path): Map<string, TreeNode<Kinds>> => {
    let [directory, children] = open(root)
    root = directory
    for (const name of namesOf(parentOf(path))) {
      const child = children.get(name)
      if (!child) throw notFound(path)
      if (child.kind !== 'directory') throw notDirectory(path)
      const above = children
      ;[directory, children] = open(child)
      above.set(name, directory)
    }
    const touched: { mtimeMs: number | null } = directory
    touched.mtimeMs = now
    return children
  }

  return {
    root: () => root,
    peek(path) {
      let node: TreeNode<Kinds> | undefined = root
      for (const name of namesOf(path)) {
        if (node?.kind !== 'directory') return null
        node = childrenOf<Kinds>(node).get(name)
      }
      return node ?? null
    },
    enter: (path) => void openParent(path),
    put: (path, node) => void openParent(path).set(nameOf(path), node),
    drop: (path) => void openParent(path).delete(nameOf(path)),
  }
}
