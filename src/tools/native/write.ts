/** `write` of the `native` profile: a whole file, or more at its end. */
import { z } from 'zod'
import { concatBytes } from '../../core/bytes.ts'
import { FilewrightError } from '../../core/errors.ts'
import { fromBase64 } from '../../text/base64.ts'
import { countLines } from '../../text/lines.ts'
import { encodeText, isBinary } from '../../text/utf8.ts'
import { content, text } from '../arguments.ts'
import { counted } from '../counted.ts'
import { readExisting, wholeBytes } from '../existing_file.ts'
import { allowancesOf } from '../guarded.ts'
import { pathTarget } from '../targets.ts'
import { sidesDiff } from '../text_diff.ts'
import { defineTool, type Tool } from '../tool.ts'
import { changedShape, changingShape, doneText, replaceContent, requireVersion } from './changing.ts'

const input = z.strictObject({
  path: text('File; missing directories are made.'),
  content: content('Exactly what is stored.'),
  mode: z.enum(['replace', 'create', 'append']).describe('create: only if there is no such file.').default('replace'),
  encoding: z.enum(['utf-8', 'base64']).describe('Of content.').default('utf-8'),
  ...changingShape,
})

type Arguments = z.output<typeof input>

const output = z.object({
  path: z.string(),
  created: z.boolean(),
  ...changedShape,
  sha256: z.string(),
  bytes: z.int(),
})

type Result = z.output<typeof output>

/** Writes a file; what it replaces is kept. */
export const write: Tool = defineTool({
  name: 'write',
  title: 'Write',
  description: 'Creates, replaces or appends to a file. To change parts of one use edit.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output,
  targets: pathTarget('change'),
  allowances: allowancesOf,
  risk: ({ mode }) => (mode === 'replace' ? 'replaces' : 'small'),
  failed: () => ({}),
  async run(context, args) {
    const { view } = context
    const added = bytesOf(args)
    const target = await view.resolve(args.path, { field: 'path' })
    const existing = await readExisting(view, target)
    if (existing && args.mode === 'create') {
      throw new FilewrightError('already_exists', `${args.path} exists; nothing was changed.`, {
        field: 'path',
        details: { sha256: existing.hash },
      })
    }
    requireVersion(target, existing?.hash ?? null, args.sha256)
    const appends = existing !== null && args.mode === 'append'
    const whole = appends ? concatBytes([wholeBytes(view, target, existing), added]) : added
    const diff = args.dry_run && (!existing || existing.bytes) ? sidesDiff(existing?.bytes ?? null, whole, target.path) : null
    const staged = await replaceContent(context, target, existing?.hash ?? null, whole, 'write')
    const result: Result = {
      path: view.display(target.path),
      created: existing === null,
      changed: staged.changed,
      sha256: staged.content.hash,
      bytes: whole.length,
      ...(!isBinary(whole) && { lines: countLines(whole) }),
      ...(diff !== null && { diff }),
      summary: '',
    }
    const size = counted(whole.length, 'byte')
    if (!staged.changed) return { result: { ...result, summary: `${args.path} already holds this (${size}).` } }
    const done = existing === null ? 'Created' : appends ? 'Appended to' : 'Replaced'
    const summary = `${args.dry_run ? `Dry run: would have ${done.toLowerCase()}` : done} ${args.path} (${size}).`
    if (args.dry_run) return { result: { ...result, summary }, dryRun: true }
    return { result, complete: (receipt) => ({ ...result, summary, verified: staged.verified(receipt) }) }
  },
  text: ({ summary, diff, verified }) => (diff === undefined ? doneText(summary, verified) : `${summary}\n${diff}`),
})

function bytesOf({ content: given, encoding }: Arguments): Uint8Array {
  if (encoding === 'utf-8') return encodeText(given)
  const bytes = fromBase64(given)
  if (!bytes) throw new FilewrightError('invalid_argument', 'content is not valid base64.', { field: 'content' })
  return bytes
}
