/** States of what a commit finds, as the journal records them: read once each, and compared with what a change expects. */
import type { Expect, Side } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash, Hasher } from '../../core/hash.ts'
import type { Path } from '../../core/path.ts'
import { targetOf } from './entries.ts'
import { readWhole } from './files.ts'
import type { Found, Stored } from './forecast.ts'
import { type Marks, versionOfOther } from './marks.ts'
import type { Volume } from './volume.ts'

/** What finding out needs. */
export interface StateParts {
  readonly volume: Volume
  readonly marks: Marks
  readonly hasher: Hasher
  /** Largest file that is read whole. */
  readonly fileBytes: number
}

/** A file's state. */
export type FileSide = Extract<Side, { readonly kind: 'file' }>

/** What is found, told at most once each. */
export interface States {
  /** The state of an entry; null for nothing, and for special things, which have none. */
  sideOf(found: Found | null): Side | null
  /** The bytes of a file, which are those that its state tells of. Throws `too_large`, and `conflict` when they change meanwhile. */
  bytesOf(found: Found): Uint8Array
  /** Throws `conflict`, with what is there, unless it is what a change expects. */
  expect(path: Path, found: Found | null, expect: Expect): void
}

export function createStates({ volume, marks, hasher, fileBytes }: StateParts): States {
  const sides = new Map<Stored, Side | null>()

  const sideOfStored = ({ kind, stored, stats }: Stored): Side | null => {
    const mode = stats.mode & 0o777
    if (kind === 'file') return { kind, hash: marks.hashOf(stored, stats), size: stats.size, mode }
    if (kind === 'directory') return { kind, mode }
    return kind === 'link' ? { kind, target: targetOf(volume, stored) } : null
  }
  const sideOf = (found: Found | null): Side | null => {
    if (found === null || found.stored === null) return found?.side ?? null
    let side = sides.get(found)
    if (side === undefined) {
      side = sideOfStored(found)
      sides.set(found, side)
    }
    return side
  }
  const holds = (found: Found | null, expect: Expect): boolean => {
    if (expect === 'absent' || !found) return expect === 'absent' && !found
    if (expect === 'directory') return found.kind === 'directory'
    if ('version' in expect) return found.stored !== null && versionOf(found) === expect.version
    const side = sideOf(found)
    if ('hash' in expect) return side?.kind === 'file' && side.hash === expect.hash
    return side?.kind === 'link' && side.target === expect.link
  }
  const versionOf = (found: Stored): string => {
    const { kind, stored, stats } = found
    if (kind === 'file') return marks.versionOf(stored, stats)
    const side = sideOf(found)
    return versionOfOther(stats, side?.kind === 'link' ? side.target : null)
  }
  return {
    sideOf,
    bytesOf(found) {
      if (found.stored === null) return found.bytes ?? new Uint8Array()
      const bytes = readWhole(volume, found.stored, found.stats, fileBytes)
      checkHash(hasher, bytes, sideOf(found), found.stored)
      return bytes
    },
    expect(path, found, expect) {
      if (holds(found, expect)) return
      throw new FilewrightError('conflict', `${path} is not what this change expects to replace.`, {
        details: { path, current: sideOf(found) },
      })
    },
  }
}

function checkHash(hasher: Hasher, bytes: Uint8Array, side: Side | null, path: Path): void {
  const hash: Hash = hasher.hash(bytes)
  if (side?.kind === 'file' && side.hash === hash) return
  throw new FilewrightError('conflict', `${path} is being changed by another program.`, { details: { path } })
}
