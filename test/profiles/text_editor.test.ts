/** The `text-editor` profile: the calls that Anthropic's API defines, as its package types them, and one text for each answer. */
import type { BetaMemoryTool20250818Command } from '@anthropic-ai/sdk/resources/beta'
import { expect, test } from 'vitest'
import { inputSchema } from '../../src/tools/json_schema.ts'
import { profileWith } from './setup.ts'

test('the tools are those of the API, with their arguments, and publish no result but the text', async () => {
  const { workspace } = await profileWith('text-editor', {})
  const tools = workspace.tools().map(({ tool, outputSchema }) => ({ name: tool.name, outputSchema, ...inputSchema(tool) }))
  expect(tools).toMatchObject([
    {
      name: 'str_replace_based_edit_tool',
      outputSchema: null,
      required: ['command', 'path'],
      properties: {
        command: { enum: ['view', 'create', 'str_replace', 'insert', 'undo_edit'] },
        view_range: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'integer' } },
        insert_line: { type: 'integer' },
      },
    },
    {
      name: 'memory',
      outputSchema: null,
      required: ['command'],
      properties: { command: { enum: ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'] } },
    },
  ])
})

const MEMORY: readonly (readonly [call: BetaMemoryTool20250818Command, text: string | RegExp])[] = [
  [{ command: 'create', path: '/memories/a', file_text: 'one\n' }, 'File created successfully at: /memories/a'],
  [{ command: 'insert', path: '/memories/a', insert_line: 1, insert_text: 'two\n' }, 'The file /memories/a has been edited.'],
  [{ command: 'str_replace', path: '/memories/a', old_str: 'one', new_str: '1' }, /^The memory file has been edited\./],
  [
    { command: 'view', path: '/memories/a', view_range: [1, -1] },
    "Here's the content of /memories/a with line numbers:\n     1\t1\n     2\ttwo",
  ],
  [{ command: 'rename', old_path: '/memories/a', new_path: '/memories/b' }, 'Successfully renamed /memories/a to /memories/b'],
  [{ command: 'delete', path: '/memories/b' }, 'Successfully deleted /memories/b'],
]

test('the calls of the memory tool as its package types them', async () => {
  const { call } = await profileWith('text-editor', {})
  for (const [args, text] of MEMORY) {
    const outcome = await call('memory', args)
    expect(outcome.text).toEqual(typeof text === 'string' ? text : expect.stringMatching(text))
    expect(outcome).toMatchObject({ code: null, result: { text: outcome.text } })
  }
})

test('each command is a call of its own: views wait for nothing, and changes are recorded under its name', async () => {
  const { call, workspace } = await profileWith('text-editor', { a: '1\n' })
  await call('str_replace_based_edit_tool', { command: 'view', path: 'a' })
  await call('str_replace_based_edit_tool', { command: 'insert', path: 'a', insert_line: 0, new_str: '0' })
  expect((await workspace.log()).map(({ record }) => record.tool)).toEqual(['insert', 'import'])
})

test('insert_text wins over the older new_str, and new_str is no text to insert elsewhere', async () => {
  const { call, read } = await profileWith('text-editor', { a: '1\n' })
  await call('str_replace_based_edit_tool', { command: 'insert', path: 'a', insert_line: 0, insert_text: 'x', new_str: 'y' })
  expect(await read('a')).toBe('x\n1\n')
  const misplaced = { command: 'create', path: 'b', new_str: 'y' }
  expect(await call('str_replace_based_edit_tool', misplaced)).toMatchObject({ code: 'missing_argument' })
})

const UNSOUND: readonly unknown[] = [
  null,
  [],
  'view',
  {},
  { command: 5 },
  { command: 'constructor', path: 'a' },
  { command: 'view' },
  { command: 'view', path: 5 },
]

test.each(UNSOUND)('%j is answered as an error', async (args) => {
  const { call } = await profileWith('text-editor', { a: '' })
  for (const tool of ['str_replace_based_edit_tool', 'memory']) {
    const { code, text, result } = await call(tool, args)
    expect(code).toMatch(/_argument$/)
    expect(text).toMatch(/^Error: /)
    expect(result).toEqual({ text })
  }
})

test('what is risky waits for a person where the operator wants it', async () => {
  const { call } = await profileWith('text-editor', { 'memories/a': '1\n' }, { approval: 'risky' })
  const edit = { command: 'str_replace', path: 'memories/a', old_str: '1', new_str: '2' }
  expect(await call('str_replace_based_edit_tool', edit)).toMatchObject({ code: null })
  expect(await call('memory', { command: 'delete', path: '/memories/a' })).toMatchObject({ code: 'approval_required' })
  expect(await call('str_replace_based_edit_tool', { command: 'undo_edit', path: 'memories/a' })).toMatchObject({
    code: 'approval_required',
  })
})
