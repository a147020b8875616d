/** Every tool of every profile, offered, called and answered through the packages of the model interfaces themselves. */
import Anthropic from '@anthropic-ai/sdk'
import { generateText, isStepCount, type ToolSet } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import OpenAI from 'openai'
import { afterEach, describe, expect, test } from 'vitest'
import { aiSdkTools, answerToolCall, callTool, toolDefinitions } from '../../src/library/definitions.ts'
import { PROFILE_NAMES } from '../../src/profiles/index.ts'
import { listedName } from '../../src/profiles/listed.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { CALLS, toolNamed } from '../profiles/calls.ts'
import { storageOf } from '../profiles/storage_of.ts'
import { plant } from '../tools/setup.ts'
import { type ModelServer, modelServer } from './model_server.ts'
import { chatCompletionRequest, messageRequest, responseRequest } from './request_schemas.ts'

interface ScriptedCall {
  readonly id: string
  readonly name: string
  readonly args: object
}

let server: ModelServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

/** A workspace, and a call of each of its tools under the name that is listed. */
async function scripted(profile: string): Promise<{ readonly workspace: Workspace; readonly calls: readonly ScriptedCall[] }> {
  const fs = await storageOf(profile)
  await plant(fs, { 'a.txt': 'one\ntwo\n', 'a.json': '{"a": 1}\n', 'd/b.txt': 'one\n', 'a.png': PIXEL })
  const workspace = await openWorkspace({ fs, profile })
  const calls = workspace.tools().map(({ tool }, index) => {
    const name = Object.keys(CALLS[profile] ?? {}).find((one) => toolNamed(one) === tool.name)
    const callOn = name === undefined ? undefined : CALLS[profile]?.[name]
    const path = tool.name === 'read_media_file' ? 'a.png' : 'a.txt'
    return { id: `call_${index}`, name: listedName(tool.name), args: callOn?.(path) ?? {} }
  })
  return { workspace, calls }
}

/** What a model reads of an answer: its texts, and the types of what it sees beside them. */
interface Seen {
  readonly texts: readonly string[]
  readonly types: readonly string[]
}

/** What the same calls show when the workspace is asked itself, in the same order. `blind`: images are told in words. */
async function shownBy(profile: string, blind = false): Promise<Seen[]> {
  const { workspace, calls } = await scripted(profile)
  const shown: Seen[] = []
  for (const { name, args } of calls) {
    const { text, attachments = [] } = await callTool(workspace, name, args)
    const types = attachments.flatMap((one) => (one.type === 'image' ? [one.mimeType] : []))
    const words = types.map((type) => `[${type}, ${PIXEL.length} bytes: it cannot be shown here]`)
    const texts = [text, ...(blind ? words : [])].filter((one) => one !== '')
    shown.push({ texts: texts.map(steady), types: blind ? [] : types })
  }
  return shown
}

interface SentPart {
  readonly text?: string
  readonly image_url?: string
  readonly mediaType?: string
  readonly source?: { readonly media_type: string }
}

/** The same of an answer as it was sent. */
function seen(content: string | readonly SentPart[]): Seen {
  const parts = typeof content === 'string' ? [{ text: content }] : content
  const texts = parts.flatMap(({ text }) => (text ? [steady(text)] : []))
  const types = parts.flatMap(
    ({ image_url, mediaType, source }) => image_url?.slice('data:'.length).split(';')[0] ?? mediaType ?? source?.media_type ?? [],
  )
  return { texts, types }
}

/** Ids, hashes, times and measured durations differ from run to run. */
const steady = (shown: string): string => shown.replace(/[0-9a-f]{8,}|[0-9A-Z]{26}|\d{4}-\d\d-\d\dT[\d:.]+Z|\d+(\.\d+)? ?ms/g, '…')

/** An image of one pixel. */
const PIXEL = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
  (char) => char.charCodeAt(0),
)

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

