/** `filewright eval`: lets an agent work on a folder of tasks, each in a repository in memory, and tells what it came to. */
import { FilewrightError } from '../../core/errors.ts'
import { type EvaluationResult, evaluate, evaluationTable, scriptedAgent } from '../../testing/evaluation.ts'
import { readTasks } from '../../testing/tasks.ts'
import type { Output } from '../output.ts'
import { paintDiff, visible } from '../terminal.ts'

/** The exit status when a task did not pass: the state differs. */
const DIFFERS = 5

/** What the command's flags say. */
export interface EvalFlags {
  /** The agent's command; undefined: each task's own script. */
  readonly agent: string | undefined
  /** Names of tasks; undefined: all. */
  readonly only: readonly string[] | undefined
  readonly timeoutSeconds: number
  readonly jobs: number
  readonly profile: string | undefined
  /** Shows what each task changed. */
  readonly diff: boolean
}

/** Runs the tasks, and answers the exit status. Stops at SIGINT and SIGTERM; an agent that runs then is ended. */
export async function evalCommand(folder: string, output: Output, flags: EvalFlags): Promise<number> {
  const tasks = chosen(readTasks(folder, flags.profile === undefined ? {} : { profile: flags.profile }), flags.only)
  const agent = flags.agent === undefined ? scriptedAgent : (await import('../agent_command.ts')).commandAgent(flags.agent)
  const unscripted = tasks.find(({ script }) => script === undefined)
  if (flags.agent === undefined && unscripted) {
    throw new FilewrightError('missing_argument', `The task ${unscripted.name} has no script: say with --agent who works on it.`, {
      field: 'agent',
    })
  }
  const stop = new AbortController()
  const onSignal = (): void => stop.abort()
  for (const name of SIGNALS) process.on(name, onSignal)
  let done = 0
  const progress = (): void => output.progress(done === tasks.length ? '' : `${done} of ${tasks.length} tasks`)
  progress()
  try {
    const results = await evaluate(tasks, agent, {
      timeoutMs: flags.timeoutSeconds * 1000,
      jobs: flags.jobs,
      signal: stop.signal,
      onResult() {
        done++
        progress()
      },
    })
    const passed = results.filter((result) => result.passed).length
    output.answer({ results, passed, total: results.length }, () => told(results, output, flags.diff))
    return passed === results.length ? 0 : DIFFERS
  } catch (error) {
    output.progress('')
    if (stop.signal.aborted) throw new FilewrightError('canceled', `The evaluation was stopped after ${done} of ${tasks.length} tasks.`)
    throw error
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function chosen<Task extends { readonly name: string }>(tasks: readonly Task[], only: readonly string[] | undefined): readonly Task[] {
  const unknown = only?.find((name) => !tasks.some((task) => task.name === name))
  if (unknown !== undefined) {
    throw new FilewrightError('not_found', `There is no task ${unknown}; there are ${tasks.map(({ name }) => name).join(', ')}.`, {
      field: 'only',
    })
  }
  return only === undefined ? tasks : tasks.filter(({ name }) => only.includes(name))
}

function told(results: readonly EvaluationResult[], { paint }: Output, withDiffs: boolean): string {
  const table = visible(evaluationTable(results))
  if (!withDiffs) return table
  const shown = results.map(({ task, diff, problem }) => {
    const why = problem === null ? [] : [visible(problem)]
    return [paint.bold(visible(`== ${task}`)), ...why, paintDiff(visible(diff), paint)].join('\n')
  })
  return [...shown, table].join('\n')
}
