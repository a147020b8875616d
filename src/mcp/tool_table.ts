/** The tools as MCP lists them, and the names that a call may use. */
import type { Tool as McpTool } from '@modelcontextprotocol/server'
import { inputSchema, outputSchema } from '../tools/json_schema.ts'
import type { Tool } from '../tools/tool.ts'
import type { OutputChoice } from './tool_result.ts'

/** What `tools/list` answers, and what `tools/call` looks up. */
export interface ToolTable {
  /** In the profile's order, always the same. */
  readonly list: readonly McpTool[]
  /** The documented name for a listed or a documented one; undefined when no tool of the profile has it. */
  find(name: string): string | undefined
}

/** The name under which a tool is listed: clients accept letters, digits, `_`, `.` and `-` only (contract W-2). */
export function listedName(name: string): string {
  return name.replace(/[^A-Za-z0-9_.-]/g, '_')
}

/**
 * Prepares the list once; it is the same for every connection. `known` are the names of all tools of the profile: one that the
 * operator disabled is not listed, but a call to it is answered by the workspace, which says so.
 */
export function createToolTable(tools: readonly Tool[], known: readonly string[], output: OutputChoice): ToolTable {
  const names = new Map<string, string>()
  for (const name of known) names.set(listedName(name), name)
  for (const name of known) names.set(name, name)
  return { list: tools.map((tool) => describeTool(tool, output)), find: (name) => names.get(name) }
}

function describeTool(tool: Tool, output: OutputChoice): McpTool {
  const reads = tool.kind === 'read'
  return {
    name: listedName(tool.name),
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchema(tool) as McpTool['inputSchema'],
    // A published output schema promises structured content, which `text` leaves out.
    ...(output !== 'text' && { outputSchema: outputSchema(tool) as NonNullable<McpTool['outputSchema']> }),
    annotations: {
      readOnlyHint: reads,
      destructiveHint: !reads && tool.destructive,
      idempotentHint: reads || tool.idempotent,
      openWorldHint: false,
    },
  }
}
