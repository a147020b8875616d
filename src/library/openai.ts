/** OpenAI's two interfaces: chat completions and responses. */
import type { JsonSchema } from '../tools/json_schema.ts'
import {
  bareSchema,
  type DefinitionOptions,
  dataUrl,
  type Enclosure,
  fileName,
  isImage,
  isPdf,
  partsOf,
  type ToolFormat,
} from './format.ts'
import { strictSchema } from './openai_strict.ts'

/** A tool of a chat completion. */
export interface OpenAiTool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonSchema; readonly strict: boolean }
}

/** A function call in an assistant's message. */
export interface OpenAiToolCall {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
}

/** The message that answers it. It holds text only: an image is named there, not shown. */
export interface OpenAiToolMessage {
  readonly role: 'tool'
  readonly tool_call_id: string
  readonly content: string
}

/** A tool of the responses interface. */
export interface OpenAiResponsesTool {
  readonly type: 'function'
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
  readonly strict: boolean
}

/** A function call among the output items of a response. */
export interface OpenAiFunctionCall {
  readonly call_id: string
  readonly name: string
  readonly arguments: string
}

/** A part of a function call's output. */
export type OpenAiOutputPart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail: 'auto' }
  | { readonly type: 'input_file'; readonly filename: string; readonly file_data: string }

/** The input item that answers it: text, or parts where an image or a PDF goes with it. */
export interface OpenAiFunctionCallOutput {
  readonly type: 'function_call_output'
  readonly call_id: string
  readonly output: string | OpenAiOutputPart[]
}

/** Chat completions. */
export const openAiChat: ToolFormat<OpenAiTool, OpenAiToolCall, OpenAiToolMessage> = {
  define: ({ name, description, inputSchema }, options) => ({
    type: 'function',
    function: { name, description, ...parametersOf(inputSchema, options) },
  }),
  read({ function: called }) {
    // A call of a kind that was not offered has no function; it wants an answer all the same.
    const { name = '', arguments: args }: Partial<OpenAiToolCall['function']> = called ?? {}
    return { name, args }
  },
  answer: ({ id }, outcome) => ({ role: 'tool', tool_call_id: id, content: partsOf(outcome, () => null).text }),
}

/** The responses interface. */
export const openAiResponses: ToolFormat<OpenAiResponsesTool, OpenAiFunctionCall, OpenAiFunctionCallOutput> = {
  define: ({ name, description, inputSchema }, options) => ({
    type: 'function',
    name,
    description,
    ...parametersOf(inputSchema, options),
  }),
  read: ({ name, arguments: args }) => ({ name, args }),
  answer({ call_id }, outcome) {
    const { text, parts } = partsOf(outcome, partOf)
    const shown: OpenAiOutputPart[] = text === '' ? parts : [{ type: 'input_text', text }, ...parts]
    return { type: 'function_call_output', call_id, output: parts.length === 0 ? text : shown }
  },
}

function parametersOf(schema: JsonSchema, { strict = false }: DefinitionOptions): { parameters: JsonSchema; strict: boolean } {
  const exact = strict ? strictSchema(schema) : null
  return exact ? { parameters: exact, strict: true } : { parameters: bareSchema(schema), strict: false }
}

function partOf(enclosure: Enclosure): OpenAiOutputPart | null {
  if (isImage(enclosure)) return { type: 'input_image', image_url: dataUrl(enclosure), detail: 'auto' }
  if (!isPdf(enclosure)) return null
  return { type: 'input_file', filename: fileName(enclosure, 'file.pdf'), file_data: dataUrl(enclosure) }
}
