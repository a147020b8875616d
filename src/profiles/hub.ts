/** `file_ops_hub`: every operation behind one name, whose answers say what to do next (contract 5.16). */
import { z } from 'zod'
import { ERRORS, type ErrorMeaning, FilewrightError } from '../core/errors.ts'
import { givenArguments, parseArguments, type SentArguments, sentMembers, text } from '../tools/arguments.ts'
import { readChild } from '../tools/batch_file_ops.ts'
import { toolOf } from '../tools/index.ts'
import { inputSchema, type JsonSchema, outputSchema } from '../tools/json_schema.ts'
import { callersField, checkOperation, type OperationCall, readOperation } from '../tools/operation_call.ts'
import { operationReceipt, receiptOfOperation } from '../tools/operation_receipt.ts'
import { OPERATIONS, type OperationName } from '../tools/operations.ts'
import type { Receipt, ToolFacts } from '../tools/tool.ts'
import { deltaOf } from '../tools/workspace_delta.ts'
import { corrections } from './hub_corrections.ts'
import { summaryOf } from './hub_summary.ts'
import type { BoundTool, Disabled, Finished, Rendered, Routed } from './profile.ts'

const NAMES = Object.keys(OPERATIONS) as OperationName[]

const input = z.strictObject({
  operation: z.unknown().meta({ type: 'string', enum: NAMES, description: 'What to do.' }).optional(),
  path: text('The file or directory; for a copy or move, the source. Relative to the root of the workspace.').optional(),
  config: z.unknown().meta(configSchema()).optional(),
})

const paths = z.array(z.string())

const output = z.object({
  operation: z.string(),
  summary: z.string(),
  result: z.record(z.string(), z.unknown()).optional().describe('What the tool of that name returns.'),
  error_kind: z.string().optional(),
  error_field: z.string().optional().describe('The argument that is wrong.'),
  terminal: z.boolean().optional().describe('No corrected call can succeed.'),
  retry_disposition: z.enum(['retry_same_call', 'retry_after_correction', 'do_not_retry']).optional(),
  suggested_action: z.string().optional(),
  correct_call: z.record(z.string(), z.unknown()).optional().describe('A call that succeeds when it is sent as it is.'),
  approval_id: z.string().optional().describe('What a person is asked to approve.'),
  enabled_operations: paths.optional(),
  disabled_operations: paths.optional(),
  mutation_receipt: operationReceipt.optional(),
  mutation_receipts: z.array(operationReceipt).optional().describe('Of a batch, in the order of its operations.'),
  mutation_summary: z.string().optional(),
  workspace_delta: z
    .object({ created: paths, modified: paths, deleted: paths, moved: z.array(z.object({ from: z.string(), to: z.string() })) })
    .optional(),
})

const facts: ToolFacts = {
  name: 'file_ops_hub',
  title: 'File operations',
  description: `Runs one file operation: ${NAMES.join(', ')}. Options of the operation go into config. batch_file_ops takes config.operations, a list of {operation, path, config}, and does all of them or none. A failed call says whether and how to try again; where it can, it returns correct_call, to be sent as it is.`,
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output,
}

/** What the kinds mean that are no codes (P-155). */
const KINDS: { readonly [kind: string]: Pick<ErrorMeaning, 'terminal' | 'retry' | 'action'> } = {
  operation_not_enabled: { terminal: true, retry: 'do_not_retry', action: 'use_enabled_operation' },
  invalid_operation: { terminal: false, retry: 'retry_after_correction', action: 'choose_valid_operation' },
  invalid_config: { terminal: false, retry: 'retry_after_correction', action: 'fix_argument' },
}

/** Members of a failed result that the hub tells in its own. */
const LIFTED = new Set(['error', 'error_kind', 'error_field', 'approval_id', 'mutation_receipts'])

/** The hub. */
export const hub: BoundTool = {
  tool: facts,
  hub: true,
  outputSchema: () => outputSchema(facts),
  route,
  corrections: (finished) => corrections(sentMembers(finished.sent), { ...finished.result, ...failureOf(finished) }, finished.disabled),
  render: (finished) => (finished.error ? renderFailure(finished) : renderSuccess(finished)),
}

function route(sent: unknown, disabled: Disabled): Routed {
  const members = givenArguments(sent)
  checkMembers(members)
  const call = readOperation(members, { toolOf, disabled, at: '' })
  if (call.operation === 'batch_file_ops') checkChildren(call, disabled)
  return { tool: call.tool, args: call.args }
}

/** A fault in the call's own members is named as it stands there: it is none of the operation's. */
function checkMembers(members: SentArguments): void {
  try {
    parseArguments(facts, members)
  } catch (error) {
    throw error instanceof FilewrightError ? asWritten(error, error.field ?? '') : error
  }
}

