/** Going back to an earlier state in one change: what all later records did together is taken back, nothing in between is written. */
import type { Change, Side } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { differencesFrom, expectSide, sideAt } from '../../core/inverse.ts'
import { isWithin, type Path } from '../../core/path.ts'
import { findRecord, newestRecord } from './journal.ts'
import { requireHeld } from './losses.ts'
import { treesOf } from './range.ts'
import type { PastLeaf, PastTree } from './tree.ts'
import { differencesBelow, type TreeDifference, treeDifferences } from './tree_difference.ts'

/** What going back would commit. */
export interface RevertPlan {
  /** The number of the record whose state comes back. */
  readonly sequence: number
  readonly changes: readonly Change[]
  /** Files whose content must be staged before, since it goes elsewhere. */
  readonly stage: readonly Path[]
}

/**
 * Plans the way back to the state after a record. Throws `not_found` for the record, `conflict` with `details.paths` when files
 * moved on outside the journal, `unsupported` when content that would come back is not held any more.
 */
export async function planRevert(fs: FileSystem, which: string | number): Promise<RevertPlan> {
  const { sequence } = await findRecord(fs, which)
  const newest = (await newestRecord(fs))?.sequence ?? 0
  if (sequence === newest) return { sequence, changes: [], stage: [] }
  const { before: past, after: present, state } = await treesOf(fs, { first: sequence + 1, last: newest })
  const differing = await differencesFrom(fs, state)
  const steps = differing.length > 0 ? null : await stepsBetween(fs, present, past, state)
  const paths = steps?.unknown ?? differing.map(({ path }) => path)
  if (!steps || paths.length > 0) {
    const others = paths.length > 1 ? ` and ${paths.length - 1} more` : ''
    throw new FilewrightError(
      'conflict',
      `${paths[0]}${others} changed outside the journal since change ${sequence}; nothing was taken back.`,
      {
        details: { paths, ...(differing.length > 0 && { differing }) },
      },
    )
  }
  await requireHeld(fs, steps.changes, steps.carried.keys())
  return { sequence, changes: steps.changes, stage: [...steps.carried.values()] }
}

/** Something that is moved as a whole. */
interface Move {
  readonly from: Path
  readonly to: Path
  /** What it is now, and what it was. */
  readonly before: TreeDifference['before']
  readonly after: TreeDifference['after']
}

interface Steps {
  readonly changes: readonly Change[]
  /** Files that would have to go although no record tells of them. */
  readonly unknown: readonly Path[]
  /** Content that a file now holds elsewhere, with that file. */
  readonly carried: ReadonlyMap<Hash, Path>
}

/** The changes from the present tree to the past one. */
async function stepsBetween(fs: FileSystem, present: PastTree, past: PastTree, state: ReadonlyMap<Path, Side | null>): Promise<Steps> {
  const differences = await collected(treeDifferences(fs, present, past))
  const moves = await findMoves(present, past, differences)
  // What the past tree has elsewhere is not lost when it goes here.
  const placed = new Set(differences.map(({ after }) => (after && after.kind !== 'recorded' ? after.origin : null)))
  const unknown: Path[] = []
  const carried = new Map<Hash, Path>()

  /** What is at a path now, if it is known and may be replaced. */
  async function replaceable(path: Path): Promise<Side | null> {
    const side = state.get(path)
    if (side) return side
    if (!placed.has(path)) unknown.push(path)
    return sideAt(fs, path)
  }

  async function goalOf(leaf: PastLeaf): Promise<Exclude<Side, { kind: 'directory' }>> {
    if (leaf.kind === 'recorded') return leaf.side
    const side = await sideAt(fs, leaf.origin)
    if (!side || side.kind === 'directory')
      throw new FilewrightError('conflict', `${leaf.origin} changed meanwhile; nothing was taken back.`)
    if (side.kind === 'file') carried.set(side.hash, leaf.origin)
    return side
  }

  /** Files go first, then directories come, those that are left over go, and files come last. `was` tells where a path is now. */
  async function stepsFor(some: readonly TreeDifference[], between: readonly Change[], was: (path: Path) => Path): Promise<Change[]> {
    const removals: Change[] = []
    const directories: Change[] = []
    const leftovers: Change[] = []
    const writes: Change[] = []
    for (const { path, before, after } of some) {
      const side = before ? await replaceable(was(path)) : null
      const goal = after && after.kind !== 'directory' ? await goalOf(after) : null
      if (side?.kind === 'directory') leftovers.push({ kind: 'remove', path, expect: 'directory' })
      else if (side && side.kind !== goal?.kind) removals.push({ kind: 'remove', path, expect: expectSide(side), keep: 'undo' })
      if (after?.kind === 'directory') directories.push({ kind: 'makeDirectory', path, ...(after.mode !== null && { mode: after.mode }) })
      else if (goal) writes.push(...putLeaf(path, side?.kind === goal.kind ? side : null, goal))
    }
    return [...removals, ...directories, ...between, ...leftovers.reverse(), ...writes]
  }

  const between: Change[] = []
  for (const { from, to, before, after } of moves) {
    between.push({ kind: 'move', path: from, to, expect: expectSide(await sideAt(fs, from)) })
    if (before?.kind !== 'directory' || after?.kind !== 'directory') continue
    const inside = await collected(differencesBelow(fs, to, before, after))
    between.push(...(await stepsFor(inside, [], (path) => (from + path.slice(to.length)) as Path)))
  }
  const outside = differences.filter(({ path }) => !moves.some(({ from, to }) => isWithin(path, from) || isWithin(path, to)))
  return { changes: await stepsFor(outside, between, (path) => path), unknown, carried }
}

/** What can be moved as a whole: it stands elsewhere now, its old place is free, and no other move is in it or around it. */
async function findMoves(present: PastTree, past: PastTree, differences: readonly TreeDifference[]): Promise<Move[]> {
  const moves: Move[] = []
  for (const { path: to, before: there, after } of differences) {
    const from = after && after.kind !== 'recorded' ? after.origin : null
    if (there || from === null || from === to) continue
    if (moves.some((move) => isWithin(to, move.to) || isWithin(from, move.from) || isWithin(move.from, from))) continue
    const before = await present.node(from)
    if (before && (await past.node(from)) === null) moves.push({ from, to, before, after })
  }
  return moves
}

/** Puts a file or link where nothing is, or one of the same kind. A mode that the records did not change stays as it is now. */
function putLeaf(path: Path, current: Side | null, goal: Exclude<Side, { kind: 'directory' }>): Change[] {
  const taken = { expect: expectSide(current), keep: 'undo' } as const
  if (goal.kind === 'link') {
    return current?.kind === 'link' && current.target === goal.target ? [] : [{ kind: 'link', path, target: goal.target, ...taken }]
  }
  const { hash, size, mode } = goal
  const sameMode = current?.kind === 'file' && current.mode === mode
  if (sameMode && current.hash === hash) return []
  return [{ kind: 'write', path, content: { hash, size }, ...(!sameMode && { mode }), ...taken }]
}

async function collected(differences: AsyncIterable<TreeDifference>): Promise<TreeDifference[]> {
  const all: TreeDifference[] = []
  for await (const difference of differences) all.push(difference)
  return all
}
