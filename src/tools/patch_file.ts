/** `patch_file`: changes single places of a JSON or YAML file; everything else keeps its bytes. */
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import type { Path } from '../core/path.ts'
import type { Resolved } from '../core/resolve.ts'
import { type DocumentFormat, formatByName, isRelaxedJson } from '../text/document/document_format.ts'
import { patchText } from '../text/document/patch_text.ts'
import { type Validation, validateBytes } from '../text/document/validate.ts'
import { encodeText, isBinary } from '../text/utf8.ts'
import { checkedTogether, content, text } from './arguments.ts'
import { counted } from './counted.ts'
import { readExisting, wholeBytes } from './existing_file.ts'
import { allowancesOf, backupMember, changeTargets, guardedShape, planBackup, requireWritable } from './guarded.ts'
import { patchError, patches, readPatches } from './patch_operations.ts'
import { sidesDiff } from './text_diff.ts'
import { defineTool, type Tool, type ToolContext } from './tool.ts'

const input = checkedTogether(
  z.strictObject({
    file_path: text('The file, as a path in the workspace. It must exist for patches.'),
    patches,
    content: content('The whole new content instead of patches, which are ignored then; JSON and YAML must be well-formed.').optional(),
    format: z
      .enum(['auto', 'json', 'yaml', 'text', 'markdown'])
      .describe('auto goes by the extension; text and markdown are for content only.')
      .default('auto'),
    ...guardedShape,
  }),
  (args) => ({ ...args, operations: args.content === undefined ? readPatches(requirePatches(args.patches)) : [] }),
)

type Arguments = z.output<typeof input>

const output = z.object({
  file_path: z.string(),
  format: z.string(),
  changed: z.boolean().describe('In a dry run: would change.'),
  patches_applied: z.int(),
  diff: z.string().optional(),
  dry_run: z.boolean(),
  backup_id: z.string().optional(),
  validation_after_patch: z
    .object({ valid: z.boolean(), error_message: z.string().optional(), line: z.int().optional(), column: z.int().optional() })
    .optional(),
  error_details: z.array(z.object({ patch_index: z.int(), op: z.string(), path: z.string(), message: z.string() })).optional(),
})

type Result = z.output<typeof output>

/** Patches a structured file (P-60 to P-69). */
export const patchFile: Tool = defineTool({
  name: 'patch_file',
  title: 'Patch file',
  description:
    'Changes places in a JSON, JSONC or YAML file that are addressed by JSON Pointer: set, replace, remove, append, insert. Comments, order, quoting, number spelling and indentation of everything else stay as they are, byte for byte. All patches apply, in order, or none. Or replaces the whole content, checked to be well-formed. Use dry_run to see the diff first.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output,
  targets: (args) => changeTargets(args),
  allowances: allowancesOf,
  risk: (args) => (args.content === undefined ? 'small' : 'replaces'),
  failed: (): Result => ({ file_path: '', format: '', changed: false, patches_applied: 0, dry_run: false }),
  async run(context, args) {
    const { view } = context
    const target = await view.resolve(args.file_path, { field: 'file_path' })
    const format = formatOf(args, target.path)
    const existing = await readExisting(view, target)
    if (!existing && args.content === undefined) throw new FilewrightError('not_found', `${target.given} does not exist.`)
    const before = existing && (existing.bytes ?? (args.content === undefined ? wholeBytes(view, target, existing) : null))
    const { bytes, validation } =
      args.content === undefined
        ? await patched(context, args, target, before as Uint8Array, format as 'json' | 'yaml')
        : { bytes: encodeText(args.content), validation: await checkedContent(args.content, target, format) }
    const after = await view.content(bytes)
    const changed = existing?.hash !== after.hash
    const diff = existing && !before ? null : sidesDiff(before, bytes, target.path)
    const result: Result = {
      file_path: view.display(target.path),
      format,
      changed,
      patches_applied: args.operations.length,
      ...(diff !== null && { diff }),
      dry_run: args.dry_run,
      ...(validation && { validation_after_patch: validation }),
    }
    if (!changed) return { result }
    if (existing) await requireWritable(view, target)
    const backup = existing && (await planBackup(context, args, target, 'patch_file'))
    const keep = backup?.keep
    view.write(target, after, { expect: existing ? { hash: existing.hash } : 'absent', ...(keep !== undefined && { keep }) })
    if (args.dry_run) return { result, dryRun: true }
    return { result, complete: (receipt) => ({ ...result, ...backupMember(backup?.idAfter(receipt)) }) }
  },
  text: (result) => {
    if (!result.changed) return `${result.file_path} already is as asked for; nothing was changed.`
    const what = result.patches_applied === 0 ? 'new content' : counted(result.patches_applied, 'change')
    return `${result.dry_run ? 'Would patch' : 'Patched'} ${result.file_path} (${result.format}): ${what}.`
  },
})

