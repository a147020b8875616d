/** Evaluations: tasks that an agent works on, each in a workspace of its own, and whether it did what was asked. */
import type { Workspace } from '../workspace/workspace.ts'
import { finalChanges } from './fixture.ts'
import type { ScriptStep } from './script.ts'

/** One task. */
export interface EvaluationTask {
  readonly name: string
  /** What the agent is told. */
  readonly instruction: string
  /** Opens the workspace of one run, which is closed at its end. */
  open(): Promise<Workspace>
  /** Whether it was done: throws, or answers false or a reason, where it was not. */
  check(workspace: Workspace): unknown
  /** How long the agent may take; default: what {@link EvaluationOptions} say. */
  readonly timeoutMs?: number
  /** Calls that do the task, for {@link scriptedAgent}. */
  readonly script?: readonly ScriptStep[]
}

/** What an agent is given for one task. */
export interface AgentRun {
  readonly task: EvaluationTask
  /** Its calls are counted; it is closed by the evaluation. */
  readonly workspace: Workspace
  /** Aborted when the time is up. */
  readonly signal: AbortSignal
}

/** Whatever works on a task by calling tools; it answers when it is done, and throws when it cannot go on. */
export type Agent = (run: AgentRun) => Promise<void>

/** What one task came to. */
export interface EvaluationResult {
  readonly task: string
  readonly passed: boolean
  /** Why it did not pass; null when it did. */
  readonly problem: string | null
  readonly calls: number
  readonly failedCalls: number
  /** The files that differ when the agent is done. */
  readonly changed: readonly string[]
  readonly ms: number
  /** What differs, as `git diff` shows it. */
  readonly diff: string
}

/** Options of {@link evaluate}. */
export interface EvaluationOptions {
  /** For tasks that do not say; default two minutes. */
  readonly timeoutMs?: number
  /** How many tasks are worked on at once, at least one; default 1. */
  readonly jobs?: number
  /** Told of each result as it is there. */
  readonly onResult?: (result: EvaluationResult) => void
  readonly signal?: AbortSignal
}

const TIMEOUT_MS = 120_000

/** An agent that makes the calls of each task's script, whatever they come to. Throws for a task without one. */
export const scriptedAgent: Agent = async ({ task, workspace, signal }) => {
  if (!task.script) throw new Error('The task has no script, and there is no other agent.')
  for (const { tool, arguments: args = {} } of task.script) await workspace.call(tool, args, { signal })
}

/**
 * Lets an agent work on each task. The results are in the order of the tasks. A call that the agent
 * left behind is canceled. Throws what opening a workspace throws, and the reason of a signal that is aborted.
 */
export async function evaluate(
  tasks: readonly EvaluationTask[],
  agent: Agent,
  options: EvaluationOptions = {},
): Promise<EvaluationResult[]> {
  const results: EvaluationResult[] = []
  const failed = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal
  let next = 0
  const work = async (): Promise<void> => {
    for (let at = next++; at < tasks.length; at = next++) {
      signal.throwIfAborted()
      const result = await runTask(tasks[at] as EvaluationTask, agent, { ...options, signal })
      signal.throwIfAborted()
      results[at] = result
      options.onResult?.(result)
    }
  }
  // Where one cannot go on, the others are ended too, and nothing runs any more when the reason is told.
  const working = Array.from({ length: Math.min(Math.max(1, options.jobs ?? 1), tasks.length) }, () =>
    work().catch((error) => failed.abort(error)),
  )
  await Promise.all(working)
  signal.throwIfAborted()
  return results
}

async function runTask(
  task: EvaluationTask,
  agent: Agent,
  options: EvaluationOptions & { readonly signal: AbortSignal },
): Promise<EvaluationResult> {
  const begun = performance.now()
  const opened = await task.open()
  try {
    options.signal.throwIfAborted()
    const counter = countCalls(opened)
    const timeoutMs = task.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS
    const failure = await failureOf(task, agent, counter.workspace, timeoutMs, options.signal)
    await counter.end()
    // Before the check, which may change things itself.
    const changes = await finalChanges(opened)
    const problem = failure ?? (await problemOf(task, opened))
    return {
      task: task.name,
      passed: problem === null,
      problem,
      calls: counter.calls(),
      failedCalls: counter.failedCalls(),
      changed: changes.map(({ path }) => path),
      ms: Math.round(performance.now() - begun),
      diff: changes.map(({ diff }) => diff).join(''),
    }
  } finally {
    await opened.close()
  }
}

