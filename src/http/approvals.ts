/** Approvals over HTTP: what waits for a person, and what the person decides. */
import type { ApprovalRequest } from '../workspace/approvals/request.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { PERSON } from './callers.ts'
import type { ApprovalAnswer, ApprovalLine, ApprovalList } from './routes.ts'

/** What waits, and what was decided lately. */
export async function approvalList({ approvals }: Workspace): Promise<ApprovalList> {
  return { approvals: await approvals.list() }
}

/** Decides about a request. Throws `not_found`, `conflict`, and `permission_denied` for whoever made it. */
export async function decideApproval({ approvals }: Workspace, id: string, decision: 'grant' | 'deny'): Promise<ApprovalAnswer> {
  return { approval: await approvals[decision](id, { by: PERSON }) }
}

/** A request without its preview, for events. */
export function approvalLine({ preview: _, previewHash: __, ...line }: ApprovalRequest): ApprovalLine {
  return line
}
