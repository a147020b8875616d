/** What judging one change of a commit takes: the parts that all kinds of changes share. */
import type { Keep, RecordedChange } from '../../core/change.ts'
import type { Hash } from '../../core/hash.ts'
import type { Known } from '../../core/known.ts'
import { isWithin, type Path, parentOf, ROOT } from '../../core/path.ts'
import { mayUse } from './entries.ts'
import { diskBelow, type Forecast, type Found } from './forecast.ts'
import { statDir } from './handles.ts'
import { besideTarget } from './places.ts'
import { type Copy, type Keeping, markOf, type Seen, type StagedRef, type Step } from './plan.ts'
import { kindOfArrival, type SideOf, type SideParts, sameSide } from './sides.ts'
import type { Staging } from './staging.ts'
import { ACCESS } from './syscalls.ts'

/** What is staged, stepped and kept. */
export interface Work {
  readonly staging: Staging[]
  readonly steps: Step[]
  readonly keeps: Keeping[]
}

/** What a commit comes to. */
export interface Judgement extends Work {
  readonly recorded: RecordedChange[]
  /** What other programs did to the paths of this commit since the journal last saw them. */
  readonly external: Map<Path, RecordedChange>
}

/** What judging needs. */
export interface JudgeParts extends SideParts {
  /** Null while there is no journal. */
  readonly known: Known | null
  readonly fileBytes: number
  /** Whether directories are flushed after the steps. */
  readonly durable: boolean
  /** Permission bits that new files and directories do not get. */
  readonly umask: number
  /** The device of the store. */
  readonly device: number
  /** What names of staged entries begin with. */
  readonly prefix: string
  /** Places that nothing can be renamed to or from, although their device says otherwise. */
  readonly apart: ReadonlySet<Path>
  newId(): string
  /** Whether content without bytes can be had. Read afresh: what is in a file may have changed. */
  holds(hash: Hash): boolean
  /** Whether history has this content already. */
  isKept(hash: Hash, size: number): boolean
}

/** What one change is judged with. */
export interface Court extends Judgement {
  readonly parts: JudgeParts
  readonly forecast: Forecast
  readonly sideOf: SideOf
  /** Whether anything can fail once a step is taken, so that there must be a way back. */
  readonly mayFailLater: boolean
}

/** Notes what another program did to a path since the journal last saw it. */
export function compare({ parts, forecast, sideOf, external }: Court, path: Path, found: Found | null): void {
  const disk = found ? found.disk : forecast.diskOf(path)
  if (!parts.known || disk === null || external.has(disk)) return
  const before = parts.known.get(disk)
  if (before === undefined) return
  const after = sideOf(found)
  if (sameSide(before, after)) return
  const kept = before?.kind !== 'file' || parts.holds(before.hash)
  external.set(disk, { kind: kindOfArrival(after), path: disk, before, after, kept })
}

/** A second name for what a step replaces: what undo needs, and the way back when something fails later. */
export function save(court: Court, path: Path, parent: Found, found: Found, index: number, wanted: boolean): StagedRef | null {
  const name = refIn(court.parts, path, parent, `o${index}`)
  const kept = wanted && keep(court, found, index, name)
  if (!court.mayFailLater && kept !== name) return null
  court.staging.push({ make: 'save', name, from: found })
  return name
}

/**
 * Keeps the content of a file under its staged name `own`. A copy is kept instead where the file stays in the tree (no `own`) or
 * has other names too, since whoever writes to one of those must not write to what is kept, or where it is on another device.
 * Null when there is nothing to keep.
 */
export function keep({ parts, sideOf, staging, keeps }: Court, found: Found, index: number, own: StagedRef | null): StagedRef | null {
  const side = sideOf(found)
  if (side?.kind !== 'file' || parts.isKept(side.hash, side.size)) return null
  const shared = found.stats !== null && found.stats.nlink > 1
  const name = own === null || shared || own.includes('/') ? `${parts.prefix}k${index}` : own
  if (name !== own) staging.push({ make: 'copy', name, from: found, hash: side.hash })
  keeps.push({ staged: name, hash: side.hash })
  return name
}

/** Where an entry is staged that goes to, or comes from, `path` in `parent`. */
export function refIn(parts: JudgeParts, path: Path, parent: Found, name: string): StagedRef {
  const { path: dir, device } = diskBelow(parent)
  if (device !== parts.device) return besideTarget(topOf(parts, dir, device), parts.prefix + name)
  return isApart(parts, path) ? besideTarget(dir, parts.prefix + name) : parts.prefix + name
}

/** Whether a place turned out to be on another file system, although its device says otherwise. */
export function isApart({ apart }: JudgeParts, path: Path): boolean {
  for (const dir of apart) if (isWithin(path, dir)) return true
  return false
}

/** The highest directory of a device above `dir` in which entries can be staged: what is below may be moved or removed. */
function topOf({ root, cursor }: JudgeParts, dir: Path, device: number): Path {
  for (let top = dir; ; top = parentOf(top)) {
    if (top === ROOT) return top
    const above = cursor.enter(parentOf(top))
    if (statDir(root, above).dev !== device || !mayUse(root, above.self, ACCESS.write)) return top
  }
}

/** The step that takes an entry of `parent` out of the tree. */
export function dropOf(parts: JudgeParts, path: Path, parent: Found, found: Found, name: string, copy: Copy | null): Step {
  const directory = found.kind === 'directory'
  const { stats } = found
  // Where renames fail, those of a whole directory may fail to anywhere: layers of a container are such.
  if (directory && stats && isApart(parts, path)) {
    const owner = { user: stats.uid, group: stats.gid }
    return { do: 'erase', path, seen: seenOf(found), mode: stats.mode & 0o7777, owner, copy }
  }
  return { do: 'drop', path, staged: refIn(parts, path, parent, name), seen: seenOf(found), directory, copy }
}

export function seenOf({ stats, staged }: Found): Seen {
  return stats ? markOf(stats) : { made: staged ?? '' }
}

export function backupOf(parts: JudgeParts, found: Found | null, wanted: Keep | undefined): Pick<RecordedChange, 'backup' | 'kept'> {
  if (!found) return { kept: true }
  if (wanted === false) return { kept: false }
  // A directory's before-image is the record itself.
  if (found.kind === 'directory' || wanted === 'undo') return { kept: true }
  return { backup: wanted ? { ...wanted } : { id: parts.newId() }, kept: true }
}
