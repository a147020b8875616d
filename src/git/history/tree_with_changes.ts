/** Trees made from others: only directories in which something changes are made anew. */
import { namesOf } from '../../core/path.ts'
import type { GitEntry, Oid, TreeChange } from '../../core/repository.ts'
import { type NewObject, newObject, type ObjectDatabase } from '../objects.ts'
import { EMPTY_TREE } from '../oid.ts'
import { formatTree, parseTree, type TreeEntry } from '../tree.ts'
import { checkDepth, treeBytes } from './diff_trees.ts'

/** What trees are made with. */
export type TreeWriter = Pick<ObjectDatabase, 'readAs' | 'name'>

/** A tree that was made, and its parts that have to be written; some may be in the database already. */
export interface NewTree {
  readonly oid: Oid
  readonly objects: readonly NewObject[]
}

/** What changes in a directory: entries of its own, and what is below. */
interface Edits {
  /** Undefined: nothing changes here itself. */
  entry?: GitEntry | null
  readonly below: Map<string, Edits>
}

/**
 * `base` with entries put in, replaced or (null) removed. Directories on the way are made, where a file stands it gives way, and they go
 * when nothing is left in them. With what `diffTrees` tells of some paths, it is the tree of a commit of only those.
 */
export async function treeWithChanges(
  objects: TreeWriter,
  base: Oid | null,
  changes: Iterable<Pick<TreeChange, 'path' | 'after'>>,
): Promise<NewTree> {
  const made: NewObject[] = []
  const root = await rebuild(base, editsOf(changes), 0)
  if (root !== null) return { oid: root, objects: made }
  const empty = newObject(objects, 'tree', new Uint8Array(0))
  return { oid: EMPTY_TREE, objects: [...made, empty] }

  /** The tree with edits below it; null when nothing is left. */
  async function rebuild(tree: Oid | null, { below }: Edits, depth: number): Promise<Oid | null> {
    checkDepth(depth)
    const entries = new Map<string, TreeEntry>()
    for (const entry of parseTree(await treeBytes(objects, tree), tree ?? undefined)) entries.set(entry.name, entry)
    let changed = false
    for (const [name, edits] of below) {
      const before = entries.get(name) ?? null
      const after = await edited(before, edits, depth)
      if (before?.oid === after?.oid && before?.mode === after?.mode) continue
      changed = true
      if (after) entries.set(name, { name, ...after })
      else entries.delete(name)
    }
    if (!changed) return tree
    if (entries.size === 0) return null
    const object = newObject(objects, 'tree', formatTree(entries.values()))
    made.push(object)
    return object.oid
  }

  async function edited(before: GitEntry | null, edits: Edits, depth: number): Promise<GitEntry | null> {
    const entry = edits.entry === undefined ? before : edits.entry
    if (edits.below.size === 0) return entry
    const inside = entry?.mode === '040000' ? entry.oid : null
    const tree = await rebuild(inside, edits, depth + 1)
    if (tree !== null) return { mode: '040000', oid: tree }
    return entry?.mode === '040000' ? null : entry
  }
}

function editsOf(changes: Iterable<Pick<TreeChange, 'path' | 'after'>>): Edits {
  const root: Edits = { below: new Map() }
  for (const { path, after } of changes) {
    let at = root
    for (const name of namesOf(path)) {
      let next = at.below.get(name)
      if (!next) {
        next = { below: new Map() }
        at.below.set(name, next)
      }
      at = next
    }
    at.entry = after
  }
  return root
}
