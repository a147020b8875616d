/** The operations of `batch_edit`: how they are told, and each as a step that is guarded and staged by itself. */
import { z } from 'zod'
import { type ErrorCode, FilewrightError, isFilewrightError } from '../../core/errors.ts'
import { comparedPath, type Path } from '../../core/path.ts'
import type { View } from '../../core/view.ts'
import { planWholeLines } from '../../text/edit/whole_lines.ts'
import { encodeText, isBinary } from '../../text/utf8.ts'
import { content, integer, sha256 } from '../arguments.ts'
import { requireRemovable } from '../delete_file.ts'
import { readExisting } from '../existing_file.ts'
import { stageContent } from '../stage_content.ts'
import { expectationOf } from '../stored_state.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { projectFile, projectPath, projectRoot } from './project_root.ts'

const edit = z.object({
  line: integer('The line in the file, as it is now, where old begins: a hint.', { min: 1 }).nullish(),
  old: content('Whole lines of the file, copied exactly.').min(1, 'must not be empty'),
  new: content('Lines to put in their place; empty to delete them.'),
})

const operation = z.discriminatedUnion(
  'op',
  [
    z.object({ op: z.literal('replace'), file: projectFile, edits: z.array(edit).min(1) }).describe('Edits lines of a file.'),
    z
      .object({ op: z.literal('create'), file: projectFile, content: content('Text of the new file.') })
      .describe('The file must not exist.'),
    z.object({ op: z.literal('delete'), file: projectFile }).describe('Deletes a file.'),
    z
      .object({
        op: z.literal('rewrite'),
        file: projectFile,
        content: content('The new text.'),
        checksum: sha256('SHA-256 of what the file holds now.'),
      })
      .describe('Replaces a whole file.'),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'must be one of replace, create, delete, rewrite' : 'must be an object') },
)

/** One operation. */
export type BatchOperation =
  | {
      readonly op: 'replace'
      readonly file: string
      readonly edits: readonly { readonly line?: number | null | undefined; readonly old: string; readonly new: string }[]
    }
  | { readonly op: 'create'; readonly file: string; readonly content: string }
  | { readonly op: 'delete'; readonly file: string }
  | { readonly op: 'rewrite'; readonly file: string; readonly content: string; readonly checksum: string }

/** The arguments of a batch. */
export interface BatchArguments {
  readonly path: string
  readonly operations: readonly BatchOperation[]
}

/** Their schema. */
export const batchInput: z.ZodType<BatchArguments> = z.object({
  path: projectPath,
  operations: z.array(operation).min(1).describe('All or none are done. Each names another file.'),
})

/** Something to know about an operation, as data. */
export interface Diagnostic {
  /** The operation, from 0. */
  readonly operation: number
  readonly file: string
  /** An error keeps the whole batch from being done. */
  readonly severity: 'error' | 'warning'
  /** An error's code; of a warning, `line_moved` or `no_change`. */
  readonly code: ErrorCode | 'line_moved' | 'no_change'
  readonly message: string
  /** The edit of the operation, from 0. */
  readonly edit?: number
  /** A line of the file to look at. */
  readonly line?: number
}

/** How many files a batch changes, by how. */
export interface BatchSummary {
  readonly modified: number
  readonly created: number
  readonly deleted: number
  readonly rewritten: number
}

/** What a batch comes to. */
export interface BatchPlan {
  readonly diagnostics: readonly Diagnostic[]
  readonly summary: BatchSummary
}

/** Stages every operation that can be done; what cannot is told among the diagnostics. */
export async function planBatch(context: ToolContext, args: BatchArguments): Promise<BatchPlan> {
  const diagnostics: Diagnostic[] = []
  const done = { replace: 0, create: 0, delete: 0, rewrite: 0 }
  const seen = new Map<Path, number>()
  for (const [index, one] of args.operations.entries()) {
    const about = { operation: index, file: one.file }
    try {
      const { result } = await context.perform(batchStep, { path: args.path, index, operation: one, seen } satisfies StepArguments)
      const { warnings } = result as StepResult
      for (const warning of warnings) diagnostics.push({ ...about, severity: 'warning', ...warning })
      done[one.op]++
    } catch (error) {
      if (error instanceof Misfits)
        diagnostics.push(...error.problems.map((problem) => ({ ...about, severity: 'error' as const, ...problem })))
      else if (isFilewrightError(error)) diagnostics.push({ ...about, severity: 'error', code: error.code, message: error.message })
      else throw error
    }
  }
  const summary = { modified: done.replace, created: done.create, deleted: done.delete, rewritten: done.rewrite }
  return { diagnostics, summary }
}

