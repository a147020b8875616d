/** Carries out a judged commit: stage, write the record, rename; with a way back until all is done. */
import { FilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { nameOf, parentOf } from '../../core/path.ts'
import { type JournalRecord, type RecordDraft, sealRecord } from '../../core/record.ts'
import type { CommitParts } from './commit_parts.ts'
import { attempt } from './errno.ts'
import { type Cursor, inDir } from './handles.ts'
import type { FullRecord } from './journal.ts'
import type { Judgement } from './judge.ts'
import type { PlaceParts } from './places.ts'
import { type Mark, markOf, type Plan, type StagedRef, sameMark, withMarks } from './plan.ts'
import { COMMIT_PREFIX, removeQuietly, sweepBeside, sweepCommit } from './staged_files.ts'
import { type Source, type StagingParts, stageAll } from './staging.ts'
import { keepObjects, returnFilled, syncDirectories, syncDirectory, takeBack, takeStep } from './steps.ts'
import type { Store } from './store.ts'
import { closeQuietly, OPEN, writeAll } from './syscalls.ts'

/** Most files of one commit whose hashes are remembered. */
const MOST_LEARNED = 256

/** Does it. Throws when nothing was changed after all, and when what was changed could not be taken back: the plan stays then. */
export async function carryOut(
  parts: CommitParts,
  cursor: Cursor,
  store: Store,
  judgement: Judgement,
  prefix: string,
  draft: RecordDraft,
): Promise<JournalRecord> {
  const { root, hasher, durable } = parts
  const { journal } = store
  const records: FullRecord[] = []
  const objects: { name: string; hash: Hash; bytes: Uint8Array }[] = []
  const append = (of: RecordDraft, changes: Judgement['recorded']): JournalRecord => {
    const last = records.at(-1)?.record
    const { record, object } = sealRecord(hasher, of, changes, last ? { sequence: last.sequence, hash: last.hash } : journal.head)
    if (object) objects.push({ name: `${prefix}c${record.sequence}`, hash: record.changesHash, bytes: object })
    records.push({ record, changes })
    return record
  }
  if (judgement.external.size > 0) append(externalDraft(parts.newId(), draft.time), [...judgement.external.values()])
  const record = append(draft, judgement.recorded)
  const unmarked: Plan = {
    sequence: record.sequence,
    store: store.identity,
    steps: judgement.steps,
    keeps: [...judgement.keeps, ...objects.map(({ name, hash }) => ({ staged: name, hash }))],
  }
  const staging: StagingParts = {
    root,
    cursor,
    hasher,
    store,
    durable,
    source: (hash) => mustHold(parts, hash, cursor),
    marks: new Map(),
    taken: new Map(),
  }
  let plan = unmarked
  let unappend: () => void
  try {
    store.begin()
    // What is staged outside of the store is found by the plan alone.
    if (judgement.staging.some(({ name }) => name.includes('/'))) attempt('The plan', () => store.writePlan(plan))
    await stageAll(staging, judgement.staging)
    for (const { name, bytes } of objects) await storeBytes(parts, store, name, bytes)
    plan = { ...unmarked, steps: withMarks(unmarked.steps, staging.marks) }
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
  return record
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
  } catch {
    // The plan stays without its record, so the next commit or opening forgets it.
  }
}

function mustHold(parts: CommitParts, hash: Hash, cursor: Cursor): Source {
  const source = parts.source(hash, cursor)
  if (!source) throw new FilewrightError('not_found', `The content ${hash} is not stored here; stage it again.`)
  return source
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

function externalDraft(id: string, time: string): RecordDraft {
  return { id, time, kind: 'external', subject: 'unknown', tool: 'external', call: null }
}
