/** Approvals: what waits for a person, and the grant that one call uses up (contract P-159, security.md 4.1). */
import type { Change } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import type { Hash, Hasher } from '../../core/hash.ts'
import type { Path } from '../../core/path.ts'
import { canonicalJson } from '../../core/record.ts'
import type { Risk } from '../../core/risk.ts'
import type { View } from '../../core/view.ts'
import { riskOf } from '../../policy/risk.ts'
import { compileTrust } from '../../policy/trust.ts'
import { compilePathGlobs } from '../../text/glob/glob.ts'
import { markHidden } from '../../text/hidden_characters.ts'
import type { Allowances, RepositoryAct, Tool } from '../../tools/tool.ts'
import { essenceOfAct } from '../git/acts.ts'
import type { OperatorSettings } from '../workspace.ts'
import { approvalDigest, type CallIdentity, callIdentity, hashJson } from './digest.ts'
import { createApprovalNotes, isLive, type Kept } from './notes.ts'
import { previewChanges } from './preview.ts'
import { previewAct } from './preview_act.ts'
import type { ApprovalDesk, ApprovalRequest } from './request.ts'

/** How long a request waits, and how long a decision holds, unless the host says otherwise. */
const LIFETIME_MS = 5 * 60 * 1000

/** A call that is ready to be committed, as far as it is judged. */
export interface JudgedCall {
  readonly tool: Tool
  /** Checked arguments. */
  readonly args: unknown
  /** The command that it runs, for people; null when it runs none. */
  readonly command: string | null
  /** What it does to the repository, and in words; null when it does nothing to that. */
  readonly act: (RepositoryAct & { readonly title: string }) | null
  /** The tools that the call performed. */
  readonly performed: readonly string[]
  /** It came through the hub, which asks unless the operator says otherwise. */
  readonly hub: boolean
  readonly allowances: Allowances
  readonly changes: readonly Change[]
  readonly subject: string
}

/** A call that is ready to be committed. */
export interface ApprovalQuestion extends JudgedCall {
  readonly view: View
  /** The grants that this very call used up in earlier attempts, which another commit thwarted. */
  readonly used: ReadonlySet<string>
  readonly signal: AbortSignal
}

/** The approvals of one workspace. */
export interface Approvals {
  /**
   * Lets a call pass: the id of the grant that it used up, or null when nobody need be asked. Throws `approval_required` and
   * `approval_stale` with `details.approval_id`, the request that waits now; `approval_denied`; `quota_exceeded` when too many wait.
   */
  require(question: ApprovalQuestion): Promise<string | null>
  /**
   * Why a person should be asked about a call that nobody sent, however much the operator trusts those that are sent; undefined
   * when it is small and reversible. Nothing is stored.
   */
  asks(question: JudgedCall): string | undefined
  readonly desk: ApprovalDesk
  /** As the desk's `grant` and `deny`, for a host that was asked by the workspace itself. */
  decide(id: string, status: 'granted' | 'denied', by: string): Promise<ApprovalRequest>
}

/** What approvals are made of. */
export interface ApprovalParts {
  readonly fs: FileSystem
  readonly settings: OperatorSettings
  readonly now: () => number
  readonly lifetimeMs?: number | undefined
  /** Told of every request that is new, decided or used up. */
  readonly announce: (request: ApprovalRequest) => void
}

