/** One call, from arguments to answer: parse, guards, plan, guards again, approval, commit, verify, receipt. */
import type { Change } from '../core/change.ts'
import { ERRORS, FilewrightError, isFilewrightError, toFilewrightError } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'
import type { History } from '../core/history.ts'
import type { OutsideReader } from '../core/outside.ts'
import type { Path } from '../core/path.ts'
import type { JournalRecord, RecordDraft } from '../core/record.ts'
import type { Repository } from '../core/repository.ts'
import type { View } from '../core/view.ts'
import type { FactsCache } from '../text/window/text_facts.ts'
import { parseArguments, sentMembers } from '../tools/arguments.ts'
import type { ActPlan, CommandPlan, Identity, Plan, Receipt, Tool, ToolContext } from '../tools/tool.ts'
import { type Approvals, callDigest } from './approvals/approvals.ts'
import type { BackupFolders } from './backup_folders.ts'
import { commitAndVerify } from './commit.ts'
import { performAct } from './git/acts.ts'
import { authorOf } from './git/author.ts'
import { basisBefore } from './git/basis.ts'
import { boundAct, requireWholeChanges } from './git/guard_act.ts'
import { readsOf } from './git/reads.ts'
import { type CallGuards, guardAct, guardChanges, guardTargets } from './guards.ts'
import { createIgnoreKeeper, type IgnoreKeeper } from './ignore_keeper.ts'
import { narrowView } from './narrow.ts'
import type { Runs } from './runs.ts'
import { createView } from './view.ts'
import { type Bounds, boundsOf } from './within.ts'
import type { CallOptions, OperatorSettings, WorkspaceOptions } from './workspace.ts'

/** How often a plan is made anew when another commit came between. */
const MOST_ATTEMPTS = 10

const NO_ALLOWANCES = { ignored: false, sensitive: false }

/** The signal of a call that nobody can cancel. */
export const NEVER: AbortSignal = new AbortController().signal

/** What every call of one workspace shares. */
export interface CallEnvironment {
  readonly fs: FileSystem
  readonly settings: OperatorSettings
  readonly subject: string
  readonly now: () => number
  readonly newId: () => string
  readonly facts: FactsCache
  readonly history: History
  readonly approvals: Approvals
  readonly backupFolders: BackupFolders
  /** Null where the host gave no runner. */
  readonly runs: Runs | null
  readonly outside: OutsideReader | null
  readonly onFailure?: WorkspaceOptions['onFailure']
}

/** How the calls of one surface are judged. */
export interface CallManner {
  /** Whether ignored and sensitive paths are refused (contract 1.7). Protected ones always are. */
  readonly guarded: boolean
  /** Whether it came through the hub, which asks for approvals where single tools do not (W-7). */
  readonly hub: boolean
  /** It is only tried whether it would succeed, and without asking anybody; nothing is committed. */
  readonly rehearsal: boolean
}

/** A call's answer before the profile renders it. */
export interface Answer {
  readonly result: { readonly [key: string]: unknown }
  readonly error: FilewrightError | null
  readonly record: JournalRecord | null
  readonly receipt: Receipt | null
  /** Files that a successful call was to write, and that held the same already. */
  readonly unchanged?: Plan<object>['unchanged']
}

