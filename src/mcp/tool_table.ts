/** The tools as MCP lists them, and the names that a call may use. */
import type { Tool as McpTool } from '@modelcontextprotocol/server'
import { lazily } from '../core/lazy.ts'
import { listedTool, toolFinder } from '../profiles/listed.ts'
import type { BoundTool } from '../profiles/profile.ts'
import type { OutputChoice } from './tool_result.ts'

/** What `tools/list` answers, and what `tools/call` looks up. */
export interface ToolTable {
  /** In the profile's order, always the same. */
  list(): readonly McpTool[]
  /** The tool of a listed or a documented name; undefined when the profile has none. */
  find(name: string): BoundTool | undefined
}

/**
 * The list is made once, when it is first asked for; it is the same for every connection. `known` are all tools of the profile: one that the
 * operator disabled is not listed, but a call to it is answered by the workspace, which says so.
 */
export function createToolTable(offered: readonly BoundTool[], known: readonly BoundTool[], output: OutputChoice): ToolTable {
  return { list: lazily(() => offered.map((bound) => describeTool(bound, output))), find: toolFinder(known) }
}

function describeTool(bound: BoundTool, output: OutputChoice): McpTool {
  const { outputSchema, ...listed } = listedTool(bound)
  // A published output schema promises structured content, which `text` leaves out.
  return { ...listed, ...(output !== 'text' && outputSchema && { outputSchema }) } as McpTool
}
