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

/** Bytes that one UTF-16 unit takes in JSON at most, escaped. */
const WIDEST = 6
/** What a member or an item takes beside its texts, about. */
const NODE = 24

/** Whether a result surely has no more bytes than `limit`. Looks at no more of it than that takes. */
export function isSurelyWithin({ content, structuredContent }: CallToolResult, limit: number): boolean {
  let left = limit
  const waiting: unknown[] = [content, structuredContent]
  while (waiting.length > 0 && left >= 0) {
    const value = waiting.pop()
    left -= NODE
    if (typeof value === 'string') left -= value.length * WIDEST
    else if (Array.isArray(value)) {
      left -= value.length
      if (left >= 0) for (const item of value) waiting.push(item)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        left -= key.length * WIDEST
        waiting.push(member)
      }
    }
  }
  return left >= 0
}
