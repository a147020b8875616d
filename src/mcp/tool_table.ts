/** The tools as MCP lists them, and the names that a call may use. */
import type { Tool as McpTool } from '@modelcontextprotocol/server'
import type { BoundTool } from '../profiles/profile.ts'
import { inputSchema } from '../tools/json_schema.ts'
import type { OutputChoice } from './tool_result.ts'

/** What `tools/list` answers, and what `tools/call` looks up. */
export interface ToolTable {
  /** In the profile's order, always the same. */
  readonly list: readonly McpTool[]
  /** The tool of a listed or a documented name; undefined when the profile has none. */
  find(name: string): BoundTool | undefined
}

/** The name under which a tool is listed: clients accept letters, digits, `_`, `.` and `-` only (contract W-2). */
export function listedName(name: string): string {
  return name.replace(/[^A-Za-z0-9_.-]/g, '_')
}

/**
 * Prepares the list once; it is the same for every connection. `known` are all tools of the profile: one that the
 * operator disabled is not listed, but a call to it is answered by the workspace, which says so.
 */
export function createToolTable(offered: readonly BoundTool[], known: readonly BoundTool[], output: OutputChoice): ToolTable {
  const names = new Map<string, BoundTool>()
  for (const bound of known) names.set(listedName(bound.tool.name), bound)
  for (const bound of known) names.set(bound.tool.name, bound)
  return { list: offered.map((bound) => describeTool(bound, output)), find: (name) => names.get(name) }
}

function describeTool({ tool, outputSchema }: BoundTool, output: OutputChoice): McpTool {
  const reads = tool.kind === 'read'
  return {
    name: listedName(tool.name),
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchema(tool) as McpTool['inputSchema'],
    // A published output schema promises structured content, which `text` leaves out.
    ...(output !== 'text' && outputSchema && { outputSchema: outputSchema() as NonNullable<McpTool['outputSchema']> }),
    annotations: {
      readOnlyHint: reads,
      destructiveHint: !reads && tool.destructive,
      idempotentHint: reads || tool.idempotent,
      openWorldHint: false,
    },
  }
}
