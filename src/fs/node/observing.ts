/** Noticing what other programs did: a comparison of what is there with what the journal last saw. */
import type { RecordedChange, Side } from '../../core/change.ts'
import { isFilewrightError } from '../../core/errors.ts'
import type { Cause, Remembered } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { createKnown, type Known } from '../../core/known.ts'
import { compareText, isWithin, type Path, ROOT } from '../../core/path.ts'
import type { JournalRecord } from '../../core/record.ts'
import { keepingsOf } from './adoption.ts'
import { type Baseline, isBelowSkipped, scanObserved, takeBaseline } from './baseline.ts'
import { carryOut } from './carry_out.ts'
import type { CommitParts } from './commit_parts.ts'
import { type Committer, type Session, sealExternal } from './committer.ts'
import { versionOf } from './entries.ts'
import { createForecast, type Found } from './forecast.ts'
import { inDir, isMissing } from './handles.ts'
import { createSides, HashFirst, kindOfArrival, readHash, type SideParts, sameSide } from './sides.ts'
import { COMMIT_PREFIX } from './staged_files.ts'
import type { Store } from './store.ts'
import type { Stats } from './syscalls.ts'
import { createTurns } from './turns.ts'

/** What is there before changes whose cause nobody knows. */
const NOTHING: ReadonlyMap<Path, Remembered> = new Map()

/** Looks at what others did. */
export interface Observer {
  /**
   * See `FileSystem.observe`. Before the first commit there is no journal, and nothing is recorded but what has a cause. What the journal never saw
   * counts as having been there before anybody looked: it is recorded when it comes after the first look at everything (`observe`
   * without paths, or `watch`), or when it is asked for by its path. Undo of its record is refused (`kept` is false) unless it is
   * sure that nothing was there. `.git` is left out.
   */
  observe(paths?: readonly Path[], cause?: Cause): Promise<JournalRecord | null>
  /** What was there at the first look at everything, which this may be. */
  baseline(): Promise<Baseline>
}

export function createObserver(parts: CommitParts, committer: Committer, now: () => number): Observer {
  let first: Baseline | null = null
  const baseline = async (): Promise<Baseline> => {
    first ??= await takeBaseline(parts.root)
    return first
  }

  const observe: Observer['observe'] = (paths, cause) =>
    committer.inTurn(async (session) => {
      if (!paths) await baseline()
      const store = await session.store()
      if (!store && !cause) return null
      const known = store?.journal.known ?? createKnown()
      const sides: SideParts = { ...parts, cursor: session.cursor, large: new Map() }
      const turns = createTurns()
      const [gone, here]: [RecordedChange[], RecordedChange[]] = [[], []]
      const before = cause?.before ?? NOTHING
      const question = { parts, session, sides, known, before, first, isAsked: paths !== undefined }
      for (const path of await candidates(question, paths)) {
        const change = await changeAt(question, path)
        if (change) (change.after ? here : gone).push(change)
        if (turns.due()) await turns.next()
      }
      if (gone.length + here.length === 0) return null
      // What is in a directory goes before it, and comes after it.
      const changes = [...gone.reverse(), ...here]
      const time = new Date(now()).toISOString()
      const made = store ?? (await session.makeStore())
      const prefix = `${COMMIT_PREFIX}${made.journal.head.sequence + 1}-`
      const seal = (head: Parameters<typeof sealExternal>[1]) => [sealExternal(parts, head, time, changes, cause?.origin)]
      const keeps = await keepingsOf(parts, made, destroyed(parts, made, changes))
      const record = await carryOut(parts, session.cursor, made, { staging: [], steps: [], keeps, seal }, prefix, new Map())
      for (const { hash } of keeps) parts.taken(hash)
      return record
    })
  return { observe, baseline }
}

/** Whether an entry is as the journal last saw it, as far as that can be told without reading it. */
export function looksKnown({ store, hashes }: CommitParts, path: Path, stats: Stats | undefined): boolean {
  if (path === ROOT) return true
  const side = store()?.journal.known.get(path)
  if (side === undefined) return false
  if (side === null || !stats) return side === null && !stats
  if (side.kind === 'link' || (stats.mode & 0o777) !== side.mode) return false
  return side.kind === 'file' ? stats.isFile() && hashes.get(stats) === side.hash : stats.isDirectory()
}

