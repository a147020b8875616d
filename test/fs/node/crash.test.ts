/** A process that dies, or a disk that fails, at any operation of any commit leaves the old state or the new one. */
import { describe, expect, it } from 'vitest'
import { openNodeFsOn } from '../../../src/fs/node.ts'
import { careful, type Found, killAt, naive, onFolder, reopened, runWithFault, statesOf } from './crash_points.ts'
import { faultySys } from './fault_sys.ts'
import { SCENARIOS, type Scenario, snapshot } from './scenarios.ts'

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

it('is old or new also when the process is really killed', async () => {
  const scenario = SCENARIOS.find(({ name }) => name === 'a batch of everything') as Scenario
  const states = await statesOf(careful, scenario)
  for (const [mode, first] of [
    ['kill-before', 2],
    ['kill-after', 7],
  ] as const) {
    for (let at = first; at <= states.operations; at += 11) {
      await onFolder(scenario, async (root) => {
        const acknowledged = killAt(scenario, root, mode, at)
        const found = await reopened(root, states)
        expect({ at, ...found }).toEqual({ at, ...(!acknowledged && found.outcome === 'OLD' ? old : whole) })
      })
    }
  }
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
