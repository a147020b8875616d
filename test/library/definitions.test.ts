/** Tool definitions for model interfaces, whatever the profile: names, schemas, strict mode, calls and answers. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { asSchema } from 'ai'
import { describe, expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { anthropicMessages } from '../../src/library/anthropic.ts'
import { type AiSdkTool, aiSdkTools, answerToolCall, callTool, type ToolFormats, toolDefinitions } from '../../src/library/definitions.ts'
import { openAiChat, openAiResponses } from '../../src/library/openai.ts'
import { strictSchema } from '../../src/library/openai_strict.ts'
import { createMcpFactory } from '../../src/mcp/index.ts'
import { PROFILE_NAMES } from '../../src/profiles/index.ts'
import type { Attachment } from '../../src/profiles/profile.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { CallResult, Workspace } from '../../src/workspace/workspace.ts'
import { connect } from '../mcp/connection.ts'
import { CALLS, toolNamed } from '../profiles/calls.ts'
import { storageOf } from '../profiles/storage_of.ts'
import { plant } from '../tools/setup.ts'
import { functionCallOutput, toolResultBlock } from './request_schemas.ts'

type Schema = { readonly [keyword: string]: unknown }

const validator = new AjvJsonSchemaValidator()

async function workspaceOf(profile: string): Promise<Workspace> {
  const fs = await storageOf(profile)
  await plant(fs, { 'a.txt': 'one\ntwo\n', 'd/b.txt': 'one\n' })
  return openWorkspace({ fs, profile })
}

/** The arguments of one call of a tool; null for one that has none in the table. */
function argsOf(profile: string, tool: string): { readonly [name: string]: unknown } | null {
  const name = Object.keys(CALLS[profile] ?? {}).find((one) => toolNamed(one) === tool)
  return name === undefined ? null : { ...CALLS[profile]?.[name]?.('a.txt') }
}

describe.each(PROFILE_NAMES)('%s', (profile) => {
  test('every format lists every tool once, under a name that all interfaces accept', async () => {
    const workspace = await workspaceOf(profile)
    const names = toolDefinitions(workspace, 'mcp').map(({ name }) => name)
    expect(new Set(names).size).toBe(workspace.tools().length)
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(toolDefinitions(workspace, 'openai').map((tool) => tool.function.name)).toEqual(names)
    expect(toolDefinitions(workspace, 'openai-responses').map(({ name }) => name)).toEqual(names)
    expect(toolDefinitions(workspace, 'anthropic').map(({ name }) => name)).toEqual(names)
    expect(Object.keys(aiSdkTools(workspace))).toEqual(names)
  })

  test('what MCP lists is what its server lists', async () => {
    const workspace = await workspaceOf(profile)
    const client = await connect(createMcpFactory(workspace), '2026')
    const { tools } = await client.listTools()
    expect(tools).toEqual(JSON.parse(JSON.stringify(toolDefinitions(workspace, 'mcp'))))
  })

  test('the AI SDK passes the schema on as it is', async () => {
    const workspace = await workspaceOf(profile)
    const tools = aiSdkTools(workspace)
    for (const { name, input_schema } of toolDefinitions(workspace, 'anthropic')) {
      const { jsonSchema } = asSchema(tools[name]?.inputSchema)
      // It closes an object that says nothing of other members; one that takes any stays open.
      expect(withoutClosing(jsonSchema)).toEqual(withoutClosing(input_schema))
    }
  })

  test('strict: a schema is in the part that strict mode knows, and what fits it fits the tool', async () => {
    const workspace = await workspaceOf(profile)
    const whole = toolDefinitions(workspace, 'openai')
    expect(whole.every((tool) => tool.function.strict === false)).toBe(true)
    for (const [index, { function: tool }] of toolDefinitions(workspace, 'openai', { strict: true }).entries()) {
      const loose = whole[index]?.function.parameters as Schema
      if (!tool.strict) {
        expect(tool.parameters).toEqual(loose)
        continue
      }
      requireStrict(tool.parameters)
      expect(Object.keys(tool.parameters.properties as object)).toEqual(Object.keys(loose.properties as object))
      const args = argsOf(profile, workspace.tools()[index]?.tool.name as string)
      if (!args) continue
      const filled = Object.fromEntries(Object.keys(loose.properties as object).map((name) => [name, args[name] ?? null]))
      expect(validator.getValidator(tool.parameters as never)(filled), tool.name).toMatchObject({ valid: true })
      const [plain, nulls] = [await workspaceOf(profile), await workspaceOf(profile)]
      const [expected, got] = [await callTool(plain, tool.name, args), await callTool(nulls, tool.name, filled)]
      expect(steady(got.text), tool.name).toBe(steady(expected.text))
      expect(got.error).toEqual(expected.error)
    }
  })
})

