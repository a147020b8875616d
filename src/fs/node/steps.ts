/** Carries out the steps of a plan, takes them back, and finishes what a crash interrupted. */

import { attempt, errnoOf, failureAt, unless } from '../../core/errno.ts'
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import { type Path, parentOf } from '../../core/path.ts'
import { type Dir, inDir, isMissing, type Root } from './handles.ts'
import { backOf, locate, type PlaceParts, renameEntry, type Spot, withTwo } from './places.ts'
import { isSeen, type Plan, type StagedRef, type Step } from './plan.ts'
import { closeQuietly, OPEN, type Stats } from './syscalls.ts'

const OWNER = 0o700

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
  const taken = steps.findLastIndex((step) => step.do === 'put' && !lookAt(parts, { staged: step.staged }))
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
    if (isHalfBack(parts, step)) parts.root.sys.unlink(locate(parts, { staged: step.staged }))
    else if (isAsSeen(parts, step)) carryOut(parts, step)
    else return false
    return true
  } catch (error) {
    // Somebody put something into the directory: it stays.
    const isFilled = step.do === 'erase' && errnoOf(error) === 'ENOTEMPTY'
    if (!isFilled && !isMissing(error)) throw failureAt(step.path, error)
    return false
  }
}

/** Whether an entry is staged and in its place at once, which it is while it is taken back. */
function isHalfBack(parts: PlaceParts, step: Step): step is Step & { do: 'put' } {
  if (step.do !== 'put' || step.saved === null) return false
  const staged = lookAt(parts, { staged: step.staged })
  return staged !== undefined && lookAt(parts, { path: step.path })?.ino === staged.ino
}

function takeAllBack(parts: PlaceParts, steps: readonly Step[]): void {
  // What is staged tells for itself; of other steps it shows only once all before them are known to have been taken.
  let last = steps.findLastIndex((step) => (step.do === 'put' || step.do === 'drop') && wasTaken(parts, step))
  for (let next = steps[last + 1]; next && wasTaken(parts, next); next = steps[last + 1]) last++
  for (const step of steps.slice(0, last + 1).reverse()) {
    if (step.do === 'move' || step.do === 'erase' || wasTaken(parts, step)) takeBack(parts, step)
  }
}

function wasTaken(parts: PlaceParts, step: Step): boolean {
  switch (step.do) {
    case 'put':
      return lookAt(parts, { staged: step.staged }) === undefined || isHalfBack(parts, step)
    case 'drop':
      return lookAt(parts, { staged: step.staged }) !== undefined
    case 'move':
      return isSeen(lookAt(parts, { path: step.to }), step.seen, true)
    case 'erase':
      return lookAt(parts, { path: step.path }) === undefined
  }
}

function lookAt(parts: PlaceParts, spot: Spot): Stats | undefined {
  try {
    return parts.root.sys.lstat(locate(parts, spot))
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
    case 'erase':
      return isSeen(there, step.seen) && (!step.copy?.seen || isSeen(sys.lstat(locate(parts, { path: step.copy.path })), step.copy.seen))
    case 'move':
      return isSeen(there, step.seen, true) && !sys.lstat(locate(parts, { path: step.to }))
  }
}

function carryOut(parts: PlaceParts, step: Step): void {
  if (step.do === 'erase') {
    const at = locate(parts, { path: step.path })
    parts.cursor.forget(step.path)
    parts.root.sys.removeDirectory(at)
    return
  }
  const [from, to] = endsOf(step)
  renameEntry(parts, from, to)
}

/** From where to where a step renames. */
function endsOf(step: Exclude<Step, { do: 'erase' }>): readonly [from: Spot, to: Spot] {
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
  attempt(step.path, () => {
    if (step.do === 'erase') {
      makeAgain(parts, step)
      return
    }
    const [from, to] = endsOf(step)
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

/** Makes a directory as it was. */
function makeAgain(parts: PlaceParts, { path, mode, owner }: Step & { do: 'erase' }): void {
  const { sys } = parts.root
  const at = locate(parts, { path })
  unless('EEXIST', () => sys.makeDirectory(at, OWNER))
  const fd = sys.open(at, OPEN.directory)
  try {
    // Whoever may not give it away is its owner already.
    unless('EPERM', () => sys.setOwner(fd, owner.user, owner.group))
    sys.setMode(fd, mode)
  } finally {
    closeQuietly(sys, fd)
  }
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
