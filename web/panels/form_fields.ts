/** A form's fields, made from a tool's JSON Schema, and what was typed made into arguments. */
import type { JsonSchema } from '../../src/tools/json_schema.ts'
import { exampleOf } from './call_examples.ts'
import { syntaxProblem } from './json_problem.ts'

/** One argument. */
export interface Field {
  readonly name: string
  readonly description: string
  readonly required: boolean
  /** Nearly every call gives it, so it does not stand among the options. */
  readonly isMain: boolean
  readonly kind: 'text' | 'integer' | 'boolean' | 'json'
  /** The values there are; null when any will do. */
  readonly choices: readonly string[] | null
  /** Written in several lines. */
  readonly long: boolean
  readonly byDefault: string | undefined
  readonly schema: JsonSchema
}

/** What stands in each field, by its name. */
export interface Typed {
  readonly [name: string]: string
}

const LONG = /content|_text$|_str$|^input$/

/** The fields of a tool in its schema's order. */
export function fieldsOf(tool: string, schema: JsonSchema): Field[] {
  const properties = (schema.properties ?? {}) as { readonly [name: string]: JsonSchema }
  const required = new Set((schema.required ?? []) as readonly string[])
  const examples = exampleOf(tool)
  return Object.entries(properties).map(([name, property]) => {
    const kind = kindOf(property)
    return {
      name,
      description: String(property.description ?? ''),
      required: required.has(name),
      isMain: required.has(name) || Object.hasOwn(examples, name),
      kind,
      choices: kind === 'boolean' ? ['true', 'false'] : ((property.enum as string[] | undefined) ?? null),
      long: kind === 'json' || (kind === 'text' && LONG.test(name) && property.enum === undefined),
      byDefault: property.default === undefined ? undefined : String(property.default),
      schema: property,
    }
  })
}

/** What stands in the fields of a tool before anything is typed. Another profile's tool of that name may have other fields. */
export function startOf(tool: string, fields: readonly Field[]): Typed {
  const example = Object.entries(exampleOf(tool)).filter(([name]) => fields.some((field) => field.name === name))
  return typedOf(Object.fromEntries(example))
}

/** Arguments as somebody would have typed them. */
export function typedOf(args: { readonly [name: string]: unknown }): Typed {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, typedValue(value)]))
}

function typedValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

function kindOf({ type }: JsonSchema): Field['kind'] {
  if (type === 'integer' || type === 'number') return 'integer'
  if (type === 'boolean') return 'boolean'
  return type === 'string' ? 'text' : 'json'
}

/** What was typed, as arguments. Throws where something is not JSON although JSON is wanted. */
export function argumentsOf(fields: readonly Field[], typed: Typed): { readonly [name: string]: unknown } {
  const given = fields.map((field) => [field.name, argumentOf(field, typed[field.name] ?? '')] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

function argumentOf({ name, kind, required, isMain, long }: Field, typed: string): unknown {
  // Empty content is content; an empty name is none.
  if (kind === 'text') return typed === '' && !required && !(isMain && long) ? undefined : typed
  if (typed.trim() === '') return undefined
  if (kind === 'integer' && !/^\s*-?[0-9]+\s*$/.test(typed)) throw new Error(`${name} must be a whole number.`)
  const problem = syntaxProblem(typed)
  if (problem !== null) throw new Error(`${name} is not valid JSON, ${problem}.`)
  return JSON.parse(typed)
}