/** Ids, times and measured durations differ from run to run. */
const steady = (shown: string): string => shown.replace(/[0-9a-f]{8,}|[0-9A-Z]{26}|\d{4}-\d\d-\d\dT[\d:.]+Z|\d+(\.\d+)? ?ms/g, '…')

function withoutClosing(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutClosing)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).filter(([keyword, value]) => keyword !== 'additionalProperties' || value !== false)
  return Object.fromEntries(
    entries.map(([keyword, value]) => [keyword, keyword === 'additionalProperties' && value === true ? {} : withoutClosing(value)]),
  )
}

/** The published rules of strict mode: closed objects with every member required, a type everywhere, and no other keywords. */
function requireStrict(node: Schema): void {
  const allowed =
    /^(type|enum|const|description|properties|required|additionalProperties|items|anyOf|pattern|minimum|maximum|minItems|maxItems)$/
  for (const keyword of Object.keys(node)) expect(keyword).toMatch(allowed)
  expect(
    ['type', 'enum', 'const', 'anyOf'].some((keyword) => keyword in node),
    JSON.stringify(node),
  ).toBe(true)
  const properties = (node.properties ?? {}) as { readonly [name: string]: Schema }
  if ([node.type].flat().includes('object')) {
    expect(node.additionalProperties).toBe(false)
    expect(node.required).toEqual(Object.keys(properties))
  }
  if ([node.type].flat().includes('array')) requireStrict(node.items as Schema)
  for (const member of [...Object.values(properties), ...((node.anyOf as Schema[] | undefined) ?? [])]) requireStrict(member)
}

describe('strict mode', () => {
  const object = (properties: object, more: object = {}): Schema => ({ type: 'object', properties, additionalProperties: false, ...more })

  test.each<[string, Schema, unknown]>([
    ['a member that may be left out may be null', object({ a: { type: 'string' } }), { a: { type: ['string', 'null'] } }],
    [
      'a default is told',
      object({ a: { type: 'integer', default: 3, description: 'Lines.' } }),
      { a: { type: ['integer', 'null'], description: 'Lines. Default: 3.' } },
    ],
    ['a choice has null too', object({ a: { type: 'string', enum: ['x'] } }), { a: { type: ['string', 'null'], enum: ['x', null] } }],
    [
      'variants have null too',
      object({ a: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }),
      { a: { anyOf: [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, { type: 'null' }] } },
    ],
    [
      'one value has null too',
      object({ a: { type: 'string', const: 'x' } }),
      { a: { anyOf: [{ type: 'string', const: 'x' }, { type: 'null' }] } },
    ],
    ['a required member stays', object({ a: { type: 'string', minLength: 1 } }, { required: ['a'] }), { a: { type: 'string' } }],
    [
      'an open object that takes no other members is closed',
      { type: 'object', properties: { a: object({ b: { type: 'boolean' } }, { required: ['b'] }) }, required: ['a'] },
      { a: object({ b: { type: 'boolean' } }, { required: ['b'] }) },
    ],
  ])('%s', (_, schema, properties) => {
    expect(strictSchema(schema)?.properties).toEqual(properties)
  })

  test.each<[string, Schema]>([
    ['a value of any kind', object({ a: {} })],
    ['a value of any kind with a description', object({ a: { description: 'Any.' } })],
    ['members of any name', object({ a: { type: 'object', additionalProperties: true } })],
    ['members of any name and one kind', object({ a: object({}, { additionalProperties: { type: 'string' } }) })],
    ['a nested member that may be left out', object({ a: object({ b: { type: 'string' } }) })],
    ['the same in a list', object({ a: { type: 'array', items: object({ b: { type: 'string' } }) } })],
    ['the same among variants', object({ a: { anyOf: [{ type: 'string' }, object({ b: { type: 'string' } })] } })],
    ['a list of anything', object({ a: { type: 'array' } })],
    ['a keyword that it lacks', object({ a: { type: 'string' } }, { propertyNames: { maxLength: 3 } })],
    ['no members told', { type: 'object' }],
  ])('not with %s', (_, schema) => {
    expect(strictSchema(schema)).toBeNull()
  })

  test('of fileops, the tools with free values are told whole', async () => {
    const tools = toolDefinitions(await workspaceOf('fileops'), 'openai-responses', { strict: true })
    expect(tools.filter(({ strict }) => !strict).map(({ name }) => name)).toEqual(['file_ops_hub', 'write_file', 'edit_file', 'patch_file'])
  })
})

