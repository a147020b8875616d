/**
 * `filewright/definitions`: the tools of a workspace, whatever its profile, as model interfaces take them, and the calls of a model
 * answered as they want it. None of their packages is needed.
 *
 * @example
 * ```ts
 * import { createMemoryFs, openWorkspace } from 'filewright'
 * import { answerToolCall, toolDefinitions } from 'filewright/definitions'
 *
 * const workspace = await openWorkspace({ fs: createMemoryFs(), profile: 'fileops' })
 * const tools = toolDefinitions(workspace, 'openai')
 * console.log(tools[0]?.function.name)
 * const call = { id: 'call_1', function: { name: 'write_file', arguments: '{"file_path":"a.txt","content":"one"}' } }
 * const message = await answerToolCall(workspace, 'openai', call)
 * console.log(message.content)
 * ```
 *
 * For the AI SDK, `aiSdkTools(workspace)` gives tools that it calls itself.
 *
 * @module
 */
import { FilewrightError } from '../core/errors.ts'
import { type ListedTool, listedTool } from '../profiles/listed.ts'
import type { CallOptions, Workspace } from '../workspace/workspace.ts'
import { type AnthropicTool, type AnthropicToolResult, type AnthropicToolUse, anthropicMessages } from './anthropic.ts'
import { callTool } from './call_tool.ts'
import type { DefinitionOptions, ToolFormat } from './format.ts'
import {
  type OpenAiFunctionCall,
  type OpenAiFunctionCallOutput,
  type OpenAiResponsesTool,
  type OpenAiTool,
  type OpenAiToolCall,
  type OpenAiToolMessage,
  openAiChat,
  openAiResponses,
} from './openai.ts'

export {
  type AiSdkOutput,
  type AiSdkPart,
  type AiSdkTool,
  aiSdkTools,
  type StandardSchema,
} from './ai_sdk.ts'
export type { AnthropicBlock, AnthropicImageType, AnthropicTool, AnthropicToolResult, AnthropicToolUse } from './anthropic.ts'
export { callTool } from './call_tool.ts'
export type { DefinitionOptions } from './format.ts'
export type {
  OpenAiFunctionCall,
  OpenAiFunctionCallOutput,
  OpenAiOutputPart,
  OpenAiResponsesTool,
  OpenAiTool,
  OpenAiToolCall,
  OpenAiToolMessage,
} from './openai.ts'
export type { ListedTool }

/** The interfaces whose calls can be answered: how each tells a tool, makes a call, and takes the answer. */
export interface CallFormats {
  /** OpenAI's chat completions. */
  openai: { definition: OpenAiTool; call: OpenAiToolCall; answer: OpenAiToolMessage }
  /** OpenAI's responses. */
  'openai-responses': { definition: OpenAiResponsesTool; call: OpenAiFunctionCall; answer: OpenAiFunctionCallOutput }
  /** Anthropic's messages. */
  anthropic: { definition: AnthropicTool; call: AnthropicToolUse; answer: AnthropicToolResult }
}

/** All formats: those, and MCP's `tools/list`, whose calls `filewright/mcp` answers. */
export interface ToolFormats extends CallFormats {
  mcp: { definition: ListedTool }
}

const FORMATS: {
  readonly [F in keyof CallFormats]: ToolFormat<CallFormats[F]['definition'], CallFormats[F]['call'], CallFormats[F]['answer']>
} = {
  openai: openAiChat,
  'openai-responses': openAiResponses,
  anthropic: anthropicMessages,
}

const DEFINE: { readonly [F in keyof ToolFormats]: (tool: ListedTool, options: DefinitionOptions) => ToolFormats[F]['definition'] } = {
  openai: openAiChat.define,
  'openai-responses': openAiResponses.define,
  anthropic: anthropicMessages.define,
  mcp: (tool) => tool,
}

/**
 * The tools that the workspace offers, in the profile's order, under names that the interface accepts (`builtin/file-read` is
 * `builtin_file-read`). Throws `invalid_argument` for a format that there is not.
 */
export function toolDefinitions<F extends keyof ToolFormats>(
  workspace: Workspace,
  format: F,
  options: DefinitionOptions = {},
): ToolFormats[F]['definition'][] {
  const define = known(DEFINE, format)
  return workspace.tools().map((bound) => define(listedTool(bound), options))
}

/**
 * Runs a call as the model made it, and gives what is sent back. A failed call is an answer that says why; it is never thrown.
 * Images and PDF documents go along where the interface takes them. Throws `invalid_argument` for a format that there is not.
 */
export async function answerToolCall<F extends keyof CallFormats>(
  workspace: Workspace,
  format: F,
  call: CallFormats[F]['call'],
  options?: CallOptions,
): Promise<CallFormats[F]['answer']> {
  const { read, answer } = known(FORMATS, format)
  const { name, args } = read(call)
  return answer(call, await callTool(workspace, name, args, options))
}

function known<Table extends object, Format extends keyof Table>(table: Table, format: Format): Table[Format] {
  if (Object.hasOwn(table, format)) return table[format]
  const names = Object.keys(table).join(', ')
  throw new FilewrightError('invalid_argument', `There is no format ${JSON.stringify(format)}; there is: ${names}.`, { field: 'format' })
}
