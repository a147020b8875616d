/** The `native` profile: a small set of tools for models, which understands arguments as other tools spell them (contract W-5b). */
import { ERRORS, type ErrorCode, FilewrightError } from '../core/errors.ts'
import type { JournalRecord } from '../core/record.ts'
import { sentMembers } from '../tools/arguments.ts'
import { inputSchema, type JsonSchema } from '../tools/json_schema.ts'
import { batch } from '../tools/native/batch.ts'
import { edit } from '../tools/native/edit.ts'
import { grep } from '../tools/native/grep.ts'
import { list } from '../tools/native/list.ts'
import { isNativeOperation, OPERATIONS } from '../tools/native/operations.ts'
import { read } from '../tools/native/read.ts'
import { run } from '../tools/native/run.ts'
import { tree } from '../tools/native/tree.ts'
import { undo } from '../tools/native/undo.ts'
import { write } from '../tools/native/write.ts'
import type { OperationName } from '../tools/operations.ts'
import type { Tool } from '../tools/tool.ts'
import { type Dialect, type Understood, understand } from './lenient.ts'
import { DIALECTS } from './native_dialects.ts'
import { listedInput, listedOutput } from './native_schemas.ts'
import type { Attachment, BoundTool, Disabled, Finished, Profile, Rendered, Routed } from './profile.ts'

/** Members of results that stand in the text or beside it, and so not in the structure. */
const TOLD: readonly string[] = ['content', 'summary', 'pictures']

/** What to do next, where the tools of this profile have other names than {@link ERRORS} says. */
const NEXT: { readonly [code in ErrorCode]?: string } = {
  not_found: 'Use list or tree to find the right path.',
  is_directory: 'Use list for directories.',
  not_directory: 'Use read for files.',
  already_exists: 'Choose another path, or replace it.',
  binary_file: 'Use read with as "hex" or "base64" to see its bytes.',
  stale_expected_sha256: 'Read it again.',
  confirmation_required: 'Pass the sha256 of what is there.',
  too_large: 'Read it in parts, with offset and limit.',
}

/** Most paths that a text tells of a command's changes. */
const TOLD_PATHS = 20
/** Most of what was understood that a text repeats. */
const TOLD_ACCEPTED = 3

const schemas = new WeakMap<Tool, JsonSchema>()

function schemaOf(tool: Tool): JsonSchema {
  let schema = schemas.get(tool)
  if (!schema) {
    schema = inputSchema(tool)
    schemas.set(tool, schema)
  }
  return schema
}

function bind(tool: Tool): BoundTool {
  const dialect = DIALECTS[tool.name] as Dialect
  const reading = (sent: unknown): Understood => understand(schemaOf(tool), dialect, sent)
  return {
    tool,
    textual: true,
    inputSchema: () => listedInput(tool),
    outputSchema: () => listedOutput(tool),
    route(sent, disabled) {
      const { args } = reading(sent)
      requireEnabled(tool, args, disabled)
      return routed(tool, args)
    },
    render: (finished) =>
      finished.error ? renderFailure(finished, finished.error) : renderSuccess(finished, tool, reading(finished.sent)),
  }
}

/** The operations that tools are, for the operator who turns these off (W-7). */
const SWITCHED: { readonly [tool: string]: OperationName } = {
  read: 'view_file',
  write: 'write_file',
  edit: 'edit_file',
  list: 'list_directory',
  grep: 'search_files',
  tree: 'file_tree',
  batch: 'batch_file_ops',
}

