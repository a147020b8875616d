/** A schema in the part of JSON Schema that OpenAI's strict mode knows, where that can say the same. */
import type { JsonSchema } from '../tools/json_schema.ts'

/** Keywords that strict mode takes as they are. */
const KEPT: ReadonlySet<string> = new Set(['type', 'enum', 'const', 'description', 'pattern', 'minimum', 'maximum', 'minItems', 'maxItems'])

/** Keywords that it lacks and that can go: the tool itself checks lengths, and a default is told in words. */
const TOLD: ReadonlySet<string> = new Set(['$schema', 'default', 'minLength', 'maxLength'])

/** Keywords that are translated. */
const TRANSLATED: ReadonlySet<string> = new Set(['properties', 'required', 'additionalProperties', 'items', 'anyOf'])

/**
 * The schema of a tool's arguments for strict mode: closed, with every member required. A member that may be left out may be null
 * instead, which tools take for not given (contract C-41). Null when strict mode would lose something that the tool takes: values of
 * any kind, members of any name, or members that may be left out of a nested object, where null is a value like others.
 */
export function strictSchema(schema: JsonSchema): JsonSchema | null {
  return strictNode(schema, true)
}

function strictNode(node: unknown, whole = false): JsonSchema | null {
  if (!isSchema(node)) return null
  const keywords = Object.keys(node)
  if (keywords.some((keyword) => !KEPT.has(keyword) && !TOLD.has(keyword) && !TRANSLATED.has(keyword))) return null
  const { type, enum: values, const: value, anyOf } = node
  if (type === undefined && values === undefined && value === undefined && anyOf === undefined) return null
  const strict: Record<string, unknown> = {}
  for (const keyword of keywords) if (KEPT.has(keyword)) strict[keyword] = node[keyword]
  if (anyOf !== undefined) {
    const variants = all(anyOf as unknown[], (variant) => strictNode(variant))
    if (!variants) return null
    strict.anyOf = variants
  }
  if (has(type, 'array')) {
    const items = strictNode(node.items)
    if (!items) return null
    strict.items = items
  }
  if (has(type, 'object')) {
    const members = strictMembers(node, whole)
    if (!members) return null
    Object.assign(strict, members)
  }
  return strict
}

function strictMembers({ properties, required = [], additionalProperties = false }: JsonSchema, whole: boolean): JsonSchema | null {
  if (additionalProperties !== false || !isSchema(properties)) return null
  const members: Record<string, JsonSchema> = {}
  for (const [name, member] of Object.entries(properties)) {
    const strict = strictNode(member)
    const optional = !(required as readonly string[]).includes(name)
    if (!strict || (optional && !whole)) return null
    members[name] = optional ? orNull(withDefault(strict, member as JsonSchema)) : strict
  }
  return { properties: members, required: Object.keys(members), additionalProperties: false }
}

/** The same schema, or null. */
function orNull({ description, ...node }: JsonSchema): JsonSchema {
  const told = description === undefined ? {} : { description }
  if (typeof node.type !== 'string' || node.const !== undefined) return { anyOf: [node, { type: 'null' }], ...told }
  return { ...node, type: [node.type, 'null'], ...(Array.isArray(node.enum) && { enum: [...node.enum, null] }), ...told }
}

function withDefault(strict: JsonSchema, { default: value, description }: JsonSchema): JsonSchema {
  if (value === undefined) return strict
  const told = `Default: ${JSON.stringify(value)}.`
  return { ...strict, description: typeof description === 'string' ? `${description} ${told}` : told }
}

function has(type: unknown, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name))
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function all<Item, Result>(items: readonly Item[], translate: (item: Item) => Result | null): Result[] | null {
  const results = items.map(translate)
  return results.includes(null) ? null : (results as Result[])
}
