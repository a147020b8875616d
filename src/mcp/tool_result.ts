/** A call's outcome as an MCP tool result. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { CallResult } from '../workspace/workspace.ts'

/** Which parts of a result are sent: the text block, the structured content, or both. */
export type OutputChoice = 'text' | 'structured' | 'both'

/** The parts that the operator chose; `isError` exactly when the call failed (contract W-3). */
export function toToolResult(outcome: CallResult, output: OutputChoice): CallToolResult {
  return {
    content: output === 'structured' ? [] : [{ type: 'text', text: outcome.text }],
    ...(output !== 'text' && { structuredContent: outcome.result as NonNullable<CallToolResult['structuredContent']> }),
    isError: outcome.error !== null,
  }
}
