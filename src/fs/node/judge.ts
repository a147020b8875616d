/** Judges changes against what is there, and turns them into steps, staged contents and records. Changes nothing itself. */
import type { Change, Expect, RecordedChange, Side, WriteChange } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash, Hasher } from '../../core/hash.ts'
import { isWithin, nameOf, type Path, parentOf, ROOT } from '../../core/path.ts'
import { hashFile, openRegular } from './contents.ts'
import { versionOf } from './entries.ts'
import { failureAt } from './errno.ts'
import { checkNotStore, createForecast, type Found, sideOf } from './forecast.ts'
import type { Cursor, Root } from './handles.ts'
import { inDir } from './handles.ts'
import type { HashCache } from './hash_cache.ts'
import type { Known } from './known.ts'
import { sameSide } from './known.ts'
import { type Keeping, markOf, type Over, type Step } from './plan.ts'
import { closeQuietly, type Stats } from './syscalls.ts'

/** Something to prepare in the store before the commit point. */
export type Staging =
  | {
      readonly make: 'file'
      readonly name: string
      readonly change: WriteChange
      readonly mode: number
      readonly replaced: Stats | null
      readonly parent: Found
    }
  | { readonly make: 'directory'; readonly name: string; readonly mode: number; readonly parent: Found }
  | { readonly make: 'link'; readonly name: string; readonly target: string }
  /** A second name. */
  | { readonly make: 'save'; readonly name: string; readonly from: Found }
  | { readonly make: 'copy'; readonly name: string; readonly from: Found; readonly hash: Hash }

/** What a commit comes to. */
export interface Judgement {
  readonly staging: readonly Staging[]
  readonly steps: readonly Step[]
  readonly keeps: readonly Keeping[]
  readonly recorded: RecordedChange[]
  readonly external: readonly RecordedChange[]
}

/** What judging needs. */
export interface JudgeParts {
  readonly root: Root
  readonly cursor: Cursor
  readonly hasher: Hasher
  readonly hashes: HashCache
  readonly known: Known | null
  readonly fileBytes: number
  /** Whether directories are flushed after the steps. */
  readonly durable: boolean
  /** Permission bits that new files and directories do not get. */
  readonly umask: number
  /** What names of staged entries begin with. */
  readonly prefix: string
  newId(): string
  /** Whether content without bytes can be had. Read afresh: what is in a file may have changed. */
  holds(hash: Hash): boolean
  /** Whether history has this content already. */
  isKept(hash: Hash, size: number): boolean
}

