/** What the caller of a failed operation may have meant: candidates for `correct_call`, the likeliest first (contract P-156). */
import { argumentNames, type SentArguments } from '../tools/arguments.ts'
import { toolOf } from '../tools/index.ts'
import { nearestName } from '../tools/nearest_name.ts'
import { isOperation, nearestOperation, type OperationName } from '../tools/operations.ts'

/** A call of the hub. */
interface HubCall {
  readonly operation: string
  readonly path?: unknown
  readonly config?: { readonly [name: string]: unknown }
}

/** What is known of the failure. */
interface Failure {
  readonly kind: string
  /** In the caller's notation. */
  readonly field?: string | undefined
  readonly [fact: string]: unknown
}

/** The candidates; each is also offered as a dry run, for where the real thing would need a person. */
export function* corrections(sent: SentArguments, failure: Failure, disabled: (name: string) => boolean): Generator<object> {
  for (const call of candidates(sent, failure)) {
    if (disabled(call.operation)) continue
    yield call
    if (isOperation(call.operation) && argumentNames(toolOf(call.operation)).includes('dry_run')) yield withOption(call, 'dry_run', true)
  }
}

function* candidates(sent: SentArguments, failure: Failure): Generator<HubCall> {
  const operation = sent.operation as OperationName
  if (failure.kind === 'invalid_operation') yield* otherOperations(sent)
  else if (failure.kind === 'invalid_config') yield* otherConfigs(sent, operation)
  else if (isOperation(operation)) yield* otherOptions(sent, operation, failure)
}

function* otherOptions(sent: SentArguments, operation: OperationName, failure: Failure): Generator<HubCall> {
  const call: HubCall = { operation, ...(sent.path !== undefined && { path: sent.path }), config: membersOf(sent.config) }
  const child = /^config\.operations\[(\d+)\]\.(.+)$/.exec(failure.field ?? '')
  if (child) yield* childCandidates(call, Number(child[1]), { ...failure, field: child[2] })
  else yield* byKind(call, operation, failure)
  if (!child && failure.field?.startsWith('config.')) yield* byField(call, operation, failure.field.slice('config.'.length))
}

function* otherOperations(sent: SentArguments): Generator<HubCall> {
  const name = typeof sent.operation === 'string' ? sent.operation.toLowerCase() : ''
  const meant = name === '' ? null : nearestOperation(name)
  if (meant) {
    const own = Object.entries(membersOf(sent.config)).filter(([option]) => argumentNames(toolOf(meant)).includes(option))
    yield { operation: meant, ...(sent.path !== undefined && { path: sent.path }), config: Object.fromEntries(own) }
  }
  if (typeof sent.path === 'string') yield { operation: 'file_info', path: sent.path }
  yield { operation: 'file_tree' }
  yield { operation: 'list_directory' }
}

/** A configuration that came as a text is usually the JSON of the right one. */
function* otherConfigs(sent: SentArguments, operation: string): Generator<HubCall> {
  const call = { operation, ...(sent.path !== undefined && { path: sent.path }) }
  const parsed = typeof sent.config === 'string' ? parsedObject(sent.config) : null
  if (parsed) yield { ...call, config: parsed }
  yield { ...call, config: {} }
}

function* childCandidates(call: HubCall, index: number, failure: Failure): Generator<HubCall> {
  const operations = call.config?.operations
  if (!Array.isArray(operations)) return
  for (const child of candidates(membersOf(operations[index]), failure)) {
    yield withOption(call, 'operations', operations.with(index, child))
  }
}

function* byKind(call: HubCall, operation: OperationName, failure: Failure): Generator<HubCall> {
  const { kind, current_sha256: current } = failure
  if (kind === 'no_match') {
    yield withOption(call, 'ignore_whitespace', true)
    yield withOption(call, 'confusable_fallback', true)
  }
  if (kind === 'is_directory' && operation === 'copy_file') yield withOption(call, 'recursive', true)
  if (kind === 'not_found' && call.config?.create_dirs === false) yield withoutOption(call, 'create_dirs')
  if ((kind === 'confirmation_required' || kind === 'stale_expected_sha256') && typeof current === 'string') {
    yield withOption(call, 'expected_sha256', current)
  }
  // What is there would be lost: the preview shows it first.
  if (kind === 'already_exists') yield withOption(withOption(call, 'overwrite', true), 'dry_run', true)
}

function* byField(call: HubCall, operation: OperationName, field: string): Generator<HubCall> {
  const name = field.split(/[.[]/, 1)[0] as string
  const known = argumentNames(toolOf(operation))
  const value = call.config?.[name]
  if (!known.includes(name)) {
    const meant = nearestName(name, known)
    if (call.config?.[meant] === undefined) yield withOption(withoutOption(call, name), meant, value)
    yield withoutOption(call, name)
    return
  }
  const item = /^\w+\[(\d+)\]/.exec(field)
  if (item && Array.isArray(value) && value.length > 1) yield withOption(call, name, value.toSpliced(Number(item[1]), 1))
  if (value !== undefined && !item) yield withoutOption(call, name)
  const filled = defaultOf(name, call)
  if (filled !== undefined) yield withOption(call, name, filled)
}

/** A value that a required option can have. */
function defaultOf(name: string, { path }: HubCall): unknown {
  switch (name) {
    case 'content':
      return ''
    case 'destination_path':
      return typeof path === 'string' ? copyName(path) : undefined
    case 'compare_path':
    case 'new_content':
      return name === 'new_content' ? '' : path
    case 'backup_id':
      return 'last'
    case 'operations':
      return [{ operation: 'file_tree' }]
    default:
      return undefined
  }
}

/** `a.txt` becomes `a.copy.txt`. */
function copyName(path: string): string {
  const dot = path.lastIndexOf('.')
  return dot > path.lastIndexOf('/') + 1 ? `${path.slice(0, dot)}.copy${path.slice(dot)}` : `${path}.copy`
}

function withOption(call: HubCall, name: string, value: unknown): HubCall {
  return { ...call, config: { ...call.config, [name]: value } }
}

function withoutOption(call: HubCall, name: string): HubCall {
  const { [name]: _, ...config } = call.config ?? {}
  return { ...call, config }
}

function membersOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as { readonly [name: string]: unknown }) : {}
}

function parsedObject(text: string): { readonly [name: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? membersOf(value) : null
  } catch {
    return null
  }
}
