/** Asking the person at the client: a call that needs approval returns a form, and the client sends the call again with its answer. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isFilewrightError } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import { lazily } from '../core/lazy.ts'
import { canonicalJson } from '../core/record.ts'
import { approvalText } from '../workspace/approvals/text.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** Key of the form among a call's inputs, and who is noted as the decider. */
const FORM = 'approval'
const CLIENT = 'client'
/** Most of the changes that a form shows, in UTF-16 units. */
const LONGEST = 16 * 1024

/** What travels through the client and back, signed: which request its person answers, and for which call. */
export interface AskedState {
  readonly request: string
  readonly call: Hash
}

/** Asks through clients that declared `elicitation`. */
export interface Elicitation {
  /** Checks what comes back; hand it to the server. It is bound to the method and the subject, and expires. */
  readonly verify: RequestStateCodec<AskedState>['verify']
  /** Stores what the person answered in the round before. False when the call comes for the first time. */
  settle(context: ServerContext, tool: string, args: unknown): Promise<boolean>
  /** The form about a request; null when it does not wait any more. */
  ask(context: ServerContext, request: string, tool: string, args: unknown): Promise<InputRequiredResult | null>
}

/** The key that signs is of this process: rounds of one call must reach the same one. */
export function createElicitation({ approvals, fs }: Workspace, subject: string): Elicitation {
  const codec = lazily(() =>
    createRequestStateCodec<AskedState>({
      key: crypto.getRandomValues(new Uint8Array(32)),
      bind: ({ mcpReq, http }) => [mcpReq.method, subject, http?.authInfo?.clientId ?? ''].join('\n'),
    }),
  )

  const digest = (tool: string, args: unknown): Hash => fs.hasher.hash(new TextEncoder().encode(canonicalJson({ tool, args })))

  async function decide(request: string, decision: 'grant' | 'deny'): Promise<void> {
    try {
      await approvals[decision](request, { by: CLIENT })
    } catch (error) {
      // It expired, or somebody decided meanwhile: what the call finds is what holds.
      if (!isFilewrightError(error)) throw error
    }
  }

  return {
    verify: (...parts) => codec().verify(...parts),
    async settle({ mcpReq }, tool, args) {
      const state = mcpReq.requestState<AskedState>()
      if (state === undefined) return false
      const answer = inputResponse(mcpReq.inputResponses, FORM)
      const same = state.call === digest(tool, args)
      if (!same || answer.kind !== 'elicit' || answer.action === 'cancel') return true
      const decision = answer.action === 'accept' ? answer.content?.decision : 'deny'
      if (decision === 'approve') await decide(state.request, 'grant')
      if (decision === 'deny') await decide(state.request, 'deny')
      return true
    },
    async ask(context, request, tool, args) {
      const waiting = await approvals.get(request).catch(absent)
      if (waiting?.status !== 'pending') return null
      const form = inputRequired.elicit({
        message: approvalText(waiting, LONGEST),
        requestedSchema: {
          type: 'object',
          properties: { decision: { type: 'string', title: 'Decision', enum: ['approve', 'deny'] } },
          required: ['decision'],
        },
      })
      const requestState = await codec().mint({ request, call: digest(tool, args) }, context)
      return inputRequired({ inputRequests: { [FORM]: form }, requestState })
    },
  }
}

/** Somebody else decided, or asked anew, at this very moment. */
function absent(error: unknown): null {
  if (isFilewrightError(error, 'not_found')) return null
  throw error
}

/** Whether the client can show forms: in the newer era each request says so, in the older one its `initialize` did. */
export function showsForms({ mcpReq }: ServerContext, initialized: object | undefined): boolean {
  const envelope = mcpReq.envelope as { readonly [key: string]: unknown } | undefined
  const { elicitation } = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? initialized ?? {}) as { readonly elicitation?: object }
  return elicitation !== undefined && ('form' in elicitation || Object.keys(elicitation).length === 0)
}
