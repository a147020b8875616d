/** Calls of tools as data: recorded from a session, played on another workspace, and held to what they came to. */
import type { ErrorCode } from '../core/errors.ts'
import { FilewrightError } from '../core/errors.ts'
import { canonicalJson } from '../core/record.ts'
import { unifiedDiff } from '../text/diff/unified.ts'
import { encodeText } from '../text/utf8.ts'
import type { CallResult, Workspace } from '../workspace/workspace.ts'
import { Difference } from './assert.ts'
import { finalDiff } from './fixture.ts'

/** What a call should come to. What is left out is not looked at. */
export interface ExpectedOutcome {
  /** The code of its failure; null: it succeeds. */
  readonly error?: ErrorCode | null
  /** The text of its answer, whole. */
  readonly text?: string
  /** A regular expression that the text fits. */
  readonly matches?: string
  /** Members that the structured result has, among others. Of lists all items, in order. */
  readonly result?: unknown
}

/** One call. */
export interface ScriptStep {
  readonly tool: string
  readonly arguments?: unknown
  readonly expect?: ExpectedOutcome
}

/** A session as JSON. */
export interface Script {
  readonly version: 1
  /** The profile whose tools are called. */
  readonly profile: string
  readonly steps: readonly ScriptStep[]
  /** What is changed in the end, as {@link finalDiff} tells it. Left out: it is not looked at. */
  readonly diff?: string
}

/** A recording in progress. */
export interface Recording {
  /** The same workspace; what is called here is recorded. */
  readonly workspace: Workspace
  /** The script of the calls so far, with what each came to and what is changed now. */
  finish(): Promise<Script>
}

/** Begins to record the calls of a workspace, in the order in which they were made. */
export function recordScript(workspace: Workspace): Recording {
  const steps: (ScriptStep | Promise<ScriptStep>)[] = []
  return {
    workspace: {
      ...workspace,
      call(tool, args, options) {
        const sent = structuredClone(args)
        const outcome = workspace.call(tool, args, options)
        steps.push(outcome.then(({ error, text }) => ({ tool, arguments: sent, expect: { error: error?.code ?? null, text } })))
        return outcome
      },
    },
    async finish() {
      return { version: 1, profile: workspace.profile.name, steps: await Promise.all(steps), diff: await finalDiff(workspace) }
    },
  }
}

/**
 * Makes the calls of a script one after another, and checks each against what the script expects, and the changes at the end. Answers
 * what the calls came to. Throws {@link Difference} at the first that comes to something else, naming the step; `invalid_argument`
 * for a script of another profile or version.
 */
export async function playScript(workspace: Workspace, script: Script): Promise<readonly CallResult[]> {
  checkScript(workspace, script)
  const outcomes: CallResult[] = []
  for (const [index, { tool, arguments: args = {}, expect }] of script.steps.entries()) {
    const outcome = await workspace.call(tool, args)
    outcomes.push(outcome)
    const problem = expect && problemOf(outcome, expect)
    if (problem) throw new Difference(`Step ${index + 1} of ${script.steps.length}, ${tool} ${JSON.stringify(args)}: ${problem}`)
  }
  if (script.diff === undefined) return outcomes
  const diff = await finalDiff(workspace)
  if (diff !== script.diff)
    throw new Difference(`The changes at the end are not those of the script:\n${textDifference(script.diff, diff)}`)
  return outcomes
}

function checkScript({ profile }: Workspace, script: Script): void {
  if (script.version !== 1 || !Array.isArray(script.steps)) {
    throw new FilewrightError('invalid_argument', 'This is no script of version 1: it needs `version`, `profile` and `steps`.')
  }
  const has = profile.name.split('+')
  if (
    !String(script.profile)
      .split('+')
      .every((name) => has.includes(name))
  ) {
    throw new FilewrightError(
      'invalid_argument',
      `The script calls tools of the profile ${script.profile}; the workspace has ${profile.name}.`,
    )
  }
}

/** Why an outcome is not what was expected; null when it is. */
function problemOf({ error, text, result }: CallResult, expected: ExpectedOutcome): string | null {
  if (expected.error !== undefined && (error?.code ?? null) !== expected.error) {
    const came = error ? `${error.code}: ${error.message}` : `success: ${text}`
    return `expected ${expected.error ?? 'success'}, got ${came}`
  }
  if (expected.text !== undefined && text !== expected.text) return `the text is another one:\n${textDifference(expected.text, text)}`
  if (expected.matches !== undefined && !new RegExp(expected.matches).test(text))
    return `the text does not fit /${expected.matches}/:\n${text}`
  if (expected.result !== undefined && !includes(result, expected.result)) {
    return `the result lacks what was expected:\n${textDifference(pretty(expected.result), pretty(result))}`
  }
  return null
}

/** Whether a value has all that another one says. */
function includes(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return Object.is(actual, expected)
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual) !== Array.isArray(expected)) return false
  if (Array.isArray(expected)) {
    return (actual as unknown[]).length === expected.length && expected.every((item, at) => includes((actual as unknown[])[at], item))
  }
  return Object.entries(expected).every(([name, value]) => includes((actual as Record<string, unknown>)[name], value))
}

function pretty(value: unknown): string {
  return `${JSON.stringify(JSON.parse(canonicalJson(value)), null, 2)}\n`
}

function textDifference(expected: string, actual: string): string {
  return unifiedDiff(encodeText(expected), encodeText(actual), { oldPath: 'expected', newPath: 'actual', maxChars: 10_000 }).text
}
