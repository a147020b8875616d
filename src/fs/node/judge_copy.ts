/** Judges what takes content from a file that stays: copies and snapshots. */
import type { CopyChange, RecordedChange, Side, SnapshotChange } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import { type Path, parentOf } from '../../core/path.ts'
import { type Court, compare, isApart, keep } from './court.ts'
import { checkNotStore, diskBelow, type Found } from './forecast.ts'
import { expectState, HashFirst } from './sides.ts'

/** The file that a copy is made of. */
export interface Source {
  readonly found: Found
  readonly side: Side & { readonly kind: 'file' }
}

/** The source of a copy, as it is when the turn of the change comes. */
export function checkSource(court: Court, { path, from, source }: CopyChange, index: number): Source {
  checkNotStore(from)
  if (from === path) throw new FilewrightError('invalid_argument', `${path} cannot be copied onto itself.`)
  const found = existing(court, from, court.forecast.peek(from))
  if (found.kind === 'directory') throw new FilewrightError('is_directory', `${from} is a directory, not a regular file.`)
  if (found.kind !== 'file') throw new FilewrightError('not_regular', `${from} is not a regular file.`)
  try {
    expectState(from, found, source, court.sideOf)
    compare(court, from, found)
    return { found, side: court.sideOf(found) as Source['side'] }
  } catch (error) {
    if (!(error instanceof HashFirst) || error.path !== found.disk) throw error
    // What has to be read anyway is copied by the way.
    throw new HashFirst(error.path, stagedName(court, path, index))
  }
}

function existing({ forecast }: Court, path: Path, found: Found | null): Found {
  if (found) return found
  forecast.parent(path)
  throw new FilewrightError('not_found', `${path} does not exist.`)
}

/** Where the copy will be staged, if that is in the store. */
function stagedName({ parts, forecast }: Court, path: Path, index: number): string | null {
  const parent = forecast.peek(parentOf(path))
  const near = parent?.kind === 'directory' && diskBelow(parent).device === parts.device && !isApart(parts, path)
  return near ? `${parts.prefix}${index}` : null
}

export function judgeSnapshot(court: Court, change: SnapshotChange, found: Found | null, index: number): RecordedChange {
  const { path } = change
  const there = existing(court, path, found)
  if (there.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory; a snapshot is of a file or a link.`)
  compare(court, path, there)
  const side = court.sideOf(there)
  keep(court, there, index, null)
  return { kind: 'snapshot', path, before: side, after: side, backup: { ...change.keep }, kept: true }
}