describe('calls', () => {
  test('by the listed or the documented name, with an object or its JSON text', async () => {
    const workspace = await workspaceOf('builtin')
    for (const name of ['builtin_file-read', 'builtin/file-read']) {
      for (const args of [{ path: 'a.txt' }, '{"path": "a.txt"}']) {
        expect(await callTool(workspace, name, args)).toMatchObject({ text: 'one\ntwo\n', error: null })
      }
    }
  })

  test('what cannot be run is an answer', async () => {
    const workspace = await workspaceOf('builtin')
    expect(await callTool(workspace, 'none', {})).toMatchObject({ error: { code: 'unsupported' } })
    expect(await callTool(workspace, '__proto__', {})).toMatchObject({ error: { code: 'unsupported' } })
    expect(await callTool(workspace, 'builtin_file-read', ' ')).toMatchObject({ error: { code: 'missing_argument', field: 'path' } })
    expect(await callTool(workspace, 'builtin_file-read', '{"path": "a.t')).toMatchObject({
      error: { code: 'invalid_argument' },
      text: expect.stringContaining('JSON that was cut off'),
    })
    expect(await callTool(workspace, 'builtin_file-read', '[]')).toMatchObject({ error: { code: 'invalid_argument' } })
  })

  test('a failed call is told as one', async () => {
    const workspace = await workspaceOf('builtin')
    const input = { path: 'none' }
    const text = expect.stringMatching(/^FileNotFoundError: /)
    expect(await answerToolCall(workspace, 'anthropic', { id: 't', name: 'builtin_file-read', input })).toEqual({
      type: 'tool_result',
      tool_use_id: 't',
      content: text,
      is_error: true,
    })
    const tool = aiSdkTools(workspace)['builtin_file-read']
    const output = (await tool?.execute(input)) as CallResult
    expect(tool?.toModelOutput({ output })).toEqual({ type: 'error-text', value: text })
  })

  test('a call of a kind that was not offered is answered, so that the conversation can go on', async () => {
    const call = { id: 'c', type: 'custom', custom: { name: 'builtin_file-read', input: 'a.txt' } }
    expect(await answerToolCall(await workspaceOf('builtin'), 'openai', call as never)).toEqual({
      role: 'tool',
      tool_call_id: 'c',
      content: expect.stringContaining('no tool'),
    })
  })

  test('a call of the AI SDK can be canceled, and names its subject', async () => {
    const workspace = await workspaceOf('builtin')
    const write = aiSdkTools(workspace, { subject: 'robin' })['builtin_file-write'] as AiSdkTool
    const args = { path: 'new', content: '' }
    expect(await write.execute(args, { abortSignal: AbortSignal.abort() })).toMatchObject({ error: { code: 'canceled' }, changeId: null })
    const { changeId } = await write.execute(args)
    expect((await workspace.show(changeId as string)).record.subject).toBe('robin')
  })

  test('what the operator disabled is not offered, and says so', async () => {
    const workspace = await openWorkspace({ fs: createMemoryFs(), profile: 'builtin', settings: { disabled: ['builtin/file-delete'] } })
    expect(Object.keys(aiSdkTools(workspace))).not.toContain('builtin_file-delete')
    expect(await callTool(workspace, 'builtin_file-delete', { path: 'a' })).toMatchObject({ error: { code: 'unsupported' } })
  })

  test('there is no other format', async () => {
    const workspace = await workspaceOf('builtin')
    const there = expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('anthropic') })
    expect(() => toolDefinitions(workspace, 'toString' as keyof ToolFormats)).toThrow(there)
  })
})

