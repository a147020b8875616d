/** The changes that take a record back. */
import type { Change, Expect, RecordedChange, Side } from './change.ts'
import { FilewrightError, isFilewrightError } from './errors.ts'
import type { FileSystem } from './file_system.ts'
import { isWithin, namesOf, type Path } from './path.ts'
import { hashReader } from './read.ts'

/** What states are read from: a storage, or a view of one. */
export type Observable = Pick<FileSystem, 'stat' | 'readLink' | 'open' | 'hasher'>

/** A path that is not as a record left it. */
export interface Difference {
  readonly path: Path
  readonly expected: Side | null
  readonly current: Side | null
}

/** The inverse of the changes, last first. Throws `unsupported` when a before-image was not kept. */
export function inverseOf(changes: readonly RecordedChange[]): Change[] {
  return [...changes].reverse().flatMap((change) => {
    if (change.kind === 'snapshot') return []
    if (!change.kept) {
      throw new FilewrightError(
        'unsupported',
        `What ${change.path} held before was not kept (create_backup was false), so this change cannot be undone.`,
      )
    }
    if (change.kind === 'move' && change.to) {
      return [{ kind: 'move', path: change.to, to: change.path, expect: expectSide(change.after) } satisfies Change]
    }
    return inverseAt(change)
  })
}

/**
 * The changes that put `before` in the place of `after`. What is taken back is kept for a redo, but is no backup: nobody asked
 * for one.
 */
function inverseAt({ path, before, after }: Pick<RecordedChange, 'path' | 'before' | 'after'>): Change[] {
  const taken = { expect: expectSide(after), keep: 'undo' } as const
  if (before?.kind === 'file' && after?.kind !== 'link') return [restoreFile(path, before, after)]
  if (before?.kind === 'link' && after?.kind !== 'file') return [{ kind: 'link', path, target: before.target, ...taken }]
  const removal: Change[] = after ? [{ kind: 'remove', path, ...taken }] : []
  if (!before) return removal
  if (before.kind === 'file') return [...removal, restoreFile(path, before, null)]
  if (before.kind === 'link') return [...removal, { kind: 'link', path, target: before.target, expect: 'absent' }]
  return [...removal, { kind: 'makeDirectory', path, mode: before.mode }]
}

/** What it takes for a side to be replaced. */
export function expectSide(side: Side | null): Expect {
  if (!side) return 'absent'
  return side.kind === 'file' ? { hash: side.hash } : side.kind === 'link' ? { link: side.target } : 'directory'
}

/** A mode that the record did not change stays as it is now: somebody may have closed the file since. */
function restoreFile(path: Path, side: Extract<Side, { kind: 'file' }>, replaced: Side | null): Change {
  const { hash, size, mode } = side
  const changed = replaced?.kind !== 'file' || replaced.mode !== mode
  return { kind: 'write', path, content: { hash, size }, ...(changed && { mode }), expect: expectSide(replaced), keep: 'undo' }
}

/**
 * The directories that must be made before the changes, because somebody removed them since; parents first. Throws `conflict`
 * where something else stands in the place of one.
 */
export async function missingParents(fs: Observable, changes: readonly Change[]): Promise<Change[]> {
  const missing: Change[] = []
  const there = new Set<Path>()
  const moved = new Set<Path>()
  for (const change of changes) {
    if (change.kind === 'remove') continue
    const path = change.kind === 'move' ? change.to : change.path
    for (const dir of parentsOf(path)) {
      // What is in a moved directory comes with it.
      if (moved.has(dir)) break
      if (there.has(dir)) continue
      there.add(dir)
      const side = await sideAt(fs, dir)
      if (side === null) missing.push({ kind: 'makeDirectory', path: dir })
      else if (side.kind !== 'directory') {
        throw new FilewrightError('conflict', `${path} cannot be put back: ${dir} is no directory any more; nothing was undone.`)
      }
    }
    if (change.kind === 'makeDirectory') there.add(path)
    if (change.kind === 'move') moved.add(path)
  }
  return missing
}

/** The directories above `path`, the highest first. */
function parentsOf(path: Path): Path[] {
  const names = namesOf(path)
  return names.slice(1).map((_, depth) => names.slice(0, depth + 1).join('/') as Path)
}

/** The state in which changes left each path that they touched; what a later one moved is where it went. */
export function stateAfter(changes: Iterable<RecordedChange>): Map<Path, Side | null> {
  const state = new Map<Path, Side | null>()
  for (const { kind, path, to, after } of changes) {
    if (kind === 'snapshot') continue
    if (kind === 'move' && to !== undefined) {
      if (after?.kind === 'directory') moveState(state, path, to)
      state.set(path, null)
    }
    state.set(to ?? path, after)
  }
  return state
}

/** What is known below a moved directory is known below its new place, and nothing else: what else was in it came along unseen. */
function moveState(state: Map<Path, Side | null>, from: Path, to: Path): void {
  for (const path of [...state.keys()]) if (path !== to && isWithin(path, to)) state.delete(path)
  for (const [path, side] of [...state]) {
    if (path === from || !isWithin(path, from)) continue
    state.set(path, null)
    state.set((to + path.slice(from.length)) as Path, side)
  }
}

/** Paths that moved on since the changes: the state in which those left them is not their state now. */
export async function differencesSince(fs: Observable, changes: readonly RecordedChange[]): Promise<Difference[]> {
  return differencesFrom(fs, stateAfter(changes))
}

/** Paths whose state now is another than this. */
export async function differencesFrom(fs: Observable, state: ReadonlyMap<Path, Side | null>): Promise<Difference[]> {
  const differences: Difference[] = []
  for (const [path, side] of state) {
    const current = await sideAt(fs, path)
    if (!sameSide(side, current)) differences.push({ path, expected: side, current })
  }
  return differences
}

/** What is at a path now; null when nothing is. */
export async function sideAt(fs: Observable, path: Path): Promise<Side | null> {
  try {
    const entry = await fs.stat(path)
    const mode = entry.mode ?? 0
    if (entry.kind === 'link') return { kind: 'link', target: entry.target ?? (await fs.readLink(path)) }
    if (entry.kind !== 'file') return { kind: 'directory', mode }
    const reader = await fs.open(path)
    try {
      return { kind: 'file', hash: entry.hash ?? (await hashReader(fs.hasher, reader)), size: reader.size, mode }
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (isFilewrightError(error, 'not_found') || isFilewrightError(error, 'not_directory')) return null
    throw error
  }
}

/** Whether two sides are the same but for their modes. */
export function sameSide(a: Side | null, b: Side | null): boolean {
  if (!a || !b) return a === b
  if (a.kind === 'file') return b.kind === 'file' && a.hash === b.hash
  return a.kind === 'link' ? b.kind === 'link' && a.target === b.target : b.kind === 'directory'
}