/** Runs one call. Never throws: what goes wrong is the answer's `error`. */
export async function runCall(
  environment: CallEnvironment,
  manner: CallManner,
  tool: Tool,
  sent: unknown,
  options: CallOptions,
): Promise<Answer> {
  try {
    if (tool.kind === 'write' && environment.settings.readOnly) {
      throw new FilewrightError('read_only', `The workspace is read-only: ${tool.name} is refused.`)
    }
    if (tool.needs === 'runner' && !environment.runs) throw noRunner(tool)
    if (tool.needs === 'repository' && !environment.fs.repository) throw noRepository(tool)
    const args = parseArguments(tool, sent)
    const used = new Set<string>()
    for (let attempt = 1; ; attempt++) {
      try {
        return await runOnce(environment, manner, tool, args, options, used)
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

function noRunner({ name }: Tool): FilewrightError {
  const hint = 'the operator starts with `--runner local`, or the host passes a runner to openWorkspace'
  return new FilewrightError('unsupported', `${name} needs a runner, and this workspace has none: ${hint}.`)
}

function noRepository({ name }: Tool): FilewrightError {
  return new FilewrightError('unsupported', `${name} needs a repository, and this workspace is of none: open one with \`--fs git\`.`)
}

function noBoundsFor({ name }: Tool): FilewrightError {
  return new FilewrightError('unsupported', `${name} is refused: a command cannot be kept inside the roots of the client.`)
}

/** A conflict that the storage found at the commit, told apart from one that a tool reports. */
class CommitConflict extends Error {
  readonly conflict: FilewrightError
  constructor(conflict: FilewrightError) {
    super(conflict.message)
    this.conflict = conflict
  }
}

/** `used` are the approvals that earlier attempts used up. */
async function runOnce(
  environment: CallEnvironment,
  manner: CallManner,
  tool: Tool,
  args: unknown,
  options: CallOptions,
  used: Set<string>,
): Promise<Answer> {
  const { fs, settings, now, backupFolders } = environment
  const signal = options.signal ?? NEVER
  signal.throwIfAborted()
  const folders = await backupFolders.known()
  const places = (await options.within?.()) ?? null
  const bounds = places && boundsOf(places)
  const plain = createView(fs, { now, portableNames: settings.portableNames ?? false, hidden: folders })
  const shows = (path: Path): boolean => (bounds === null || bounds.holds(path)) && !plain.isHidden(path)
  const repository = fs.repository && readsOf(fs.repository, { shows, places: bounds && places, signal })
  const whole = repository ? { ...plain, repository } : plain
  if (bounds && tool.needs === 'runner') throw noBoundsFor(tool)
  const view = bounds ? bounds.confine(whole) : whole
  // Who must stay in a part of the workspace does not leave it altogether.
  const known = bounds ? { ...environment, history: bounds.confineHistory(environment.history), outside: null } : environment
  const ignore = createIgnoreKeeper(whole)
  const performed: string[] = []
  const author = authorOf(settings, options.subject ?? environment.subject)
  const plan = await planOn({ environment: known, manner, view, options, author, signal, ignore, performed }, tool, args)
  const changes = view.changes()
  bounds?.check(view, changes)
  if ('act' in plan) return actOnce(environment, manner, tool, args, options, { plan, view, bounds, used, performed, signal })
  const runs = 'command' in plan
  if (!runs && plan.undoes !== undefined) await bounds?.checkRecord(environment.history, plan.undoes)
  // What always asks does so even where it turns out that there is nothing to change.
  if (!runs && (plan.dryRun || (changes.length === 0 && (plan.failure || tool.risk?.(args) !== 'always')))) {
    return unchangedAnswer(environment, tool, args, plan)
  }
  const subject = options.subject ?? environment.subject
  const allowances = tool.allowances?.(args) ?? NO_ALLOWANCES
  const command = runs ? plan.title : null
  const question = { tool, args, command, act: null, performed, hub: manner.hub, allowances, changes, subject, view, used, signal }
  if (manner.rehearsal) {
    const reason = environment.approvals.asks(question) ?? (runs ? 'it runs a command' : plan.failure?.message)
    if (reason !== undefined) throw new FilewrightError('approval_required', reason)
    return { result: {}, error: null, record: null, receipt: null }
  }
  signal.throwIfAborted()
  const approval = await environment.approvals.require(question)
  if (approval !== null) used.add(approval)
  if (runs) return runPlanned(environment, tool, args, plan, { subject, approval, signal })
  if (changes.length === 0) return unchangedAnswer(environment, tool, args, plan)
  await backupFolders.add(view, changes)
  return commitPlan(environment, tool, args, plan, changes, { subject, approval })
}

/** An act that was planned: judged, approved and done. */
async function actOnce(
  environment: CallEnvironment,
  manner: CallManner,
  tool: Tool,
  args: unknown,
  options: CallOptions,
  planned: {
    readonly plan: ActPlan<object>
    readonly view: View
    readonly bounds: Bounds | null
    readonly used: Set<string>
    readonly performed: readonly string[]
    readonly signal: AbortSignal
  },
): Promise<Answer> {
  const { fs, now, newId, settings } = environment
  const { plan, view, bounds, used, performed, signal } = planned
  const { act, title } = plan
  const repository = fs.repository as Repository
  if (bounds) boundAct(bounds, view, act)
  await requireWholeChanges(repository, view, act)
  if (plan.dryRun) return { result: { ...plan.result }, error: null, record: null, receipt: null }
  const subject = options.subject ?? environment.subject
  const allowances = tool.allowances?.(args) ?? NO_ALLOWANCES
  const question = { tool, args, command: null, act: { ...act, title }, performed, hub: manner.hub, allowances, changes: [], subject }
  if (manner.rehearsal) throw new FilewrightError('approval_required', environment.approvals.asks(question) ?? 'it acts on the repository')
  signal.throwIfAborted()
  const approval = await environment.approvals.require({ ...question, view, used, signal })
  if (approval !== null) used.add(approval)
  const draft: RecordDraft = {
    id: newId(),
    time: new Date(now()).toISOString(),
    kind: 'git',
    subject,
    tool: tool.name,
    call: callDigest(fs.hasher, tool, args),
    ...(approval !== null && { approval }),
  }
  try {
    const done = await performAct(repository, act, draft, { committer: authorOf(settings, subject), now: now() })
    return { result: { ...plan.afterAct(done) }, error: null, record: done.record, receipt: null }
  } catch (error) {
    if (isOvertaken(error)) throw new CommitConflict(error)
    throw approval === null ? error : afterApproval(toFilewrightError(error), approval)
  }
}

/** Whether somebody else committed first. A lock that nobody gives up is no such thing: another try would only wait as long again. */
function isOvertaken(error: unknown): error is FilewrightError {
  return isFilewrightError(error, 'conflict') && error.details?.lock === undefined
}

/** What the calls on one view share. */
interface Scope {
  readonly environment: CallEnvironment
  readonly manner: CallManner
  readonly view: View
  readonly options: CallOptions
  readonly author: Identity
  readonly signal: AbortSignal
  readonly ignore: IgnoreKeeper
  /** The tools that were performed for another one. */
  readonly performed: string[]
}

/** Plans a call on the view: guards on what it names, the plan itself, guards on what it stages. */
async function planOn(scope: Scope, tool: Tool, args: unknown): Promise<Plan<object> | CommandPlan<object> | ActPlan<object>> {
  const { environment, manner, options, signal } = scope
  const { settings, now, newId, facts, history } = environment
  const { view, root } = await narrowView(scope.view, tool.root?.(args))
  const ignore = scope.ignore.rules()
  const allowances = tool.allowances?.(args) ?? NO_ALLOWANCES
  const guards: CallGuards = { view, root, ignore, settings, allowances, guarded: manner.guarded && !tool.unguarded?.(args) }
  const cleared = await guardTargets(guards, tool.targets(args))
  const before = view.changes().length
  const context: ToolContext = {
    view,
    ignore,
    facts,
    history,
    outside: environment.outside,
    author: scope.author,
    signal,
    now,
    newId,
    async perform(other, otherArgs) {
      scope.performed.push(other.name)
      const part = await planOn(scope, other, otherArgs)
      if (!('command' in part || 'act' in part)) return part
      const does = 'act' in part ? 'acts on the repository' : 'runs a command'
      throw new FilewrightError('unsupported', `${other.name} ${does}, which is no part of another call: call it by itself.`)
    },
    progress: (done, total) => options.onProgress?.(done, total),
  }
  const plan = await tool.run(context, args)
  const staged = view.changes().slice(before)
  // A call that performs others is judged by theirs: each was cleared for its own paths.
  if ('act' in plan) await guardAct({ ...guards, ignore: scope.ignore.rules() }, plan.act)
  if (!tool.performs) await guardChanges({ ...guards, ignore: scope.ignore.rules() }, staged, cleared)
  return plan
}

function unchangedAnswer(environment: CallEnvironment, tool: Tool, args: unknown, plan: Plan<object>): Answer {
  if (plan.failure) return failedAnswer(environment, tool, args, plan.failure)
  const { unchanged } = plan
  return { result: { ...plan.result }, error: null, record: null, receipt: null, ...(unchanged && { unchanged }) }
}

/** Runs the command that a call is planned to. */
async function runPlanned(
  environment: CallEnvironment,
  tool: Tool,
  args: unknown,
  plan: CommandPlan<object>,
  { subject, approval, signal }: { readonly subject: string; readonly approval: string | null; readonly signal: AbortSignal },
): Promise<Answer> {
  const call = callDigest(environment.fs.hasher, tool, args)
  const caller = { kind: 'call', subject, tool: tool.name, call, ...(approval !== null && { approval }) } as const
  const { outcome, record } = await (environment.runs as Runs).run(plan, caller, signal)
  if (isFilewrightError(outcome)) return { ...failedAnswer(environment, tool, args, outcome), record }
  return { result: { ...plan.conclude(outcome) }, error: null, record, receipt: null }
}

async function commitPlan(
  environment: CallEnvironment,
  tool: Tool,
  args: unknown,
  plan: Plan<object>,
  changes: readonly Change[],
  { subject, approval }: { readonly subject: string; readonly approval: string | null },
): Promise<Answer> {
  const { fs, now, newId } = environment
  const basis = plan.undoes === undefined ? undefined : await basisBefore(fs, await fs.records({ id: plan.undoes, limit: 1 }))
  const draft: RecordDraft = {
    id: newId(),
    time: new Date(now()).toISOString(),
    ...(basis && { basis }),
    ...(plan.undoes === undefined ? { kind: 'call' } : { kind: 'undo', target: plan.undoes }),
    subject,
    tool: tool.name,
    call: callDigest(fs.hasher, tool, args),
    ...(approval !== null && { approval }),
  }
  try {
    const { record, receipt } = await commitAndVerify(fs, changes, draft)
    const result = { ...(plan.complete?.(receipt) ?? plan.result) }
    if (!plan.failure) return { result, error: null, record, receipt }
    const failed = failedAnswer(environment, tool, args, plan.failure)
    return { ...failed, result: { ...failed.result, ...result }, record, receipt }
  } catch (error) {
    if (isOvertaken(error)) throw new CommitConflict(error)
    throw approval === null ? error : afterApproval(toFilewrightError(error), approval)
  }
}

/** The grant is gone with the failure, which the caller must know: the next call asks anew. */
function afterApproval(error: FilewrightError, approval: string): FilewrightError {
  const details = { ...error.details, approval_id: approval, approval_spent: true }
  const message = `${error.message} The approval ${approval} was used up.`
  return new FilewrightError(error.code, message, {
    details,
    cause: error.cause ?? error,
    ...(error.field !== undefined && { field: error.field }),
  })
}

function canceled(error: unknown): FilewrightError {
  return isFilewrightError(error) ? error : new FilewrightError('canceled', 'The call was canceled; nothing was changed.', { cause: error })
}

/** The answer to a call that came to nothing; `empty` are the tool's fields of a failed call. */
export function answerOf(error: FilewrightError, empty: object = {}): Answer {
  const message = /[.!?]$/.test(error.message) ? error.message : `${error.message}. ${ERRORS[error.code].advice}`
  return { result: { ...empty, ...error.details, error: `${error.code}: ${message}` }, error, record: null, receipt: null }
}

function failedAnswer({ fs }: CallEnvironment, tool: Tool, sent: unknown, error: FilewrightError): Answer {
  return answerOf(error, tool.failed(sentMembers(sent), fs.hasher))
}
