/** Judges changes against what is there, and turns them into steps, staged contents and records. Changes nothing itself. */
import type { Change, Keep, LinkChange, MoveChange, RecordedChange, RemoveChange, Side, WriteChange } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { isWithin, type Path, ROOT } from '../../core/path.ts'
import { checkNotStore, createForecast, diskBelow, type Forecast, type Found } from './forecast.ts'
import type { Known } from './known.ts'
import { besideTarget } from './places.ts'
import { type Keeping, markOf, type Seen, type StagedRef, type Step } from './plan.ts'
import { createSides, expectState, kindOfArrival, type SideOf, type SideParts, sameSide } from './sides.ts'
import type { Staging } from './staging.ts'

/** What a commit comes to. */
export interface Judgement {
  readonly staging: Staging[]
  readonly steps: Step[]
  readonly keeps: Keeping[]
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
  newId(): string
  /** Whether content without bytes can be had. Read afresh: what is in a file may have changed. */
  holds(hash: Hash): boolean
  /** Whether history has this content already. */
  isKept(hash: Hash, size: number): boolean
}

/** What one change is judged with. */
interface Court extends Judgement {
  readonly parts: JudgeParts
  readonly forecast: Forecast
  readonly sideOf: SideOf
  /** Whether anything can fail once a step is taken, so that there must be a way back. */
  readonly mayFailLater: boolean
}

/** Judges all changes in order. Throws as `FileSystem.commit` says. */
export function judge(parts: JudgeParts, changes: readonly Change[]): Judgement {
  const court: Court = {
    parts,
    forecast: createForecast(parts.root, parts.cursor),
    sideOf: createSides(parts),
    mayFailLater: changes.length > 1 || parts.durable,
    staging: [],
    steps: [],
    keeps: [],
    recorded: [],
    external: new Map(),
  }
  changes.forEach((change, index) => {
    court.recorded.push(judgeOne(court, change, index))
  })
  return court
}

function judgeOne(court: Court, change: Change, index: number): RecordedChange {
  const { path } = change
  checkNotStore(path)
  const found = court.forecast.peek(path)
  expectState(path, found, change.kind === 'makeDirectory' ? 'absent' : change.expect, court.sideOf)
  if (path === ROOT && (change.kind === 'remove' || change.kind === 'move')) {
    throw new FilewrightError('invalid_argument', 'The root of the workspace cannot be removed or moved.')
  }
  if (found?.kind === 'special') throw new FilewrightError('not_regular', `${path} is neither a file, a directory nor a link.`)
  switch (change.kind) {
    case 'makeDirectory':
      return judgeDirectory(court, path, change.mode, index)
    case 'write':
    case 'link':
      return judgePut(court, change, found, index)
    case 'remove':
      return judgeRemoval(court, change, found, index)
    case 'move':
      return judgeMove(court, change, found)
  }
}

function judgeDirectory(court: Court, path: Path, wanted: number | undefined, index: number): RecordedChange {
  const { parts, forecast } = court
  const parent = forecast.parent(path)
  compare(court, path, null)
  const mode = (wanted ?? 0o777 & ~parts.umask) & 0o777
  const name = refIn(parts, parent, `${index}`)
  court.staging.push({ make: 'directory', name, path, mode, parent })
  court.steps.push({ do: 'put', staged: name, path, over: null, saved: null, hash: null })
  const side: Side = { kind: 'directory', mode }
  forecast.put(path, { kind: 'directory', disk: null, stats: null, staged: name, side, near: diskBelow(parent) })
  return { kind: 'makeDirectory', path, before: null, after: side, kept: true }
}

