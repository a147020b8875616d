/** Opens a workspace on a storage. */
import { ERRORS, FilewrightError, toFilewrightError } from '../core/errors.ts'
import { createIds } from '../core/id.ts'
import type { Path } from '../core/path.ts'
import type { JournalRecord, RecordDraft } from '../core/record.ts'
import { defaultProfile, profileNamed } from '../profiles/index.ts'
import { disabledBy, offeredTools } from '../profiles/offered.ts'
import { plainRendering } from '../profiles/plain.ts'
import type { BoundTool, Finished, Rendered, Routed } from '../profiles/profile.ts'
import { createFactsCache } from '../text/window/text_facts.ts'
import type { Tool } from '../tools/tool.ts'
import { createApprovals } from './approvals/approvals.ts'
import { askHost, waitingRequest } from './approvals/ask_host.ts'
import type { Approve } from './approvals/request.ts'
import { createBackupFolders } from './backup_folders.ts'
import { type Answer, answerOf, type CallEnvironment, type CallManner, NEVER, runCall } from './call.ts'
import { commitAndVerify } from './commit.ts'
import { createGit } from './git/create_git.ts'
import { guardRestored } from './guards.ts'
import { planImport } from './import_files.ts'
import { createPast } from './past/acts.ts'
import { logOf, planRedo, planUndo, showRecord, type TakeBack } from './past/history.ts'
import { historyOf, verifyJournal } from './past/journal.ts'
import { observeOnce, watchStorage } from './past/watching.ts'
import { createQueue } from './queue.ts'
import { createRuns } from './runs.ts'
import { createView } from './view.ts'
import type { CallChange, CallOptions, CallResult, Workspace, WorkspaceEvent, WorkspaceOptions } from './workspace.ts'

