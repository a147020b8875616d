/** The tools as lists for models tell them, and the names under which they are called. */
import { encodeText } from '../text/utf8.ts'
import { inputSchema, type JsonSchema } from '../tools/json_schema.ts'
import type { BoundTool } from './profile.ts'

/** One tool in a list, in the shape that MCP gave it. */
export interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** Absent when only the text of an answer is meant for clients. */
  readonly outputSchema?: JsonSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

/** The name under which a tool is listed: what every client and model interface accepts is letters, digits, `_` and `-` (contract W-2). */
export function listedName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_')
}

/** A tool as it is listed. */
export function listedTool({ tool, inputSchema: listedInput, outputSchema }: BoundTool): ListedTool {
  const reads = tool.kind === 'read'
  return {
    name: listedName(tool.name),
    title: tool.title,
    description: tool.description,
    inputSchema: listedInput?.() ?? inputSchema(tool),
    ...(outputSchema && { outputSchema: outputSchema() }),
    annotations: {
      readOnlyHint: reads,
      destructiveHint: !reads && tool.destructive,
      idempotentHint: reads || tool.idempotent,
      openWorldHint: tool.needs === 'runner',
    },
  }
}

/** Bytes of a list of tools as MCP sends it: what a model pays for a profile before it has called anything. */
export function listBytes(tools: readonly BoundTool[]): number {
  return encodeText(JSON.stringify({ tools: tools.map(listedTool) })).length
}

/** Finds a tool by its listed or its documented name. */
export function toolFinder(tools: readonly BoundTool[]): (name: string) => BoundTool | undefined {
  const names = new Map(tools.map((bound) => [listedName(bound.tool.name), bound]))
  for (const bound of tools) names.set(bound.tool.name, bound)
  return (name) => names.get(name)
}
