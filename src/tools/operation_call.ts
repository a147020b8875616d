/** Reading an operation of the hub, `{operation, path, config}`: which tool it is and with which arguments (contract P-150 to P-154). */
import { FilewrightError } from '../core/errors.ts'
import { argumentNames, givenArguments, parseArguments, type SentArguments } from './arguments.ts'
import { nearestName } from './nearest_name.ts'
import { isOperation, nearestOperation, OPERATIONS, type OperationName } from './operations.ts'
import type { Tool } from './tool.ts'

/** Most of a name that a message repeats, in UTF-16 units. */
const LONGEST = 80

/** Finds the tool of an operation. */
export type ToolOf = (operation: OperationName) => Tool

/** What reading an operation needs. */
export interface OperationReading {
  readonly toolOf: ToolOf
  /** Whether the operator turned an operation off. */
  readonly disabled: (operation: OperationName) => boolean
  /** Where the operation stands in the caller's arguments, ending in a dot; `''` for the call itself. */
  readonly at: string
}

/** An operation that was read. Its arguments are not checked yet. */
export interface OperationCall {
  readonly operation: OperationName
  readonly tool: Tool
  readonly args: SentArguments
  /** Members that belong to other operations. */
  readonly ignored: readonly string[]
  /** Whether the path was given as `path`. */
  readonly pathGiven: boolean
  readonly at: string
}

/**
 * Reads one operation. Throws `invalid_argument` for what is no operation (`error_kind` `invalid_operation`), no configuration
 * (`invalid_config`), an unknown member, or two different paths; `unsupported` for a disabled one (`operation_not_enabled`). The
 * details of the error hold `error_kind` where it is no code, and `error_field`.
 */
export function readOperation(sent: SentArguments, reading: OperationReading): OperationCall {
  const { at } = reading
  const operation = sent.operation ?? ''
  if (typeof operation !== 'string' || !isOperation(operation)) throw noOperation(operation, at)
  if (reading.disabled(operation)) {
    throw failure('unsupported', `The operator has not enabled ${operation}.`, `${at}operation`, 'operation_not_enabled')
  }
  const tool = reading.toolOf(operation)
  const members = sortMembers(readConfig(sent.config, at), tool, reading.toolOf, `${at}config`)
  const { path: member, defaultPath } = OPERATIONS[operation]
  const { own } = members
  const given = sent.path ?? null
  const ignored = member === null && given !== null ? ['path', ...members.ignored] : members.ignored
  const args = { ...own }
  if (member !== null) {
    if (given !== null && own[member] !== undefined && own[member] !== given) {
      throw failure('invalid_argument', `path and config.${member} name different paths; give one.`, `${at}config.${member}`)
    }
    const path = given ?? own[member] ?? defaultPath
    if (path !== null) args[member] = path
  }
  return { operation, tool, args, ignored, pathGiven: given !== null, at }
}

/** Checks the arguments of an operation. Throws what {@link parseArguments} throws, naming the field as the caller wrote it. */
export function checkOperation(call: OperationCall): unknown {
  try {
    return parseArguments(call.tool, call.args)
  } catch (error) {
    throw error instanceof FilewrightError ? inCallersWords(call, error) : error
  }
}

/** The error with its field in the caller's notation. */
export function inCallersWords(call: OperationCall, error: FilewrightError): FilewrightError {
  const field = callersField(call, error)
  const named = field === undefined ? {} : { field, details: { ...error.details, error_field: field } }
  return new FilewrightError(error.code, error.message, { ...(error.details && { details: error.details }), ...named, cause: error })
}

/** A tool's field as the caller of the operation wrote it: `path`, or a member of `config`. */
export function callersField({ operation, pathGiven, at }: OperationCall, error: FilewrightError): string | undefined {
  const { field } = error
  if (field === undefined) return undefined
  // A path that is missing is asked for where it is usually given.
  const isPath = field === OPERATIONS[operation].path && (pathGiven || error.code === 'missing_argument')
  return isPath ? `${at}path` : `${at}config.${field}`
}

function noOperation(operation: unknown, at: string): FilewrightError {
  const names = Object.keys(OPERATIONS)
  const hint = typeof operation === 'string' && operation !== '' ? `; the nearest is ${nearestOperation(operation)}` : ''
  const message =
    operation === ''
      ? `operation is required: one of ${names.join(', ')}.`
      : `There is no operation ${shown(JSON.stringify(operation))}${hint}.`
  return failure('invalid_argument', message, `${at}operation`, 'invalid_operation')
}

/** As much of a caller's text as a message holds. */
function shown(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

function readConfig(config: unknown, at: string): SentArguments {
  if (config !== null && config !== undefined && (typeof config !== 'object' || Array.isArray(config))) {
    throw failure('invalid_argument', 'config must be an object, not a text or a list.', `${at}config`, 'invalid_config')
  }
  return givenArguments(config)
}

/** Tells apart what belongs to the tool, and what belongs to another one. Throws `invalid_argument` for what is unknown to all. */
function sortMembers(config: SentArguments, tool: Tool, toolOf: ToolOf, at: string): { own: SentArguments; ignored: string[] } {
  const known = argumentNames(tool)
  const own: { [name: string]: unknown } = {}
  const ignored: string[] = []
  for (const [name, value] of Object.entries(config)) {
    if (known.includes(name)) own[name] = value
    else if (namesOfAll(toolOf).has(name)) ignored.push(name)
    else
      throw failure(
        'invalid_argument',
        `There is no option ${shown(name)} of ${tool.name}; the nearest is ${nearestName(name, known)}.`,
        `${at}.${name}`,
      )
  }
  return { own, ignored }
}

const allNames = new WeakMap<ToolOf, ReadonlySet<string>>()

/** The options of all operations. */
function namesOfAll(toolOf: ToolOf): ReadonlySet<string> {
  let names = allNames.get(toolOf)
  if (!names) {
    names = new Set((Object.keys(OPERATIONS) as OperationName[]).flatMap((operation) => argumentNames(toolOf(operation))))
    allNames.set(toolOf, names)
  }
  return names
}

function failure(code: 'invalid_argument' | 'unsupported', message: string, field: string, kind?: string): FilewrightError {
  return new FilewrightError(code, message, { field, details: { error_field: field, ...(kind !== undefined && { error_kind: kind }) } })
}
