/** A call's outcome as an MCP tool result. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import type { CallResult } from '../workspace/workspace.ts'

/** Which parts of a result are sent: the text block, the structured content, or both. */
export type OutputChoice = 'text' | 'structured' | 'both'

type Structured = NonNullable<CallToolResult['structuredContent']>

/** The parts that the operator chose; `isError` exactly when the call failed (contract W-3). `blocks` stand after the text. */
export function toToolResult(outcome: CallResult, output: OutputChoice, blocks: readonly ContentBlock[] = []): CallToolResult {
  // What stands beside it may be all there is to say.
  const silent = output === 'structured' || (outcome.text === '' && blocks.length > 0)
  return {
    content: silent ? [...blocks] : [{ type: 'text', text: outcome.text }, ...blocks],
    ...(output !== 'text' && { structuredContent: outcome.result as Structured }),
    isError: outcome.error !== null,
  }
}

/** What a member or an item counts beside its texts. */
const NODE = 8

/** Whether a value has no more than `limit` characters in all its texts and names. Looks at no more of it than that takes. */
export function isWithinSize(value: unknown, limit: number): boolean {
  let left = limit
  const waiting: unknown[] = [value]
  while (waiting.length > 0 && left >= 0) {
    const next = waiting.pop()
    left -= NODE
    if (typeof next === 'string') left -= next.length
    else if (Array.isArray(next)) {
      // As many items as are too much anyway are not looked at.
      if (next.length * NODE > left) return false
      for (const item of next) waiting.push(item)
    } else if (typeof next === 'object' && next !== null) {
      for (const [key, member] of Object.entries(next)) {
        left -= key.length
        waiting.push(member)
      }
    }
  }
  return left >= 0
}
