/** Arguments as other tools name and spell them, understood by tables; what was understood is told (contract W-5b). */
import { FilewrightError } from '../core/errors.ts'
import { givenArguments, type SentArguments } from '../tools/arguments.ts'
import type { JsonSchema } from '../tools/json_schema.ts'

/** What a foreign argument stands for. */
export interface Alias {
  /** The own argument. */
  readonly to: string
  /** Its value; default: as it was sent. Undefined: it says nothing. */
  readonly as?: (value: unknown) => unknown
}

/** How the arguments of one tool may be spelt. */
export interface Dialect {
  readonly aliases: { readonly [foreign: string]: string | Alias }
  /** Other spellings of the values of an argument. */
  readonly values?: { readonly [member: string]: { readonly [foreign: string]: string } }
  /** The dialect of the items of a list. */
  readonly items?: { readonly [member: string]: Dialect }
  /** The list that a call means which gives a single item's members at the root: what tells that, and what stays there. */
  readonly single?: { readonly list: string; readonly by: readonly string[]; readonly keep: readonly string[] }
  /** Members that only together stand for own ones; answers the same object when there are none. */
  readonly fold?: (args: SentArguments) => SentArguments
  /** How the members are read further, where that depends on what one of them says. */
  readonly further?: (args: SentArguments) => Reading | undefined
}

/** A dialect, and the published schema of what is spelt in it. */
export interface Reading {
  readonly schema: JsonSchema
  readonly dialect: Dialect
}

/** Arguments under their own names. */
export interface Understood {
  readonly args: SentArguments
  /** What was read as something else: `file_path as path`. */
  readonly accepted: readonly string[]
}

/**
 * Reads arguments by a dialect. `schema` is the published one: it tells which members are numbers, truth values, lists or objects,
 * and so may come as text. Unknown members stay, to be refused by the tool. Throws `invalid_argument` when two names of one
 * argument have different values, naming both.
 */
export function understand(schema: JsonSchema, dialect: Dialect, sent: unknown): Understood {
  const accepted: string[] = []
  const whole = typeof sent === 'string' ? (parsed(sent.trim(), '{') ?? sent) : sent
  if (whole !== sent) accepted.push('the arguments as an object')
  const args = read(schema, dialect, givenArguments(whole), '', accepted)
  return { args, accepted: [...new Set(accepted)] }
}

function read(schema: JsonSchema, dialect: Dialect, sent: SentArguments, at: string, accepted: string[]): SentArguments {
  const properties = (schema.properties ?? {}) as { readonly [name: string]: JsonSchema }
  const { args: renamed, names } = rename(dialect, sent, Object.keys(properties), at, accepted)
  const args = gather(dialect, folded(dialect, renamed, at, accepted), at, accepted)
  for (const [name, value] of Object.entries(args)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!own) continue
    const place = at + (names.get(name) ?? name)
    const spelt = dialect.values?.[name]
    if (typeof value === 'string' && spelt && Object.hasOwn(spelt, value)) {
      args[name] = spelt[value]
      accepted.push(`${place} ${value} as ${spelt[value]}`)
      continue
    }
    const parsed = fromText(own, value)
    if (parsed !== value) accepted.push(`${place} as ${KINDS[typeOf(own)]}`)
    const item = dialect.items?.[name]
    const itemSchema = (own.items ?? {}) as JsonSchema
    args[name] =
      item && Array.isArray(parsed) ? parsed.map((one, index) => readItem(itemSchema, item, one, `${place}[${index}]`, accepted)) : parsed
  }
  const further = dialect.further?.(args)
  return further ? read(further.schema, further.dialect, args, at, accepted) : args
}

function readItem(schema: JsonSchema, dialect: Dialect, item: unknown, at: string, accepted: string[]): unknown {
  const given = fromText(schema, item)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  if (given !== item) accepted.push(`${at} as an object`)
  return read(schema, dialect, givenArguments(given), `${at}.`, accepted)
}

