/** The schemas of the `native` tools as they are listed: what a model needs, and no more, since it reads them in every session. */
import { inputSchema, type JsonSchema, resultSchema } from '../tools/json_schema.ts'
import type { Tool } from '../tools/tool.ts'

/** Keywords that tell a model nothing: bounds are checked all the same, and names of other tools are taken, too (W-5b). */
const DROPPED: readonly string[] = ['$schema', 'additionalProperties', 'pattern', 'minimum', 'minLength', 'minItems', 'maxItems']

/** Options that a refusal names when they are needed. */
const UNLISTED: readonly string[] = ['allow_ignored', 'allow_sensitive']

/** Facts of a result that a caller goes on with. */
const PUBLISHED: readonly string[] = ['sha256', 'next_offset', 'cursor', 'matches', 'total', 'results', 'exit_code']

/** The arguments of a tool. */
export function listedInput(tool: Pick<Tool, 'input'>): JsonSchema {
  return compact(inputSchema(tool))
}

/** What its structured results hold at least now and then; they may have more. */
export function listedOutput(tool: Tool): JsonSchema {
  const { properties } = resultSchema(tool) as { readonly properties: { readonly [name: string]: JsonSchema } }
  const named = Object.entries(properties).filter(([name]) => PUBLISHED.includes(name))
  const code = { type: 'string' }
  return { type: 'object', properties: { ...Object.fromEntries(named.map(([name, { type }]) => [name, { type }])), code } }
}

function compact(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword, value]) => !(DROPPED.includes(keyword) || saysNothing(keyword, value)))
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, compactMember(keyword, value)]))
}

function saysNothing(keyword: string, value: unknown): boolean {
  return (keyword === 'default' && (value === false || value === 0)) || (keyword === 'description' && value === '')
}

function compactMember(keyword: string, value: unknown): unknown {
  if (keyword === 'items') return compact(value as JsonSchema)
  if (keyword !== 'properties') return value
  const members = Object.entries(value as { readonly [name: string]: JsonSchema }).filter(([name]) => !UNLISTED.includes(name))
  return Object.fromEntries(members.map(([name, schema]) => [name, compact(schema)]))
}
