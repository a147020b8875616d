/** Runs a scenario with a fault at one operation, and tells what is there afterwards. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FileSystem } from '../../../src/core/file_system.ts'
import type { Sys } from '../../../src/fs/node/syscalls.ts'
import { openNodeFs, openNodeFsOn } from '../../../src/fs/node.ts'
import { commit, write } from '../../../src/testing/setup.ts'
import { type FaultMode, faultySys } from './fault_sys.ts'
import { openNaiveFs } from './naive_fs.ts'
import { act, newFolder, prepare, problemsOf, type Scenario, snapshot } from './scenarios.ts'

/** Both states of a scenario as snapshots, and the number of its operations. */
export interface States {
  readonly before: string
  readonly after: string
  readonly operations: number
}

/** Opens a storage on given system calls. */
export type Open = (sys: Sys, root: string) => Promise<FileSystem>

export const careful: Open = (sys, root) => openNodeFsOn(sys, { root, durability: 'power' })
export const naive: Open = async (sys, root) => openNaiveFs(root, sys)

/** Runs a scenario without a fault. */
export async function statesOf(open: Open, scenario: Scenario): Promise<States> {
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
export async function runWithFault(open: Open, scenario: Scenario, root: string, mode: FaultMode, at: number): Promise<unknown> {
  const fs = await open(faultySys({ mode, at }).sys, root)
  const failure = await act(scenario, fs).then(
    () => null,
    (error: unknown) => error,
  )
  await fs.close()
  return failure
}

export interface Found {
  readonly outcome: 'OLD' | 'NEW' | 'TORN'
  readonly recorded: boolean
  readonly problems: readonly string[]
}

/** Opens a folder again, looks at everything, and goes on working in it. */
export async function reopened(root: string, states: Pick<States, 'before' | 'after'>): Promise<Found> {
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
export async function onFolder<T>(scenario: Scenario, body: (root: string) => Promise<T>): Promise<T> {
  const { root, remove } = newFolder()
  try {
    await prepare(scenario, root)
    return await body(root)
  } finally {
    remove()
  }
}

/** Commits in a process of its own that is killed at one operation. True when it said that it was done. */
export function killAt(scenario: Scenario, root: string, mode: FaultMode, at: number): boolean {
  const child = fileURLToPath(new URL('crash_child.ts', import.meta.url))
  const args = ['--disable-warning=ExperimentalWarning', child, scenario.name, root, mode, String(at)]
  const { stdout, signal, status } = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  if (signal !== 'SIGKILL' && status !== 0) throw new Error(`The child of ${scenario.name} failed at ${mode} ${at}.`)
  return stdout === 'done\n'
}