function requirePatches(given: unknown): unknown {
  if (given !== undefined) return given
  throw new FilewrightError('missing_argument', 'patches is required, or content.', { field: 'patches' })
}

/** The format to work by (P-67). */
function formatOf({ format, content: whole }: Arguments, path: Path): DocumentFormat {
  const known = format === 'auto' ? formatByName(path) : format
  if (whole !== undefined) return known ?? 'text'
  if (known === null) {
    throw new FilewrightError('invalid_argument', 'The name does not tell whether this is JSON or YAML; pass format.', { field: 'format' })
  }
  if (known !== 'json' && known !== 'yaml') {
    throw new FilewrightError(
      'invalid_argument',
      `Patches are for JSON and YAML, and the format is ${known}: edit it as text, or pass content.`,
      {
        field: 'format',
      },
    )
  }
  return known
}

/** How a text is, as results tell it. */
type Told = NonNullable<Result['validation_after_patch']>

/** The text after the patches. Throws `binary_file`, `invalid_utf8`, and what is wrong with the file or with a patch. */
async function patched(
  { view, signal }: ToolContext,
  args: Arguments,
  target: Resolved,
  before: Uint8Array,
  format: 'json' | 'yaml',
): Promise<{ readonly bytes: Uint8Array; readonly validation: Told }> {
  const { given } = target
  if (isBinary(before)) throw new FilewrightError('binary_file', `${given} is binary; only text can be patched.`)
  const outcome = await patchText(before, given, args.operations, { format, relaxed: isRelaxedJson(target.path), signal })
  if (outcome.kind === 'malformed') {
    const repair = 'Nothing was changed; repair it by an edit of its text, or pass content.'
    throw new FilewrightError('invalid_argument', `${given} is not well-formed: ${located(outcome.validation)}. ${repair}`, {
      field: 'file_path',
    })
  }
  if (outcome.kind === 'misfit') {
    const { index, error } = outcome
    const patch = args.patches as readonly { readonly op?: unknown; readonly path?: unknown }[]
    throw patchError(error.code, index, patch[index] ?? {}, '.path', error.message)
  }
  const limit = view.traits.limits.textBytes
  if (outcome.bytes.length > limit) {
    throw new FilewrightError('too_large', `${given} would grow to ${outcome.bytes.length} bytes; the limit is ${limit}.`, {
      details: { size: outcome.bytes.length, limit },
    })
  }
  if (!outcome.validation.valid) throw notWritten(given, outcome.validation, 'patches')
  return { bytes: outcome.bytes, validation: told(outcome.validation) }
}

/** Checks new content; null for formats that any text has. */
async function checkedContent(whole: string, { given, path }: Resolved, format: DocumentFormat): Promise<Told | null> {
  if (format !== 'json' && format !== 'yaml') return null
  const validation = await validateBytes(encodeText(whole), format, isRelaxedJson(path))
  if (!validation.valid) throw notWritten(given, validation, 'content')
  return told(validation)
}

function notWritten(given: string, validation: Validation, field: string): FilewrightError {
  return new FilewrightError('invalid_argument', `${given} would not be well-formed: ${located(validation)}. Nothing was changed.`, {
    field,
    details: { validation_after_patch: told(validation) },
  })
}

function told({ valid, message, line, column }: Validation): Told {
  return {
    valid,
    ...(message !== undefined && { error_message: message }),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  }
}

function located({ message, line, column }: Validation): string {
  return `${message}, at line ${line} column ${column}`
}
