/** Names over MCP: listed in a form that clients accept, called by either (contract W-2). */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createMcpFactory } from '../../src/mcp/index.ts'
import { createToolTable } from '../../src/mcp/tool_table.ts'
import { listedName } from '../../src/profiles/listed.ts'
import type { BoundTool } from '../../src/profiles/profile.ts'
import type { Tool } from '../../src/tools/tool.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { connect } from './connection.ts'

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
  route: (sent) => ({ tool: tool as Tool, args: sent }),
  render: ({ result }) => ({ result, text: '' }),
})

test('a name is listed with safe characters only', () => {
  expect(listedName('builtin/file-read')).toBe('builtin_file-read')
  expect(listedName('view_file')).toBe('view_file')
})

test('a call finds the tool under its listed and its documented name', () => {
  const { list, find } = createToolTable([bind(read)], [bind(read), bind(write)], 'both')
  expect(list().map(({ name }) => name)).toEqual(['builtin_file-read'])
  expect(find('builtin_file-read')?.tool.name).toBe('builtin/file-read')
  expect(find('builtin/file-read')?.tool.name).toBe('builtin/file-read')
  expect(find('builtin_file-write')?.tool.name).toBe('builtin/file-write')
  expect(find('file-read')).toBeUndefined()
  expect(find('__proto__')).toBeUndefined()
})

test.each(['text', 'structured', 'both'] as const)(
  'a tool that answers with text alone is sent as text, whatever was chosen: %s',
  async (output) => {
    const workspace = await openWorkspace({ fs: createMemoryFs(), profile: 'sessions' })
    const client = await connect(createMcpFactory(workspace, { output }), '2026')
    expect((await client.listTools()).tools.map(({ outputSchema }) => outputSchema)).toEqual(workspace.tools().map(() => undefined))
    for (const [path, isError] of [
      ['.', false],
      ['none', true],
    ] as const) {
      const result = await client.callTool({ name: 'read_file', arguments: { path } })
      expect(result).toMatchObject({ content: [{ type: 'text', text: expect.stringMatching(isError ? /^Error: / : /^\.\/ /) }], isError })
      expect(result.structuredContent).toBeUndefined()
    }
  },
)
