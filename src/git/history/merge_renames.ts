/** Files that one side of a merge moved and did not change take along what the other side changed in them. */
import { type Path, parentOf, ROOT } from '../../core/path.ts'
import type { GitEntry, GitMode, MergeConflict, MergedPath, Oid, TreeChange } from '../../core/repository.ts'
import { diffTrees, entryAt, type TreeReader } from './diff_trees.ts'

/** The name of the blob that holds nothing: every empty file is like every other one. */
const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

/** Three trees. */
interface Trees {
  readonly base: Oid | null
  readonly ours: Oid | null
  readonly theirs: Oid | null
  readonly signal?: AbortSignal
}

/**
 * Settles the conflicts in which a side moved what the other one changed, in `changes` as well; answers those that are left. Only a
 * move that can be meant is seen: the content went from one path, and came to one path where the other side has nothing.
 */
export async function followRenames(
  objects: TreeReader,
  trees: Trees,
  changes: Map<Path, MergedPath>,
  conflicts: readonly MergeConflict[],
): Promise<readonly MergeConflict[]> {
  if (!conflicts.some(({ kind }) => kind === 'modify/delete')) return conflicts
  const left: MergeConflict[] = []
  const ours = await movesOf(objects, trees.base, trees.ours, trees.signal)
  const theirs = await movesOf(objects, trees.base, trees.theirs, trees.signal)
  for (const conflict of conflicts) {
    const { path, kind, base } = conflict
    const kept = conflict.ours ?? conflict.theirs
    const byUs = conflict.ours === null
    const target = kind === 'modify/delete' ? (byUs ? ours : theirs).get(path) : undefined
    if (!target || !base || !kept || !(await isFree(objects, byUs ? trees.theirs : trees.ours, target.path))) {
      left.push(conflict)
      continue
    }
    if (byUs) changes.delete(path)
    else changes.set(path, { path, entry: null })
    changes.set(target.path, { path: target.path, entry: { mode: mergedMode(base.mode, target.mode, kept.mode), oid: kept.oid } })
  }
  return left
}

interface Target {
  readonly path: Path
  readonly mode: GitMode
}

/** Where a side moved files to, by the path they had. */
async function movesOf(
  objects: TreeReader,
  base: Oid | null,
  side: Oid | null,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<Path, Target>> {
  const gone = new Map<Oid, TreeChange[]>()
  const come = new Map<Oid, TreeChange[]>()
  const add = (to: Map<Oid, TreeChange[]>, { oid, mode }: GitEntry, change: TreeChange): void => {
    if (oid === EMPTY_BLOB || (mode !== '100644' && mode !== '100755')) return
    to.set(oid, [...(to.get(oid) ?? []), change].slice(0, 2))
  }
  for (const change of await diffTrees(objects, base, side, signal ? { signal } : {})) {
    if (change.before && !change.after) add(gone, change.before, change)
    if (change.after && !change.before) add(come, change.after, change)
  }
  const moves = new Map<Path, Target>()
  for (const [oid, [from, another]] of gone) {
    const [to, second] = come.get(oid) ?? []
    if (from && to && !another && !second) moves.set(from.path, { path: to.path, mode: (to.after as GitEntry).mode })
  }
  return moves
}

/** Whether a tree has nothing at a path, and no file on the way to it. */
async function isFree(objects: TreeReader, tree: Oid | null, path: Path): Promise<boolean> {
  if (await entryAt(objects, tree, path)) return false
  for (let dir = parentOf(path); dir !== ROOT; dir = parentOf(dir)) {
    const entry = await entryAt(objects, tree, dir)
    if (entry) return entry.mode === '040000'
  }
  return true
}

function mergedMode(base: GitMode, moved: GitMode, kept: GitMode): GitMode {
  return moved === base ? kept : moved
}
