/** Building blocks of the tools' arguments: what each takes, how it is described, and how a call is checked against it. */
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import { nearestName } from './nearest_name.ts'

/** Arguments as they were sent, unchecked. */
export type SentArguments = { readonly [name: string]: unknown }

/** Bounds of an integer: below `min` is an error, above `max` counts as `max` (C-42). */
export interface IntegerBounds {
  readonly min?: number
  readonly max?: number
}

/** A JSON integer; `3.0` is one, `3.5`, `"3"` and `true` are not (C-41). */
export function integer(description: string, { min, max }: IntegerBounds = {}): z.ZodNumber {
  let schema = z.number('must be an integer').refine(Number.isInteger, 'must be an integer')
  if (min !== undefined) schema = schema.min(min, `must be at least ${min}`)
  // The maximum is not part of the published schema: a larger number is accepted.
  if (max !== undefined) schema = schema.overwrite((value) => Math.min(value, max))
  return schema.meta({ type: 'integer', description: max === undefined ? description : `${description} At most ${max}.` })
}

/** True or false, nothing else. */
export function boolean(description: string): z.ZodBoolean {
  return z.boolean('must be true or false').describe(description)
}

/** Any text: paths and names, which are judged where they are resolved. */
export function text(description: string): z.ZodString {
  return z.string('must be a text').describe(description)
}

/** Text that may be stored: well-formed Unicode, since a lone surrogate has no UTF-8 (C-22). */
export function content(description: string): z.ZodString {
  return text(description).refine((value) => value.isWellFormed(), 'must be well-formed Unicode: it holds a lone surrogate')
}

/** A list of texts. */
export function textList(description: string): z.ZodArray<z.ZodString> {
  return z.array(z.string('must be a text'), 'must be a list of texts').describe(description)
}

/** A SHA-256 in hex digits of either case; lower case from here on (P-7). */
export function sha256(description: string): z.ZodString {
  return z
    .string('must be a text')
    .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256 of 64 hex digits')
    .overwrite((value) => value.toLowerCase())
    .describe(description)
}

/** Checks members against one another once each of them is sound; `check` may add to them, and throws {@link FilewrightError}. */
export function checkedTogether<Schema extends z.ZodType, Args>(
  schema: Schema,
  check: (args: z.output<Schema>) => Args,
): z.ZodPipe<Schema, z.ZodTransform<Args, z.output<Schema>>> {
  // An unknown member does not keep a transform from running, but it is what the caller must hear of first.
  return schema.pipe(z.transform((args, context) => (context.issues.length > 0 ? z.NEVER : check(args as z.output<Schema>))))
}

/** Arguments without the members that are null, which mean "not given" (P-6). Throws `invalid_argument` when it is not an object. */
export function givenArguments(sent: unknown): SentArguments {
  if (sent === undefined || sent === null) return {}
  if (typeof sent === 'string') {
    throw new FilewrightError('invalid_argument', 'The arguments must be an object; a text was sent, or JSON that was cut off.')
  }
  if (typeof sent !== 'object' || Array.isArray(sent)) throw new FilewrightError('invalid_argument', 'The arguments must be an object.')
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null && value !== undefined))
}

/** As {@link givenArguments}; nothing when it is no object. */
export function sentMembers(sent: unknown): SentArguments {
  try {
    return givenArguments(sent)
  } catch {
    return {}
  }
}

/**
 * The arguments of a call, checked and with defaults. Null members count as not given. Throws `missing_argument` or
 * `invalid_argument` with the `field` as the caller wrote it (`replacements[1].old_content`); an unknown member is refused
 * naming the nearest known one (W-5).
 */
export function parseArguments<Args>(tool: { readonly input: z.ZodType<Args> }, sent: unknown): Args {
  return checkValue(tool.input, givenArguments(sent), '')
}

/** As {@link parseArguments}, for a value that stands at `at` in the caller's arguments; `''` is the whole of them. */
export function checkValue<Value>(schema: z.ZodType<Value>, value: unknown, at: string): Value {
  const parsed = schema.safeParse(value, { error: wording, reportInput: true })
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? (issues[0] as z.core.$ZodIssue)
  if (issue.code === 'unrecognized_keys') throw unknownMember(schema, issue, at)
  const field = notation(issue.path, at)
  const missing = issue.input === undefined && issue.code !== 'custom'
  // The schema's own words tell what a value must be; where there is none, that is what is wrong.
  const problem = missing ? 'is required' : issue.message
  throw new FilewrightError(missing ? 'missing_argument' : 'invalid_argument', `${field || 'The value'} ${problem}.`, { field })
}

function wording(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `must be at least ${issue.minimum}${UNITS[issue.origin] ?? ''}`
    case 'too_big':
      return `must be at most ${issue.maximum}${UNITS[issue.origin] ?? ''}`
    default:
      return 'is not valid'
  }
}

const TYPES: { readonly [type: string]: string } = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

const UNITS: { readonly [origin: string]: string } = { string: ' characters long', array: ' items long' }

function unknownMember(schema: z.ZodType, issue: z.core.$ZodIssueUnrecognizedKeys, at: string): FilewrightError {
  const name = issue.keys[0] as string
  const field = notation([...issue.path, name], at)
  const near = nearestName(name, knownNames(schema, issue.path))
  const shown = field.length > 80 ? `${field.slice(0, 80)}…` : field
  const hint = near === '' ? 'there are none' : `the nearest is ${near}`
  return new FilewrightError('invalid_argument', `There is no argument ${shown}; ${hint}.`, { field })
}

/** The member names of the object at `path`, read from the published schema. */
function knownNames(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let node: z.core.JSONSchema.BaseSchema = z.toJSONSchema(schema, { io: 'input' })
  for (const step of path) {
    node = ((typeof step === 'number' ? node.items : node.properties?.[String(step)]) ?? {}) as z.core.JSONSchema.BaseSchema
  }
  return Object.keys(node.properties ?? {})
}

const namesOfSchemas = new WeakMap<z.ZodType, readonly string[]>()

/** The names of a tool's arguments. */
export function argumentNames({ input }: { readonly input: z.ZodType }): readonly string[] {
  let names = namesOfSchemas.get(input)
  if (!names) {
    names = knownNames(input, [])
    namesOfSchemas.set(input, names)
  }
  return names
}

/** A place in the arguments as a caller would write it. */
function notation(path: readonly PropertyKey[], at: string): string {
  let field = at
  for (const step of path) field += typeof step === 'number' ? `[${step}]` : field === '' ? String(step) : `.${String(step)}`
  return field
}
