/** Judges changes against what is there, and turns them into steps, staged contents and records. Changes nothing itself. */
import type { Change, CopyChange, LinkChange, RecordedChange, RemoveChange, Side, WriteChange } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import { type Path, ROOT } from '../../core/path.ts'
import { backupOf, type Court, compare, dropOf, type Judgement, type JudgeParts, keep, refIn, save, seenOf } from './court.ts'
import { checkNotStore, createForecast, diskBelow, type Found } from './forecast.ts'
import { checkSource, judgeSnapshot, type Source } from './judge_copy.ts'
import { judgeMove } from './judge_move.ts'
import { createSides, expectState } from './sides.ts'

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
      return judgeDirectory(court, change.path, change.mode, index)
    case 'write':
    case 'link':
    case 'copy':
      return judgePut(court, change, found, index)
    case 'remove':
      return judgeRemoval(court, change, found, index)
    case 'move':
      return judgeMove(court, change, found, index)
    case 'snapshot':
      return judgeSnapshot(court, change, found, index)
  }
}

function judgeDirectory(court: Court, path: Path, wanted: number | undefined, index: number): RecordedChange {
  const { parts, forecast } = court
  const parent = forecast.parent(path)
  compare(court, path, null)
  const mode = (wanted ?? 0o777 & ~parts.umask) & 0o777
  const name = refIn(parts, path, parent, `${index}`)
  court.staging.push({ make: 'directory', name, path, mode, parent, moved: null })
  court.steps.push({ do: 'put', staged: name, path, over: null, saved: null, hash: null })
  const side: Side = { kind: 'directory', mode }
  forecast.put(path, { kind: 'directory', disk: null, stats: null, staged: name, side, near: diskBelow(parent) })
  return { kind: 'makeDirectory', path, before: null, after: side, kept: true }
}

function judgePut(court: Court, change: WriteChange | LinkChange | CopyChange, found: Found | null, index: number): RecordedChange {
  const { parts, forecast } = court
  const { kind, path } = change
  const source = kind === 'copy' ? checkSource(court, change, index) : null
  const parent = forecast.parent(path)
  if (found?.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory.`)
  if (kind === 'write') checkContent(parts, change)
  if (source) checkSize(parts, path, source.side.size)
  compare(court, path, found)
  const before = court.sideOf(found)
  const name = refIn(parts, path, parent, `${index}`)
  const saved = found ? save(court, path, parent, found, index, change.keep !== false) : null
  const place = { name, path, owner: found?.stats ?? null, parent }
  let after: Side
  switch (kind) {
    case 'write': {
      const { hash, size } = change.content
      const mode = (change.mode ?? (before?.kind === 'file' ? before.mode : 0o666 & ~parts.umask)) & 0o777
      after = { kind: 'file', hash, size, mode }
      court.staging.push({ make: 'file', ...place, mode, mtimeMs: change.mtimeMs, content: change.content })
      break
    }
    case 'copy': {
      const { found: from, side } = source as Source
      after = { ...side, mode: (change.mode ?? side.mode) & 0o777 }
      court.staging.push({ make: 'duplicate', ...place, mode: after.mode, mtimeMs: undefined, from, hash: side.hash, size: side.size })
      break
    }
    case 'link':
      after = { kind: 'link', target: change.target }
      court.staging.push({ make: 'link', name, path, target: change.target })
  }
  court.steps.push({ do: 'put', staged: name, path, over: found && seenOf(found), saved, hash: after.kind === 'file' ? after.hash : null })
  forecast.put(path, { kind: after.kind, disk: null, stats: null, staged: name, side: after })
  const from = kind === 'copy' ? { from: change.from } : {}
  return { kind, path, ...from, before, after, ...backupOf(parts, found, change.keep) }
}

function judgeRemoval(court: Court, change: RemoveChange, found: Found | null, index: number): RecordedChange {
  const { parts, forecast } = court
  const { path } = change
  const parent = forecast.parent(path)
  if (!found) throw new FilewrightError('not_found', `${path} does not exist.`)
  const before = court.sideOf(found)
  if (found.kind === 'directory' && forecast.children(path).length > 0) {
    throw new FilewrightError('conflict', `${path} is not empty; remove what is in it first.`, { details: { path, current: before } })
  }
  compare(court, path, found)
  const step = dropOf(parts, path, parent, found, `${index}`, null)
  if (change.keep !== false && step.do === 'drop') keep(court, found, index, step.staged)
  court.steps.push(step)
  forecast.drop(path)
  return { kind: 'remove', path, before, after: null, ...backupOf(parts, found, change.keep) }
}

function checkContent(parts: JudgeParts, { path, content }: WriteChange): void {
  const { hash, size, bytes } = content
  checkSize(parts, path, size)
  if (bytes && bytes.length !== size) {
    throw new FilewrightError('invalid_argument', `The content ${hash} has ${bytes.length} bytes, not ${size}.`)
  }
  if (!bytes && !parts.holds(hash)) throw new FilewrightError('not_found', `The content ${hash} is not stored here; stage it again.`)
}

function checkSize({ fileBytes }: JudgeParts, path: Path, size: number): void {
  if (size > fileBytes) throw new FilewrightError('too_large', `${path} has ${size} bytes; the largest file is ${fileBytes}.`)
}
