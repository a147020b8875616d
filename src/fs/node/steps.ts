/** Carries out the steps of a plan, takes them back, and finishes what a crash interrupted. */
import { nameOf, type Path, parentOf } from '../../core/path.ts'
import { attempt, failureAt, unless } from './errno.ts'
import { type Cursor, checkName, type Dir, inDir, isMissing, type Root } from './handles.ts'
import { markOf, type Plan, type Step, sameMark } from './plan.ts'
import type { Store } from './store.ts'
import { closeQuietly, type HostPath, OPEN } from './syscalls.ts'

/** What carrying out needs. */
export interface StepParts {
  readonly root: Root
  readonly cursor: Cursor
  readonly store: Store
}

/** Carries out one step. Throws errors of the product that name its path. */
export function takeStep(parts: StepParts, step: Step): void {
  const { sys } = parts.root
  attempt(step.path, () => {
    switch (step.do) {
      case 'put':
        sys.rename(stagedAt(parts, step.staged), placeOf(parts, step.path))
        return
      case 'drop':
        sys.rename(placeOf(parts, step.path), stagedAt(parts, step.staged))
        parts.cursor.forget(step.path)
        return
      case 'move':
        // Two handles at once: the way to the goal must not close the way to the source.
        return withDir(parts, parentOf(step.path), (from) => {
          sys.rename(inDir(from, nameOf(step.path)), placeOf(parts, step.to))
          parts.cursor.forget(step.path)
        })
    }
  })
}

/** Takes one step back, so that it could be taken again. */
export function takeBack(parts: StepParts, step: Step): void {
  const { sys } = parts.root
  attempt(step.path, () => {
    switch (step.do) {
      case 'put': {
        const place = placeOf(parts, step.path)
        const staged = stagedAt(parts, step.staged)
        if (step.saved === null) {
          sys.rename(place, staged)
          return parts.cursor.forget(step.path)
        }
        // A link first: at no moment is there nothing at the path.
        sys.link(place, staged)
        const back = stagedAt(parts, `${step.saved}b`)
        sys.link(stagedAt(parts, step.saved), back)
        return sys.rename(back, place)
      }
      case 'drop':
        return sys.rename(stagedAt(parts, step.staged), placeOf(parts, step.path))
      case 'move':
        return withDir(parts, parentOf(step.to), (from) => {
          sys.rename(inDir(from, nameOf(step.to)), placeOf(parts, step.path))
          parts.cursor.forget(step.to)
        })
    }
  })
}

/** Takes a step of an interrupted plan unless it was taken, or somebody else changed the place since. */
export function redoStep(parts: StepParts, step: Step): void {
  const { sys } = parts.root
  try {
    switch (step.do) {
      case 'put': {
        if (!sys.lstat(stagedAt(parts, step.staged))) return
        const there = sys.lstat(placeOf(parts, step.path))
        const free =
          step.over === 'nothing' ? !there : step.over === 'earlier' ? true : there !== undefined && sameMark(step.over, markOf(there))
        if (free) takeStep(parts, step)
        // The content stays within reach of the journal that speaks of it.
        else if (step.hash) sys.rename(stagedAt(parts, step.staged), inDir(parts.store.objects, step.hash))
        return
      }
      case 'drop': {
        const there = sys.lstat(placeOf(parts, step.path))
        if (there && (step.mark === null || sameMark(step.mark, markOf(there)))) takeStep(parts, step)
        return
      }
      case 'move': {
        const there = sys.lstat(placeOf(parts, step.path))
        if (!there || (step.ino !== null && there.ino !== step.ino)) return
        if (!sys.lstat(placeOf(parts, step.to))) takeStep(parts, step)
        return
      }
    }
  } catch (error) {
    if (!isMissing(error)) throw failureAt(step.path, error)
  }
}

/** Moves before-images to where history finds them. What is not there any more was moved already. */
export function keepObjects({ root, store }: StepParts, plan: Plan): void {
  for (const { staged, hash } of plan.keeps) {
    unless('ENOENT', () => root.sys.rename(inDir(store.staged, staged), inDir(store.objects, hash)))
  }
}

/** Gives a directory back that was not empty any more when it was taken out of the tree: another program was faster. */
export function returnFilled(parts: StepParts, plan: Plan): void {
  const { sys } = parts.root
  for (const step of plan.steps) {
    if (step.do !== 'drop' || !step.directory) continue
    const staged = stagedAt(parts, step.staged)
    const gone = unless('ENOENT', () => unless('ENOTEMPTY', () => sys.removeDirectory(staged) ?? true) ?? false) ?? true
    if (!gone && !sys.lstat(placeOf(parts, step.path))) sys.rename(staged, placeOf(parts, step.path))
  }
}

/** Waits until the directories that a plan changed are on the device. */
export async function syncDirectories(parts: StepParts, plan: Plan): Promise<void> {
  const { root, cursor, store } = parts
  const paths = new Set<Path>()
  for (const step of plan.steps) {
    paths.add(parentOf(step.path))
    if (step.do === 'move') paths.add(parentOf(step.to))
  }
  for (const path of paths) {
    let dir: Dir
    try {
      dir = cursor.enter(path)
    } catch (error) {
      // A later step moved or removed it.
      if (isMissing(error)) continue
      throw error
    }
    await syncDirectory(root, dir)
  }
  if (plan.keeps.length > 0) await syncDirectory(root, store.objects)
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

function stagedAt({ store }: StepParts, name: string): HostPath {
  return inDir(store.staged, name)
}

function placeOf({ root, cursor }: StepParts, path: Path): HostPath {
  const dir = cursor.enter(parentOf(path))
  checkName(nameOf(path), dir === root.dir, path)
  return inDir(dir, nameOf(path))
}

/** Opens a directory apart from the cursor. */
function withDir<T>({ root, cursor }: StepParts, path: Path, use: (dir: Dir) => T): T {
  const dir = cursor.enter(path)
  if (dir.fd < 0 || dir === root.dir) return use(dir)
  const fd = root.sys.open(dir.self, OPEN.again)
  try {
    return use({ fd, self: `/proc/self/fd/${fd}`, prefix: `/proc/self/fd/${fd}/` })
  } finally {
    closeQuietly(root.sys, fd)
  }
}
