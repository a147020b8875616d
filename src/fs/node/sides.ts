/** States of entries as the journal records them, and whether they are what a change expects. */
import type { Expect, RecordedChange, Side } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hasher } from '../../core/hash.ts'
import { nameOf, type Path, parentOf } from '../../core/path.ts'
import { hashFile, openRegular } from './contents.ts'
import { targetOf, versionOf } from './entries.ts'
import { attempt } from './errno.ts'
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
  return attempt(disk, () => {
    if (kind === 'file') return fileSide(parts, disk, stats)
    return { kind, target: targetOf(parts.root, parts.cursor.enter(parentOf(disk)), nameOf(disk)) }
  })
}

/** The state of a file. Its bytes are read unless its version is known. */
function fileSide({ root, cursor, hasher, hashes }: SideParts, path: Path, seen: Stats): Side {
  const facts = { kind: 'file', size: seen.size, mode: seen.mode & 0o777 } as const
  const known = hashes.get(seen)
  if (known) return { ...facts, hash: known }
  const file = openRegular(root, cursor.enter(parentOf(path)), nameOf(path), path)
  try {
    const hash = hashFile(root.sys, hasher, file)
    if (versionOf(root.sys.fstat(file.fd)) !== versionOf(seen)) {
      throw new FilewrightError('conflict', `${path} is being changed by another program.`, { details: { path } })
    }
    hashes.learn(seen, hash)
    return { ...facts, hash }
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
