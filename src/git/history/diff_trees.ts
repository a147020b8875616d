/** What differs between two trees: only directories that differ are read. */
import { FilewrightError } from '../../core/errors.ts'
import { joinPath, namesOf, type Path, ROOT } from '../../core/path.ts'
import type { GitEntry, Oid, PathFilter, TreeChange } from '../../core/repository.ts'
import type { ObjectDatabase } from '../objects.ts'
import { EMPTY_TREE } from '../oid.ts'
import { findInTree, type TreeCursor, treeCursor } from '../tree.ts'
import { belowName, type PathTree, pathTree } from './path_tree.ts'

/** What the functions on trees read with. */
export type TreeReader = Pick<ObjectDatabase, 'readAs'>

/** Deeper trees than any path allows are somebody's trap. */
export const MAX_TREE_DEPTH = 2048

/** An empty tree, without an object. */
const NOTHING = new Uint8Array(0)

/**
 * What differs, in git's order; null stands for the empty tree. Renames are told as what went and what came, a file in place of a
 * directory likewise. Throws `unsupported` for trees deeper than {@link MAX_TREE_DEPTH}.
 */
export async function diffTrees(
  objects: TreeReader,
  before: Oid | null,
  after: Oid | null,
  { paths, signal }: PathFilter = {},
): Promise<TreeChange[]> {
  const changes: TreeChange[] = []
  await compareDirectories(before, after, ROOT, pathTree(paths), 0)
  return changes

  async function compareDirectories(a: Oid | null, b: Oid | null, dir: Path, wanted: PathTree, depth: number): Promise<void> {
    if (a === b) return
    signal?.throwIfAborted()
    checkDepth(depth)
    const left = treeCursor(await treeBytes(objects, a), a ?? undefined)
    const right = treeCursor(await treeBytes(objects, b), b ?? undefined)
    let [hasLeft, hasRight] = [left.next(), right.next()]
    while (hasLeft || hasRight) {
      const order = !hasLeft ? 1 : !hasRight ? -1 : left.compare(right)
      const one = order <= 0 ? left : null
      const other = order >= 0 ? right : null
      if (!one || !other || !one.sameObject(other) || one.mode !== other.mode) await compareEntries(one, other, dir, wanted, depth)
      if (order <= 0) hasLeft = left.next()
      if (order >= 0) hasRight = right.next()
    }
  }

  /** At least one of the two is there; where both are, both are directories or none is. */
  async function compareEntries(a: TreeCursor | null, b: TreeCursor | null, dir: Path, wanted: PathTree, depth: number): Promise<void> {
    const { name, mode } = (a ?? b) as TreeCursor
    const below = belowName(wanted, name)
    if (below === undefined) return
    const path = joinPath(dir, name)
    if (mode === '040000') await compareDirectories(a?.oid ?? null, b?.oid ?? null, path, below, depth + 1)
    // What is wanted below a file is not there.
    else if (below === 'all') changes.push({ path, before: entryOf(a), after: entryOf(b) })
  }
}

/** Whether anything differs at or below these paths. Stops at the first difference; reads only what leads to the paths. */
export async function differAt(objects: TreeReader, before: Oid | null, after: Oid | null, paths: readonly Path[]): Promise<boolean> {
  for (const path of paths) {
    let [a, b] = [directory(before), directory(after)]
    for (const name of namesOf(path)) {
      if (a?.oid === b?.oid) break
      a = await childOf(objects, a, name)
      b = await childOf(objects, b, name)
    }
    if (a?.oid !== b?.oid || a?.mode !== b?.mode) return true
  }
  return false
}

/** What is at a path in a tree; null when nothing is. The root is its own entry. */
export async function entryAt(objects: TreeReader, tree: Oid | null, path: Path): Promise<GitEntry | null> {
  let entry = directory(tree)
  for (const name of namesOf(path)) entry = await childOf(objects, entry, name)
  return entry
}

/** A tree's bytes. The empty tree need not be in the database. */
export async function treeBytes(objects: TreeReader, oid: Oid | null): Promise<Uint8Array> {
  return oid === null || oid === EMPTY_TREE ? NOTHING : objects.readAs(oid, 'tree')
}

/** Throws `unsupported` for a directory that is too deep. */
export function checkDepth(depth: number): void {
  if (depth > MAX_TREE_DEPTH) throw new FilewrightError('unsupported', `Directories are nested deeper than ${MAX_TREE_DEPTH} levels.`)
}

function directory(oid: Oid | null): GitEntry | null {
  return oid === null ? null : { mode: '040000', oid }
}

async function childOf(objects: TreeReader, entry: GitEntry | null, name: string): Promise<GitEntry | null> {
  if (entry?.mode !== '040000') return null
  return findInTree(await treeBytes(objects, entry.oid), name, entry.oid)
}

function entryOf(cursor: TreeCursor | null): GitEntry | null {
  return cursor && { mode: cursor.mode, oid: cursor.oid }
}
