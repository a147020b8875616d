/** `edit_file`: replaces pieces of text, all or none, and says why when one does not fit. */
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import type { Resolved } from '../core/resolve.ts'
import { formatEdits } from '../text/diff/unified.ts'
import type { Cause } from '../text/edit/cause.ts'
import type { EditDiagnostic } from '../text/edit/diagnostics.ts'
import { type EditPlan, planEditsInTurns } from '../text/edit/edit.ts'
import { snippetsOf } from '../text/edit/snippet.ts'
import { isBinary } from '../text/utf8.ts'
import { boolean, checkedTogether, integer, sha256, text } from './arguments.ts'
import { counted } from './counted.ts'
import { type PlacedItem, readItems, replacements } from './edit_items.ts'
import { CAUSES, misfitError } from './edit_misfit.ts'
import { changeThatRemoved } from './edit_past.ts'
import { allowancesOf, backupMember, changeTargets, guardedShape, planBackup, requireWritable } from './guarded.ts'
import { diffText } from './text_diff.ts'
import { defineTool, type Tool, type ToolContext } from './tool.ts'

const input = checkedTogether(
  z.strictObject({
    file_path: text('The file, as a path in the workspace.'),
    replacements,
    replacements_json: text('The replacements as JSON text; wins over replacements.').optional(),
    require_unique_match: boolean('Refuse a text that occurs more than once; else its first occurrence is replaced.').default(true),
    replace_all: boolean('Replace every occurrence.').optional(),
    ignore_whitespace: boolean('When the exact text is not found, compare whole lines without indentation and spacing.').optional(),
    confusable_fallback: boolean('When the exact text is not found, take typographic quotes, dashes and spaces for plain ones.').optional(),
    expected_sha256: sha256('SHA-256 that the file must have.').optional(),
    force_overwrite: boolean('Edit whatever expected_sha256 says.').default(false),
    return_diff: boolean('Return the diff.').default(true),
    snippet_context_lines: integer('Lines shown around each change.', { min: 0 }).default(3),
    max_diagnostic_candidates: integer('Most places shown that nearly match.', { min: 0 }).default(3),
    ...guardedShape,
  }),
  (args) => ({ ...args, items: readItems(args) }),
)

const diagnostic = z.object({
  index: z.int().describe('Which replacement, from 0.'),
  reason: z.enum(['no_match', 'ambiguous_match', 'ambiguous_whitespace_match', 'empty_old_content', 'invalid_item']),
  match_count: z.int(),
  match_lines: z.array(z.int()),
  candidates: z.array(
    z.object({
      start_line: z.int(),
      end_line: z.int(),
      similarity: z.number(),
      text: z.string(),
      difference: z.string(),
    }),
  ),
  cause: z
    .enum(Object.keys(CAUSES) as Cause[])
    .nullable()
    .describe('What made the difference, when nothing matched.'),
  removed_by: z
    .object({ change_id: z.string(), sequence: z.int(), tool: z.string(), subject: z.string(), time: z.string() })
    .optional()
    .describe('The change that removed or altered a text that was in the file before.'),
})

const output = z.object({
  file_path: z.string(),
  changed: z.boolean().describe('In a dry run: would change.'),
  applied_count: z.int().describe('Replacements that changed something.'),
  replacement_occurrences: z.int(),
  match_mode: z.enum(['exact', 'whitespace_normalized', 'confusable_normalized']),
  used_confusable_fallback: z.boolean(),
  diff: z.string().optional(),
  snippets: z
    .array(z.object({ start_line: z.int(), end_line: z.int(), content: z.string() }))
    .describe('The changed lines as they are after the edit.'),
  total_lines_before: z.int(),
  total_lines_after: z.int(),
  diagnostics: z.array(diagnostic).describe('Why a replacement did not fit.'),
  backup_id: z.string().optional(),
  dry_run: z.boolean(),
})

type Result = z.output<typeof output>

