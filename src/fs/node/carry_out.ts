/** Carries out a judged commit: stage, write the record, rename; with a way back until all is done. */

import { attempt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { nameOf, type Path, parentOf } from '../../core/path.ts'
import type { ChainHead, JournalRecord } from '../../core/record.ts'
import type { CommitParts } from './commit_parts.ts'
import type { CopiedAhead } from './copying.ts'
import type { Work } from './court.ts'
import { type Cursor, inDir } from './handles.ts'
import type { FullRecord } from './journal.ts'
import type { PlaceParts } from './places.ts'
import { type Keeping, type Mark, markOf, type Plan, type StagedRef, sameMark, withMarks } from './plan.ts'
import { COMMIT_PREFIX, removeQuietly, sweepBeside, sweepCommit } from './staged_files.ts'
import { type Source, type StagingParts, stageAll } from './staging.ts'
import { isAcrossDevices, keepObjects, returnFilled, syncDirectories, syncDirectory, takeBack, takeStep } from './steps.ts'
import type { Store } from './store.ts'
import { closeQuietly, OPEN, writeAll } from './syscalls.ts'

/** Most files of one commit whose hashes are remembered. */
const MOST_LEARNED = 256

/** What is to be done, and what the journal will say about it. */
export interface Act extends Work {
  /** The records to append; `object` holds the changes of one in which they have no place. */
  seal(head: ChainHead): (FullRecord & { readonly object: Uint8Array | null })[]
}

/** Thrown when nothing can be renamed to or from a place, although its device is that of the store. Nothing was changed. */
export class Apart extends Error {
  override readonly name = 'Apart'
  readonly path: Path

  constructor(path: Path, cause: unknown) {
    super(`${path} is on another file system.`, { cause })
    this.path = path
  }
}

/**
 * Does it, and returns the last record, if there is one. Throws when nothing was changed after all, and when what was changed could not be taken
 * back: the plan stays then.
 */
export async function carryOut(
  parts: CommitParts,
  cursor: Cursor,
  store: Store,
  act: Act,
  prefix: string,
  ahead: CopiedAhead,
): Promise<JournalRecord | null> {
  const { root, hasher, hashes, durable } = parts
  const { journal } = store
  const since = journal.head.sequence
  const records = act.seal(journal.head)
  const last = records.at(-1)?.record ?? null
  const objects = records.flatMap(({ record, object }) =>
    object ? [{ name: `${prefix}c${record.sequence}`, hash: record.changesHash, bytes: object }] : [],
  )
  const unmarked: Plan = {
    sequence: last?.sequence ?? since,
    since,
    decided: false,
    store: store.identity,
    steps: act.steps,
    keeps: [...act.keeps, ...objects.map(({ name, hash }) => ({ staged: name, hash }))],
  }
  const staging: StagingParts = {
    root,
    cursor,
    hasher,
    hashes,
    ahead,
    store,
    durable,
    source: (hash) => mustHold(parts, hash, cursor, act.keeps),
    marks: new Map(),
    taken: new Map(),
  }
  let plan = unmarked
  let unappend: () => void
  try {
    store.begin()
    // What is staged outside of the store is found by the plan alone.
    if (act.staging.some(({ name }) => name.includes('/'))) attempt('The plan', () => store.writePlan(plan))
    await stageAll(staging, act.staging)
    for (const { name, bytes } of objects) await storeBytes(parts, store, name, bytes)
    plan = { ...unmarked, decided: last === null, steps: withMarks(unmarked.steps, staging.marks) }
    attempt('The plan', () => store.writePlan(plan))
    if (durable) {
      await syncDirectory(root, store.staged)
      await store.syncPlan()
    }
    // The commit point.
    unappend = attempt('The journal', () => journal.append(records))
  } catch (error) {
    abandon(parts, staging, plan, prefix)
    throw error
  }
  await apply(parts, { root, cursor, store }, plan, staging, unappend, () => abandon(parts, staging, plan, prefix))
  for (const [hash, { from, to }] of staging.taken) {
    parts.taken(hash)
    if (!to) removeQuietly(root, from)
  }
  return last
}

/** From the commit point to the end. A failure on the way is taken back, record included. */
async function apply(
  parts: CommitParts,
  steps: PlaceParts,
  plan: Plan,
  staging: StagingParts,
  unappend: () => void,
  abandonStaged: () => void,
): Promise<void> {
  const { store } = steps
  let done = 0
  try {
    if (parts.durable) await store.journal.sync()
    for (const step of plan.steps) {
      takeStep(steps, step)
      done++
    }
    if (parts.durable) await syncDirectories(steps, { ...plan, keeps: [] })
  } catch (error) {
    const undone = plan.steps.slice(0, done)
    if (undone.every((step) => step.do !== 'put' || step.over === null || step.saved !== null)) {
      // When this fails too, the plan stays: the next commit or opening completes it.
      for (const step of undone.reverse()) takeBack(steps, step)
      attempt('The journal', unappend)
      // Only once the record is gone for good may that go which would complete it.
      if (parts.durable) await store.journal.sync()
      abandonStaged()
      const failed = plan.steps[done]
      if (failed && isAcrossDevices(error)) throw new Apart(failed.do === 'move' ? failed.path : parentOf(failed.path), error)
    }
    throw error
  }
  learnHashes(parts, steps, plan, staging.marks)
  try {
    keepObjects(steps, plan)
    returnFilled(steps, plan)
    if (parts.durable && plan.keeps.length > 0) await syncDirectory(steps.root, store.objects)
    if (plan.steps.some((step) => step.do === 'drop') || plan.steps.length > 1) sweepAll(steps, plan)
    store.finishPlan()
  } catch {
    // The change is in place and on record. What is left to tidy up, the next commit or opening does.
  }
}

/** Removes what is left once everything is in its place. */
function sweepAll(steps: PlaceParts, plan: Plan): void {
  sweepBeside(steps, plan)
  sweepCommit(steps.root, steps.store, COMMIT_PREFIX)
}

/** Remembers what was just written, so that the next commit and the next look need not read it. */
function learnHashes({ hashes, root }: CommitParts, { cursor }: PlaceParts, plan: Plan, marks: ReadonlyMap<StagedRef, Mark>): void {
  for (const step of plan.steps.slice(0, MOST_LEARNED)) {
    if (step.do !== 'put' || !step.hash) continue
    try {
      const stats = root.sys.lstat(inDir(cursor.enter(parentOf(step.path)), nameOf(step.path)))
      const mark = marks.get(step.staged)
      // What stands there may be somebody else's already.
      if (stats && mark && sameMark(mark, markOf(stats))) hashes.learn(stats, step.hash)
    } catch {
      // Not there any more; the commit is done all the same.
    }
  }
}

/** Forgets a commit that never was: what was staged for it goes, what was staged before it stays. */
function abandon(parts: CommitParts, staging: StagingParts, plan: Plan, prefix: string): void {
  const { store } = staging
  try {
    for (const { from, to } of staging.taken.values()) if (to) parts.root.sys.rename(to, from)
    sweepBeside(staging, plan)
    sweepCommit(parts.root, store, prefix)
    store.finishPlan()
    // The journal has to be read again where records were taken back.
    store.begin()
  } catch {
    // The plan stays without its record, so the next commit or opening forgets it.
  }
}

/** What is to be kept may not be taken: both need it. */
function mustHold(parts: CommitParts, hash: Hash, cursor: Cursor, keeps: readonly Keeping[]): Source {
  const source = parts.source(hash, cursor)
  if (!source) throw new FilewrightError('not_found', `The content ${hash} is not stored here; stage it again.`)
  return source.mayTake && keeps.some((kept) => kept.hash === hash) ? { ...source, mayTake: false } : source
}

async function storeBytes(parts: CommitParts, store: Store, name: string, bytes: Uint8Array): Promise<void> {
  const { sys } = parts.root
  const fd = sys.open(inDir(store.staged, name), OPEN.create, 0o600)
  try {
    writeAll(sys, fd, bytes, 0)
    if (parts.durable) await sys.sync(fd)
  } finally {
    closeQuietly(sys, fd)
  }
}
