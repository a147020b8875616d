/** Prepares in the store what a commit will rename into the tree. */
import type { Content } from '../../core/change.ts'
import { errnoOf, failureAt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { MaybePromise } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { nameOf, type Path, parentOf } from '../../core/path.ts'
import { type OpenFile, openFile, openRegular } from './contents.ts'
import { type CopiedAhead, type CopyParts, copyFile } from './copying.ts'
import { versionOf } from './entries.ts'
import type { Found } from './forecast.ts'
import { hostName } from './names.ts'
import { locate, type PlaceParts, withTwo } from './places.ts'
import { type Mark, markOf, type StagedRef } from './plan.ts'
import { changing } from './sides.ts'
import { closeQuietly, type HostPath, OPEN, type Stats, writeAll } from './syscalls.ts'

const PERMISSIONS = 0o777
const PRIVATE_FILE = 0o600
const SPECIAL_AND_PERMISSIONS = 0o7777
const SET_GROUP = 0o2000
const OWNER = 0o700

/** Where a file goes, and what it looks like there. */
export interface FileLook {
  readonly name: StagedRef
  readonly path: Path
  readonly mode: number
  readonly mtimeMs: number | undefined
  /** Whose owner and group it gets, as far as the system lets this process. */
  readonly owner: Stats | null
  readonly parent: Found
}

/** Something to prepare before the commit point. */
export type Staging =
  | ({ readonly make: 'file'; readonly content: Content } & FileLook)
  /** What another file holds. */
  | ({ readonly make: 'duplicate'; readonly from: Found; readonly hash: Hash; readonly size: number } & FileLook)
  | {
      readonly make: 'directory'
      readonly name: StagedRef
      readonly path: Path
      readonly mode: number
      readonly parent: Found
      /** The directory that it takes the place of, on another file system. */
      readonly moved: Stats | null
    }
  | { readonly make: 'link'; readonly name: StagedRef; readonly path: Path; readonly target: string }
  /** A second name. */
  | { readonly make: 'save'; readonly name: StagedRef; readonly from: Found }
  /** Content to be kept. */
  | { readonly make: 'copy'; readonly name: StagedRef; readonly from: Found; readonly hash: Hash }

/** Held content, by the place of its file. */
export interface Source {
  readonly path: HostPath
  /** The file was staged for a commit and may be renamed instead of copied. */
  readonly mayTake: boolean
}

/** What staging needs. */
export interface StagingParts extends PlaceParts, CopyParts {
  /** What is staged already. */
  readonly ahead: CopiedAhead
  /** Whether everything must be on the device before the commit point. */
  readonly durable: boolean
  /** Throws `not_found`. */
  source(hash: Hash): Source
  /** What the new entries look like. */
  readonly marks: Map<StagedRef, Mark>
  /** Staged files that were taken, to be put back when the commit fails; those without `to` were copied, and go when it succeeds. */
  readonly taken: Map<Hash, { readonly from: HostPath; readonly to: HostPath | null }>
}

/** Prepares everything. Whoever calls sweeps what is left when this throws. */
export async function stageAll(parts: StagingParts, staging: readonly Staging[]): Promise<void> {
  for (const one of staging) {
    try {
      const staged = stageOne(parts, one)
      const handle = staged instanceof Promise ? await staged : staged
      if (handle === null) continue
      try {
        if (parts.durable) await parts.root.sys.sync(handle)
      } finally {
        closeQuietly(parts.root.sys, handle)
      }
    } catch (error) {
      throw failureAt(shownPath(one), error)
    }
  }
}

/** Prepares one entry; returns the handle of what has to reach the device. */
function stageOne(parts: StagingParts, one: Staging): MaybePromise<number | null> {
  const { sys } = parts.root
  switch (one.make) {
    case 'file':
      return stageFile(parts, one)
    case 'duplicate':
      return stageDuplicate(parts, one)
    case 'directory':
      return stageDirectory(parts, one)
    case 'link':
      sys.symlink(hostName(one.target), locate(parts, { staged: one.name }))
      markStaged(parts, one.name, sys.lstat(locate(parts, { staged: one.name })))
      return null
    case 'save':
      try {
        linkTo(parts, one.from, one.name)
        return null
      } catch (error) {
        // Not ours to link, too many links, or a file system without them.
        const copies = ['EPERM', 'EMLINK', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP'].includes(errnoOf(error) ?? '')
        if (!copies || one.from.kind !== 'file') throw error
        return copyOf(parts, one.from, one.name, null, one.from.stats?.mode ?? PRIVATE_FILE)
      }
    case 'copy':
      return copyOf(parts, one.from, one.name, one.hash, PRIVATE_FILE)
  }
}

function stageFile(parts: StagingParts, one: Staging & { make: 'file' }): MaybePromise<number> {
  const { sys } = parts.root
  const { bytes, hash, size } = one.content
  if (!bytes) return stageHeld(parts, hash, one.name, one.mode).then((fd) => finishFile(parts, one, size, fd))
  const fd = sys.open(locate(parts, { staged: one.name }), OPEN.create, one.mode)
  try {
    writeAll(sys, fd, bytes, 0)
  } catch (error) {
    closeQuietly(sys, fd)
    throw error
  }
  return finishFile(parts, one, size, fd)
}

async function stageDuplicate(parts: StagingParts, one: Staging & { make: 'duplicate' }): Promise<number> {
  const { stats } = one.from
  const isThere = stats !== null && parts.ahead.get(one.name) === versionOf(stats)
  const fd = isThere
    ? parts.root.sys.open(locate(parts, { staged: one.name }), OPEN.update)
    : await copyOf(parts, one.from, one.name, one.hash, one.mode)
  return finishFile(parts, one, one.size, fd)
}

/** Checks what was written, and gives it owner, mode and time. */
function finishFile(parts: StagingParts, one: FileLook, size: number, fd: number): number {
  const { sys } = parts.root
  const { mtimeMs } = one
  try {
    let stats = sys.fstat(fd)
    if (stats.size !== size) throw Object.assign(new Error('The file has another size than was written.'), { code: 'EIO' })
    const owner = one.owner?.isFile() ? one.owner : null
    // Root keeps the owner of what it replaces; anybody keeps the group, as far as the system lets them.
    const user = owner && isRoot() ? owner.uid : stats.uid
    const group = owner ? owner.gid : (inheritedGroup(one.parent) ?? stats.gid)
    let { mode } = stats
    if (user !== stats.uid || group !== stats.gid) {
      changeOwner(parts, fd, user, group)
      // A change of owner can take bits away.
      mode = sys.fstat(fd).mode
    }
    if ((mode & SPECIAL_AND_PERMISSIONS) !== one.mode) sys.setMode(fd, one.mode)
    if (mtimeMs !== undefined) {
      sys.setTimes(fd, mtimeMs / 1000, mtimeMs / 1000)
      stats = sys.fstat(fd)
    }
    markStaged(parts, one.name, stats)
    return fd
  } catch (error) {
    closeQuietly(sys, fd)
    throw error
  }
}

/** A file of content that is held already: the staged one itself, or a copy. */
async function stageHeld(parts: StagingParts, hash: Hash, name: StagedRef, mode: number): Promise<number> {
  const { sys } = parts.root
  const before = parts.taken.get(hash)
  const { path, mayTake } = before ? { path: before.to ?? before.from, mayTake: false } : parts.source(hash)
  if (mayTake && !name.includes('/')) {
    const at = locate(parts, { staged: name })
    sys.rename(path, at)
    parts.taken.set(hash, { from: path, to: at })
    return sys.open(at, OPEN.update)
  }
  if (mayTake) parts.taken.set(hash, { from: path, to: null })
  return copyTo(parts, openFile(sys, path, `The content ${hash}`), name, mode, hash, '', (copied) => {
    if (copied !== hash) throw new FilewrightError('corrupt', `The stored content ${hash} does not match its hash.`)
  })
}

/** A copy of a file in the tree, or of one that is staged. */
function copyOf(parts: StagingParts, from: Found, name: StagedRef, hash: Hash | null, mode: number): Promise<number> {
  const { disk, staged } = from
  const file =
    disk === null
      ? openFile(parts.root.sys, locate(parts, { staged: staged ?? '' }), 'A staged file')
      : openRegular(parts.root, parts.cursor.enter(parentOf(disk)), nameOf(disk), disk)
  return copyTo(parts, file, name, mode & PERMISSIONS, hash, disk ?? '', (copied) => {
    if (hash !== null && copied !== hash) throw changing(disk ?? ('' as Path))
  })
}

async function copyTo(
  parts: StagingParts,
  from: OpenFile,
  name: StagedRef,
  mode: number,
  known: Hash | null,
  shown: Path | '',
  check: (hash: Hash) => void,
): Promise<number> {
  const { sys } = parts.root
  try {
    const fd = sys.open(locate(parts, { staged: name }), OPEN.create, PRIVATE_FILE)
    try {
      check(await copyFile(parts, from, fd, known, shown))
      if ((sys.fstat(fd).mode & SPECIAL_AND_PERMISSIONS) !== mode) sys.setMode(fd, mode)
      return fd
    } catch (error) {
      closeQuietly(sys, fd)
      throw error
    }
  } finally {
    closeQuietly(sys, from.fd)
  }
}

function stageDirectory(parts: StagingParts, one: Staging & { make: 'directory' }): number {
  const { sys } = parts.root
  const at = locate(parts, { staged: one.name })
  // Open to its owner until it has the mode that it is to have.
  sys.makeDirectory(at, one.mode | OWNER)
  const fd = sys.open(at, OPEN.directory)
  try {
    const inherited = inheritedGroup(one.parent)
    const group = one.moved ? one.moved.gid : inherited
    const made = sys.fstat(fd)
    const user = one.moved && isRoot() ? one.moved.uid : made.uid
    if ((group !== null && group !== made.gid) || user !== made.uid) changeOwner(parts, fd, user, group ?? made.gid)
    const wanted = one.mode | (inherited === null ? 0 : SET_GROUP)
    const stats = sys.fstat(fd)
    if ((stats.mode & SPECIAL_AND_PERMISSIONS) !== wanted) sys.setMode(fd, wanted)
    markStaged(parts, one.name, stats)
    return fd
  } catch (error) {
    closeQuietly(sys, fd)
    throw error
  }
}

function isRoot(): boolean {
  return process.geteuid?.() === 0
}

function markStaged({ marks }: StagingParts, name: StagedRef, stats: Stats | undefined): void {
  if (stats) marks.set(name, markOf(stats))
}

/** The group that a directory hands down to what is made in it; null when it does not. */
function inheritedGroup({ stats }: Found): number | null {
  return stats && (stats.mode & SET_GROUP) !== 0 ? stats.gid : null
}

function changeOwner({ root }: StagingParts, fd: number, user: number, group: number): void {
  try {
    root.sys.setOwner(fd, user, group)
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') throw error
  }
}

function linkTo(parts: StagingParts, { disk, staged }: Found, name: StagedRef): void {
  withTwo(parts, disk === null ? { staged: staged ?? '' } : { path: disk }, { staged: name }, parts.root.sys.link)
}

function shownPath(one: Staging): string {
  return 'path' in one ? one.path : (one.from.disk ?? 'A file in the store')
}