/** A workspace whose calls are counted, until its end: nothing is changed under the check by what nobody waited for. */
function countCalls(workspace: Workspace): { readonly workspace: Workspace; calls(): number; failedCalls(): number; end(): Promise<void> } {
  let [calls, failed] = [0, 0]
  const over = new AbortController()
  const running = new Set<Promise<unknown>>()
  return {
    calls: () => calls,
    failedCalls: () => failed,
    async end() {
      over.abort()
      await Promise.allSettled(running)
    },
    workspace: {
      ...workspace,
      // It is wanted for the check, and closed after it.
      close: async () => {},
      async call(tool, args, options) {
        if (!over.signal.aborted) calls++
        const signal = options?.signal ? AbortSignal.any([options.signal, over.signal]) : over.signal
        const call = workspace.call(tool, args, { ...options, signal })
        running.add(call)
        try {
          const outcome = await call
          if (outcome.error) failed++
          return outcome
        } finally {
          running.delete(call)
        }
      },
    },
  }
}

/** Why the agent did not come to its end; null when it did. One that pays no heed to the signal is not waited for. */
async function failureOf(
  task: EvaluationTask,
  agent: Agent,
  workspace: Workspace,
  timeoutMs: number,
  canceled: AbortSignal,
): Promise<string | null> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), Math.min(timeoutMs, MOST_MS))
  const signal = AbortSignal.any([timeout.signal, canceled])
  let grace: ReturnType<typeof setTimeout> | undefined
  const ended = new AbortController()
  const stopped = new Promise<void>((resolve) => {
    const wait = (): void => {
      grace = setTimeout(resolve, GRACE_MS)
    }
    signal.addEventListener('abort', wait, { signal: ended.signal })
  })
  try {
    await Promise.race([agent({ task, workspace, signal }), stopped])
  } catch (error) {
    if (!signal.aborted) return `The agent failed: ${messageOf(error)}`
  } finally {
    clearTimeout(timer)
    if (grace !== undefined) clearTimeout(grace)
    ended.abort()
  }
  return signal.aborted ? `The agent was not done after ${timeoutMs / 1000} s.` : null
}

/** The longest time that a timer takes. */
const MOST_MS = 2 ** 31 - 1
/** How long an agent may take to hear that its time is up. */
const GRACE_MS = 3000

async function problemOf(task: EvaluationTask, workspace: Workspace): Promise<string | null> {
  try {
    const answer = await task.check(workspace)
    if (answer === false) return 'The check says no.'
    return typeof answer === 'string' && answer !== '' ? answer : null
  } catch (error) {
    return messageOf(error)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The results as a table for people, with the first line of why a task did not pass, and a last line that counts. */
export function evaluationTable(results: readonly EvaluationResult[]): string {
  const rows = results.map(({ task, passed, calls, failedCalls, changed, ms }) => [
    task,
    passed ? 'yes' : 'NO',
    failedCalls === 0 ? `${calls}` : `${calls} (${failedCalls} failed)`,
    changed.length > 3 ? `${changed.slice(0, 3).join(', ')}, … ${changed.length}` : changed.join(', ') || '-',
    `${(ms / 1000).toFixed(2)} s`,
  ])
  const head = ['task', 'passed', 'calls', 'changed', 'time']
  const widths = head.map((title, at) => Math.max(...[head, ...rows].map((row) => (row[at] ?? title).length)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  const lines = results.flatMap(({ problem }, at) => {
    const row = line(rows[at] as string[])
    return problem === null ? [row] : [row, `  ${problem.split('\n')[0]}`]
  })
  const passed = results.filter((result) => result.passed).length
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...lines, `${passed} of ${results.length} passed`].join('\n')
}
