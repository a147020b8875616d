/** `write_file`: creates, replaces or extends one file, never by accident. */
import { z } from 'zod'
import { concatBytes } from '../core/bytes.ts'
import { FilewrightError } from '../core/errors.ts'
import type { Hash, Hasher } from '../core/hash.ts'
import type { Resolved } from '../core/resolve.ts'
import { countLines } from '../text/lines.ts'
import { encodeText } from '../text/utf8.ts'
import { boolean, checkedTogether, content, type SentArguments, sha256, text } from './arguments.ts'
import { counted } from './counted.ts'
import { type ExistingFile, readExisting, wholeBytes } from './existing_file.ts'
import { allowancesOf, backupMember, changeTargets, guardedShape, planBackup, receiptOf, requireWritable } from './guarded.ts'
import { fileDiff } from './text_diff.ts'
import { defineTool, type Receipt, type Tool } from './tool.ts'
import { previewSummary, refusalCode, refusalError } from './write_consent.ts'

const input = checkedTogether(
  z.strictObject({
    file_path: text('The file, as a path in the workspace. Through a link, its target is written.'),
    content: content('The whole new content; with append, what is added. Stored exactly as given.').optional(),
    content_artifact: z.record(z.string(), z.unknown()).describe('Content held by the host; wins over content.').optional(),
    content_artifact_uri: text('URI of content held by the host (artifact://…); wins over content.').optional(),
    source_encoding: z.enum(['utf-8', 'text', 'binary']).describe('How an artifact is read.').optional(),
    overwrite: boolean('Replace a file that exists; needs expected_sha256.').default(false),
    force_overwrite: boolean('Replace a file that exists, whatever it holds.').default(false),
    create_dirs: boolean('Create missing parent directories.').default(true),
    append: boolean('Add to the end of the file instead of replacing it.').default(false),
    expected_sha256: sha256('SHA-256 that the existing file must have.').optional(),
    ...guardedShape,
  }),
  requireContent,
)

type Arguments = z.output<typeof input>

const output = z.object({
  file_path: z.string(),
  created: z.boolean().describe('The file did not exist before.'),
  bytes_written: z.int(),
  requested_bytes: z.int(),
  requested_lines: z.int().nullable(),
  requested_sha256: z.string(),
  current_sha256: z.string().optional().describe('SHA-256 of the file that was there.'),
  diff: z.string().nullable().optional().describe('From what was there; null when that was no text.'),
  dry_run: z.boolean(),
  backup_id: z.string().optional(),
  file_bytes_after: z.int().optional(),
  lines_after: z.int().optional(),
  sha256_after: z.string().optional(),
  self_verified: z.boolean().describe('The file was read again and holds what was intended.'),
  verification_error: z.string().optional(),
  summary: z.string(),
})

type Result = z.output<typeof output>

/** Writes one file by the decision table of P-40. */
export const writeFile: Tool = defineTool({
  name: 'write_file',
  title: 'Write file',
  description:
    'Creates a file, with its parent directories, or extends one with append. An existing file is replaced only with overwrite and expected_sha256 (its current hash, from view_file or from the refusal), or with force_overwrite. A backup is kept by default. With dry_run it returns the diff and the current hash and changes nothing. To change parts of a file use edit_file.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output,
  targets: (args) => changeTargets(args),
  allowances: allowancesOf,
  failed: (sent, hasher) => ({
    file_path: '',
    created: false,
    bytes_written: 0,
    ...requestedBy(sent, hasher),
    dry_run: false,
    self_verified: false,
    summary: '',
  }),
  async run(context, args) {
    const { view } = context
    const added = contentOf(args)
    const target = await view.resolve(args.file_path, { field: 'file_path' })
    const existing = await readExisting(view, target)
    requireParents(target, args)
    const refused = refusalCode(existing, args)
    if (refused && refused !== 'confirmation_required') throw refusalError(refused, target.given, existing)
    const whole = existing && args.append ? concatBytes([wholeBytes(view, target, existing), added]) : added
    const diff = existing?.bytes ? fileDiff(existing.bytes, whole, target.path) : null
    if (refused) throw refusalError(refused, target.given, existing, diff)
    const after = await view.content(whole)
    const base: Result = {
      file_path: view.display(target.path),
      created: existing === null,
      bytes_written: 0,
      ...requested(added, whole === added ? after.hash : view.hasher.hash(added)),
      ...(existing && { current_sha256: existing.hash }),
      diff,
      dry_run: args.dry_run,
      self_verified: false,
      summary: '',
    }
    if (existing?.hash === after.hash) return { result: { ...base, ...unchanged(target, whole, after.hash, args) } }
    if (existing) await requireWritable(view, target)
    const backup = existing && (await planBackup(context, args, target, 'write_file'))
    const keep = backup?.keep
    view.write(target, after, { expect: existing ? { hash: existing.hash } : 'absent', ...(keep !== undefined && { keep }) })
    if (args.dry_run) return { result: { ...base, summary: previewSummary(target.given, existing, args) }, dryRun: true }
    const written = (receipt: Receipt): Result => ({
      ...base,
      bytes_written: added.length,
      ...backupMember(backup?.idAfter(receipt)),
      ...verified(receipt, target, whole),
      summary: `${done(existing, args)} ${target.given}: ${counted(added.length, 'byte')} written.`,
    })
    return { result: base, complete: written }
  },
  text: (result) => result.summary,
})

