/** `batch` of the `native` profile: several operations in one change, all or none, each seeing what the earlier ones did. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { boolean, checkValue, type SentArguments } from '../arguments.ts'
import { counted } from '../counted.ts'
import { defineTool, type Plan, type Receipt, type Tool, type ToolContext } from '../tool.ts'
import { changingShape } from './changing.ts'
import { type NativeOperation, OPERATION_NAMES, OPERATIONS } from './operations.ts'
import { inOwnNames } from './own_names.ts'

/** Most operations of one batch. */
const MOST = 200

const item = z.looseObject({
  op: z.enum(OPERATION_NAMES),
  path: z.string('must be a text').optional(),
  to: z.string('must be a text').optional(),
})

const input = z.strictObject({
  operations: z
    .array(item, 'must be a list')
    .min(1, 'must not be empty')
    .max(MOST, `must hold at most ${MOST} operations`)
    .describe(
      'write, edit: what those tools take; move, copy: to, overwrite?; delete: recursive?; restore: backup?; diff: to or content; undo: change?, alone in its batch.',
    ),
  dry_run: changingShape.dry_run,
  allow_ignored: boolean('').optional(),
  allow_sensitive: boolean('').optional(),
})

type Arguments = z.output<typeof input>

const output = z.object({
  results: z.array(z.looseObject({ op: z.string(), path: z.string().optional() })),
  content: z.string(),
})

type Result = z.output<typeof output>

/** One operation that was planned, and where its changes stand among those of the batch. */
interface Done {
  readonly operation: NativeOperation
  readonly item: Arguments['operations'][number]
  readonly plan: Plan<object>
  readonly from: number
  readonly to: number
}

/** Operations that a person is always asked about where somebody is asked at all (P-159). */
const DESTRUCTIVE: readonly string[] = ['delete', 'move', 'restore', 'undo']

/** Runs operations; also the way to move, copy, delete and undo. */
export const batch: Tool = defineTool({
  name: 'batch',
  title: 'Batch',
  description: 'Does 1 to 200 operations, all or none; also the way to delete, move, copy or undo.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  performs: true,
  input,
  output,
  targets: () => [],
  risk: ({ operations, dry_run }) => (!dry_run && operations.some(({ op }) => DESTRUCTIVE.includes(op)) ? 'always' : 'any'),
  failed: () => ({}),
  async run(context, args) {
    const checked = args.operations.map((one, index) => check(one, index, args))
    const done: Done[] = []
    for (const [index, { operation, given }] of checked.entries()) {
      context.signal.throwIfAborted()
      done.push(await perform(context, operation, args.operations[index] as Done['item'], given, index))
      context.progress(index + 1, checked.length)
    }
    const result = resultOf(done, null, args)
    return args.dry_run ? { result, dryRun: true } : { result, complete: (receipt) => resultOf(done, receipt, args) }
  },
  text: ({ content }) => content,
})

interface Checked {
  readonly operation: NativeOperation
  /** The arguments of its tool. */
  readonly given: unknown
}

/** Every operation is read before the first one runs. Throws with the place in the caller's notation. */
function check({ op, ...members }: Arguments['operations'][number], index: number, args: Arguments): Checked {
  const at = `operations[${index}]`
  const operation = OPERATIONS[op]
  if (op === 'undo') throw new FilewrightError('invalid_argument', `${at}: undo stands alone in its batch.`, { field: `${at}.op` })
  const { dry_run, allow_ignored, allow_sensitive } = args
  const shared = { ...(allow_ignored && { allow_ignored }), ...(allow_sensitive && { allow_sensitive }), ...(dry_run && { dry_run }) }
  return { operation, given: operation.read({ ...members, ...(operation.changes && shared) } as SentArguments, at, checkValue) }
}

async function perform(context: ToolContext, operation: NativeOperation, item: Done['item'], given: unknown, index: number): Promise<Done> {
  const from = context.view.changes().length
  try {
    const plan = await inOwnNames(operation.names, () => context.perform(operation.tool, given), `operations[${index}].`)
    return { operation, item, plan, from, to: context.view.changes().length }
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error
    const { code, message, field, details } = error
    throw new FilewrightError(code, `operations[${index}] (${item.op}): ${message}`, {
      field: field ?? `operations[${index}]`,
      details: { ...details, failed: index },
      cause: error,
    })
  }
}

function resultOf(done: readonly Done[], receipt: Receipt | null, { dry_run }: Arguments): Result {
  const results = done.map(({ operation, item, plan, from, to }) => {
    const own = receipt && plan.complete && to > from ? plan.complete({ ...receipt, paths: receipt.paths.slice(from, to) }) : plan.result
    return {
      told: { op: item.op, ...(item.path !== undefined && { path: item.path }), ...operation.tell(own) },
      text: operation.tool.text(own),
    }
  })
  const head = `${dry_run ? 'Dry run: ' : ''}${counted(done.length, 'operation')} done.`
  return { results: results.map(({ told }) => told), content: [head, ...results.map(({ text }) => text)].join('\n') }
}
