/** `batch_file_ops`: several operations in one commit, each seeing what the earlier ones did (contract P-160). */
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import { boolean, type SentArguments } from './arguments.ts'
import { counted } from './counted.ts'
import { checkOperation, inCallersWords, type OperationCall, readOperation, type ToolOf } from './operation_call.ts'
import { type OperationReceipt, operationReceipt, receiptOfOperation, receiptOfPlan } from './operation_receipt.ts'
import { OPERATIONS } from './operations.ts'
import { defineTool, type Plan, type Receipt, type Tool, type ToolContext } from './tool.ts'

/** Most operations of one batch. */
const MOST = 200

/** Operations that a person is always asked about (P-159). */
const DESTRUCTIVE = ['delete_file', 'move_file', 'rollback_file']

const item = z.strictObject({
  operation: z.string('must be a text').describe('One of the operations of file_ops_hub, but not a batch.'),
  path: z.string('must be a text').nullish().describe('As in file_ops_hub.'),
  config: z.unknown().describe('As in file_ops_hub.').optional(),
})

const input = z.strictObject({
  operations: z.array(item).min(1).max(MOST).describe('The operations, in order.'),
  atomic: boolean('All or nothing.').default(true),
  stop_on_error: boolean('With atomic false: stop at the first operation that fails.').default(true),
  dry_run: boolean('Only tell what would happen; nothing is changed.').default(false),
})

type Arguments = z.output<typeof input>

