/** Plans a commit: judges changes against the volume, and turns them into steps and records. Changes nothing. */
import type { Change, CopyChange, Keep, LinkChange, MoveChange, RecordedChange, Side, WriteChange } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { externalChange, type Known } from '../../core/known.ts'
import { compareText, isWithin, type Path, ROOT } from '../../core/path.ts'
import type { Contents } from './contents.ts'
import { createForecast, type Forecast, type Found } from './forecast.ts'
import { createStates, type FileSide, type StateParts, type States } from './states.ts'
import type { Step } from './steps.ts'

/** Permission bits of what is new, as a process with the umask 022 gives them. */
const NEW_FILE_MODE = 0o644
const NEW_DIRECTORY_MODE = 0o755

/** What planning needs. */
export interface PlanParts extends StateParts {
  readonly contents: Contents
  readonly known: Known
  newId(): string
  /** Content that a file held when the journal last saw it, and holds still. */
  liveBytes(hash: Hash): Uint8Array | null
}

/** What a commit comes to. */
export interface Plan {
  readonly steps: Step[]
  readonly recorded: RecordedChange[]
  /** Before-images that history does not hold yet. */
  readonly keeps: Map<Hash, Uint8Array>
  /** Contents that changes named. */
  readonly used: Set<Hash>
  /** What other programs did to the paths of this commit since the journal last saw them. */
  readonly external: Map<Path, RecordedChange>
}

interface Planning extends Plan {
  readonly parts: PlanParts
  readonly forecast: Forecast
  readonly states: States
}

/** Plans all changes in order. Throws as `FileSystem.commit` says. */
export function planCommit(parts: PlanParts, changes: readonly Change[]): Plan {
  const [forecast, states] = [createForecast(parts.volume), createStates(parts)]
  const nothing = { steps: [], recorded: [], keeps: new Map(), used: new Set<Hash>(), external: new Map() }
  const planning: Planning = { parts, forecast, states, ...nothing }
  for (const change of changes) planning.recorded.push(planOne(planning, change))
  return planning
}

function planOne(planning: Planning, change: Change): RecordedChange {
  const { forecast, states, steps } = planning
  const { path } = change
  const found = forecast.peek(path)
  states.expect(path, found, change.kind === 'makeDirectory' ? 'absent' : change.expect)
  if (path === ROOT && (change.kind === 'remove' || change.kind === 'move')) {
    throw new FilewrightError('invalid_argument', 'The root of the workspace cannot be removed or moved.')
  }
  if (found?.kind === 'special') throw new FilewrightError('not_regular', `${path} is neither a file, a directory nor a link.`)
  switch (change.kind) {
    case 'write':
    case 'link':
    case 'copy':
      return planPut(planning, change, found)
    case 'move':
      return planMove(planning, change, found)
    case 'makeDirectory': {
      forecast.checkParent(path)
      compare(planning, path, found)
      const side = { kind: 'directory', mode: (change.mode ?? NEW_DIRECTORY_MODE) & 0o777 } as const
      forecast.put(path, { kind: 'directory', stored: null, side, bytes: null })
      steps.push({ do: 'directory', path, mode: side.mode })
      return { kind: 'makeDirectory', path, before: null, after: side, kept: true }
    }
    case 'remove': {
      forecast.checkParent(path)
      const there = existing(path, found)
      const before = states.sideOf(there)
      if (there.kind === 'directory' && !forecast.isEmpty(path)) {
        throw new FilewrightError('conflict', `${path} is not empty; remove what is in it first.`, { details: { path, current: before } })
      }
      compare(planning, path, there)
      forecast.drop(path)
      steps.push({ do: 'drop', path, kind: there.kind })
      return { kind: 'remove', path, before, after: null, ...destroy(planning, there, change.keep) }
    }
    case 'snapshot': {
      forecast.checkParent(path)
      const there = existing(path, found)
      if (there.kind === 'directory')
        throw new FilewrightError('is_directory', `${path} is a directory; a snapshot is of a file or a link.`)
      compare(planning, path, there)
      const side = states.sideOf(there)
      keepBytes(planning, there)
      return { kind: 'snapshot', path, before: side, after: side, backup: { ...change.keep }, kept: true }
    }
  }
}

function planPut(planning: Planning, change: WriteChange | LinkChange | CopyChange, found: Found | null): RecordedChange {
  const { forecast, states, steps } = planning
  const { kind, path } = change
  const source = kind === 'copy' ? copySource(planning, change) : null
  forecast.checkParent(path)
  if (found?.kind === 'directory') throw new FilewrightError('is_directory', `${path || 'The root of the workspace'} is a directory.`)
  const over = found?.kind ?? null
  const before = states.sideOf(found)
  let after: Side
  let bytes: Uint8Array | null = null
  if (kind === 'link') {
    after = { kind: 'link', target: change.target }
    steps.push({ do: 'link', path, target: change.target, over })
  } else {
    let file: FileSide
    if (kind === 'write') {
      bytes = contentOf(planning, change)
      const mode = (change.mode ?? (before?.kind === 'file' ? before.mode : NEW_FILE_MODE)) & 0o777
      file = { kind: 'file', hash: change.content.hash, size: bytes.length, mode }
    } else {
      const { side, found: from } = source as CopySource
      bytes = states.bytesOf(from)
      file = { ...side, mode: (change.mode ?? side.mode) & 0o777 }
    }
    after = file
    steps.push({ do: 'file', path, bytes, hash: file.hash, mode: file.mode, mtimeMs: kind === 'write' ? change.mtimeMs : undefined, over })
  }
  compare(planning, path, found)
  forecast.put(path, { kind: after.kind, stored: null, side: after, bytes })
  const from = kind === 'copy' ? { from: change.from } : {}
  return { kind, path, ...from, before, after, ...(found ? destroy(planning, found, change.keep) : { kept: true }) }
}