/** Edits a text file by exact replacements (P-50 to P-58). */
export const editFile: Tool = defineTool({
  name: 'edit_file',
  title: 'Edit file',
  description:
    'Replaces text in a file. Each replacement has old_content, copied exactly from the file (without line numbers) and unique in it, and new_content. They are applied in order, all or none; everything else in the file stays as it is, byte for byte. When a text does not fit, nothing is changed and the diagnostics show why and what is nearly the same. Use dry_run to see the diff first.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output,
  targets: (args) => changeTargets(args),
  allowances: allowancesOf,
  risk: (args) => (args.force_overwrite ? 'replaces' : 'small'),
  failed: (): Result => ({
    file_path: '',
    changed: false,
    applied_count: 0,
    replacement_occurrences: 0,
    match_mode: 'exact',
    used_confusable_fallback: false,
    snippets: [],
    total_lines_before: 0,
    total_lines_after: 0,
    diagnostics: [],
    dry_run: false,
  }),
  async run(context, args) {
    const { view } = context
    const target = await view.resolve(args.file_path, { field: 'file_path' })
    const { bytes, hash } = await view.readWhole(target)
    if (isBinary(bytes)) throw new FilewrightError('binary_file', `${target.given} is binary; only text can be edited.`)
    if (args.expected_sha256 !== undefined && args.expected_sha256 !== hash && !args.force_overwrite) throw stale(target, hash)
    await requireWritable(view, target)
    const options = {
      ignoreWhitespace: args.ignore_whitespace ?? false,
      confusables: args.confusable_fallback ?? false,
      maxCandidates: args.max_diagnostic_candidates,
      maxBytes: view.traits.limits.textBytes,
    }
    const plan = await planEditsInTurns(bytes, args.items, options, context.signal)
    if (!plan.ok) throw await misfit(context, { target, hash }, args.items, plan.diagnostic)
    const result: Result = {
      file_path: view.display(target.path),
      changed: plan.changed,
      applied_count: plan.appliedCount,
      replacement_occurrences: plan.occurrences,
      match_mode: plan.matchMode,
      used_confusable_fallback: plan.matchMode === 'confusable_normalized',
      ...((args.return_diff || args.dry_run) && { diff: diffOf(bytes, plan, target) }),
      snippets: snippetsOf(plan.bytes, plan.edits, args.snippet_context_lines),
      total_lines_before: plan.linesBefore,
      total_lines_after: plan.linesAfter,
      diagnostics: [],
      dry_run: args.dry_run,
    }
    if (!plan.changed) return { result }
    const backup = await planBackup(context, args, target, 'edit_file')
    view.write(target, await view.content(plan.bytes), { expect: { hash }, keep: backup.keep })
    if (args.dry_run) return { result, dryRun: true }
    return { result, complete: (receipt) => ({ ...result, ...backupMember(backup.idAfter(receipt)) }) }
  },
  text: (result) => {
    if (!result.changed) return `${result.file_path} already is as asked for; nothing was changed.`
    const count = counted(result.replacement_occurrences, 'replacement')
    return `${result.dry_run ? 'Would edit' : 'Edited'} ${result.file_path}: ${count}.`
  },
})

/** Why an item does not fit, and, when its text is gone, since when. */
async function misfit(
  context: ToolContext,
  { target, hash }: { readonly target: Resolved; readonly hash: Hash },
  items: readonly PlacedItem[],
  diagnostic: EditDiagnostic,
): Promise<FilewrightError> {
  const item = items[diagnostic.index]
  const isGone = item && diagnostic.reason === 'no_match' && diagnostic.cause !== 'outside_lines'
  const past = isGone ? await changeThatRemoved(context, target.path, hash, item.oldText) : null
  return misfitError(target.given, item?.at ?? 'replacements', diagnostic, past)
}

function diffOf(before: Uint8Array, plan: EditPlan, { path }: Resolved): string {
  return diffText(formatEdits(before, plan.bytes, plan.edits, { oldPath: path, newPath: path }))
}

function stale({ given }: Resolved, hash: string): FilewrightError {
  return new FilewrightError('stale_expected_sha256', `${given} is not what expected_sha256 says: its SHA-256 is ${hash}. View it again.`, {
    field: 'expected_sha256',
    details: { current_sha256: hash },
  })
}
