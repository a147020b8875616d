/** Tools for the AI SDK, which it calls itself. */
import { listedTool } from '../profiles/listed.ts'
import type { JsonSchema } from '../tools/json_schema.ts'
import type { CallOptions, CallResult, Workspace } from '../workspace/workspace.ts'
import { bareSchema, type Enclosure, fileName, isImage, isPdf, partsOf } from './format.ts'

/**
 * A schema by the open interfaces Standard Schema and Standard JSON Schema. It lets every value through: the workspace checks the
 * arguments, and tells the model what is wrong with them.
 */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'filewright'
    validate(value: unknown): { readonly value: unknown }
    readonly jsonSchema: { input(): { [keyword: string]: unknown }; output(): { [keyword: string]: unknown } }
  }
}

/** A part of an answer. */
export type AiSdkPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'file'
      readonly mediaType: string
      readonly data: { readonly type: 'data'; readonly data: string }
      readonly filename?: string
    }

/** What a model is told of an answer. */
export type AiSdkOutput =
  | { readonly type: 'text' | 'error-text'; readonly value: string }
  | { readonly type: 'content'; readonly value: AiSdkPart[] }

/** One tool. */
export interface AiSdkTool {
  readonly description: string
  readonly inputSchema: StandardSchema
  /** Runs the call. Never throws: a failed call is an answer with `error`. */
  execute(input: unknown, options?: { readonly abortSignal?: AbortSignal | undefined }): Promise<CallResult>
  toModelOutput(answered: { readonly output: CallResult }): AiSdkOutput
}

/**
 * The tools of a workspace as `generateText`, `streamText` and agents of the AI SDK take them, under names that every provider
 * accepts. `options` hold for every call.
 */
export function aiSdkTools(workspace: Workspace, options: Omit<CallOptions, 'signal'> = {}): { [name: string]: AiSdkTool } {
  const tools: { [name: string]: AiSdkTool } = {}
  for (const bound of workspace.tools()) {
    const { name, description, inputSchema } = listedTool(bound)
    tools[name] = {
      description,
      inputSchema: standardSchema(inputSchema),
      execute: (input, { abortSignal } = {}) =>
        workspace.call(bound.tool.name, input, { ...options, ...(abortSignal && { signal: abortSignal }) }),
      toModelOutput: ({ output }) => outputOf(output),
    }
  }
  return tools
}

function standardSchema(schema: JsonSchema): StandardSchema {
  const give = (): { [keyword: string]: unknown } => openly(bareSchema(schema)) as { [keyword: string]: unknown }
  const jsonSchema = { input: give, output: give }
  return { '~standard': { version: 1, vendor: 'filewright', validate: (value) => ({ value }), jsonSchema } }
}

/** A copy in which members of any kind are spelled `{}`: the AI SDK takes `true` for carelessness and closes the object. */
function openly(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(openly)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([keyword, value]) => [keyword, keyword === 'additionalProperties' && value === true ? {} : openly(value)]),
  )
}

function outputOf(outcome: CallResult): AiSdkOutput {
  const { text, parts } = partsOf(outcome, partOf)
  if (outcome.error) return { type: 'error-text', value: text }
  if (parts.length === 0) return { type: 'text', value: text }
  return { type: 'content', value: text === '' ? parts : [{ type: 'text', text }, ...parts] }
}

function partOf(enclosure: Enclosure): AiSdkPart | null {
  const { type, mimeType, data } = enclosure
  if (!isImage(enclosure) && !isPdf(enclosure) && type !== 'audio') return null
  return {
    type: 'file',
    mediaType: mimeType,
    data: { type: 'data', data },
    ...(type === 'file' && { filename: fileName(enclosure, 'file') }),
  }
}
