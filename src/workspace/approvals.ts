/** Approvals: what waits for a person, and the grant that one call uses up (contract P-159). */
import type { Change } from '../core/change.ts'
import { FilewrightError } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'
import type { Hash, Hasher } from '../core/hash.ts'
import { canonicalJson } from '../core/record.ts'
import type { View } from '../core/view.ts'
import { riskOf } from '../policy/risk.ts'
import type { Allowances, Tool } from '../tools/tool.ts'
import type { CallOptions, OperatorSettings } from './workspace.ts'

/** A call that is ready to be committed. */
export interface ApprovalQuestion {
  readonly tool: Tool
  /** Checked arguments. */
  readonly args: unknown
  /** It came through the hub, which asks unless the operator says otherwise. */
  readonly hub: boolean
  readonly allowances: Allowances
  readonly changes: readonly Change[]
  readonly subject: string
  readonly view: View
}

/** The approvals of one workspace. */
export interface Approvals {
  /** Why a person would be asked about a call; null when it runs without. Changes nothing. */
  asks(question: ApprovalQuestion): string | null
  /**
   * Lets a call pass: the id of the grant that it used up, or null when nobody need be asked. Throws `approval_required` with
   * `details.approval_id`, `approval_denied`, `approval_stale`.
   */
  require(question: ApprovalQuestion, options: CallOptions): Promise<string | null>
}

export function createApprovals(_fs: FileSystem, settings: OperatorSettings): Approvals {
  function asks({ tool, args, hub, allowances, changes }: ApprovalQuestion): string | null {
    const mode = settings.approval ?? (hub ? 'risky' : 'off')
    const risk = tool.risk?.(args) ?? (tool.destructive ? 'replaces' : 'small')
    return mode === 'off' ? (hub && risk === 'always' ? 'it deletes, moves or rolls back' : null) : riskOf({ risk, allowances, changes })
  }
  return {
    asks,
    async require(question) {
      const reason = asks(question)
      if (reason) {
        throw new FilewrightError('approval_required', `${question.tool.name} needs a person's approval: ${reason}. Nothing was changed.`)
      }
      return null
    },
  }
}

/** What the journal knows a call by. */
export function callDigest(hasher: Hasher, tool: Tool, args: unknown): Hash {
  return hasher.hash(new TextEncoder().encode(canonicalJson({ tool: tool.name, args })))
}
