/** States of entries as the journal records them, and whether they are what a change expects. */
import type { Expect, RecordedChange, Side, Version } from '../../core/change.ts'
import { attempt, failureAt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash, Hasher } from '../../core/hash.ts'
import { nameOf, type Path, parentOf } from '../../core/path.ts'
import { hashFile, hashLargeFile, openRegular } from './contents.ts'
import { targetOf, versionOf } from './entries.ts'
import type { Found } from './forecast.ts'
import type { Cursor, Root } from './handles.ts'
import type { HashCache } from './hash_cache.ts'
import { closeQuietly, type Stats } from './syscalls.ts'

/** What finding out needs. */
export interface SideParts {
  readonly root: Root
  readonly cursor: Cursor
  readonly hasher: Hasher
  readonly hashes: HashCache
  /** Hashes of large files that were read for this commit. */
  readonly large: Map<Version, Hash>
}

/** Larger files are hashed before they are judged, so that others get their turn meanwhile. */
const LARGE = 16 * 1024 * 1024

/** Thrown when a large file's hash is needed; `readHash` gets it. */
export class HashFirst extends Error {
  override readonly name = 'HashFirst'
  readonly path: Path
  /** The name in the store under which a copy is wanted by the way. */
  readonly copyTo: string | null

  constructor(path: Path, copyTo: string | null = null) {
    super(`${path} has to be read first.`)
    this.path = path
    this.copyTo = copyTo
  }
}

/** Reads a large file's hash in turns, for the judgement that follows. */
export async function readHash(parts: SideParts, path: Path): Promise<void> {
  const { root, cursor, hasher, hashes } = parts
  const file = attempt(path, () => openRegular(root, cursor.enter(parentOf(path)), nameOf(path), path))
  try {
    const hash = await hashLargeFile(root.sys, hasher, file)
    const after = root.sys.fstat(file.fd)
    if (versionOf(after) !== versionOf(file.stats)) throw changing(path)
    parts.large.set(versionOf(after), hash)
    hashes.learn(after, hash)
  } catch (error) {
    throw failureAt(path, error)
  } finally {
    closeQuietly(root.sys, file.fd)
  }
}

/** The error for a file that somebody writes to while it is read. */
export function changing(path: Path): FilewrightError {
  return new FilewrightError('conflict', `${path} is being changed by another program.`, { details: { path } })
}

/** Tells the state of what was found; asks for each at most once. Special things have none. */
export type SideOf = (found: Found | null) => Side | null

export function createSides(parts: SideParts): SideOf {
  const sides = new Map<Found, Side | null>()
  return (found) => {
    if (!found) return null
    let side = sides.get(found)
    if (side === undefined) {
      side = found.side ?? onDisk(parts, found)
      sides.set(found, side)
    }
    return side
  }
}

function onDisk(parts: SideParts, { kind, disk, stats }: Found): Side | null {
  if (disk === null || !stats || kind === 'special') return null
  if (kind === 'directory') return { kind, mode: stats.mode & 0o777 }
  if (kind === 'file') return fileSide(parts, disk, stats)
  return attempt(disk, () => ({ kind, target: targetOf(parts.root, parts.cursor.enter(parentOf(disk)), nameOf(disk)) }))
}

/** The state of a file. Its bytes are read unless its version is known. */
function fileSide({ root, cursor, hasher, hashes, large }: SideParts, path: Path, seen: Stats): Side {
  const facts = { kind: 'file', size: seen.size, mode: seen.mode & 0o777 } as const
  const known = hashes.get(seen) ?? large.get(versionOf(seen))
  if (known) return { ...facts, hash: known }
  if (seen.size > LARGE) throw new HashFirst(path)
  const file = attempt(path, () => openRegular(root, cursor.enter(parentOf(path)), nameOf(path), path))
  try {
    const hash = hashFile(root.sys, hasher, file)
    if (versionOf(root.sys.fstat(file.fd)) !== versionOf(seen)) throw changing(path)
    hashes.learn(seen, hash)
    return { ...facts, hash }
  } catch (error) {
    throw failureAt(path, error)
  } finally {
    closeQuietly(root.sys, file.fd)
  }
}

/** Throws `conflict`, with what is there, unless it is what a change expects. */
export function expectState(path: Path, found: Found | null, expect: Expect, sideOf: SideOf): void {
  if (holds(found, expect, sideOf)) return
  throw new FilewrightError('conflict', `${path} is not what this change expects to replace.`, {
    details: { path, current: sideOf(found) },
  })
}

function holds(found: Found | null, expect: Expect, sideOf: SideOf): boolean {
  if (expect === 'absent' || !found) return expect === 'absent' && !found
  if (expect === 'directory') return found.kind === 'directory'
  // The hash of the record is taken after this, of the same version: what changes in between is a conflict there.
  if ('version' in expect) return found.stats !== null && versionOf(found.stats) === expect.version
  const side = sideOf(found)
  if ('hash' in expect) return side?.kind === 'file' && side.hash === expect.hash
  return side?.kind === 'link' && side.target === expect.link
}

/** Whether two states are the same to anybody who looks. */
export function sameSide(a: Side | null, b: Side | null): boolean {
  if (a === null || b === null) return a === b
  if (a.kind === 'file') return b.kind === 'file' && a.hash === b.hash && a.mode === b.mode
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target
  return b.kind === 'directory' && a.mode === b.mode
}

/** What another program must have done for a path to be as it is. */
export function kindOfArrival(now: Side | null): RecordedChange['kind'] {
  if (!now) return 'remove'
  return now.kind === 'file' ? 'write' : now.kind === 'link' ? 'link' : 'makeDirectory'
}