/**
 * Opens a workspace: the tools of a profile over a storage, with the journal that proves and undoes what they change.
 * Throws `invalid_argument` for an unknown profile, for an unknown tool among those that are disabled, and for a trust policy that is
 * missing or wrong.
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { fs } = options
  const settings = options.settings ?? {}
  const profile = await profileNamed(options.profile ?? defaultProfile(fs.repository !== undefined))
  const isDisabled = disabledBy(settings.disabled ?? [])
  const has = { runner: options.runner !== undefined, repository: fs.repository !== undefined }
  const offered = (await offeredTools(profile, settings.disabled ?? [])).filter(({ tool }) => tool.needs === undefined || has[tool.needs])
  const byName = new Map(profile.tools.map((bound) => [bound.tool.name, bound]))
  const now = options.now ?? Date.now
  const newId = options.newId ?? createIds(now)
  const subject = options.subject ?? 'local'
  const listeners = new Set<(event: WorkspaceEvent) => void>()
  const tell = (event: WorkspaceEvent): void => {
    for (const listener of listeners) listener(event)
  }
  const approvals = createApprovals({
    fs,
    settings,
    now,
    lifetimeMs: options.approvalMs,
    announce: (request) => tell({ type: 'approval', request }),
  })
  const queue = createQueue()
  const { onFailure } = options
  const runs = options.runner ? createRuns({ fs, queue, runner: options.runner, announce, onFailure }) : null
  const environment: CallEnvironment = {
    fs,
    settings,
    subject,
    now,
    newId,
    facts: createFactsCache(),
    history: historyOf(fs),
    approvals,
    backupFolders: createBackupFolders(fs),
    runs,
    outside: options.unconfinedReads ?? null,
    ...(onFailure && { onFailure }),
  }
  const { display } = createView(fs)
  const watching = { fs, queue, announce, requireWritable, cause: () => runs?.cause() }

  function announce(record: JournalRecord): JournalRecord {
    tell({ type: 'change', record })
    return record
  }

  function draft(parts: Pick<RecordDraft, 'kind' | 'tool'> & Partial<RecordDraft>, subject: string | undefined): RecordDraft {
    return { id: newId(), time: new Date(now()).toISOString(), call: null, ...parts, subject: subject ?? environment.subject }
  }

  function requireWritable(act: string): void {
    if (settings.readOnly) throw new FilewrightError('read_only', `The workspace is read-only: ${act} is refused.`)
  }

  async function takeBack(plan: () => Promise<TakeBack>, subject: string | undefined): Promise<JournalRecord> {
    return queue(async () => {
      const { changes, draft: parts } = await plan()
      guardRestored(changes, settings)
      const { record } = await commitAndVerify(fs, changes, draft(parts, subject))
      return announce(record)
    })
  }

  async function call(name: string, args: unknown, callOptions: CallOptions = {}): Promise<CallResult> {
    const bound = byName.get(name)
    if (!bound) {
      const answer = refusedAnswer(`There is no tool ${name}.`)
      return callResult(plainRendering(answer), answer, display)
    }
    const answer = await routed(bound, args, callOptions)
    const finished = { ...answer, sent: args, disabled: isDisabled, display }
    const correction = answer.error ? await findCorrection(bound, finished, callOptions) : null
    return callResult(bound.render({ ...finished, correction }), answer, display)
  }

  /** The first of a failed call's corrections that would succeed, and that is small and reversible whatever the operator allows. */
  async function findCorrection(bound: BoundTool, failed: Omit<Finished, 'correction'>, callOptions: CallOptions): Promise<object | null> {
    if (ERRORS[(failed.error as FilewrightError).code].retry !== 'retry_after_correction') return null
    for (const candidate of bound.corrections?.(failed) ?? []) {
      if (callOptions.signal?.aborted) return null
      if ((await routed(bound, candidate, callOptions, true)).error === null) return candidate
    }
    return null
  }

  async function routed(bound: BoundTool, args: unknown, callOptions: CallOptions, rehearsal = false): Promise<Answer> {
    const { name } = bound.tool
    if (isDisabled(name)) return refusedAnswer(`The operator has disabled ${name}.`, { error_kind: 'operation_not_enabled' })
    let route: Routed
    try {
      route = bound.route(args, isDisabled)
    } catch (error) {
      return answerOf(toFilewrightError(error))
    }
    return perform(route.tool, route.args, callOptions, { guarded: profile.guarded, hub: bound.hub === true, rehearsal })
  }

  async function perform(tool: Tool, args: unknown, callOptions: CallOptions, manner: CallManner): Promise<Answer> {
    const work = () => runCall(environment, manner, tool, args, callOptions)
    // Writes wait for one another, so that parallel calls on one file never lose one another (C-36). A command may take long and
    // changes files as another program does: it takes no turn, and what it did is recorded in one.
    const run = () => (tool.kind === 'write' && tool.needs !== 'runner' ? queue(work) : work())
    let answer = await run()
    const waits = waitingRequest(answer.error)
    const approve = callOptions.approve ?? options.approve
    // Asked outside of the queue: a person takes its time, and the plan is made anew on what is there then.
    if (waits !== null && approve && (await decided(approve, waits, callOptions))) answer = await run()
    if (answer.record) announce(answer.record)
    return answer
  }

  async function decided(approve: Approve, id: string, { signal = NEVER }: CallOptions): Promise<boolean> {
    try {
      return await askHost(approvals, approve, id, signal)
    } catch (error) {
      if (!signal.aborted) onFailure?.(error)
      return false
    }
  }

  return {
    fs,
    profile,
    ...(fs.repository && { git: createGit(fs.repository, { fs, settings, queue, draft, announce, requireWritable }) }),
    approvals: approvals.desk,
    view: async () => createView(fs, { now, hidden: await environment.backupFolders.known() }),
    tools: () => offered,
    call,
    async run(tool, args, callOptions = {}) {
      if (isDisabled(tool.name)) {
        const answer = refusedAnswer(`The operator has disabled ${tool.name}.`, { error_kind: 'operation_not_enabled' })
        return callResult(plainRendering(answer, tool), answer, display)
      }
      const answer = await perform(tool, args, callOptions, { guarded: true, hub: false, rehearsal: false })
      return callResult(plainRendering(answer, tool), answer, display)
    },
    log: (query = {}) => logOf(fs, query),
    show: (which, showing = {}) => showRecord(fs, which, showing),
    verify: () => verifyJournal(fs),
    stage: (body) => fs.stage(body),
    async undo(which, { subject } = {}) {
      requireWritable('undo')
      return takeBack(() => planUndo(fs, which), subject)
    },
    async redo({ subject } = {}) {
      requireWritable('redo')
      return takeBack(() => planRedo(fs), subject)
    },
    async importFiles(files, { subject, note, replace = false, operator = false } = {}) {
      requireWritable('an import')
      return queue(async () => {
        const changes = await planImport(fs, files, { replace, operator })
        if (changes.length === 0) throw new FilewrightError('invalid_argument', 'There is nothing to import.')
        const parts = { kind: 'import', tool: 'import', note: note ?? `Import of ${files.length} files` } as const
        return announce(await fs.commit(changes, draft(parts, subject)))
      })
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    ...createPast({ fs, settings, now, newId, queue, draft, announce, requireWritable }),
    observe: () => observeOnce(watching),
    watch: (signal) => watchStorage(watching, signal),
    async close() {
      await runs?.close()
      await queue(() => fs.close())
    },
  }
}

function callResult(rendered: Rendered, answer: Answer, display: (path: Path) => string): CallResult {
  const { error, record } = answer
  return {
    ...rendered,
    error: error ? { code: error.code, message: error.message, ...(error.field === undefined ? {} : { field: error.field }) } : null,
    changeId: record?.id ?? null,
    changes: changesOfCall(answer, display),
    approvalId: waitingRequest(error),
  }
}

function changesOfCall({ receipt, unchanged = [] }: Answer, display: (path: Path) => string): CallChange[] {
  const made = (receipt?.paths ?? []).map(({ kind, path, from, before, after }) => {
    return { kind, path: display(path), from: from === null ? null : display(from), before, after }
  })
  const same = unchanged.map(({ path, state }) => ({
    kind: 'write' as const,
    path: display(path),
    from: null,
    before: state,
    after: state,
  }))
  return [...made, ...same]
}

/** The answer to a name that is not offered. */
function refusedAnswer(message: string, details: { readonly [key: string]: unknown } = {}): Answer {
  return answerOf(new FilewrightError('unsupported', message, { details }))
}