/** Throws `invalid_argument` for the mode `trusted` without a policy, and for a policy that is none. */
export function createApprovals({ fs, settings, now, lifetimeMs = LIFETIME_MS, announce }: ApprovalParts): Approvals {
  const notes = createApprovalNotes(fs)
  const reasonToAsk = createJudge(settings)
  const policy = hashJson(fs, settings)

  async function put(found: Kept, request: ApprovalRequest): Promise<boolean> {
    const done = await notes.replace(found, request)
    if (done) announce(request)
    return done
  }

  async function digestOf(question: ApprovalQuestion, call: CallIdentity): Promise<Hash> {
    const workspace = { id: await notes.workspaceId(), root: fs.traits.root }
    const act = question.act && essenceOfAct(question.act)
    return approvalDigest(fs, call, { changes: question.changes, act, workspace, policy, isHidden: (path) => question.view.isHidden(path) })
  }

  async function newRequest(question: ApprovalQuestion, reason: string, call: Hash, digest: Hash): Promise<ApprovalRequest> {
    await notes.makeRoom(now())
    const preview = question.act ? await previewAct(fs, question.act) : await previewChanges(fs, question.changes)
    const createdMs = now()
    const told = question.command ?? question.act?.title ?? null
    return {
      id: notes.newId(call),
      status: 'pending',
      tool: question.tool.name,
      subject: question.subject,
      reason: told === null ? reason : `${reason}: ${markHidden(told).text}`,
      digest,
      createdMs,
      expiresMs: createdMs + lifetimeMs,
      decidedBy: null,
      decidedMs: null,
      preview,
      previewHash: hashJson(fs, preview),
    }
  }

  async function decide(id: string, status: 'granted' | 'denied', by: string): Promise<ApprovalRequest> {
    for (;;) {
      const found = await notes.findById(id)
      const { request } = found
      if (request.status === status && isLive(request, now())) return request
      // A grant can be taken back until it is used; nothing makes a refusal undone.
      const open = request.status === 'pending' || (request.status === 'granted' && status === 'denied')
      if (!open || !isLive(request, now())) {
        throw new FilewrightError('conflict', `The request ${id} is ${asOfNow(request).status}: send the call again to ask anew.`)
      }
      const decidedMs = now()
      const decided = { ...request, status, decidedBy: by, decidedMs, expiresMs: decidedMs + lifetimeMs }
      if (await put(found, decided)) return decided
    }
  }

  async function decideAs(id: string, status: 'granted' | 'denied', by: string): Promise<ApprovalRequest> {
    const { request } = await notes.findById(id)
    if (request.subject === by) {
      throw new FilewrightError('permission_denied', `${by} made the request ${id} and cannot decide about it: somebody else must.`)
    }
    return decide(id, status, by)
  }

  function asOfNow(request: ApprovalRequest): ApprovalRequest {
    return isLive(request, now()) || request.status === 'spent' ? request : { ...request, status: 'expired' }
  }

  return {
    asks: (question) => riskOf({ ...question, risk: riskOfCall(question) }) ?? undefined,
    async require(question) {
      const reason = reasonToAsk(question)
      if (reason === null) return null
      const { tool, args, subject, used, signal } = question
      const call = { tool: tool.name, args, subject }
      const identity = callIdentity(fs, call)
      const digest = await digestOf(question, call)
      for (;;) {
        const found = await notes.find(identity)
        const { request } = found
        const live = request !== null && isLive(request, now()) ? request : null
        if (live?.digest === digest) {
          if (live.status === 'pending') throw waiting('approval_required', live)
          if (live.status === 'denied') throw denied(live)
          signal.throwIfAborted()
          // Used up before the commit: after a crash nobody can tell whether it ran, so it never runs twice.
          if (await put(found, { ...live, status: 'spent' })) return live.id
          continue
        }
        const asked = await newRequest(question, reason, identity, digest)
        const stale = live?.status === 'granted' || (request !== null && used.has(request.id))
        if (await put(found, asked)) throw waiting(stale ? 'approval_stale' : 'approval_required', asked)
      }
    },
    desk: {
      list: async () => (await notes.list()).map(asOfNow),
      get: async (id) => asOfNow((await notes.findById(id)).request),
      grant: (id, { by }) => decideAs(id, 'granted', by),
      deny: (id, { by }) => decideAs(id, 'denied', by),
    },
    decide,
  }
}

/** Why a person must be asked about a call, in the operator's mode; null when it may run. */
function createJudge(settings: OperatorSettings): (call: JudgedCall) => string | null {
  const { approval, trustPolicy } = settings
  if (approval === 'trusted' && !trustPolicy) {
    throw new FilewrightError('invalid_argument', 'The approval mode trusted needs a trust policy.', { field: 'trust-policy' })
  }
  const isTrusted =
    trustPolicy &&
    compileTrust(trustPolicy, (globs, field) => {
      const compiled = compilePathGlobs(globs, field)
      return (path, directory) => compiled.covers(path, directory)
    })
  return ({ tool, args, act, performed, hub, allowances, changes, subject }) => {
    const mode = approval ?? (hub ? 'risky' : 'off')
    const risk = riskOfCall({ tool, args })
    if (mode === 'off') return hub && risk === 'always' ? riskOf({ risk, allowances, changes }) : null
    const reason = riskOf({ risk, allowances, changes })
    const paths = act?.kind === 'commit' ? act.changes.map(({ path }) => ({ path, directory: false })) : touchedBy(changes)
    const trusted = mode === 'trusted' && isTrusted?.({ operations: [tool.name, ...performed], paths, subject })
    return trusted ? null : reason
  }
}

function riskOfCall({ tool, args }: Pick<JudgedCall, 'tool' | 'args'>): Risk {
  return tool.risk?.(args) ?? (tool.needs === 'runner' ? 'runs' : tool.destructive ? 'replaces' : 'small')
}

function touchedBy(changes: readonly Change[]): { readonly path: Path; readonly directory: boolean }[] {
  return changes.flatMap((change) => {
    const directory = change.kind === 'makeDirectory' || ('expect' in change && change.expect === 'directory')
    const paths = change.kind === 'move' ? [change.path, change.to] : change.kind === 'copy' ? [change.path, change.from] : [change.path]
    return paths.map((path) => ({ path, directory }))
  })
}

function waiting(code: 'approval_required' | 'approval_stale', { id, tool, reason, expiresMs }: ApprovalRequest): FilewrightError {
  const why =
    code === 'approval_required'
      ? `${tool} needs a person's approval: ${reason}. Nothing was changed.`
      : `What ${tool} would change is not what a person approved. Nothing was changed, and it was asked anew.`
  return new FilewrightError(code, `${why} Request ${id} waits; once it is granted, send the same call.`, {
    details: { approval_id: id, approval_expires_at: new Date(expiresMs).toISOString() },
  })
}

function denied({ id, tool, expiresMs }: ApprovalRequest): FilewrightError {
  return new FilewrightError('approval_denied', `A person refused this call of ${tool}. Nothing was changed; do not send it again.`, {
    details: { approval_id: id, approval_expires_at: new Date(expiresMs).toISOString() },
  })
}

/** What the journal knows a call by. */
export function callDigest(hasher: Hasher, tool: Tool, args: unknown): Hash {
  return hasher.hash(new TextEncoder().encode(canonicalJson({ tool: tool.name, args })))
}
