/** What waits for a person's approval, as data: the request, the preview that is shown, and what became of it. */
import type { Change } from '../../core/change.ts'
import type { Hash } from '../../core/hash.ts'

/**
 * `pending`: nobody decided yet. `granted`: the same call runs, once. `spent`: it ran, or was about to when the process ended.
 * `denied`: the same call is refused until it expires. `expired`: it counts for nothing any more.
 */
export type ApprovalStatus = 'pending' | 'granted' | 'denied' | 'spent' | 'expired'

/** What an `approve` callback answers; `pending` leaves the request to somebody else. */
export type ApprovalVerdict = 'approved' | 'denied' | 'pending'

/** One change of a preview. In its texts, characters that hide or reorder text stand as marks such as `⟦U+202E⟧`. */
export interface PreviewedChange {
  readonly kind: Change['kind']
  readonly path: string
  /** Where a moved entry goes. */
  readonly to?: string
  /** What a copy is made of. */
  readonly from?: string
  /** Unified diff with git headers; null for binary or large content, and for what is no file: the note says which. */
  readonly diff: string | null
  readonly note: string | null
  /** Size of the file that is there, and of the one that takes its place; null where there is none. */
  readonly bytesBefore: number | null
  readonly bytesAfter: number | null
  /** False when what is there is lost for good: no backup is kept. */
  readonly kept: boolean
  /** What a reader could be deceived by, in words; empty when there is nothing. */
  readonly warnings: readonly string[]
}

/** What a person is shown, exactly. */
export interface ApprovalPreview {
  /** The first changes, in order. */
  readonly changes: readonly PreviewedChange[]
  /** All changes, shown or not. */
  readonly count: number
  /** Not everything is shown: more changes than these, or a diff was cut. */
  readonly truncated: boolean
}

/** One request. It stands for one list of changes: when the changes differ, it is another request with another id. */
export interface ApprovalRequest {
  readonly id: string
  readonly status: ApprovalStatus
  readonly tool: string
  /** Who asked. It cannot approve its own request. */
  readonly subject: string
  /** Why it asks, as a clause: `it deletes, moves or rolls back`. */
  readonly reason: string
  /** Hash over the call, its changes with the states they replace, the subject, the workspace and the operator's policy. */
  readonly digest: Hash
  /** Milliseconds since 1970, as all times here. */
  readonly createdMs: number
  /** The end of waiting; of a decision, the end of its effect. */
  readonly expiresMs: number
  readonly decidedBy: string | null
  readonly decidedMs: number | null
  readonly preview: ApprovalPreview
  /** Hash of the preview as canonical JSON: what was shown can be proved. */
  readonly previewHash: Hash
}

/** Asks a person or a program. It may take its time: other calls go on meanwhile. */
export type Approve = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalVerdict>

/** What an operator or a person does about requests. Never reachable from a call. */
export interface ApprovalDesk {
  /** Requests that wait and recent ones, newest first. */
  list(): Promise<ApprovalRequest[]>
  /** One request. Throws `not_found`. */
  get(id: string): Promise<ApprovalRequest>
  /**
   * Lets the call run once. Throws `not_found` for an unknown id, `permission_denied` when `by` is the subject that asked,
   * `conflict` when the request does not wait any more.
   */
  grant(id: string, options: { readonly by: string }): Promise<ApprovalRequest>
  /** Refuses the call, also when it was granted and did not run yet. Throws as `grant`. */
  deny(id: string, options: { readonly by: string }): Promise<ApprovalRequest>
}
