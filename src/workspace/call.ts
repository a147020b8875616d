/** One call, from arguments to answer: parse, guards, plan, guards again, approval, commit, verify, receipt. */
import type { Change } from '../core/change.ts'
import { ERRORS, FilewrightError, isFilewrightError, toFilewrightError } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'
import { canonicalJson, type JournalRecord, type RecordDraft } from '../core/record.ts'
import { riskOf } from '../policy/risk.ts'
import { createIgnoreRules } from '../text/ignore.ts'
import type { FactsCache } from '../text/text_facts.ts'
import { givenArguments, parseArguments, type SentArguments } from '../tools/arguments.ts'
import type { Plan, Tool, ToolContext } from '../tools/tool.ts'
import { commitAndVerify } from './commit.ts'
import { type CallGuards, guardChanges, guardTargets } from './guards.ts'
import { narrowView } from './narrow.ts'
import { createView } from './view.ts'
import type { CallOptions, OperatorSettings, WorkspaceOptions } from './workspace.ts'

/** How often a plan is made anew when another commit came between. */
const MOST_ATTEMPTS = 10

/** The signal of a call that nobody can cancel. */
const NEVER: AbortSignal = new AbortController().signal

/** What every call of one workspace shares. */
export interface CallEnvironment {
  readonly fs: FileSystem
  readonly settings: OperatorSettings
  readonly subject: string
  readonly now: () => number
  readonly newId: () => string
  readonly facts: FactsCache
  readonly onFailure?: WorkspaceOptions['onFailure']
  /** Whether ignored and sensitive paths are refused (contract 1.7). Protected ones always are. */
  readonly guarded: boolean
}

/** A call's answer before the profile renders it. */
export interface Answer {
  readonly result: { readonly [key: string]: unknown }
  readonly error: FilewrightError | null
  readonly record: JournalRecord | null
}

/** Runs one call. Never throws: what goes wrong is the answer's `error`. */
export async function runCall(environment: CallEnvironment, tool: Tool, sent: unknown, options: CallOptions): Promise<Answer> {
  try {
    if (tool.kind === 'write' && environment.settings.readOnly) {
      throw new FilewrightError('read_only', `The workspace is read-only: ${tool.name} is refused.`)
    }
    const args = parseArguments(tool, sent)
    for (let attempt = 1; ; attempt++) {
      try {
        return await runOnce(environment, tool, args, options)
      } catch (error) {
        // Another process committed between the plan and the commit: the plan is made anew on what is there now.
        if (!(error instanceof CommitConflict) || attempt === MOST_ATTEMPTS) throw error instanceof CommitConflict ? error.conflict : error
      }
    }
  } catch (error) {
    const failure = options.signal?.aborted ? canceled(error) : toFilewrightError(error)
    if (failure.code === 'io_error') environment.onFailure?.(error)
    return failedAnswer(environment, tool, sent, failure)
  }
}

/** A conflict that the storage found at the commit, told apart from one that a tool reports. */
class CommitConflict extends Error {
  readonly conflict: FilewrightError
  constructor(conflict: FilewrightError) {
    super(conflict.message)
    this.conflict = conflict
  }
}

async function runOnce(environment: CallEnvironment, tool: Tool, args: unknown, options: CallOptions): Promise<Answer> {
  const { fs, settings, now, newId, facts, guarded } = environment
  const signal = options.signal ?? NEVER
  signal.throwIfAborted()
  const whole = createView(fs, { now, portableNames: settings.portableNames ?? false })
  const { view, root } = await narrowView(whole, tool.root?.(args))
  const ignore = createIgnoreRules(view)
  const allowances = tool.allowances?.(args) ?? { ignored: false, sensitive: false }
  const guards: CallGuards = { view, root, ignore, settings, allowances, guarded }
  const cleared = await guardTargets(guards, tool.targets(args))
  const context: ToolContext = { view, ignore, facts, signal, now, newId, progress: (done, total) => options.onProgress?.(done, total) }
  const plan = await tool.run(context, args)
  const changes = view.changes()
  await guardChanges(guards, changes, cleared)
  if (plan.dryRun || changes.length === 0) return { result: { ...plan.result }, error: null, record: null }
  requireApproval(settings, tool, args, allowances, changes)
  signal.throwIfAborted()
  return commitPlan(environment, tool, args, plan, changes, options)
}

async function commitPlan(
  { fs, subject, now, newId }: CallEnvironment,
  tool: Tool,
  args: unknown,
  plan: Plan<object>,
  changes: readonly Change[],
  options: CallOptions,
): Promise<Answer> {
  const draft: RecordDraft = {
    id: newId(),
    time: new Date(now()).toISOString(),
    kind: 'call',
    subject: options.subject ?? subject,
    tool: tool.name,
    call: fs.hasher.hash(new TextEncoder().encode(canonicalJson({ tool: tool.name, args }))),
  }
  try {
    const { record, receipt } = await commitAndVerify(fs, changes, draft)
    return { result: { ...(plan.complete?.(receipt) ?? plan.result) }, error: null, record }
  } catch (error) {
    throw isFilewrightError(error, 'conflict') ? new CommitConflict(error) : error
  }
}

function requireApproval(
  settings: OperatorSettings,
  tool: Tool,
  args: unknown,
  allowances: { readonly ignored: boolean; readonly sensitive: boolean },
  changes: readonly Change[],
): void {
  if (settings.approval !== 'risky') return
  const risk = riskOf({ destructive: tool.destructive && !tool.small?.(args), allowances, changes })
  if (risk) throw new FilewrightError('approval_required', `${tool.name} needs a person's approval: ${risk}. Nothing was changed.`)
}

function canceled(error: unknown): FilewrightError {
  return isFilewrightError(error) ? error : new FilewrightError('canceled', 'The call was canceled; nothing was changed.', { cause: error })
}

function failedAnswer({ fs }: CallEnvironment, tool: Tool, sent: unknown, error: FilewrightError): Answer {
  const args = sentMembers(sent)
  const message = /[.!?]$/.test(error.message) ? error.message : `${error.message}. ${ERRORS[error.code].advice}`
  const result = { ...tool.failed(args, fs.hasher), ...error.details, error: `${error.code}: ${message}` }
  return { result, error, record: null }
}

function sentMembers(sent: unknown): SentArguments {
  try {
    return givenArguments(sent)
  } catch {
    return {}
  }
}
