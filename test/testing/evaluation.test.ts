/** Evaluations: tasks, agents that do them or not, and the example, which touches no disk. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type Agent,
  assertFile,
  type EvaluationTask,
  evaluate,
  evaluationTable,
  finalDiff,
  repo,
  scriptedAgent,
} from '../../src/testing/index.ts'
import type { CallResult, Workspace } from '../../src/workspace/workspace.ts'

const ROOT = join(import.meta.dirname, '../..')

function task(parts: Partial<EvaluationTask> = {}): EvaluationTask {
  return {
    name: 'two',
    instruction: 'Write 2 to a.txt.',
    open: () => repo({ 'a.txt': '1\n' }),
    check: (workspace) => assertFile(workspace, 'a.txt', '2\n'),
    script: [{ tool: 'edit', arguments: { path: 'a.txt', old: '1', new: '2' } }],
    ...parts,
  }
}

describe('evaluate', () => {
  test('tells what a task came to', async () => {
    const [result] = await evaluate([task()], scriptedAgent)
    expect(result).toMatchObject({ task: 'two', passed: true, problem: null, calls: 1, failedCalls: 0, changed: ['a.txt'] })
    expect(result?.diff).toContain('-1\n+2\n')
  })

  test.each([
    ['a check that throws', task({ script: [{ tool: 'read', arguments: { path: 'none' } }] }), /a\.txt differs/],
    ['a check that says no', task({ check: () => false }), /^The check says no\.$/],
    ['a check that gives a reason', task({ check: async () => 'too slow' }), /^too slow$/],
    ['no script', (({ script: _, ...rest }) => rest)(task()), /^The agent failed: The task has no script/],
  ])('a task is not passed: %s', async (_, one, problem) => {
    const [result] = await evaluate([one], scriptedAgent)
    expect(result).toMatchObject({ passed: false })
    expect(result?.problem).toMatch(problem)
  })

  test('failed calls are counted, and are no failure', async () => {
    const [result] = await evaluate(
      [task({ script: [{ tool: 'read', arguments: { path: 'none' } }, ...(task().script ?? [])] })],
      scriptedAgent,
    )
    expect(result).toMatchObject({ passed: true, calls: 2, failedCalls: 1 })
  })

  test('an agent that does not end is not waited for', async () => {
    let stopped = false
    const idle: Agent = ({ signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          stopped = true
          reject(signal.reason)
        }),
      )
    const [result] = await evaluate([task({ timeoutMs: 50 })], idle)
    expect(result).toMatchObject({ passed: false, problem: 'The agent was not done after 0.05 s.' })
    expect(stopped).toBe(true)
    const [deaf] = await evaluate([task({ timeoutMs: 50 })], () => new Promise(() => {}))
    expect(deaf?.problem).toBe('The agent was not done after 0.05 s.')
  })

  test('several at once, in the order of the tasks', async () => {
    let [working, most] = [0, 0]
    const agent: Agent = async ({ task: { name } }) => {
      most = Math.max(most, ++working)
      await new Promise((wake) => setTimeout(wake, name === 'a' ? 60 : 10))
      working--
    }
    const told: string[] = []
    const tasks = ['a', 'b', 'c', 'd'].map((name) => task({ name }))
    const results = await evaluate(tasks, agent, { jobs: 2, onResult: (result) => void told.push(result.task) })
    expect(results.map((result) => result.task)).toEqual(['a', 'b', 'c', 'd'])
    expect(most).toBe(2)
    expect(told.at(0)).toBe('b')
  })

  test('stops with its signal', async () => {
    await expect(evaluate([task()], scriptedAgent, { signal: AbortSignal.abort() })).rejects.toThrow()
  })

  test('one that cannot be opened ends the others, and nothing runs any more', async () => {
    let running = 0
    const agent: Agent = async ({ signal }) => {
      running++
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      running--
    }
    const broken = task({ open: () => new Promise((_, reject) => setTimeout(() => reject(new Error('broken')), 20)) })
    await expect(evaluate([task(), broken, task()], agent, { jobs: 2 })).rejects.toThrow('broken')
    expect(running).toBe(0)
  })

  test('a signal that is aborted while a task is opened', async () => {
    const stop = new AbortController()
    const slow = task({
      async open() {
        stop.abort(new Error('enough'))
        return repo({})
      },
    })
    await expect(evaluate([slow], () => new Promise(() => {}), { signal: stop.signal })).rejects.toThrow('enough')
  })

  test('what the agent left behind changes nothing under the check', async () => {
    let left: Promise<unknown> | undefined
    let late: (() => Promise<CallResult>) | undefined
    const agent: Agent = async ({ workspace }) => {
      late = () => workspace.call('write', { path: 'b.txt', content: 'late\n' })
      left = workspace.call('write', { path: 'a.txt', content: 'left\n' })
    }
    const check = async (workspace: Workspace): Promise<boolean> => {
      const before = await finalDiff(workspace)
      expect((await late?.())?.error?.code).toBe('canceled')
      await left
      return (await finalDiff(workspace)) === before
    }
    expect((await evaluate([task({ check })], agent))[0]).toMatchObject({ passed: true, calls: 1 })
  })

  test('an agent that closes its workspace, and a check that changes things', async () => {
    const closing: Agent = async (run) => {
      await scriptedAgent(run)
      await run.workspace.close()
    }
    const check = async (workspace: Workspace): Promise<boolean> =>
      (await workspace.call('write', { path: 'by-check', content: '' })).error === null
    expect(await evaluate([task({ check })], closing)).toMatchObject([{ passed: true, calls: 1, changed: ['a.txt'] }])
  })

  test('any time, and at least one job', async () => {
    const patient: Agent = async (run) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      await scriptedAgent(run)
    }
    const results = await evaluate([task({ timeoutMs: Number.POSITIVE_INFINITY })], patient, { jobs: 0 })
    expect(results).toMatchObject([{ passed: true }])
  })

  test('each run has its own workspace, closed at the end', async () => {
    const seen: unknown[] = []
    const agent: Agent = async ({ workspace }) => {
      seen.push(workspace.fs)
      await workspace.call('write', { path: 'a.txt', content: '2\n' })
    }
    const results = await evaluate([task(), task({ name: 'again' })], agent)
    expect(results.every(({ passed }) => passed)).toBe(true)
    expect(new Set(seen).size).toBe(2)
    await expect((seen[0] as { stat(path: string): unknown }).stat('a.txt')).rejects.toMatchObject({ code: 'unsupported' })
  })
})

test('the table', async () => {
  const results = await evaluate([task(), task({ name: 'a-longer-name', check: () => 'no\nand more' })], scriptedAgent)
  const table = evaluationTable(results.map((result) => ({ ...result, ms: 1234 })))
  expect(table).toBe(`task           passed  calls  changed  time
-------------  ------  -----  -------  ------
two            yes     1      a.txt    1.23 s
a-longer-name  NO      1      a.txt    1.23 s
  no
1 of 2 passed`)
})

test('the example runs where nothing may be written and nothing started', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'filewright-example-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const source = (path: string): string => JSON.stringify(pathToFileURL(join(ROOT, 'src/testing', path)).href)
  const program = readFileSync(join(ROOT, 'examples/evaluation/run.mjs'), 'utf8')
    .replace("'filewright/testing/node'", source('node.ts'))
    .replace("'filewright/testing'", source('index.ts'))
  writeFileSync(join(folder, 'run.mjs'), program)
  const args = ['--no-warnings', '--permission', '--allow-fs-read=*', join(folder, 'run.mjs'), join(ROOT, 'examples/evaluation/tasks')]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT })
  expect(stdout).toContain('8 of 10 passed')
})
