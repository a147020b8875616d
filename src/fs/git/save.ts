/** Storing a changed tree: new objects for every directory that changed, from the bottom up. */
import type { Oid } from '../../core/repository.ts'
import { childrenOf } from '../../core/tree/nodes.ts'
import { type NewObject, newObject, type ObjectDatabase } from '../../git/objects.ts'
import { formatTree, type TreeEntry } from '../../git/tree.ts'
import { FACTS, factsBytes, nameBeside, recentOf, usualIdOf } from './facts.ts'
import type { Recent } from './known_facts.ts'
import type { GitDirectoryNode, GitNode, Stored } from './nodes.ts'
import { isRefused } from './refused.ts'

/** Collects objects that are to be written. */
export interface Savings {
  /** All of them, each once. */
  objects(): readonly NewObject[]
  add(type: NewObject['type'], bytes: Uint8Array): Oid
  /** A tree; null for one without entries. */
  addTree(items: readonly TreeEntry[]): Oid | null
}

export function createSavings(database: Pick<ObjectDatabase, 'name'>): Savings {
  const objects = new Map<Oid, NewObject>()
  const add: Savings['add'] = (type, bytes) => {
    const object = newObject(database, type, bytes)
    objects.set(object.oid, object)
    return object.oid
  }
  return { objects: () => [...objects.values()], add, addTree: (items) => (items.length === 0 ? null : add('tree', formatTree(items))) }
}

/** Stores a changed directory and everything below it that changed. Answers where it is. */
export function saveDirectory(savings: Savings, directory: GitDirectoryNode, usualId: string, beside: boolean): Stored {
  const children = childrenOf(directory) as Map<string, GitNode>
  const tree: TreeEntry[] = []
  const facts: TreeEntry[] = []
  for (const [name, node] of children) {
    const refused = beside || isRefused(name, node.kind)
    if (node.kind !== 'directory') {
      const item = { name: refused ? nameBeside('entry', name) : name, mode: modeOf(node), oid: node.oid }
      if (refused) facts.push(item)
      else tree.push(item)
      continue
    }
    const stored = saveChild(savings, directory, children, name, node, refused)
    if (stored.tree !== null) tree.push({ name, mode: '040000', oid: stored.tree })
    if (stored.facts !== null) facts.push({ name: nameBeside('facts', name), mode: '040000', oid: stored.facts })
  }
  const known = factsBytes(directory, children, usualId)
  if (known !== null) facts.push({ name: FACTS, mode: '100644', oid: savings.add('blob', known) })
  directory.stored = { tree: savings.addTree(tree), facts: savings.addTree(facts), beside }
  directory.changed = false
  directory.recent = null
  directory.usualId = usualId
  return directory.stored
}

/**
 * Stores the trees of a changed directory and below it, as git will commit them. The facts become recent ones: only where the change
 * with this number put files and links into directories that were there.
 */
export function saveTrees(savings: Savings, directory: GitDirectoryNode, revision: number): Stored {
  const children = childrenOf(directory)
  const items: TreeEntry[] = []
  const changedBelow = new Map<string, Recent>()
  for (const [name, node] of children) {
    if (node.kind !== 'directory') {
      if (!isRefused(name, node.kind)) items.push({ name, mode: modeOf(node), oid: node.oid })
      continue
    }
    const { tree } = node.changed ? saveTrees(savings, node, revision) : node.stored
    if (node.recent) changedBelow.set(name, node.recent)
    if (tree !== null) items.push({ name, mode: '040000', oid: tree })
  }
  directory.recent = recentOf(directory, children, revision, changedBelow)
  directory.stored = { ...directory.stored, tree: savings.addTree(items) }
  directory.changed = false
  return directory.stored
}

/** Stores a subdirectory where that is to be done. One that came from elsewhere is shared with the tree before, so a copy is stored. */
function saveChild(
  savings: Savings,
  above: GitDirectoryNode,
  siblings: Map<string, GitNode>,
  name: string,
  node: GitDirectoryNode,
  beside: boolean,
): Stored {
  const usualId = usualIdOf(above, name)
  if (node.changed) return saveDirectory(savings, node, usualId, beside)
  if (node.usualId === usualId && node.stored.beside === beside && node.recent === null) return node.stored
  const copy: GitDirectoryNode = { ...node, children: new Map(childrenOf(node)) }
  siblings.set(name, copy)
  return saveDirectory(savings, copy, usualId, beside)
}

function modeOf(node: Exclude<GitNode, { kind: 'directory' }>): TreeEntry['mode'] {
  if (node.kind === 'link') return '120000'
  if (node.kind === 'special') return '160000'
  return node.mode & 0o100 ? '100755' : '100644'
}