function judgePut(court: Court, change: WriteChange | LinkChange, found: Found | null, index: number): RecordedChange {
  const { parts, forecast } = court
  const { kind, path } = change
  const parent = forecast.parent(path)
  if (found?.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory.`)
  if (kind === 'write') checkContent(parts, change)
  compare(court, path, found)
  const before = court.sideOf(found)
  const name = refIn(parts, parent, `${index}`)
  const saved = found ? save(court, parent, found, index, change.keep !== false) : null
  let after: Side
  if (kind === 'write') {
    const { hash, size } = change.content
    const mode = (change.mode ?? (before?.kind === 'file' ? before.mode : 0o666 & ~parts.umask)) & 0o777
    after = { kind: 'file', hash, size, mode }
    court.staging.push({ make: 'file', name, path, change, mode, replaced: found?.stats ?? null, parent })
  } else {
    after = { kind: 'link', target: change.target }
    court.staging.push({ make: 'link', name, path, target: change.target })
  }
  court.steps.push({ do: 'put', staged: name, path, over: found && seenOf(found), saved, hash: after.kind === 'file' ? after.hash : null })
  forecast.put(path, { kind: after.kind, disk: null, stats: null, staged: name, side: after })
  return { kind, path, before, after, ...backupOf(parts, found, change.keep) }
}

function judgeRemoval(court: Court, change: RemoveChange, found: Found | null, index: number): RecordedChange {
  const { parts, forecast } = court
  const { path } = change
  const parent = forecast.parent(path)
  if (!found) throw new FilewrightError('not_found', `${path} does not exist.`)
  const before = court.sideOf(found)
  if (found.kind === 'directory' && !forecast.isEmpty(path)) {
    throw new FilewrightError('conflict', `${path} is not empty; remove what is in it first.`, { details: { path, current: before } })
  }
  compare(court, path, found)
  const name = refIn(parts, parent, `${index}`)
  if (change.keep !== false) keep(court, found, index, name)
  court.steps.push({
    do: 'drop',
    path,
    staged: name,
    seen: seenOf(found),
    directory: found.kind === 'directory',
  })
  forecast.drop(path)
  return { kind: 'remove', path, before, after: null, ...backupOf(parts, found, change.keep) }
}

function judgeMove(court: Court, change: MoveChange, found: Found | null): RecordedChange {
  const { forecast } = court
  const { path, to } = change
  checkNotStore(to)
  const from = forecast.parent(path)
  if (!found) throw new FilewrightError('not_found', `${path} does not exist.`)
  const goal = forecast.peek(to)
  expectState(to, goal, 'absent', court.sideOf)
  if (isWithin(to, path)) throw new FilewrightError('invalid_argument', `${path} cannot be moved into itself.`)
  if (diskBelow(forecast.parent(to)).device !== diskBelow(from).device) {
    throw new FilewrightError('unsupported', `${path} cannot be moved to another file system in one step: copy it, then remove it.`)
  }
  compare(court, path, found)
  compare(court, to, goal)
  const side = court.sideOf(found)
  court.steps.push({ do: 'move', path, to, seen: seenOf(found) })
  forecast.move(path, to)
  return { kind: 'move', path, to, before: side, after: side, kept: true }
}

/** Notes what another program did to a path since the journal last saw it. */
function compare({ parts, forecast, sideOf, external }: Court, path: Path, found: Found | null): void {
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
function save(court: Court, parent: Found, found: Found, index: number, wanted: boolean): StagedRef | null {
  const name = refIn(court.parts, parent, `o${index}`)
  const kept = wanted && keep(court, found, index, name)
  if (!court.mayFailLater && kept !== name) return null
  court.staging.push({ make: 'save', name, from: found })
  return name
}

/**
 * Keeps the content of a file under its staged name `own`. A copy is kept instead where the file has other names too (whoever
 * writes to one of those must not write to what is kept), or is on another device. Null when there is nothing to keep.
 */
function keep({ parts, sideOf, staging, keeps }: Court, found: Found, index: number, own: StagedRef): StagedRef | null {
  const side = sideOf(found)
  if (side?.kind !== 'file' || parts.isKept(side.hash, side.size)) return null
  const shared = found.stats !== null && found.stats.nlink > 1
  const name = shared || own.includes('/') ? `${parts.prefix}k${index}` : own
  if (name !== own) staging.push({ make: 'copy', name, from: found, hash: side.hash })
  keeps.push({ staged: name, hash: side.hash })
  return name
}

/** Where an entry is staged that goes into `parent`. */
function refIn(parts: JudgeParts, parent: Found, name: string): StagedRef {
  const { path, device } = diskBelow(parent)
  return device === parts.device ? parts.prefix + name : besideTarget(path, parts.prefix + name)
}

function seenOf({ stats, staged }: Found): Seen {
  return stats ? markOf(stats) : { made: staged ?? '' }
}

function backupOf(parts: JudgeParts, found: Found | null, wanted: Keep | undefined): Pick<RecordedChange, 'backup' | 'kept'> {
  if (!found) return { kept: true }
  if (wanted === false) return { kept: false }
  // A directory's before-image is the record itself.
  if (found.kind === 'directory') return { kept: true }
  return { backup: wanted ? { ...wanted } : { id: parts.newId() }, kept: true }
}

function checkContent(parts: JudgeParts, { path, content }: WriteChange): void {
  const { hash, size, bytes } = content
  if (size > parts.fileBytes) {
    throw new FilewrightError('too_large', `${path} has ${size} bytes; the largest file is ${parts.fileBytes}.`)
  }
  if (bytes && bytes.length !== size) {
    throw new FilewrightError('invalid_argument', `The content ${hash} has ${bytes.length} bytes, not ${size}.`)
  }
  if (!bytes && !parts.holds(hash)) throw new FilewrightError('not_found', `The content ${hash} is not stored here; stage it again.`)
}