function planMove(planning: Planning, { path, to }: MoveChange, found: Found | null): RecordedChange {
  const { forecast, states, steps } = planning
  forecast.checkParent(path)
  const there = existing(path, found)
  const goal = forecast.peek(to)
  states.expect(to, goal, 'absent')
  if (isWithin(to, path)) throw new FilewrightError('invalid_argument', `${path} cannot be moved into itself.`)
  forecast.checkParent(to)
  compare(planning, path, there)
  compare(planning, to, goal)
  forecast.move(path, to)
  steps.push({ do: 'move', path, to, kind: there.kind })
  const side = states.sideOf(there)
  return { kind: 'move', path, to, before: side, after: side, kept: true }
}

interface CopySource {
  readonly found: Found
  readonly side: FileSide
}

/** The file that is copied, as it is when the turn of the change comes. */
function copySource(planning: Planning, { path, from, source }: CopyChange): CopySource {
  const { forecast, states } = planning
  if (from === path) throw new FilewrightError('invalid_argument', `${path} cannot be copied onto itself.`)
  const found = forecast.peek(from)
  if (!found) forecast.checkParent(from)
  const there = existing(from, found)
  if (there.kind === 'directory') throw new FilewrightError('is_directory', `${from || 'The root of the workspace'} is a directory.`)
  if (there.kind !== 'file') throw new FilewrightError('not_regular', `${from} is not a regular file.`)
  states.expect(from, there, source)
  compare(planning, from, there)
  return { found: there, side: states.sideOf(there) as FileSide }
}

function existing(path: Path, found: Found | null): Found {
  if (found) return found
  throw new FilewrightError('not_found', `${path} does not exist.`)
}

/** The bytes of a write: its own, or held ones. */
function contentOf({ parts, keeps, used }: Planning, { path, content }: WriteChange): Uint8Array {
  const { hash, size } = content
  if (size > parts.fileBytes) {
    throw new FilewrightError('too_large', `${path} has ${size} bytes; the largest file is ${parts.fileBytes}.`)
  }
  const bytes = content.bytes ?? parts.contents.get(hash) ?? keeps.get(hash) ?? parts.liveBytes(hash)
  if (!bytes) throw new FilewrightError('not_found', `The content ${hash} is not stored here; stage it again.`)
  if (bytes.length !== size) {
    throw new FilewrightError('invalid_argument', `The content ${hash} has ${bytes.length} bytes, not ${size}.`)
  }
  used.add(hash)
  return bytes
}

/** What becomes of the state that a change destroys. A directory's before-image is the record itself. */
function destroy(planning: Planning, found: Found, keep: Keep | undefined): Pick<RecordedChange, 'backup' | 'kept'> {
  if (keep === false) return { kept: false }
  keepBytes(planning, found)
  if (found.kind === 'directory' || keep === 'undo') return { kept: true }
  return { backup: keep ? { ...keep } : { id: planning.parts.newId() }, kept: true }
}

/** Keeps what a file holds. */
function keepBytes({ parts, states, keeps }: Planning, found: Found): void {
  const side = states.sideOf(found)
  if (side?.kind !== 'file' || parts.contents.isKept(side.hash) || keeps.has(side.hash)) return
  const bytes = states.bytesOf(found)
  // What the commit brings is the caller's array.
  keeps.set(side.hash, found.stored === null ? new Uint8Array(bytes) : bytes)
}

/** Notes what another program did to a path since the journal last saw it. */
function compare({ parts, forecast, states, external }: Planning, path: Path, found: Found | null): void {
  const stored = found ? found.stored : forecast.storedAt(path)
  if (stored === null || external.has(stored)) return
  const before = parts.known.get(stored)
  if (before === undefined) return
  const isKept = before?.kind !== 'file' || parts.contents.isKept(before.hash)
  const change = externalChange(stored, before, states.sideOf(found), isKept)
  if (change) external.set(stored, change)
}

/** What other programs did: what went, from the leaves up, and then what came, from the root down. So it can be taken back. */
export function inOrder(changes: Iterable<RecordedChange>): RecordedChange[] {
  const sorted = [...changes].sort((a, b) => compareText(a.path, b.path))
  return [...sorted.filter(({ after }) => !after).reverse(), ...sorted.filter(({ after }) => after)]
}