describe('answers with more than text', () => {
  const data = btoa('%PDF')
  const given = (...attachments: Attachment[]): CallResult => {
    return { result: {}, text: 'See.', error: null, changeId: null, approvalId: null, changes: [], attachments }
  }
  const image: Attachment = { type: 'image', mimeType: 'image/png', data }
  const pdf: Attachment = { type: 'file', path: '/d/x.pdf', mimeType: 'application/pdf', data }
  const rest: Attachment[] = [
    { type: 'image', mimeType: 'image/svg+xml', data },
    { type: 'file', path: '/x.zip', mimeType: 'application/zip', data },
    { type: 'link', path: '/x' },
  ]
  const told = 'See.\n[image/svg+xml, 4 bytes: it cannot be shown here]\n[application/zip, 4 bytes: it cannot be shown here]'

  test('OpenAI responses', () => {
    const answer = openAiResponses.answer({ call_id: 'c', name: 'n', arguments: '' }, given(image, pdf, ...rest))
    expect(validator.getValidator(functionCallOutput as never)(answer)).toMatchObject({ valid: true })
    expect(answer.output).toEqual([
      { type: 'input_text', text: told },
      { type: 'input_image', image_url: `data:image/png;base64,${data}`, detail: 'auto' },
      { type: 'input_file', filename: 'x.pdf', file_data: `data:application/pdf;base64,${data}` },
    ])
  })

  test('Anthropic', () => {
    const answer = anthropicMessages.answer({ id: 't', name: 'n', input: {} }, given(image, pdf, ...rest))
    expect(validator.getValidator(toolResultBlock as never)(answer)).toMatchObject({ valid: true })
    expect(answer.content).toEqual([
      { type: 'text', text: told },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      { type: 'document', title: 'x.pdf', source: { type: 'base64', media_type: 'application/pdf', data } },
    ])
  })

  test('OpenAI chat completions hold text alone; a text file is text', () => {
    const call = { id: 'c', function: { name: 'n', arguments: '' } }
    expect(openAiChat.answer(call, given(image)).content).toBe('See.\n[image/png, 4 bytes: it cannot be shown here]')
    const file: Attachment = { type: 'file', path: '/x.md', mimeType: 'text/markdown', data: btoa('# One') }
    expect(openAiChat.answer(call, given(file)).content).toBe('See.\n# One')
  })

  test('AI SDK', async () => {
    const tool = aiSdkTools(await workspaceOf('builtin'))['builtin_file-read']
    const sound: Attachment = { type: 'audio', mimeType: 'audio/mpeg', data }
    expect(tool?.toModelOutput({ output: given(image, pdf, sound, ...rest) })).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: told },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data } },
        { type: 'file', mediaType: 'application/pdf', filename: 'x.pdf', data: { type: 'data', data } },
        { type: 'file', mediaType: 'audio/mpeg', data: { type: 'data', data } },
      ],
    })
  })

  test('a part that is alone stands without an empty text', () => {
    const alone = { ...given(image), text: '' }
    expect(anthropicMessages.answer({ id: 't', name: 'n', input: {} }, alone).content).toHaveLength(1)
    expect(openAiResponses.answer({ call_id: 'c', name: 'n', arguments: '' }, alone).output).toHaveLength(1)
  })
})
