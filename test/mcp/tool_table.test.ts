/** Names over MCP: listed in a form that clients accept, called by either (contract W-2). */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createToolTable, listedName } from '../../src/mcp/tool_table.ts'
import type { BoundTool } from '../../src/profiles/profile.ts'
import type { Tool } from '../../src/tools/tool.ts'

const read: Tool<unknown, object> = {
  name: 'builtin/file-read',
  title: 'Read file',
  description: 'Reads.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input: z.strictObject({ path: z.string(), limit: z.int().optional() }),
  output: z.object({ content: z.string(), size: z.int() }),
  targets: () => [],
  failed: () => ({}),
  run: async () => ({ result: {} }),
  text: () => '',
}

const write: Tool<unknown, object> = { ...read, name: 'builtin/file-write', kind: 'write' }

const bind = (tool: Tool<unknown, object>): BoundTool => ({
  tool: tool as Tool,
  outputSchema: () => ({ type: 'object' }),
  render: ({ result }) => ({ result, text: '' }),
})

test('a name is listed with safe characters only', () => {
  expect(listedName('builtin/file-read')).toBe('builtin_file-read')
  expect(listedName('view_file')).toBe('view_file')
})

test('a call finds the tool under its listed and its documented name', () => {
  const { list, find } = createToolTable([bind(read)], [bind(read), bind(write)], 'both')
  expect(list.map(({ name }) => name)).toEqual(['builtin_file-read'])
  expect(find('builtin_file-read')?.tool.name).toBe('builtin/file-read')
  expect(find('builtin/file-read')?.tool.name).toBe('builtin/file-read')
  expect(find('builtin_file-write')?.tool.name).toBe('builtin/file-write')
  expect(find('file-read')).toBeUndefined()
  expect(find('__proto__')).toBeUndefined()
})
