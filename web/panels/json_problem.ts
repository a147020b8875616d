/** What is wrong with typed JSON: where it is none, and where it is not what a schema asks for. */

import { invalid } from '../../src/text/document/validate.ts'
import { checkJson } from '../../src/text/json/scan.ts'
import type { JsonSchema } from '../../src/tools/json_schema.ts'

/** Why a text is no JSON, with its line and column; null when it is. */
export function syntaxProblem(text: string): string | null {
  const bytes = new TextEncoder().encode(text)
  const problem = checkJson(bytes, 0, false)
  if (!problem) return null
  const { message, line, column } = invalid(bytes, problem)
  return `line ${line}, column ${column}: ${message}`
}

/** The first place where a value is not what the schema asks for; null when there is none. The keywords are those that tools use. */
export function shapeProblem(schema: JsonSchema, value: unknown, at = ''): string | null {
  const place = at === '' ? 'It' : at
  if (Array.isArray(schema.anyOf)) {
    const problems = (schema.anyOf as JsonSchema[]).map((one) => shapeProblem(one, value, at))
    return problems.includes(null) ? null : (problems[0] as string)
  }
  const types = schema.type === undefined ? [] : [schema.type].flat().map(String)
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return `${place} must be ${types.map(articled).join(' or ')}.`
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return `${place} must be one of ${schema.enum.join(', ')}.`
  if (typeof value === 'number' && typeof schema.minimum === 'number' && value < schema.minimum) {
    return `${place} must be at least ${schema.minimum}.`
  }
  if (Array.isArray(value)) return itemsProblem(schema, value, at)
  return typeof value === 'object' && value !== null ? membersProblem(schema, value, at) : null
}

function itemsProblem({ items }: JsonSchema, value: readonly unknown[], at: string): string | null {
  for (const [index, item] of value.entries()) {
    const problem = shapeProblem((items ?? {}) as JsonSchema, item, `${at}[${index}]`)
    if (problem !== null) return problem
  }
  return null
}

function membersProblem(schema: JsonSchema, value: object, at: string): string | null {
  const properties = (schema.properties ?? {}) as { readonly [name: string]: JsonSchema }
  const missing = ((schema.required ?? []) as readonly string[]).find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${at === '' ? 'It' : at} needs ${missing}.`
  for (const [name, member] of Object.entries(value)) {
    const inside = at === '' ? name : `${at}.${name}`
    const own = Object.hasOwn(properties, name) ? (properties[name] as JsonSchema) : null
    if (!own && schema.additionalProperties === false) return `${inside} is not known. There are: ${Object.keys(properties).join(', ')}.`
    const problem = own && shapeProblem(own, member, inside)
    if (problem) return problem
  }
  return null
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  return type === 'object' ? typeof value === 'object' && value !== null && !Array.isArray(value) : typeof value === type
}

const articled = (type: string): string => (/^[aeio]/.test(type) ? `an ${type}` : type === 'null' ? type : `a ${type}`)