/** Throws `unsupported` for what the operator turned off, by its own name or by that of the operation that it is. */
function requireEnabled(tool: Tool, args: Understood['args'], disabled: Disabled): void {
  const named = (name: string, hub: OperationName | undefined, field?: string): void => {
    if (!disabled(name) && !(hub !== undefined && disabled(hub))) return
    const details = { error_kind: 'operation_not_enabled' }
    throw new FilewrightError('unsupported', `The operator has disabled ${name}.`, { details, ...(field !== undefined && { field }) })
  }
  named(tool.name, SWITCHED[tool.name])
  if (tool === edit && args.patches !== undefined) named('patches', 'patch_file', 'patches')
  if (tool !== batch || !Array.isArray(args.operations)) return
  for (const [index, item] of args.operations.entries()) {
    const { op, patches } = sentMembers(item)
    if (typeof op !== 'string' || !isNativeOperation(op)) continue
    named(op, OPERATIONS[op].hub, `operations[${index}].op`)
    if (patches !== undefined) named('patches', 'patch_file', `operations[${index}].patches`)
  }
}

/** An undo stands alone in its batch, since it is recorded as the undo of another change. */
function routed(tool: Tool, args: Understood['args']): Routed {
  const [first, ...others] = tool === batch && Array.isArray(args.operations) ? args.operations : []
  const { op, ...members } = sentMembers(first)
  if (op !== 'undo' || others.length > 0) return { tool, args }
  return { tool: undo, args: { ...members, ...(args.dry_run !== undefined && { dry_run: args.dry_run }) } }
}

function renderSuccess({ result, record = null }: Finished, tool: Tool, { accepted }: Understood): Rendered {
  const attachments = picturesOf(result)
  // An undo has another shape than the batch that it came in.
  const undone = tool === batch && typeof result.summary === 'string'
  const changed = tool === run && record ? changedPaths(record) : null
  const told = undone ? String(result.summary) : tool.text(result)
  const text = changed === null ? told : `${told}\n[changed: ${changed}]`
  const facts = Object.fromEntries(Object.entries(result).filter(([name]) => !TOLD.includes(name)))
  const structure = { ...(undone ? { results: [{ op: 'undo', ...facts }] } : facts), ...(record && { change: record.id }) }
  if (accepted.length === 0) return { result: structure, text, ...attachments }
  const more = accepted.length > TOLD_ACCEPTED ? `, and ${accepted.length - TOLD_ACCEPTED} more` : ''
  const note = `[taken: ${accepted.slice(0, TOLD_ACCEPTED).join(', ')}${more}]`
  return { result: { ...structure, accepted }, text: text.endsWith('\n') ? text + note : `${text}\n${note}`, ...attachments }
}

/** What changed while a command ran. */
function changedPaths({ changes, count }: JournalRecord): string {
  const paths = (changes ?? []).slice(0, TOLD_PATHS).map(({ path, to }) => to ?? path)
  const others = count - paths.length
  return [...paths, ...(others > 0 ? [`${others} more`] : [])].join(', ')
}

function picturesOf({ pictures }: Finished['result']): { readonly attachments?: readonly Attachment[] } {
  if (!Array.isArray(pictures)) return {}
  return { attachments: pictures.map(({ mime, data }) => ({ type: 'image', mimeType: mime, data })) }
}

/** What is wrong, and in a second line what to do next; for an edit, the nearest text below. */
function renderFailure(finished: Finished, { code, field, message, details }: FilewrightError): Rendered {
  const { next: own, ...facts } = details ?? {}
  const next = typeof own === 'string' ? own : (NEXT[code] ?? ERRORS[code].advice)
  const approval = finished.result.approval_id
  const result = {
    error: message,
    code,
    ...(field !== undefined && { field }),
    next,
    ...facts,
    ...(approval !== undefined && { approval_id: approval }),
  }
  return { result, text: [`${code}: ${message}`, next, ...nearestOf(facts.nearest)].join('\n') }
}

function nearestOf(candidates: unknown): string[] {
  const [nearest] = Array.isArray(candidates) ? candidates : []
  if (typeof nearest?.text !== 'string') return []
  return [`--- lines ${nearest.start_line}-${nearest.end_line}: ${nearest.difference}`, nearest.text]
}

/** Eight tools, under the names that models know best. */
export const native: Profile = {
  name: 'native',
  title: 'for models: a small set that understands the arguments of other tools',
  guarded: true,
  tools: [read, write, edit, list, grep, tree, batch, run].map(bind),
}