type Said = Omit<Diagnostic, 'operation' | 'file' | 'severity'>

/** Several edits of one file that cannot be made. */
class Misfits extends Error {
  readonly problems: readonly Said[]
  constructor(problems: readonly Said[]) {
    super('Some edits cannot be made.')
    this.problems = problems
  }
}

interface StepArguments {
  readonly path: string
  readonly index: number
  readonly operation: BatchOperation
  /** The files of the operations before, and which they are. */
  readonly seen: Map<Path, number>
}

interface StepResult {
  readonly warnings: readonly Said[]
}

/** One operation, planned as a call of its own so that it is guarded like one. */
const batchStep: Tool = defineTool({
  name: 'batch_edit',
  title: 'Operation of a batch',
  description: 'One operation of a batch.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input: z.custom<StepArguments>(),
  output: z.custom<StepResult>(),
  root: projectRoot,
  targets: ({ index, operation: { op, file } }) => [
    { path: file, field: `operations[${index}].file`, use: op === 'delete' ? 'change-entry' : 'change' },
  ],
  failed: () => ({}),
  run: async ({ view }, args) => ({ result: { warnings: await stageOperation(view, args) } }),
  text: () => '',
})

async function stageOperation(view: View, { operation: one, index, seen }: StepArguments): Promise<readonly Said[]> {
  const target = await view.resolve(one.file, { last: one.op === 'delete' ? 'keep' : 'follow', field: `operations[${index}].file` })
  const key = comparedPath(target.path, view.traits)
  const other = seen.get(key)
  if (other !== undefined) {
    throw new FilewrightError('invalid_argument', `${one.file} is the file of operation ${other} too: put both into one operation.`)
  }
  seen.set(key, index)
  if (one.op === 'delete') {
    if (!target.entry) throw new FilewrightError('not_found', `${one.file} does not exist.`)
    view.remove(target, { expect: await expectationOf(view, await requireRemovable(view, target)) })
    return []
  }
  const existing = await readExisting(view, target)
  if (one.op === 'create') {
    if (existing) throw new FilewrightError('already_exists', `${one.file} exists already: use replace or rewrite.`)
    await stageContent(view, target, null, encodeText(one.content))
    return []
  }
  if (!existing) throw new FilewrightError('not_found', `${one.file} does not exist: use create.`)
  if (one.op === 'rewrite') {
    if (existing.hash !== one.checksum) {
      throw new FilewrightError('stale_expected_sha256', `${one.file} does not have this checksum any more; now it is ${existing.hash}.`)
    }
    return (await stageContent(view, target, existing, encodeText(one.content))) ? [NO_CHANGE] : []
  }
  const { bytes } = await view.readWhole(target)
  if (isBinary(bytes)) throw new FilewrightError('binary_file', `${one.file} is binary; only text can be edited.`)
  const edits = one.edits.map((item) => ({ line: item.line ?? undefined, oldText: item.old, newText: item.new }))
  const plan = planWholeLines(bytes, edits)
  if (plan.problems.length > 0)
    throw new Misfits(plan.problems.map(({ line, ...problem }) => ({ ...problem, ...(line !== null && { line }) })))
  const unchanged = await stageContent(view, target, existing, plan.bytes)
  return [...(unchanged ? [NO_CHANGE] : []), ...movedLines(edits, plan.lines)]
}

const NO_CHANGE: Said = { code: 'no_change', message: 'The file holds this already.' }

function movedLines(edits: readonly { readonly line: number | undefined }[], lines: readonly number[]): Said[] {
  return edits.flatMap(({ line: hint }, at) => {
    const line = lines[at] as number
    if (hint === undefined || hint === line) return []
    return [{ code: 'line_moved' as const, message: `These lines are at line ${line}, not ${hint}.`, edit: at, line }]
  })
}
