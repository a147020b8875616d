/** Carries a plan out on the volume, one step after another, with a way back until all are done. */
import { attempt, errnoOf } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { EntryKind } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import type { Path } from '../../core/path.ts'
import { type Aside, createAside } from './aside.ts'
import { targetOf } from './entries.ts'
import type { Marks } from './marks.ts'
import { createLook, direntsOf, kindOf, type Volume } from './volume.ts'

/** One change of the volume. `over` is the kind of what is replaced, if anything is. */
export type Step =
  | {
      readonly do: 'file'
      readonly path: Path
      readonly bytes: Uint8Array
      readonly hash: Hash
      readonly mode: number
      readonly mtimeMs: number | undefined
      readonly over: EntryKind | null
    }
  | { readonly do: 'link'; readonly path: Path; readonly target: string; readonly over: EntryKind | null }
  | { readonly do: 'directory'; readonly path: Path; readonly mode: number }
  | { readonly do: 'drop'; readonly path: Path; readonly kind: EntryKind }
  | { readonly do: 'move'; readonly path: Path; readonly to: Path; readonly kind: EntryKind }

interface Work {
  readonly volume: Volume
  readonly marks: Marks
  readonly aside: Aside
  /** What takes back what was done, first to last. */
  readonly undo: { readonly path: Path; back(): void }[]
}

/**
 * Takes all steps, or throws with the volume as it was. When taking back fails too, the error says which paths are not as they
 * were.
 */
export function takeSteps(volume: Volume, marks: Marks, steps: readonly Step[]): void {
  const work: Work = { volume, marks, aside: createAside(volume), undo: [] }
  try {
    for (const step of steps) attempt(step.path, () => take(work, step))
  } catch (error) {
    const lost = takeBack(work)
    if (lost.length === 0) {
      work.aside.close()
      throw error
    }
    work.aside.abandon()
    const where = `${lost.join(', ')}; what was there may be in ${work.aside.name}`
    throw new FilewrightError('io_error', `The change failed, and could not be taken back at ${where}.`, { cause: error })
  }
  work.aside.close()
}

/** Answers the paths at which that failed. */
function takeBack({ undo }: Work): Path[] {
  const lost: Path[] = []
  for (const { path, back } of undo.toReversed()) {
    try {
      back()
    } catch {
      lost.push(path)
    }
  }
  return lost
}

function take(work: Work, step: Step): void {
  const { volume, undo } = work
  const { fs } = volume
  const { path } = step
  const at = volume.at(path)
  switch (step.do) {
    case 'drop':
      clear(work, path, step.kind)
      break
    case 'move':
      move(work, step)
      break
    case 'directory':
      fs.mkdirSync(at, { mode: step.mode })
      undo.push({ path, back: () => fs.rmdirSync(at) })
      // The process may have a umask of its own.
      fs.chmodSync(at, step.mode)
      checkName(volume, path)
      break
    case 'link':
      if (step.over) clear(work, path, step.over)
      fs.symlinkSync(step.target, at)
      undo.push({ path, back: () => fs.unlinkSync(at) })
      checkName(volume, path)
      break
    case 'file':
      if (step.over) clear(work, path, step.over)
      create(work, step)
  }
}

function create({ volume, marks, undo }: Work, { path, bytes, hash, mode, mtimeMs }: Extract<Step, { do: 'file' }>): void {
  const { fs } = volume
  const at = volume.at(path)
  const fd = fs.openSync(at, 'wx', 0o600)
  undo.push({ path, back: () => fs.unlinkSync(at) })
  try {
    for (let from = 0; from < bytes.length; ) {
      const count = fs.writeSync(fd, bytes, from, bytes.length - from)
      if (count === 0) throw new FilewrightError('io_error', `${path} could not be written to its end.`)
      from += count
    }
    fs.fchmodSync(fd, mode)
    if (mtimeMs !== undefined) fs.futimesSync(fd, timeOf(mtimeMs), timeOf(mtimeMs))
    marks.learn(fs.fstatSync(fd), hash)
  } finally {
    fs.closeSync(fd)
  }
  checkName(volume, path)
}

