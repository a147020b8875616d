/** What an operation did, as the hub tells it (contract P-157): one receipt for one operation, whatever it took to carry it out. */
import { z } from 'zod'
import type { Change, Side } from '../core/change.ts'
import { type Path, ROOT } from '../core/path.ts'
import type { OperationName } from './operations.ts'
import type { PathReceipt } from './tool.ts'

/** The schema of {@link OperationReceipt}. */
export const operationReceipt: z.ZodType<OperationReceipt> = z.object({
  operation: z.string(),
  path: z.string(),
  source_path: z.string().optional(),
  created: z.boolean(),
  modified: z.boolean(),
  deleted: z.boolean(),
  moved: z.boolean(),
  before_sha256: z.string().optional(),
  after_sha256: z.string().optional(),
  bytes_before: z.int().optional(),
  bytes_after: z.int().optional(),
  backup_id: z.string().optional(),
  self_verified: z.boolean(),
  verification_error: z.string().optional(),
  rolled_back: z.boolean().optional(),
})

/** One operation's receipt. Paths are absolute output paths; what has no meaning for the operation is left out. */
export interface OperationReceipt {
  readonly operation: string
  readonly path: string
  readonly source_path?: string | undefined
  readonly created: boolean
  readonly modified: boolean
  readonly deleted: boolean
  readonly moved: boolean
  readonly before_sha256?: string | undefined
  readonly after_sha256?: string | undefined
  readonly bytes_before?: number | undefined
  readonly bytes_after?: number | undefined
  readonly backup_id?: string | undefined
  /** The paths were read again after the commit, and hold what was intended. */
  readonly self_verified: boolean
  readonly verification_error?: string | undefined
  /** It had succeeded, and was taken back because a later operation of its batch failed. */
  readonly rolled_back?: boolean | undefined
}

/** Members of a tool's result that name what it acted on, the most telling first. */
const PATH_MEMBERS = ['destination_path', 'file_path', 'directory_path']

/** The receipt of an operation, from the receipts of the paths that it touched and its result. */
export function receiptOfOperation(
  operation: OperationName,
  result: { readonly [member: string]: unknown },
  paths: readonly PathReceipt[],
  display: (path: Path) => string,
): OperationReceipt {
  const path = namedPath(result) ?? display(paths[paths.length - 1]?.path ?? ROOT)
  const own = paths.filter((one) => display(one.path) === path)
  const first = own[0]
  const last = own[own.length - 1]
  const moved = paths.some((one) => one.kind === 'move')
  // What was moved was there before, under its old name.
  const before = (moved ? last?.before : first?.before) ?? null
  const after = last?.after ?? null
  const problem = paths.find((one) => !one.verified)?.problem
  const backup = typeof result.backup_id === 'string' ? result.backup_id : own.find((one) => one.backupId !== null)?.backupId
  return {
    operation,
    path,
    ...(typeof result.source_path === 'string' && { source_path: result.source_path }),
    created: !moved && before === null && after !== null,
    modified: !moved && before !== null && after !== null && !equalSides(before, after),
    deleted: before !== null && after === null,
    moved,
    ...(before?.kind === 'file' && { before_sha256: before.hash, bytes_before: before.size }),
    ...(after?.kind === 'file' && { after_sha256: after.hash, bytes_after: after.size }),
    ...(backup !== undefined && backup !== null && { backup_id: backup }),
    self_verified: problem === undefined,
    ...(problem !== undefined && problem !== null && { verification_error: problem }),
  }
}

/** The receipt of an operation that was planned and not committed, as far as it is known: nothing was written, nothing is verified. */
export function receiptOfPlan(
  operation: OperationName,
  result: { readonly [member: string]: unknown },
  changes: readonly Change[],
  display: (path: Path) => string,
): OperationReceipt {
  const path = namedPath(result) ?? display(goalOf(changes[changes.length - 1]))
  const own = changes.filter((change) => display(goalOf(change)) === path)
  const first = own[0]
  const last = own[own.length - 1]
  const moved = last?.kind === 'move'
  const created = first !== undefined && (first.kind === 'makeDirectory' || (first.kind !== 'move' && first.expect === 'absent'))
  const deleted = last?.kind === 'remove'
  const before = first && 'expect' in first && typeof first.expect === 'object' && 'hash' in first.expect ? first.expect.hash : undefined
  return {
    operation,
    path,
    ...(typeof result.source_path === 'string' && { source_path: result.source_path }),
    created: created && !deleted,
    modified: !created && !deleted && !moved && last?.kind !== 'snapshot',
    deleted,
    moved,
    ...(before !== undefined && { before_sha256: before }),
    ...(last?.kind === 'write' && { after_sha256: last.content.hash, bytes_after: last.content.size }),
    self_verified: false,
  }
}

function namedPath(result: { readonly [member: string]: unknown }): string | undefined {
  return PATH_MEMBERS.map((member) => result[member]).find((path) => typeof path === 'string')
}

/** Where a change leaves something. */
function goalOf(change: Change | undefined): Path {
  return change === undefined ? ROOT : change.kind === 'move' ? change.to : change.path
}

/** Whether two states of a path are the same. */
export function equalSides(a: Side, b: Side): boolean {
  if (a.kind === 'file') return b.kind === 'file' && a.hash === b.hash && a.mode === b.mode
  return a.kind === 'link' ? b.kind === 'link' && a.target === b.target : b.kind === 'directory'
}