/** A call without content is refused with the shape of its arguments, before any path is looked at. */
function requireContent<Args extends { readonly content?: string | undefined } & Artifacts>(args: Args): Args {
  if (args.content === undefined && !namesArtifact(args)) {
    throw new FilewrightError('missing_argument', 'content is required.', { field: 'content' })
  }
  return args
}

interface Artifacts {
  readonly content_artifact?: unknown
  readonly content_artifact_uri?: unknown
}

function namesArtifact(args: Artifacts): boolean {
  return (args.content_artifact ?? args.content_artifact_uri ?? null) !== null
}

/** The bytes to store. Throws `unsupported` for an artifact: no host resolves one (P-44). */
function contentOf(args: Arguments): Uint8Array {
  if (!namesArtifact(args)) return encodeText(args.content ?? '')
  const field = args.content_artifact_uri === undefined ? 'content_artifact' : 'content_artifact_uri'
  throw new FilewrightError('unsupported', `${field} cannot be resolved here; send the text as content.`, { field })
}

function requested(bytes: Uint8Array, hash: Hash): Pick<Result, 'requested_bytes' | 'requested_lines' | 'requested_sha256'> {
  return { requested_bytes: bytes.length, requested_lines: countLines(bytes), requested_sha256: hash }
}

/** What a refused call asked to store; nothing is known of an artifact, or of text that has no bytes. */
function requestedBy(sent: SentArguments, hasher: Hasher): ReturnType<typeof requested> {
  if (typeof sent.content === 'string' && sent.content.isWellFormed() && !namesArtifact(sent)) {
    const bytes = encodeText(sent.content)
    return requested(bytes, hasher.hash(bytes))
  }
  return { requested_bytes: 0, requested_lines: null, requested_sha256: '' }
}

function requireParents(target: Resolved, args: Arguments): void {
  if (args.create_dirs || target.missingParents.length === 0) return
  throw new FilewrightError('not_found', `The directory of ${target.given} does not exist; pass create_dirs to create it.`)
}

/** The file already is what was asked for: nothing is written, nothing is lost (P-45). */
function unchanged(target: Resolved, whole: Uint8Array, hash: Hash, args: Arguments): Partial<Result> {
  const summary = `${target.given} already holds this content.`
  if (args.dry_run) return { summary }
  return { file_bytes_after: whole.length, lines_after: countLines(whole), sha256_after: hash, self_verified: true, summary }
}

/** What is there after the commit, and whether that is what was intended (P-43). */
function verified(receipt: Receipt, target: Resolved, whole: Uint8Array): Partial<Result> {
  const path = receiptOf(receipt, target.path)
  const { after, problem } = path ?? { after: null, problem: 'The receipt does not name it.' }
  return {
    ...(after?.kind === 'file' && { file_bytes_after: after.size, sha256_after: after.hash }),
    ...(problem === null ? { lines_after: countLines(whole), self_verified: true } : { self_verified: false, verification_error: problem }),
  }
}

function done(existing: ExistingFile | null, args: Arguments): string {
  return existing === null ? 'Created' : args.append ? 'Appended to' : 'Replaced'
}
