/** Anthropic's messages interface. */
import type { JsonSchema } from '../tools/json_schema.ts'
import { bareSchema, type Enclosure, fileName, isImage, isPdf, partsOf, type ToolFormat } from './format.ts'

/** A tool. */
export interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: JsonSchema & { readonly type: 'object' }
}

/** A `tool_use` block of an assistant's message. */
export interface AnthropicToolUse {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** The types of image that are taken. */
export type AnthropicImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/** A part of a tool's result. */
export type AnthropicBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly source: { readonly type: 'base64'; readonly media_type: AnthropicImageType; readonly data: string } }
  | {
      readonly type: 'document'
      readonly title: string
      readonly source: { readonly type: 'base64'; readonly media_type: 'application/pdf'; readonly data: string }
    }

/** The block that answers it: text, or blocks where an image or a PDF goes with it. */
export interface AnthropicToolResult {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: string | AnthropicBlock[]
  readonly is_error: boolean
}

/** The messages interface. */
export const anthropicMessages: ToolFormat<AnthropicTool, AnthropicToolUse, AnthropicToolResult> = {
  define: ({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: { ...bareSchema(inputSchema), type: 'object' },
  }),
  read: ({ name, input }) => ({ name, args: input }),
  answer({ id }, outcome) {
    const { text, parts } = partsOf(outcome, blockOf)
    const shown: AnthropicBlock[] = text === '' ? parts : [{ type: 'text', text }, ...parts]
    return {
      type: 'tool_result',
      tool_use_id: id,
      content: parts.length === 0 ? text : shown,
      is_error: outcome.error !== null,
    }
  },
}

function blockOf(enclosure: Enclosure): AnthropicBlock | null {
  const { mimeType, data } = enclosure
  if (isImage(enclosure)) return { type: 'image', source: { type: 'base64', media_type: mimeType as AnthropicImageType, data } }
  if (!isPdf(enclosure)) return null
  return { type: 'document', title: fileName(enclosure, 'file.pdf'), source: { type: 'base64', media_type: 'application/pdf', data } }
}
