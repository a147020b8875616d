/** What the caller of a failed operation may have meant: candidates for `correct_call`, the likeliest first (contract P-156). */
import { argumentNames, type SentArguments } from '../tools/arguments.ts'
import { toolOf } from '../tools/index.ts'
import { isNearName, nearestName } from '../tools/nearest_name.ts'
import { isNearOperation, isOperation, nearestOperation, type OperationName } from '../tools/operations.ts'

/** A call of the hub. */
interface HubCall {
  readonly operation: string
  readonly path?: unknown
  readonly config?: { readonly [name: string]: unknown }
}

/** What the caller may have meant. */
interface Candidate {
  readonly call: HubCall
  /** It leaves out something that the caller said, or a check that the caller asked for: it is offered as a dry run only. */
  readonly guess?: true
}

/** What is known of the failure. */
interface Failure {
  readonly kind: string
  /** In the caller's notation. */
  readonly field?: string | undefined
  readonly [fact: string]: unknown
}

/**
 * The candidates; each is also offered as a dry run, for where the real thing would need a person. A guess is offered as nothing
 * else, and so is everything when a dry run was asked for, however it was said.
 */
export function* corrections(sent: SentArguments, failure: Failure, disabled: (name: string) => boolean): Generator<object> {
  const asked = membersOf(sent.config).dry_run ?? false
  for (const { call, guess } of candidates(sent, failure)) {
    if (disabled(call.operation)) continue
    const rehearsable = isOperation(call.operation) && argumentNames(toolOf(call.operation)).includes('dry_run')
    if (!rehearsable || (!guess && asked === false)) yield call
    if (rehearsable) yield withOption(call, 'dry_run', true)
  }
}

function* candidates(sent: SentArguments, failure: Failure): Generator<Candidate> {
  const operation = sent.operation as OperationName
  const child = /^config\.operations\[(\d+)\]\.(.+)$/.exec(failure.field ?? '')
  if (child) yield* childCandidates(callOf(sent), Number(child[1]), { ...failure, field: child[2] })
  else if (failure.kind === 'invalid_operation') yield* otherOperations(sent)
  else if (failure.kind === 'invalid_config') yield* otherConfigs(sent, operation)
  else if (isOperation(operation)) yield* otherOptions(sent, operation, failure)
}

function* otherOptions(sent: SentArguments, operation: OperationName, failure: Failure): Generator<Candidate> {
  const call = callOf(sent)
  yield* byKind(call, operation, failure)
  if (failure.field?.startsWith('config.')) yield* byField(call, operation, failure.field.slice('config.'.length))
}

function callOf({ operation, path, config }: SentArguments): HubCall {
  return { operation: String(operation), ...(path !== undefined && { path }), config: membersOf(config) }
}

function* otherOperations(sent: SentArguments): Generator<Candidate> {
  const name = typeof sent.operation === 'string' ? sent.operation.toLowerCase() : ''
  const meant = name === '' ? null : nearestOperation(name)
  if (meant) {
    const given = Object.entries(membersOf(sent.config))
    const own = given.filter(([option]) => argumentNames(toolOf(meant)).includes(option))
    const call = { operation: meant, ...(sent.path !== undefined && { path: sent.path }), config: Object.fromEntries(own) }
    yield isNearOperation(name, meant) && own.length === given.length ? { call } : { call, guess: true }
  }
  if (typeof sent.path === 'string') yield { call: { operation: 'file_info', path: sent.path } }
  yield { call: { operation: 'file_tree' } }
  yield { call: { operation: 'list_directory' } }
}

/** A configuration that came as a text is usually the JSON of the right one. */
function* otherConfigs(sent: SentArguments, operation: string): Generator<Candidate> {
  const call = { operation, ...(sent.path !== undefined && { path: sent.path }) }
  const parsed = typeof sent.config === 'string' ? parsedObject(sent.config) : null
  if (parsed) yield { call: { ...call, config: parsed } }
  yield { call: { ...call, config: {} }, guess: true }
}

function* childCandidates(call: HubCall, index: number, failure: Failure): Generator<Candidate> {
  const operations = call.config?.operations
  if (!Array.isArray(operations)) return
  for (const { call: child, ...how } of candidates(membersOf(operations[index]), failure)) {
    yield { call: withOption(call, 'operations', operations.with(index, child)), ...how }
  }
}

function* byKind(call: HubCall, operation: OperationName, failure: Failure): Generator<Candidate> {
  const { kind, current_sha256: current } = failure
  if (kind === 'no_match') {
    yield { call: withOption(call, 'ignore_whitespace', true) }
    yield { call: withOption(call, 'confusable_fallback', true) }
  }
  if (kind === 'is_directory' && operation === 'copy_file') yield { call: withOption(call, 'recursive', true) }
  if (kind === 'not_found' && call.config?.create_dirs === false) yield { call: withoutOption(call, 'create_dirs') }
  if (typeof current === 'string') {
    const confirmed = withOption(call, 'expected_sha256', current)
    if (kind === 'confirmation_required') yield { call: confirmed }
    // What changed meanwhile was not seen yet.
    if (kind === 'stale_expected_sha256') yield { call: confirmed, guess: true }
  }
  // What is there would be lost: the preview shows it first.
  if (kind === 'already_exists') yield { call: withOption(call, 'overwrite', true), guess: true }
}

function* byField(call: HubCall, operation: OperationName, field: string): Generator<Candidate> {
  const name = field.split(/[.[]/, 1)[0] as string
  const known = argumentNames(toolOf(operation))
  const value = call.config?.[name]
  if (!known.includes(name)) {
    const meant = nearestName(name, known)
    if (isNearName(name, meant) && call.config?.[meant] === undefined) {
      yield { call: withOption(withoutOption(call, name), meant, value) }
    }
    yield { call: withoutOption(call, name), guess: true }
    return
  }
  const item = /^\w+\[(\d+)\]/.exec(field)
  if (item && Array.isArray(value) && value.length > 1) {
    yield { call: withOption(call, name, value.toSpliced(Number(item[1]), 1)), guess: true }
  }
  if (value !== undefined && !item) yield { call: withoutOption(call, name), guess: true }
  const filled = defaultOf(name, call)
  if (filled !== undefined) yield { call: withOption(call, name, filled), ...(value !== undefined && { guess: true }) }
}

/** A value that a required option can have. */
function defaultOf(name: string, { path }: HubCall): unknown {
  switch (name) {
    case 'content':
    case 'new_content':
      return ''
    case 'destination_path':
      return typeof path === 'string' ? copyName(path) : undefined
    case 'compare_path':
      return path
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
