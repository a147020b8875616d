/** `batch_edit` and `batch_edit_check` of the `fsproc` profile: changes of several files, all or none, and what would become of them. */
import { z } from 'zod'
import { type ErrorCode, FilewrightError } from '../../core/errors.ts'
import { counted } from '../counted.ts'
import { defineTool, type Tool } from '../tool.ts'
import { batchInput, type Diagnostic, planBatch } from './batch_operations.ts'
import { projectRoot } from './project_root.ts'

/**
 * The checkpoint of a batch is the id of its record in the journal. The journal keeps the states that the batch destroyed, checked by
 * their hashes, as long as it keeps those of any other change, and it is there after a restart; so the text stays short whatever the
 * batch changed, and nobody who passes it on can put in other contents than were there. This one stands for a batch that changed
 * nothing, of which there is no record.
 */
export const NOTHING_CHANGED = 'unchanged'

const summary = z.object({ modified: z.int(), created: z.int(), deleted: z.int(), rewritten: z.int() })

/** Edits several files in one commit (F-80, F-81). */
export const batchEdit: Tool = defineTool({
  name: 'batch_edit',
  title: 'Edit several files',
  description:
    'Changes several files in one step, all or nothing: replace edits whole lines (line is a hint, by the numbers before the batch), create makes a new file, delete removes one, rewrite replaces one whose checksum is known. Everything is checked before anything is written. The checkpoint takes it back with batch_rollback.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input: batchInput,
  output: z.object({ applied: z.boolean(), summary, checkpoint: z.string().describe('For batch_rollback.') }),
  root: projectRoot,
  targets: () => [],
  performs: true,
  risk: () => 'any',
  failed: () => ({}),
  async run(context, args) {
    const { diagnostics, summary: planned } = await planBatch(context, args)
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    if (errors[0]) throw refusal(errors[0], errors.length - 1)
    const result = { applied: true, summary: { ...planned }, checkpoint: NOTHING_CHANGED }
    return { result, complete: ({ changeId }) => ({ ...result, checkpoint: changeId }) }
  },
  text: (result) => {
    const { modified, created, deleted, rewritten } = result.summary
    return `Applied: ${modified} modified, ${created} created, ${deleted} deleted, ${rewritten} rewritten. Checkpoint: ${result.checkpoint}`
  },
})

function refusal({ operation, edit, code, message, line }: Diagnostic, others: number): FilewrightError {
  const place = `operations[${operation}]${edit === undefined ? '' : `.edits[${edit}]`}`
  const where = line === undefined ? '' : ` (line ${line})`
  const more =
    others > 0 ? ` There ${others === 1 ? 'is one more problem' : `are ${others} more problems`}: batch_edit_check tells all.` : ''
  const text = message.replace(/\.$/, '')
  return new FilewrightError(code as ErrorCode, `${place}: ${text}${where}. Nothing was applied.${more}`, { field: place })
}

/** Checks a batch without doing it (F-81). */
export const batchEditCheck: Tool = defineTool({
  name: 'batch_edit_check',
  title: 'Check a batch',
  description: 'Tells what would keep a batch_edit from being done, and what is odd about it. Changes nothing.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input: batchInput,
  output: z.object({
    ok: z.boolean(),
    diagnostics: z.array(
      z.object({
        operation: z.int().describe('From 0.'),
        file: z.string(),
        severity: z.enum(['error', 'warning']),
        code: z.string(),
        message: z.string(),
        edit: z.int().optional(),
        line: z.int().optional(),
      }),
    ),
    blocking: z.boolean().describe('batch_edit would refuse it.'),
    error_count: z.int(),
    warning_count: z.int(),
  }),
  root: projectRoot,
  targets: () => [],
  performs: true,
  failed: () => ({}),
  async run(context, args) {
    const { diagnostics } = await planBatch(context, args)
    const errors = diagnostics.filter(({ severity }) => severity === 'error').length
    const result = {
      ok: errors === 0,
      diagnostics: [...diagnostics],
      blocking: errors > 0,
      error_count: errors,
      warning_count: diagnostics.length - errors,
    }
    return { result, dryRun: true }
  },
  text: ({ ok, diagnostics, error_count, warning_count }) =>
    [
      `${ok ? 'It can be applied' : 'It cannot be applied'}: ${counted(error_count, 'error')}, ${counted(warning_count, 'warning')}.`,
      ...diagnostics.map(({ operation, file, severity, code, message, line }) => {
        return `${severity} in operation ${operation} (${file}${line === undefined ? '' : `:${line}`}): ${message} [${code}]`
      }),
    ].join('\n'),
})
