/** A call's outcome as an MCP tool result. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import type { Attachment } from '../profiles/profile.ts'
import type { CallResult } from '../workspace/workspace.ts'

/** Which parts of a result are sent: the text block, the structured content, or both. */
export type OutputChoice = 'text' | 'structured' | 'both'

/** The parts that the operator chose; `isError` exactly when the call failed (contract W-3). */
export function toToolResult(outcome: CallResult, output: OutputChoice): CallToolResult {
  const blocks = (outcome.attachments ?? []).flatMap(blockOf)
  // What is attached may be all there is to say.
  const silent = output === 'structured' || (outcome.text === '' && blocks.length > 0)
  return {
    content: silent ? blocks : [{ type: 'text', text: outcome.text }, ...blocks],
    ...(output !== 'text' && { structuredContent: outcome.result as NonNullable<CallToolResult['structuredContent']> }),
    isError: outcome.error !== null,
  }
}

function blockOf(attachment: Attachment): ContentBlock[] {
  switch (attachment.type) {
    case 'image':
    case 'audio':
      return [{ type: attachment.type, mimeType: attachment.mimeType, data: attachment.data }]
    case 'file': {
      const uri = `file://${attachment.path.split('/').map(encodeURIComponent).join('/')}`
      return [{ type: 'resource', resource: { uri, mimeType: attachment.mimeType, blob: attachment.data } }]
    }
    case 'link':
      return []
  }
}