interface Renamed {
  readonly args: SentArguments
  /** As what the caller wrote an argument. */
  readonly names: ReadonlyMap<string, string>
}

function rename({ aliases }: Dialect, sent: SentArguments, own: readonly string[], at: string, accepted: string[]): Renamed {
  // A caller may send any name, also one that every object has.
  const args = new Map<string, unknown>()
  const names = new Map<string, string>()
  for (const [name, value] of Object.entries(sent)) {
    const alias = own.includes(name) || !Object.hasOwn(aliases, name) ? undefined : aliases[name]
    const { to, as } = typeof alias === 'object' ? alias : { to: alias ?? name, as: undefined }
    const meant = as ? as(value) : value
    if (meant === undefined) continue
    if (alias !== undefined) accepted.push(`${at}${name} as ${to}`)
    if (args.has(to) && !isSame(args.get(to), meant)) {
      const message = `${at}${names.get(to)} and ${at}${name} both stand for ${to} and differ; give ${to} alone.`
      throw new FilewrightError('invalid_argument', message, { field: at + name })
    }
    args.set(to, meant)
    names.set(to, name)
  }
  return { args: Object.fromEntries(args), names }
}

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b
  try {
    return JSON.stringify(a) === JSON.stringify(b)
  } catch {
    // Nested too deeply to be compared.
    return false
  }
}

function folded({ fold }: Dialect, args: SentArguments, at: string, accepted: string[]): SentArguments {
  const result = fold?.(args) ?? args
  const gone = Object.keys(args).filter((name) => !(name in result))
  const made = Object.keys(result).filter((name) => result[name] !== args[name])
  if (made.length > 0) accepted.push(`${gone.map((name) => at + name).join(', ')} as ${made.join(' and ')}`)
  return result
}

/** One item's members at the root become the list with that item. */
function gather({ single }: Dialect, args: SentArguments, at: string, accepted: string[]): { [name: string]: unknown } {
  if (!single || Object.hasOwn(args, single.list) || !single.by.some((name) => Object.hasOwn(args, name))) return { ...args }
  const members = Object.entries(args)
  const item = members.filter(([name]) => !single.keep.includes(name))
  const rest = members.filter(([name]) => single.keep.includes(name))
  accepted.push(`${item.map(([name]) => at + name).join(', ')} as one of ${at}${single.list}`)
  return { ...Object.fromEntries(rest), [single.list]: [Object.fromEntries(item)] }
}

type Kind = 'number' | 'boolean' | 'list' | 'object' | 'other'

const KINDS: { readonly [kind in Kind]: string } = {
  number: 'a number',
  boolean: 'true or false',
  list: 'a list',
  object: 'an object',
  other: 'it stands',
}

const TYPES: { readonly [type: string]: Kind } = {
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  array: 'list',
  object: 'object',
}

function typeOf({ type }: JsonSchema): Kind {
  return (typeof type === 'string' && TYPES[type]) || 'other'
}

/** A number, a truth value or JSON that came as text; a single thing where a list is meant. What is neither stays as it is. */
function fromText(schema: JsonSchema, value: unknown): unknown {
  const kind = typeOf(schema)
  if (kind === 'list' && !Array.isArray(value)) return asList(schema, value)
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (kind === 'number' && /^[+-]?\d{1,15}(\.0+)?$/.test(text)) return Number(text)
  if (kind === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return kind === 'object' ? (parsed(text, '{') ?? value) : value
}

function asList(schema: JsonSchema, value: unknown): unknown {
  const itemType = (schema.items as JsonSchema | undefined)?.type
  if (typeof value === 'string')
    return parsed(value.trim(), '[') ?? listOf(parsed(value.trim(), '{')) ?? (itemType === 'string' ? [value] : value)
  return typeof value === 'object' && value !== null && itemType !== 'string' ? [value] : value
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return value === undefined ? undefined : [value]
}

function parsed(text: string, opening: '[' | '{'): unknown {
  if (!text.startsWith(opening)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