/** Takes away what is at a path, in a way that can be taken back whole. */
function clear({ volume, aside, undo }: Work, path: Path, kind: EntryKind): void {
  const { fs } = volume
  const at = volume.at(path)
  const { mode, mtimeMs } = statsOf(volume, path, kind)
  if (kind === 'file') {
    const other = aside.place()
    fs.renameSync(at, other)
    undo.push({ path, back: () => fs.renameSync(other, at) })
  } else if (kind === 'link') {
    const target = targetOf(volume, path)
    fs.unlinkSync(at)
    undo.push({ path, back: () => putLink(volume, target, path, mtimeMs) })
  } else {
    removeDirectory(volume, path)
    undo.push({
      path,
      back() {
        fs.mkdirSync(at, { mode: mode & 0o777 })
        fs.chmodSync(at, mode & 0o777)
      },
    })
  }
}

/** Where other code renamed over a file, memfs counts wrong, and calls an empty directory full ever after. */
function removeDirectory({ fs, at }: Volume, path: Path): void {
  try {
    fs.rmdirSync(at(path))
  } catch (error) {
    if (errnoOf(error) !== 'ENOTEMPTY' || direntsOf(fs, at(path)).length > 0) throw error
    throw new FilewrightError('io_error', `${path} is empty, but the file system does not remove it.`, { cause: error })
  }
}

function move({ volume, undo }: Work, { path, to, kind }: Extract<Step, { do: 'move' }>): void {
  const { fs } = volume
  const [from, goal] = [volume.at(path), volume.at(to)]
  const { mtimeMs } = statsOf(volume, path, kind)
  // A rename replaces what is there, even a directory that is not empty.
  if (createLook(volume).peek(to)) throw new FilewrightError('conflict', `${to} came to be at the same moment.`, { details: { path: to } })
  if (kind === 'link') {
    // A rename of a link may move what it leads to instead.
    const target = targetOf(volume, path)
    fs.symlinkSync(target, goal)
    undo.push({ path: to, back: () => fs.unlinkSync(goal) })
    fs.lutimesSync(goal, timeOf(mtimeMs), timeOf(mtimeMs))
    fs.unlinkSync(from)
    undo.push({ path, back: () => putLink(volume, target, path, mtimeMs) })
  } else {
    fs.renameSync(from, goal)
    undo.push({ path, back: () => fs.renameSync(goal, from) })
  }
  checkName(volume, to)
}

function putLink({ fs, at }: Volume, target: string, path: Path, mtimeMs: number): void {
  fs.symlinkSync(target, at(path))
  fs.lutimesSync(at(path), timeOf(mtimeMs), timeOf(mtimeMs))
}

/** What is at a path just before it is changed. Throws `conflict` when that is not what the plan found. */
function statsOf(volume: Volume, path: Path, kind: EntryKind) {
  const stats = createLook(volume).peek(path)
  if (stats && kindOf(stats) === kind) return stats
  throw new FilewrightError('conflict', `${path} is being changed by another program.`, { details: { path } })
}

/** Throws `invalid_name` when what was made has another name now, as where names are kept as UTF-8. */
function checkName(volume: Volume, path: Path): void {
  if (path.isWellFormed() || createLook(volume).peek(path)) return
  throw new FilewrightError('invalid_name', `${JSON.stringify(path)} is no name that the file system can hold.`)
}

/** A time as `utimes` takes it. */
function timeOf(mtimeMs: number): number | Date {
  // Seconds before 1970 stand for now, and seconds that are cut off to milliseconds must not fall short.
  return mtimeMs < 0 ? new Date(mtimeMs) : (mtimeMs + 0.0005) / 1000
}