/** Every operation of a batch is read and its shape checked before the first one runs (P-160). */
function checkChildren(call: OperationCall, disabled: Disabled): void {
  const { operations } = checkOperation(call) as { readonly operations: readonly SentArguments[] }
  operations.forEach((sent, index) => {
    try {
      checkOperation(readChild(sent, index, toolOf, disabled))
    } catch (error) {
      throw error instanceof FilewrightError ? asWritten(error, `config.${error.field}`) : error
    }
  })
}

/** The error with the field as the caller wrote it. */
function asWritten(error: FilewrightError, written: string): FilewrightError {
  const { code, message, details, field = '' } = error
  return new FilewrightError(code, message, { field, details: { ...details, error_field: written }, cause: error })
}

function renderSuccess(finished: Finished): Rendered {
  const call = callOf(finished)
  if (!call) return { result: finished.result, text: '' }
  const { mutation_receipts: children, ...result } = finished.result
  const { receipt } = finished
  const summary = summaryOf(call, finished.result)
  const told = {
    operation: call.operation,
    summary,
    result,
    ...(children !== undefined && { mutation_receipts: children }),
    ...(receipt &&
      children === undefined && {
        mutation_receipt: receiptOfOperation(call.operation, finished.result, receipt.paths, finished.display),
      }),
    ...(receipt && changeMembers(receipt)),
  }
  return { result: told, text: call.tool.kind === 'read' ? call.tool.text(finished.result) : summary }
}

function changeMembers({ paths: touched }: Receipt): object {
  const delta = deltaOf(touched)
  const counts = Object.entries(delta).flatMap(([what, list]) => (list.length > 0 ? [`${list.length} ${what}`] : []))
  return { workspace_delta: delta, mutation_summary: counts.length > 0 ? `Paths: ${counts.join(', ')}.` : 'No path was changed.' }
}

function renderFailure(finished: Finished): Rendered {
  const members = sentMembers(finished.sent)
  const message = String(finished.result.error)
  const { kind, field, meaning } = failureOf(finished)
  const result = Object.fromEntries(Object.entries(finished.result).filter(([name]) => !LIFTED.has(name)))
  const { approval_id: approval, mutation_receipts: receipts } = finished.result
  const lists = meaning.terminal || kind === 'invalid_operation'
  const told = {
    operation: typeof members.operation === 'string' ? members.operation : '',
    summary: message,
    ...(Object.keys(result).length > 0 && { result }),
    error: message,
    error_kind: kind,
    ...(field !== undefined && { error_field: field }),
    terminal: meaning.terminal,
    retry_disposition: meaning.retry,
    suggested_action: meaning.action,
    ...(finished.correction && { correct_call: finished.correction }),
    ...(approval !== undefined && { approval_id: approval }),
    ...(receipts !== undefined && { mutation_receipts: receipts }),
    ...(finished.receipt && changeMembers(finished.receipt)),
    ...(lists && { enabled_operations: NAMES.filter((name) => !finished.disabled(name)) }),
    ...(meaning.terminal && { disabled_operations: NAMES.filter((name) => finished.disabled(name)) }),
  }
  const next = finished.correction ? `\nSend this instead: ${JSON.stringify(finished.correction)}` : ''
  return { result: told, text: message + next }
}

interface Failure {
  readonly kind: string
  /** In the caller's notation. */
  readonly field: string | undefined
  readonly meaning: Pick<ErrorMeaning, 'terminal' | 'retry' | 'action'>
}

function failureOf(finished: Omit<Finished, 'correction'>): Failure {
  const error = finished.error ?? new FilewrightError('io_error', '')
  const kind = String(finished.result.error_kind ?? error.code)
  const call = callOf(finished)
  const told = finished.result.error_field
  const field = typeof told === 'string' ? told : call ? callersField(call, error) : error.field
  return { kind, field, meaning: KINDS[kind] ?? ERRORS[error.code] }
}

function callOf({ sent }: Pick<Finished, 'sent'>): OperationCall | null {
  try {
    return readOperation(sentMembers(sent), { toolOf, disabled: () => false, at: '' })
  } catch {
    return null
  }
}

/** The options of all operations, by name; the first operation that has one describes it. */
function configSchema(): { readonly [keyword: string]: unknown } {
  const properties: { [name: string]: JsonSchema } = {}
  for (const name of NAMES) {
    const { properties: own = {} } = inputSchema(toolOf(name)) as { readonly properties?: { readonly [name: string]: JsonSchema } }
    for (const [option, schema] of Object.entries(own)) properties[option] ??= schema
  }
  return { type: 'object', properties, description: 'The options of the operation, as its tool takes them.' }
}