/** Judges all changes in order. Throws as `FileSystem.commit` says. */
export function judge(parts: JudgeParts, changes: readonly Change[]): Judgement {
  const { root, cursor, prefix, known } = parts
  const forecast = createForecast(root, cursor)
  const staging: Staging[] = []
  const steps: Step[] = []
  const keeps: Keeping[] = []
  const recorded: RecordedChange[] = []
  const external = new Map<Path, RecordedChange>()
  // A rename that is the only step, and is not flushed, is the last thing that can fail.
  const mayFailLater = changes.length > 1 || parts.durable

  const sides = new Map<Found, Side | null>()
  const side = (found: Found | null): Side | null => {
    if (!found) return null
    let state = sides.get(found)
    if (state === undefined) {
      state = sideOf(root, cursor, found, (path, stats) => fileSide(parts, path, stats))
      sides.set(found, state)
    }
    return state
  }

  /** Notes what another program did to a path since the journal last saw it. */
  const compare = (path: Path, found: Found | null): void => {
    const disk = found ? found.disk : forecast.diskOf(path)
    if (!known || disk === null || found?.kind === 'special' || external.has(disk)) return
    const last = known.get(disk)
    if (last === undefined) return
    const now = side(found)
    if (sameSide(last, now)) return
    external.set(disk, {
      kind: kindOfChange(now),
      path: disk,
      before: last,
      after: now,
      kept: last?.kind !== 'file' || parts.holds(last.hash),
    })
  }

  const expectState = (path: Path, found: Found | null, expect: Expect): void => {
    if (!holds(found, expect, side)) {
      throw new FilewrightError('conflict', `${path} is not what this change expects to replace.`, {
        details: { path, current: side(found) },
      })
    }
  }

  /**
   * Keeps the content of a file under its staged name `own`, or a copy where the file has other names too: whoever writes to
   * one of those must not write to what is kept. Returns the name; null when there is nothing to keep.
   */
  const keepUnder = (index: number, found: Found, own: string): string | null => {
    const state = side(found)
    if (state?.kind !== 'file' || parts.isKept(state.hash, state.size)) return null
    const name = isShared(found) ? `${prefix}k${index}` : own
    if (name !== own) staging.push({ make: 'copy', name, from: found, hash: state.hash })
    keeps.push({ staged: name, hash: state.hash })
    return name
  }
  /** A second name for what a step replaces: what undo needs, and the way back when a later step fails. */
  const saving = (index: number, found: Found, kept: boolean): string | null => {
    const name = `${prefix}o${index}`
    const keeping = kept && keepUnder(index, found, name)
    if (!mayFailLater && keeping !== name) return null
    staging.push({ make: 'save', name, from: found })
    return name
  }

  changes.forEach((change, index) => {
    const { path } = change
    checkNotStore(path)
    const found = forecast.peek(path)
    expectState(path, found, change.kind === 'makeDirectory' ? 'absent' : change.expect)
    if (path === ROOT && (change.kind === 'remove' || change.kind === 'move')) {
      throw new FilewrightError('invalid_argument', 'The root of the workspace cannot be removed or moved.')
    }
    if (change.kind === 'move') checkNotStore(change.to)
    if (found?.kind === 'special') throw new FilewrightError('not_regular', `${path} is neither a file, a directory nor a link.`)
    const name = `${prefix}${index}`
    switch (change.kind) {
      case 'makeDirectory': {
        const parent = forecast.parent(path)
        compare(path, found)
        const mode = (change.mode ?? 0o777 & ~parts.umask) & 0o777
        staging.push({ make: 'directory', name, mode, parent })
        steps.push({ do: 'put', staged: name, path, over: 'nothing', saved: null, hash: null })
        const made: Side = { kind: 'directory', mode }
        forecast.put(path, { kind: 'directory', disk: null, stats: null, staged: name, side: made })
        recorded.push({ kind: 'makeDirectory', path, before: null, after: made, kept: true })
        return
      }
      case 'write':
      case 'link': {
        const parent = forecast.parent(path)
        if (found?.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory.`)
        if (change.kind === 'write') checkContent(parts, change)
        compare(path, found)
        const before = side(found)
        const kept = found !== null && change.keep !== false
        const saved = found ? saving(index, found, kept) : null
        let after: Side
        if (change.kind === 'write') {
          const { hash, size } = change.content
          const mode = (change.mode ?? (before?.kind === 'file' ? before.mode : 0o666 & ~parts.umask)) & 0o777
          after = { kind: 'file', hash, size, mode }
          staging.push({ make: 'file', name, change, mode, replaced: found?.stats ?? null, parent })
        } else {
          after = { kind: 'link', target: change.target }
          staging.push({ make: 'link', name, target: change.target })
        }
        steps.push({ do: 'put', staged: name, path, over: overOf(found), saved, hash: after.kind === 'file' ? after.hash : null })
        forecast.put(path, { kind: after.kind, disk: null, stats: null, staged: name, side: after })
        recorded.push({ kind: change.kind, path, before, after, ...backupOf(parts, found, change.keep) })
        return
      }
      case 'remove': {
        forecast.parent(path)
        if (!found) throw new FilewrightError('not_found', `${path} does not exist.`)
        if (found.kind === 'directory' && !forecast.isEmpty(path)) {
          throw new FilewrightError('conflict', `${path} is not empty; remove what is in it first.`, {
            details: { path, current: side(found) },
          })
        }
        compare(path, found)
        const before = side(found)
        if (found.kind === 'file' && change.keep !== false) keepUnder(index, found, name)
        steps.push({
          do: 'drop',
          path,
          staged: name,
          mark: found.stats ? markOf(found.stats) : null,
          directory: found.kind === 'directory',
        })
        forecast.drop(path)
        recorded.push({ kind: 'remove', path, before, after: null, ...backupOf(parts, found, change.keep) })
        return
      }
      case 'move': {
        const { to } = change
        forecast.parent(path)
        if (!found) throw new FilewrightError('not_found', `${path} does not exist.`)
        const goal = forecast.peek(to)
        expectState(to, goal, 'absent')
        if (isWithin(to, path)) throw new FilewrightError('invalid_argument', `${path} cannot be moved into itself.`)
        forecast.parent(to)
        compare(path, found)
        compare(to, goal)
        const state = side(found)
        steps.push({ do: 'move', path, to, ino: found.stats?.ino ?? null })
        forecast.move(path, to)
        recorded.push({ kind: 'move', path, to, before: state, after: state, kept: true })
        return
      }
    }
  })
  return { staging, steps, keeps, recorded, external: [...external.values()] }
}

function overOf(found: Found | null): Over {
  if (!found) return 'nothing'
  return found.stats ? markOf(found.stats) : 'earlier'
}

function backupOf(parts: JudgeParts, found: Found | null, keep: false | { id: string; label?: string } | undefined) {
  if (!found) return { kept: true }
  if (keep === false) return { kept: false }
  if (found.kind === 'directory') return { kept: true }
  return { backup: keep ? { ...keep } : { id: parts.newId() }, kept: true }
}

function kindOfChange(now: Side | null): RecordedChange['kind'] {
  if (!now) return 'remove'
  return now.kind === 'file' ? 'write' : now.kind === 'link' ? 'link' : 'makeDirectory'
}

function holds(found: Found | null, expect: Expect, side: (found: Found | null) => Side | null): boolean {
  if (expect === 'absent' || !found) return expect === 'absent' && !found
  if (expect === 'directory') return found.kind === 'directory'
  if ('hash' in expect) {
    const state = found.kind === 'file' ? side(found) : null
    return state?.kind === 'file' && state.hash === expect.hash
  }
  if ('link' in expect) {
    const state = found.kind === 'link' ? side(found) : null
    return state?.kind === 'link' && state.target === expect.link
  }
  return found.stats !== null && versionOf(found.stats) === expect.version
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

/** The state of a file on disk. Its bytes are read unless its version is known. */
function fileSide({ root, cursor, hasher, hashes }: JudgeParts, path: Path, seen: Stats): Side {
  const known = hashes.get(seen)
  if (known) return { kind: 'file', hash: known, size: seen.size, mode: seen.mode & 0o777 }
  try {
    const file = openRegular(root.sys, inDir(cursor.enter(parentOf(path)), nameOf(path)), path)
    try {
      const hash = hashFile(root.sys, hasher, file)
      if (versionOf(root.sys.fstat(file.fd)) !== versionOf(seen)) {
        throw new FilewrightError('conflict', `${path} is being changed by another program.`, { details: { path } })
      }
      hashes.learn(seen, hash)
      return { kind: 'file', hash, size: seen.size, mode: seen.mode & 0o777 }
    } finally {
      closeQuietly(root.sys, file.fd)
    }
  } catch (error) {
    throw failureAt(path, error)
  }
}

/** True for a file that can be reached by another name. */
function isShared({ stats }: Found): boolean {
  return stats !== null && stats.nlink > 1
}
