/** A form's fields, made from a tool's JSON Schema, and what was typed made into arguments. */
import type { JsonSchema } from '../../src/tools/json_schema.ts'

/** One argument. */
export interface Field {
  readonly name: string
  readonly description: string
  readonly required: boolean
  readonly kind: 'text' | 'integer' | 'boolean' | 'json'
  /** The values there are; null when any will do. */
  readonly choices: readonly string[] | null
  /** Written in several lines. */
  readonly long: boolean
  readonly byDefault: string | undefined
}

const LONG = /content|replacements/

/** The fields in the schema's order. */
export function fieldsOf(schema: JsonSchema): Field[] {
  const properties = (schema.properties ?? {}) as { readonly [name: string]: JsonSchema }
  const required = new Set((schema.required ?? []) as readonly string[])
  return Object.entries(properties).map(([name, property]) => {
    const kind = kindOf(property)
    return {
      name,
      description: String(property.description ?? ''),
      required: required.has(name),
      kind,
      choices: kind === 'boolean' ? ['true', 'false'] : ((property.enum as string[] | undefined) ?? null),
      long: kind === 'json' || (kind === 'text' && LONG.test(name)),
      byDefault: property.default === undefined ? undefined : String(property.default),
    }
  })
}

function kindOf({ type }: JsonSchema): Field['kind'] {
  if (type === 'integer' || type === 'number') return 'integer'
  if (type === 'boolean') return 'boolean'
  return type === 'string' ? 'text' : 'json'
}

/** What was typed, as an argument; undefined when nothing was. Throws when it is not JSON where JSON is wanted. */
export function argumentOf(field: Field, typed: string): unknown {
  if (typed === '' && !(field.required && field.kind === 'text')) return undefined
  if (field.kind === 'text') return typed
  try {
    return JSON.parse(typed)
  } catch {
    throw new Error(`${field.name} is not valid JSON.`)
  }
}
