/** Finishes or forgets what a crash interrupted. */

import { attempt } from '../../core/errno.ts'
import type { CommitParts } from './commit_parts.ts'
import type { Cursor } from './handles.ts'
import type { PlaceParts } from './places.ts'
import type { Plan } from './plan.ts'
import { COMMIT_PREFIX, sweep, sweepBeside, sweepCommit } from './staged_files.ts'
import { keepObjects, redoSteps, returnFilled, syncDirectories } from './steps.ts'
import type { Store } from './store.ts'

/** Reads what others appended, and finishes or forgets what they left undone. Under the lock. */
export async function readUp(parts: CommitParts, store: Store, cursor: Cursor): Promise<void> {
  const { journal } = store
  attempt('The journal', () => journal.settle())
  const plan = attempt('The plan', () => store.readPlan())
  if (plan) {
    await recover(parts, store, cursor, plan)
    attempt('The journal', () => journal.settle())
  }
  attempt('The journal', () => journal.giveUpMissing())
  // What was staged by somebody who died before the plan was written.
  if (!plan) attempt('The store', () => sweepCommit(parts.root, store, COMMIT_PREFIX))
}

async function recover(parts: CommitParts, store: Store, cursor: Cursor, plan: Plan): Promise<void> {
  const steps: PlaceParts = { root: parts.root, cursor, store }
  const { journal } = store
  const isOurs = plan.store === store.identity
  // The records of one commit are written at once, but they can be torn apart.
  if (isOurs && plan.since < journal.head.sequence && journal.head.sequence < plan.sequence) {
    attempt('The journal', () => journal.rewind(plan.since))
  }
  // A store that was copied, or came with somebody's files, speaks of another folder: it must not act on this one.
  if (isOurs && plan.sequence === journal.head.sequence && (plan.since !== plan.sequence || plan.decided)) {
    attempt('The workspace', () => {
      if (redoSteps(steps, plan.steps)) keepObjects(steps, plan)
      else journal.rewind(plan.since)
      returnFilled(steps, plan)
    })
    if (parts.durable) await syncDirectories(steps, plan)
  }
  attempt('The store', () => {
    if (isOurs) sweepBeside(steps, plan)
    sweep(parts.root, store, Date.now())
    store.finishPlan()
  })
}
