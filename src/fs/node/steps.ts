/** Carries out the steps of a plan, takes them back, and finishes what a crash interrupted. */
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import { type Path, parentOf } from '../../core/path.ts'
import { attempt, errnoOf, failureAt, unless } from './errno.ts'
import { type Dir, inDir, isMissing, type Root } from './handles.ts'
import { backOf, locate, type PlaceParts, renameEntry, type Spot, withTwo } from './places.ts'
import { isSeen, type Plan, type StagedRef, type Step } from './plan.ts'
import { closeQuietly, OPEN } from './syscalls.ts'

/** Carries out one step. Throws errors of the product that name its path; `conflict` when another program was faster. */
export function takeStep(parts: PlaceParts, step: Step): void {
  attempt(step.path, () => {
    if (!isAsSeen(parts, step)) {
      throw new FilewrightError('conflict', `${step.path} was changed by another program at the same moment.`, {
        details: { path: step.path },
      })
    }
    carryOut(parts, step)
  })
}

/**
 * Takes the steps of an interrupted plan that were not taken, unless somebody else changed their places since. Takes back all that
 * were, and answers false, when one leads to another file system.
 */
export function redoSteps(parts: PlaceParts, steps: readonly Step[]): boolean {
  // Steps are taken in order: what comes before one that was taken, was taken too.
  const taken = steps.findLastIndex((step) => step.do === 'put' && !isStaged(parts, step.staged))
  const left: Step[] = []
  try {
    for (const step of steps.slice(taken + 1)) if (!redoStep(parts, step)) left.push(step)
  } catch (error) {
    if (!isAcrossDevices(error)) throw error
    takeAllBack(parts, steps)
    return false
  }
  // Contents that came to nowhere stay within reach of the journal that speaks of them.
  for (const step of left) {
    if (step.do !== 'put' || !step.hash || step.staged.includes('/')) continue
    parts.root.sys.rename(locate(parts, { staged: step.staged }), inDir(parts.store.objects, step.hash))
  }
  return true
}

/** Whether it could be taken. */
function redoStep(parts: PlaceParts, step: Step): boolean {
  try {
    if (!isAsSeen(parts, step)) return false
    carryOut(parts, step)
    return true
  } catch (error) {
    if (!isMissing(error)) throw failureAt(step.path, error)
    return false
  }
}

function takeAllBack(parts: PlaceParts, steps: readonly Step[]): void {
  const last = steps.findLastIndex((step) => wasTaken(parts, step))
  for (const step of steps.slice(0, last + 1).reverse()) {
    // What was moved can have moved on; what was staged tells for itself.
    if (step.do === 'move' || wasTaken(parts, step)) takeBack(parts, step)
  }
}

function wasTaken(parts: PlaceParts, step: Step): boolean {
  const find = (spot: Spot) => unlessMissing(() => parts.root.sys.lstat(locate(parts, spot)))
  switch (step.do) {
    case 'put': {
      const staged = find({ staged: step.staged })
      // It is in both places while it is taken back.
      return staged === undefined || find({ path: step.path })?.ino === staged.ino
    }
    case 'drop':
      return find({ staged: step.staged }) !== undefined
    case 'move':
      return isSeen(find({ path: step.to }), step.seen, true)
  }
}

function isStaged(parts: PlaceParts, ref: StagedRef): boolean {
  return unlessMissing(() => parts.root.sys.lstat(locate(parts, { staged: ref }))) !== undefined
}

function unlessMissing<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Whether the place of a step is still what it was when the commit was judged. */
function isAsSeen(parts: PlaceParts, step: Step): boolean {
  const { sys } = parts.root
  const there = sys.lstat(locate(parts, { path: step.path }))
  switch (step.do) {
    case 'put':
      return step.over ? isSeen(there, step.over) : !there
    case 'drop':
      return isSeen(there, step.seen) && (!step.copy?.seen || isSeen(sys.lstat(locate(parts, { path: step.copy.path })), step.copy.seen))
    case 'move':
      return isSeen(there, step.seen, true) && !sys.lstat(locate(parts, { path: step.to }))
  }
}

function carryOut(parts: PlaceParts, step: Step): void {
  const [from, to] = endsOf(step)
  renameEntry(parts, from, to)
}

/** From where to where a step renames. */
function endsOf(step: Step): readonly [from: Spot, to: Spot] {
  const at = { path: step.path }
  if (step.do === 'move') return [at, { path: step.to }]
  const staged = { staged: step.staged }
  return step.do === 'put' ? [staged, at] : [at, staged]
}

/** Whether a rename failed because its two places are on different file systems. */
export function isAcrossDevices(error: unknown): boolean {
  return isFilewrightError(error, 'unsupported') && errnoOf(error.cause) === 'EXDEV'
}

/** Takes one step back, so that it could be taken again. */
export function takeBack(parts: PlaceParts, step: Step): void {
  const { link } = parts.root.sys
  const [from, to] = endsOf(step)
  attempt(step.path, () => {
    if (step.do !== 'put' || step.saved === null) {
      renameEntry(parts, to, from)
      return
    }
    // By links: at no moment is there nothing at the path.
    unless('EEXIST', () => withTwo(parts, to, from, link))
    const back = { staged: backOf(step.saved) }
    unless('EEXIST', () => withTwo(parts, { staged: step.saved as StagedRef }, back, link))
    renameEntry(parts, back, to)
  })
}

/** Moves before-images to where history finds them. What is not there any more was moved already. */
export function keepObjects({ root, store }: PlaceParts, plan: Plan): void {
  for (const { staged, hash } of plan.keeps) {
    unless('ENOENT', () => root.sys.rename(inDir(store.staged, staged), inDir(store.objects, hash)))
  }
}

/** Gives a directory back that was not empty any more when it was taken out of the tree: another program was faster. */
export function returnFilled(parts: PlaceParts, plan: Plan): void {
  const { sys } = parts.root
  for (const step of plan.steps) {
    if (step.do !== 'drop' || !step.directory) continue
    const staged = locate(parts, { staged: step.staged })
    if (!sys.lstat(staged)) continue
    const removed = unless('ENOTEMPTY', () => {
      sys.removeDirectory(staged)
      return true
    })
    if (!removed && !sys.lstat(locate(parts, { path: step.path }))) renameEntry(parts, { staged: step.staged }, { path: step.path })
  }
}

/** Waits until the directories that a plan changed are on the device. */
export async function syncDirectories(parts: PlaceParts, plan: Plan): Promise<void> {
  const paths = new Set<Path>()
  for (const step of plan.steps) {
    paths.add(parentOf(step.path))
    if (step.do === 'move') paths.add(parentOf(step.to))
  }
  for (const path of paths) {
    let dir: Dir
    try {
      dir = parts.cursor.enter(path)
    } catch (error) {
      // A later step moved or removed it.
      if (isMissing(error)) continue
      throw error
    }
    await syncDirectory(parts.root, dir)
  }
}

/** Waits until the names in a directory are on the device. */
export async function syncDirectory({ sys }: Root, dir: Dir): Promise<void> {
  // A directory that may be written to but not read cannot be opened for this.
  const fd = unless('EACCES', () => sys.open(dir.self, OPEN.directory))
  if (fd === undefined) return
  try {
    await sys.sync(fd)
  } finally {
    closeQuietly(sys, fd)
  }
}