const outcome = z.object({
  operation: z.string(),
  path: z.string().nullable(),
  ok: z.boolean(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.string().optional(),
  error_kind: z.string().optional(),
})

const output = z.object({
  results: z.array(outcome).describe('One for each operation that was tried.'),
  completed: z.int().describe('How many of them succeeded.'),
  failed_index: z.int().nullable().describe('The first that failed, from 0.'),
  change_id: z.string().nullable().describe('The change in the journal; null when nothing was changed.'),
  mutation_receipts: z.array(operationReceipt).optional(),
})

type Result = z.output<typeof output>

/** One operation that was planned: its result, and where its changes stand among those of the batch. */
interface Done {
  readonly call: OperationCall
  readonly plan: Plan<object>
  readonly from: number
  readonly to: number
}

interface Failed {
  readonly call: OperationCall
  readonly error: FilewrightError
}

/** The batch over the tools that `toolOf` finds. */
export function createBatch(toolOf: ToolOf): Tool {
  const read = (args: Pick<Arguments, 'operations'>): OperationCall[] =>
    args.operations.map((sent, index) => readChild(sent, index, toolOf, () => false))
  return defineTool({
    name: 'batch_file_ops',
    title: 'Batch of file operations',
    description:
      'Runs 1 to 200 operations in order, each seeing what the earlier ones did. By default all or nothing: when one fails, nothing has changed. With atomic false, what succeeded stays.',
    kind: 'write',
    idempotent: false,
    destructive: true,
    performs: true,
    input,
    output,
    targets: () => [],
    risk: ({ operations }) => (operations.some(destroys) ? 'always' : 'any'),
    failed: () => ({ results: [], completed: 0, failed_index: null, change_id: null }),
    async run(context, args) {
      const calls = read(args)
      const checked = calls.map(checkOperation)
      return finish(context, args, await performAll(context, args, calls, checked))
    },
    text: ({ results, completed }) => `${completed} of ${counted(results.length, 'operation')} done.`,
  })
}

/** Reads one operation of a batch. Throws as {@link readOperation}, and `invalid_argument` for a batch in a batch. */
export function readChild(sent: SentArguments, index: number, toolOf: ToolOf, disabled: (operation: string) => boolean): OperationCall {
  const at = `operations[${index}].`
  const call = readOperation(sent, { toolOf, disabled, at })
  if (call.operation === 'batch_file_ops') {
    throw new FilewrightError('invalid_argument', 'A batch cannot hold a batch; list its operations here.', { field: `${at}operation` })
  }
  return call
}

async function performAll(
  context: ToolContext,
  { atomic, stop_on_error, dry_run }: Arguments,
  calls: readonly OperationCall[],
  checked: readonly unknown[],
): Promise<(Done | Failed)[]> {
  const { view } = context
  const tried: (Done | Failed)[] = []
  for (const [index, call] of calls.entries()) {
    context.signal.throwIfAborted()
    const from = view.changes().length
    try {
      const plan = await context.perform(call.tool, dry_run ? rehearsed(checked[index]) : checked[index])
      // What one operation only tries out is not there for the next.
      if (plan.dryRun && (!dry_run || asksForDryRun(checked[index]))) view.rewind(from)
      tried.push({ call, plan, from, to: view.changes().length })
    } catch (error) {
      if (!(error instanceof FilewrightError)) throw error
      tried.push({ call, error: inCallersWords(call, error) })
      view.rewind(from)
      if (atomic || stop_on_error) break
    }
    context.progress(index + 1, calls.length)
  }
  return tried
}

/** Whether an operation is one that always asks; a dry run is none. */
function destroys({ operation, config }: Arguments['operations'][number]): boolean {
  return DESTRUCTIVE.includes(operation) && !asksForDryRun(config)
}

function asksForDryRun(args: unknown): boolean {
  return (args as { readonly dry_run?: boolean } | null)?.dry_run === true
}

/** The arguments of a dry run, where the tool has one. */
function rehearsed(args: unknown): unknown {
  return typeof args === 'object' && args !== null && 'dry_run' in args ? { ...args, dry_run: true } : args
}

function finish(context: ToolContext, args: Arguments, tried: readonly (Done | Failed)[]): Plan<Result> {
  const failedIndex = tried.findIndex((one) => 'error' in one)
  const result: Result = {
    results: tried.map((one) => outcomeOf(one, null)),
    completed: tried.filter((one) => 'plan' in one).length,
    failed_index: failedIndex < 0 ? null : failedIndex,
    change_id: null,
  }
  const failed = tried[failedIndex] as Failed | undefined
  if (args.dry_run) return { result, dryRun: true, ...(failed && { failure: withResult(failed, result, []) }) }
  if (failed && args.atomic) throw withResult(failed, result, plannedReceipts(context, tried))
  const complete = (receipt: Receipt): Result => {
    const results = tried.map((one) => outcomeOf(one, receipt))
    return { ...result, results, change_id: receipt.changeId, mutation_receipts: committedReceipts(context, tried, results, receipt) }
  }
  return { result, complete, ...(failed && { failure: withResult(failed, result, []) }) }
}

function outcomeOf(one: Done | Failed, receipt: Receipt | null): Result['results'][number] {
  const { operation, args, pathGiven } = one.call
  const member = OPERATIONS[operation].path
  const path = pathGiven && member !== null ? String(args[member]) : null
  if ('error' in one) {
    const { code, message, details } = one.error
    return { operation, path, ok: false, error: `${code}: ${message}`, error_kind: String(details?.error_kind ?? code) }
  }
  return { operation, path, ok: true, result: { ...resultAfter(one, receipt) } }
}

function resultAfter({ plan, from, to }: Done, receipt: Receipt | null): object {
  return receipt && plan.complete && to > from ? plan.complete({ ...receipt, paths: receipt.paths.slice(from, to) }) : plan.result
}

/** The error of the first operation that failed, with what the batch came to. */
function withResult({ error }: Failed, result: Result, receipts: readonly OperationReceipt[]): FilewrightError {
  const { code, message, field, details } = error
  const told = { ...result, ...(receipts.length > 0 && { mutation_receipts: receipts }) }
  return new FilewrightError(code, message, {
    ...(field !== undefined && { field }),
    details: { ...(details?.error_kind !== undefined && { error_kind: details.error_kind }), ...told },
    cause: error,
  })
}

function committedReceipts(
  { view }: ToolContext,
  tried: readonly (Done | Failed)[],
  results: Result['results'],
  receipt: Receipt,
): OperationReceipt[] {
  return tried.flatMap((one, index) => {
    if (!('plan' in one) || one.to === one.from) return []
    const paths = receipt.paths.slice(one.from, one.to)
    return [receiptOfOperation(one.call.operation, results[index]?.result ?? {}, paths, view.display)]
  })
}

/** Receipts of operations that were planned well, and came to nothing because a later one failed. */
function plannedReceipts({ view }: ToolContext, tried: readonly (Done | Failed)[]): OperationReceipt[] {
  const changes = view.changes()
  return tried.flatMap((one) => {
    if (!('plan' in one) || one.to === one.from) return []
    const result = one.plan.result as { readonly [member: string]: unknown }
    return [{ ...receiptOfPlan(one.call.operation, result, changes.slice(one.from, one.to), view.display), rolled_back: true }]
  })
}
