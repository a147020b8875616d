/** Finishes or forgets what a crash interrupted. */
import type { CommitParts } from './commit_parts.ts'
import { attempt } from './errno.ts'
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
  if (plan) await recover(parts, store, cursor, plan)
  // What was staged by somebody who died before the plan was written.
  else attempt('The store', () => sweepCommit(parts.root, store, COMMIT_PREFIX))
}

async function recover(parts: CommitParts, store: Store, cursor: Cursor, plan: Plan): Promise<void> {
  const steps: PlaceParts = { root: parts.root, cursor, store }
  // A store that was copied, or came with somebody's files, speaks of another folder: it must not act on this one.
  if (plan.sequence === store.journal.head.sequence && plan.store === store.identity) {
    attempt('The workspace', () => redoSteps(steps, plan.steps))
    attempt('The store', () => {
      keepObjects(steps, plan)
      returnFilled(steps, plan)
    })
    if (parts.durable) await syncDirectories(steps, plan)
  }
  attempt('The store', () => {
    if (plan.store === store.identity) sweepBeside(steps, plan)
    sweep(parts.root, store, Date.now())
    store.finishPlan()
  })
}