/** Everything to look at, directories before what is in them. */
async function candidates({ parts: { root }, known, before }: Question, paths: readonly Path[] | undefined): Promise<Path[]> {
  const wanted = paths?.filter((path) => !isBelowSkipped(path))
  const found = new Set<Path>(wanted)
  for (const path of [...known.paths(), ...before.keys()]) {
    if ((!wanted || wanted.some((one) => isWithin(path, one))) && !isBelowSkipped(path)) found.add(path)
  }
  for (const start of wanted ?? [ROOT]) {
    try {
      for await (const page of scanObserved(root, start)) for (const { path } of page) found.add(path)
    } catch (error) {
      // A file, or nothing any more.
      if (!isMissing(error) && !isFilewrightError(error, 'permission_denied')) throw error
    }
  }
  found.delete(ROOT)
  return [...found].sort(compareText)
}

interface Question {
  readonly parts: CommitParts
  readonly session: Session
  readonly sides: SideParts
  readonly known: Known
  /** What was there a while ago. */
  readonly before: ReadonlyMap<Path, Remembered>
  readonly first: Baseline | null
  /** The path was named, or is below one that was. */
  readonly isAsked: boolean
}

/** What happened to a path; null when nothing did, or when it cannot be told yet. */
async function changeAt(question: Question, path: Path): Promise<RecordedChange | null> {
  const { parts, session, known, first } = question
  const seen = known.get(path)
  const remembered = seen === undefined ? question.before.get(path) : undefined
  const before = remembered?.side ?? seen
  const state = await stateAt(question, path, (found) => {
    if (remembered) return !found?.stats || versionOf(found.stats) !== remembered.version
    return before !== undefined || isNews(question, path, found)
  })
  if (!state) return null
  const { after } = state
  if (before === undefined) {
    const isSure = first !== null && !first.full && first.get(path) === undefined
    return after && { kind: kindOfArrival(after), path, before: null, after, kept: isSure }
  }
  if (sameSide(before, after)) return null
  const kept = before?.kind !== 'file' || isHeld(parts, session, before.hash)
  return { kind: kindOfArrival(after), path, before, after, kept }
}

/** Whether content can be found by its hash: what is staged is swept after a day, whoever still wants it. */
function isHeld({ root, source }: CommitParts, { cursor }: Session, hash: Hash): boolean {
  const found = source(hash, cursor)
  return found !== null && root.sys.lstat(found.path) !== undefined
}

/** The contents that changes destroyed, as far as they are staged: they are kept from now on. */
function destroyed({ root, stagedName }: CommitParts, { staged }: Store, changes: readonly RecordedChange[]): Hash[] {
  const hashes = new Set<Hash>()
  for (const { before } of changes) {
    const name = before?.kind === 'file' ? stagedName(before.hash) : null
    if (before?.kind === 'file' && name !== null && root.sys.lstat(inDir(staged, name))) hashes.add(before.hash)
  }
  return [...hashes]
}

/** Whether what the journal never saw is to be recorded. */
function isNews({ first, isAsked }: Question, path: Path, found: Found | null): boolean {
  if (!found?.stats) return false
  const was = first?.get(path)
  // Of a directory that was there, only what is in it can have changed.
  if (was !== undefined) return was !== versionOf(found.stats) && found.kind !== 'directory'
  return isAsked || (first !== null && !first.full)
}

/** The state of a path. Null when `isWanted` says no, and when it may not be read or is being written to right now. */
async function stateAt(
  { sides }: Question,
  path: Path,
  isWanted: (found: Found | null) => boolean,
): Promise<{ readonly after: Side | null } | null> {
  for (;;) {
    try {
      const found = createForecast(sides.root, sides.cursor).peek(path)
      return isWanted(found) ? { after: createSides(sides)(found) } : null
    } catch (error) {
      if (error instanceof HashFirst) {
        const unreadable = await readHash(sides, path).then(() => false, isPassing)
        if (!unreadable) continue
      } else if (!isPassing(error)) throw error
      return null
    }
  }
}

/** Whether a failure concerns one path at one moment, which must not keep the others from being looked at. */
function isPassing(error: unknown): boolean {
  const passes = (['conflict', 'permission_denied', 'not_regular', 'not_found', 'not_directory', 'is_directory'] as const).some((code) =>
    isFilewrightError(error, code),
  )
  if (!passes) throw error
  return passes
}