describe.each(PROFILE_NAMES)('%s', (profile) => {
  test.each([false, true])('OpenAI chat completions, strict %s', async (strict) => {
    const { workspace, calls } = await scripted(profile)
    const answer = (message: object): object => ({ id: 'c', object: 'chat.completion', created: 0, model: 'm', choices: [message], usage })
    const tool_calls = calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }))
    server = await modelServer('/v1/chat/completions', chatCompletionRequest, [
      answer({ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls } }),
      answer({ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'done' } }),
    ])
    const client = new OpenAI({ apiKey: 'none', baseURL: `${server.url}/v1`, maxRetries: 0 })
    const tools: OpenAI.Chat.Completions.ChatCompletionFunctionTool[] = toolDefinitions(workspace, 'openai', { strict })
    const messages: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = [{ role: 'user', content: 'go' }]
    const first = await client.chat.completions.create({ model: 'm', messages, tools })
    const message = first.choices[0]?.message as OpenAI.Chat.Completions.ChatCompletionMessage
    messages.push(message)
    for (const call of message.tool_calls ?? []) {
      if (call.type === 'function') messages.push(await answerToolCall(workspace, 'openai', call))
    }
    const second = await client.chat.completions.create({ model: 'm', messages, tools })
    expect(second.choices[0]?.message.content).toBe('done')
    const sent = server.requests[1]?.messages as { readonly role: string; readonly tool_call_id: string; readonly content: string }[]
    const answered = sent.filter(({ role }) => role === 'tool')
    expect(answered.map(({ tool_call_id }) => tool_call_id)).toEqual(calls.map(({ id }) => id))
    expect(answered.map(({ content }) => seen(content))).toEqual(await shownBy(profile, true))
  })

  test('OpenAI responses', async () => {
    const { workspace, calls } = await scripted(profile)
    const output = calls.map(({ id, name, args }) => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify(args),
      status: 'completed',
    }))
    const said = {
      type: 'message',
      id: 'm',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'done', annotations: [] }],
    }
    server = await modelServer('/v1/responses', responseRequest, [
      { id: 'r', object: 'response', status: 'completed', output },
      { id: 'r', object: 'response', status: 'completed', output: [said] },
    ])
    const client = new OpenAI({ apiKey: 'none', baseURL: `${server.url}/v1`, maxRetries: 0 })
    const tools: OpenAI.Responses.FunctionTool[] = toolDefinitions(workspace, 'openai-responses')
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'go' }]
    const first = await client.responses.create({ model: 'm', input, tools })
    for (const item of first.output) {
      if (item.type !== 'function_call') continue
      input.push(item, await answerToolCall(workspace, 'openai-responses', item))
    }
    const second = await client.responses.create({ model: 'm', input, tools })
    expect(second.output_text).toBe('done')
    const sent = server.requests[1]?.input as { readonly type?: string; readonly output: string | SentPart[] }[]
    const answered = sent.filter(({ type }) => type === 'function_call_output')
    expect(answered.map((one) => seen(one.output))).toEqual(await shownBy(profile))
  })

  test('Anthropic messages', async () => {
    const { workspace, calls } = await scripted(profile)
    const answer = (content: object[], stop_reason: string): object => ({
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason,
      usage: { input_tokens: 1, output_tokens: 1 },
    })
    const uses = calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }))
    server = await modelServer('/v1/messages', messageRequest, [
      answer(uses, 'tool_use'),
      answer([{ type: 'text', text: 'done' }], 'end_turn'),
    ])
    const client = new Anthropic({ apiKey: 'none', baseURL: server.url, maxRetries: 0 })
    const tools: Anthropic.Tool[] = toolDefinitions(workspace, 'anthropic')
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'go' }]
    const first = await client.messages.create({ model: 'm', max_tokens: 9, messages, tools })
    const results: Anthropic.ToolResultBlockParam[] = []
    for (const block of first.content) if (block.type === 'tool_use') results.push(await answerToolCall(workspace, 'anthropic', block))
    messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: results })
    const second = await client.messages.create({ model: 'm', max_tokens: 9, messages, tools })
    expect(second.content).toMatchObject([{ type: 'text', text: 'done' }])
    const [, , sent] = (server.requests[1] as { readonly [member: string]: unknown }).messages as {
      readonly content: { readonly content: string | SentPart[] }[]
    }[]
    expect(sent?.content.map(({ content }) => seen(content))).toEqual(await shownBy(profile))
  })

  test('AI SDK', async () => {
    const { workspace, calls } = await scripted(profile)
    const tools: ToolSet = aiSdkTools(workspace)
    const counted = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    }
    const model = new MockLanguageModelV4({
      doGenerate: [
        ...calls.map(({ id, name, args }) => ({
          content: [{ type: 'tool-call' as const, toolCallId: id, toolName: name, input: JSON.stringify(args) }],
          finishReason: { unified: 'tool-calls' as const, raw: undefined },
          usage: counted,
          warnings: [],
        })),
        { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop', raw: undefined }, usage: counted, warnings: [] },
      ],
    })
    const { text, steps } = await generateText({ model, tools, prompt: 'go', stopWhen: isStepCount(calls.length + 1) })
    expect(text).toBe('done')
    expect(steps).toHaveLength(calls.length + 1)
    // The model is told what the tool takes, and reads what the workspace answers.
    const definitions = toolDefinitions(workspace, 'anthropic')
    expect(model.doGenerateCalls[0]?.tools).toMatchObject(
      definitions.map(({ name, description }) => ({ type: 'function', name, description })),
    )
    const { prompt } = model.doGenerateCalls.at(-1) as (typeof model.doGenerateCalls)[number]
    const outputs = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []))
    const values = outputs.map((part) => (part.type === 'tool-result' && 'value' in part.output ? part.output.value : null))
    expect(values.map((value) => seen(value as string | SentPart[]))).toEqual(await shownBy(profile))
  })
})

test('the server refuses what the interface would refuse', async () => {
  const { workspace } = await scripted('builtin')
  server = await modelServer('/v1/messages', messageRequest, [])
  const client = new Anthropic({ apiKey: 'none', baseURL: server.url, maxRetries: 0 })
  const documented = toolDefinitions(workspace, 'anthropic').map((tool) => ({ ...tool, name: 'builtin/file-read' }))
  const request = client.messages.create({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'go' }], tools: documented })
  await expect(request).rejects.toThrow(/400.*tools\/0\/name/)
  expect(server.requests).toEqual([])
})
