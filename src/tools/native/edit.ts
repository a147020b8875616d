/** `edit` of the `native` profile: text for text, by lines, or in JSON and YAML; all edits of a call or none. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { LineEdit } from '../../text/diff/diff.ts'
import { formatEdits } from '../../text/diff/unified.ts'
import { planEditsInTurns } from '../../text/edit/edit.ts'
import { countLines } from '../../text/lines.ts'
import { isBinary } from '../../text/utf8.ts'
import { boolean, checkedTogether, content, text } from '../arguments.ts'
import { counted } from '../counted.ts'
import { allowancesOf } from '../guarded.ts'
import { patchFile } from '../patch_file.ts'
import { pathTarget } from '../targets.ts'
import { diffText } from '../text_diff.ts'
import { defineTool, type Plan, type Tool, type ToolContext } from '../tool.ts'
import { changedShape, changingShape, doneText, replaceContent, requireVersion } from './changing.ts'
import { type Edited, misfit } from './edit_misfit.ts'
import { planLineEdits } from './line_edits.ts'
import { givenEdit, type ReadEdits, readEdits } from './read_edits.ts'

/** Longest diff of a result, in characters. */
const MAX_DIFF_CHARS = 20_000

const input = checkedTogether(
  z.strictObject({
    path: text(''),
    old: content('Text of the file, exact and unique.').optional(),
    new: content('Its replacement.').optional(),
    all: boolean('Replace every occurrence.').optional(),
    edits: z
      .array(givenEdit, 'must be a list')
      .min(1, 'must not be empty')
      .describe('Several. {start_line, end_line, new} replaces lines, {insert_line, new} inserts after one.')
      .optional(),
    patches: z
      .array(z.unknown(), 'must be a list')
      .describe('For JSON and YAML: {op: set|remove|append|insert, path: "/json/pointer", value}.')
      .optional(),
    loose: boolean('If old is not found, ignore white space and kinds of quotes.').optional(),
    ...changingShape,
  }),
  (args) => ({ ...args, read: readEdits(args) }),
)

type Arguments = z.output<typeof input>

const output = z.object({
  path: z.string(),
  ...changedShape,
  edits: z.int().describe('Places that were changed.'),
  line: z.int().optional().describe('The first that changed, as it is now.'),
  sha256: z.string().optional(),
})

type Result = z.output<typeof output>

/** Edits a file; every byte outside of an edit stays what it was. */
export const edit: Tool = defineTool({
  name: 'edit',
  title: 'Edit',
  description:
    'Changes parts of a file: old becomes new. All edits of a call or none. When old does not fit, the answer shows why and what is nearest.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output,
  targets: pathTarget('change'),
  allowances: allowancesOf,
  risk: () => 'small',
  failed: () => ({}),
  async run(context, args) {
    const { view } = context
    const target = await view.resolve(args.path, { field: 'path' })
    const { bytes, hash } = await view.readWhole(target)
    requireVersion(target, hash, args.sha256)
    if (args.read.kind === 'patches') return patch(context, args, target)
    if (isBinary(bytes)) throw new FilewrightError('binary_file', `${args.path} is binary; only text can be edited.`, { field: 'path' })
    const plan = await planned(context, { target, hash }, bytes, args, args.read)
    const staged = await replaceContent(context, target, hash, plan.bytes, 'edit')
    const result: Result = {
      path: view.display(target.path),
      changed: staged.changed,
      edits: plan.places,
      ...(plan.edits[0] && { line: plan.edits[0].newLine + 1 }),
      sha256: staged.content.hash,
      lines: countLines(plan.bytes),
      ...(staged.changed && {
        diff: diffText(
          formatEdits(bytes, plan.bytes, plan.edits, { oldPath: target.path, newPath: target.path, maxChars: MAX_DIFF_CHARS }),
        ),
      }),
      summary: '',
    }
    if (!staged.changed) return { result: { ...result, summary: `${args.path} already is as asked for; nothing was changed.` } }
    const summary = `${args.dry_run ? 'Dry run: would edit' : 'Edited'} ${args.path}: ${counted(plan.places, 'place')}, from line ${result.line} on.`
    if (args.dry_run) return { result: { ...result, summary }, dryRun: true }
    return { result, complete: (receipt) => ({ ...result, summary, verified: staged.verified(receipt) }) }
  },
  text: ({ summary, diff, verified }) =>
    diff === undefined || verified !== undefined ? doneText(summary, verified) : `${summary}\n${diff}`,
})

interface Planned {
  readonly bytes: Uint8Array
  readonly edits: readonly LineEdit[]
  readonly places: number
}

async function planned(
  context: ToolContext,
  edited: Edited,
  bytes: Uint8Array,
  args: Arguments,
  read: Exclude<ReadEdits, { kind: 'patches' }>,
): Promise<Planned> {
  if (read.kind === 'lines') return { ...planLineEdits(bytes, read.addresses), places: read.addresses.length }
  const { view, signal } = context
  const loose = args.loose ?? false
  const options = { ignoreWhitespace: loose, confusables: loose, maxCandidates: 2, maxBytes: view.traits.limits.textBytes }
  const plan = await planEditsInTurns(bytes, read.items, options, signal)
  if (!plan.ok) throw await misfit(context, edited, read.items, plan.diagnostic)
  return { bytes: plan.bytes, edits: plan.edits, places: plan.occurrences }
}

/** Patches of a JSON or YAML file, as the tool for them makes them. */
async function patch(context: ToolContext, args: Arguments, target: Resolved): Promise<Plan<Result>> {
  const { path, patches, dry_run, allow_ignored, allow_sensitive } = args
  const asked = { file_path: path, patches, format: 'auto', dry_run, allow_ignored, allow_sensitive, operations: args.read.patches }
  const plan = await context.perform(patchFile, asked)
  const told = (given: object): Result => {
    const { changed, patches_applied: edits, diff } = given as { changed: boolean; patches_applied: number; diff?: string }
    const done = dry_run ? 'Dry run: would patch' : 'Patched'
    const summary = changed ? `${done} ${path}: ${counted(edits, 'place')}.` : `${path} already is as asked for; nothing was changed.`
    return { path: context.view.display(target.path), changed, edits, ...(diff !== undefined && diff !== '' && { diff }), summary }
  }
  const { complete } = plan
  return {
    result: told(plan.result),
    ...(plan.dryRun && { dryRun: true }),
    ...(complete && { complete: (receipt) => ({ ...told(complete(receipt)), verified: receipt.paths.every((one) => one.verified) }) }),
  }
}
