/** A tool's schemas as JSON Schema 2020-12: what MCP, HTTP and forms publish, and what the tests validate against (W-1). */
import { z } from 'zod'
import type { Tool } from './tool.ts'

/** A JSON Schema, as plain JSON. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The schema of a tool's arguments. */
export function inputSchema(tool: Pick<Tool, 'input'>): JsonSchema {
  return toJsonSchema(tool.input, 'input')
}

/** The schema of a successful result. */
export function resultSchema(tool: Pick<Tool, 'output'>): JsonSchema {
  return toJsonSchema(tool.output, 'output')
}

/**
 * The schema of a tool's result: complete, or failed with `error` and the other fields empty, zero, false or left out
 * (contract P-1). A success never has `error`. More fields are allowed: an error adds the facts that it carries.
 */
export function outputSchema(tool: Pick<Tool, 'output'>): JsonSchema {
  const { properties, required = [], additionalProperties: _, ...rest } = resultSchema(tool)
  const error = { type: 'string', description: 'What went wrong; absent on success.' }
  return {
    ...rest,
    properties: { ...(properties as object), error },
    anyOf: [{ required: ['error'] }, { required, not: { required: ['error'] } }],
  }
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, { target: 'draft-2020-12', io, override: plain }) as JsonSchema
}

/** What says nothing costs tokens in every list of tools: the bounds of a safe integer. An empty schema for members is spelled `true`. */
function plain({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  const { additionalProperties } = jsonSchema
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length === 0) jsonSchema.additionalProperties = true
}
