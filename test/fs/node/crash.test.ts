/** A process that dies, or a disk that fails, at any operation of any commit leaves the old state or the new one. */
import { describe, expect, it } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import type { Sys } from '../../../src/fs/node/syscalls.ts'
import { openNodeFs, openNodeFsOn } from '../../../src/fs/node.ts'
import { commit, write } from '../../../src/testing/setup.ts'
import { type FaultMode, faultySys } from './fault_sys.ts'
import { openNaiveFs } from './naive_fs.ts'
import { act, newFolder, prepare, problemsOf, SCENARIOS, type Scenario, snapshot } from './scenarios.ts'

type Open = (sys: Sys, root: string) => Promise<FileSystem>

const careful: Open = (sys, root) => openNodeFsOn(sys, { root, durability: 'power' })
const naive: Open = async (sys, root) => openNaiveFs(root, sys)

/** Both states of a scenario, and the number of its operations. */
async function statesOf(open: Open, scenario: Scenario): Promise<{ before: string; after: string; operations: number }> {
  const { root, remove } = newFolder()
  try {
    await prepare(scenario, root)
    const before = snapshot(root)
    const { sys, log } = faultySys({ mode: 'none', at: 0 })
    const fs = await open(sys, root)
    await act(scenario, fs)
    await fs.close()
    return { before, after: snapshot(root), operations: log.length }
  } finally {
    remove()
  }
}

/** Commits with a fault at one operation, and closes. */
async function runWithFault(open: Open, scenario: Scenario, root: string, mode: FaultMode, at: number): Promise<unknown> {
  const fs = await open(faultySys({ mode, at }).sys, root)
  const failure = await act(scenario, fs).then(
    () => null,
    (error: unknown) => error,
  )
  await fs.close()
  return failure
}

interface Found {
  readonly outcome: 'OLD' | 'NEW' | 'TORN'
  readonly recorded: boolean
  readonly problems: readonly string[]
}

/** Opens a folder again, looks at everything, and goes on working in it. */
async function reopened(root: string, states: { before: string; after: string }): Promise<Found> {
  const fs = await openNodeFs({ root, durability: 'process' })
  try {
    const state = snapshot(root)
    const outcome = state === states.before ? 'OLD' : state === states.after ? 'NEW' : 'TORN'
    const recorded = (await fs.records({ id: 'the-one' })).length > 0
    const problems = await problemsOf(fs, root)
    await commit(fs, write(fs, 'later', 'later'))
    return { outcome, recorded, problems: [...problems, ...(await problemsOf(fs, root))] }
  } finally {
    await fs.close()
  }
}

/** Runs `body` on a prepared folder. */
async function onFolder<T>(scenario: Scenario, body: (root: string) => Promise<T>): Promise<T> {
  const { root, remove } = newFolder()
  try {
    await prepare(scenario, root)
    return await body(root)
  } finally {
    remove()
  }
}

const old: Found = { outcome: 'OLD', recorded: false, problems: [] }
const whole: Found = { outcome: 'NEW', recorded: true, problems: [] }

describe.each(SCENARIOS)('$name', (scenario) => {
  it.each(['dead-before', 'dead-after'] as const)('is old or new when the process is %s any operation', async (mode) => {
    const states = await statesOf(careful, scenario)
    for (let at = 1; at <= states.operations; at++) {
      await onFolder(scenario, async (root) => {
        const failure = await runWithFault(careful, scenario, root, mode, at)
        const found = await reopened(root, states)
        expect({ at, ...found }).toEqual({ at, ...(failure && found.outcome === 'OLD' ? old : whole) })
      })
    }
  })

  it.each(['EIO', 'ENOSPC', 'short'] as const)('is as it was, or new, when any operation gives %s', async (mode) => {
    const states = await statesOf(careful, scenario)
    for (let at = 1; at <= states.operations; at++) {
      await onFolder(scenario, async (root) => {
        const failure = await runWithFault(careful, scenario, root, mode, at)
        // Before it is opened again: an error means that nothing changed.
        expect({ at, unchanged: snapshot(root) === states.before }).toEqual({ at, unchanged: failure !== null })
        if (failure)
          expect({ at, code: (failure as { code: string }).code }).toEqual({ at, code: mode === 'EIO' ? 'io_error' : 'no_space' })
        expect({ at, ...(await reopened(root, states)) }).toEqual({ at, ...(failure ? old : whole) })
      })
    }
  })
})

it('completes what was interrupted also when recovery is interrupted at every operation', async () => {
  const scenario = SCENARIOS.find(({ name }) => name === 'a batch that takes places over') as Scenario
  const states = await statesOf(careful, scenario)
  for (let at = 1; at <= states.operations; at += 3) {
    for (let again = 1; ; again++) {
      const finished = await onFolder(scenario, async (root) => {
        await runWithFault(careful, scenario, root, 'dead-after', at)
        const second = faultySys({ mode: again % 2 ? 'dead-before' : 'dead-after', at: again })
        await openNodeFsOn(second.sys, { root, durability: 'power' }).then(
          (fs) => fs.close(),
          () => {},
        )
        const found = await reopened(root, states)
        expect({ at, again, ...found }).toEqual({ at, again, ...(found.outcome === 'OLD' ? old : whole) })
        return !second.isDead()
      })
      if (finished) break
    }
  }
})

it('would show a storage that writes in place', async () => {
  let torn = 0
  for (const scenario of SCENARIOS) {
    const states = await statesOf(naive, scenario)
    for (let at = 1; at <= states.operations; at++) {
      await onFolder(scenario, async (root) => {
        await runWithFault(naive, scenario, root, 'dead-after', at)
        const state = snapshot(root)
        if (state !== states.before && state !== states.after) torn++
      })
    }
  }
  expect(torn).toBeGreaterThan(10)
})
