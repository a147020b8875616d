/** The MCP server, driven by a real client in both protocol eras (contract W-2, W-3, W-5). */
import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createMcpFactory, type McpOptions } from '../../src/mcp/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { CallOptions, OperatorSettings, Workspace } from '../../src/workspace/workspace.ts'
import { connect, connectHttp, ERAS, type Era } from './connection.ts'

async function open(settings: OperatorSettings = {}): Promise<Workspace> {
  const workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs(), settings })
  const content = await workspace.stage(new TextEncoder().encode('one\ntwo\n'))
  await workspace.importFiles([{ path: 'src/a.txt', content }])
  return workspace
}

async function serve(era: Era, options: McpOptions = {}, workspace?: Workspace): Promise<Client> {
  return connect(createMcpFactory(workspace ?? (await open()), options), era)
}

describe.each(ERAS)('a client of %s', (era) => {
  test('learns who serves, and how paths are written', async () => {
    const client = await serve(era)
    expect(client.getServerVersion()).toMatchObject({ name: 'filewright', title: 'Filewright' })
    expect(client.getInstructions()).toContain('The root of the workspace is /.')
    expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: { subscribe: true, listChanged: true } })
  })

  test('gets the same list each time, with all four annotations and both schemas', async () => {
    const workspace = await open()
    const client = await serve(era, {}, workspace)
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toEqual(workspace.tools().map(({ tool }) => tool.name))
    expect((await client.listTools()).tools).toEqual(tools)
    for (const [at, tool] of tools.entries()) {
      const facts = workspace.tools()[at]?.tool
      const writes = facts?.kind === 'write'
      expect(tool.annotations).toEqual({
        readOnlyHint: !writes,
        destructiveHint: writes && facts.destructive,
        idempotentHint: !writes || facts.idempotent,
        openWorldHint: false,
      })
      expect(tool).toMatchObject({ title: facts?.title, description: facts?.description })
      for (const schema of [tool.inputSchema, tool.outputSchema]) {
        expect(schema).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' })
      }
      expect(tool.inputSchema.additionalProperties).toBe(false)
    }
  })

  test('reads: the text for a model, the structure for a program', async () => {
    const client = await serve(era)
    const result = await client.callTool({ name: 'view_file', arguments: { file_path: 'src/a.txt' } })
    expect(result.isError).toBe(false)
    expect(result.structuredContent).toMatchObject({ file_path: '/src/a.txt', content: '   1\tone\n   2\ttwo', total_lines: 2 })
    expect(result.content).toEqual([{ type: 'text', text: expect.stringContaining('   1\tone\n   2\ttwo') }])
  })

  test.each([
    ['text', { content: [expect.anything()] }, false],
    ['structured', { content: [], structuredContent: { total_lines: 2 } }, true],
    ['both', { content: [expect.anything()], structuredContent: { total_lines: 2 } }, true],
  ] as const)('gets what the operator chose: %s', async (output, expected, structured) => {
    const client = await serve(era, { output })
    const { tools } = await client.listTools()
    expect(tools.every((tool) => (tool.outputSchema !== undefined) === structured)).toBe(true)
    const result = await client.callTool({ name: 'view_file', arguments: { file_path: 'src/a.txt' } })
    expect(result).toMatchObject(expected)
    expect(result.structuredContent !== undefined).toBe(structured)
  })

  test.each([
    ['a wrong type', 'view_file', { file_path: 7 }],
    ['a missing argument', 'view_file', {}],
    ['no arguments at all', 'view_file', undefined],
    ['an unknown argument', 'view_file', { file_path: 'src/a.txt', start: 1 }],
    ['a text for a number', 'view_file', { file_path: 'src/a.txt', start_line: '1' }],
    ['a missing file', 'view_file', { file_path: 'none.txt' }],
    ['a path outside', 'delete_file', { file_path: '../x' }],
  ])('%s is a failed result, never a protocol error', async (_, name, args) => {
    const client = await serve(era)
    const result = await client.callTool({ name, ...(args && { arguments: args }) })
    expect(result.isError).toBe(true)
    expect(result.structuredContent).toMatchObject({ error: expect.any(String) })
    expect(result.content).toEqual([{ type: 'text', text: expect.stringMatching(/\S/) }])
  })

  test('an unknown tool is the protocol error -32602', async () => {
    const client = await serve(era)
    await expect(client.callTool({ name: 'frobnicate', arguments: {} })).rejects.toMatchObject({ code: -32602 })
  })

  test('a disabled tool is not listed, and a call to it fails as a result', async () => {
    const client = await serve(era, {}, await open({ disabled: ['delete_file'] }))
    expect((await client.listTools()).tools.map((tool) => tool.name)).not.toContain('delete_file')
    const result = await client.callTool({ name: 'delete_file', arguments: { file_path: 'src/a.txt' } })
    expect(result).toMatchObject({ isError: true, structuredContent: { error: expect.stringContaining('disabled') } })
  })

  test('changes are journaled under the subject of the connection', async () => {
    const workspace = await open()
    const client = await serve(era, { subject: 'agent-7' }, workspace)
    await client.callTool({ name: 'write_file', arguments: { file_path: 'new.txt', content: 'x' } })
    const [newest] = await workspace.log({ limit: 1 })
    expect(newest?.record).toMatchObject({ tool: 'write_file', subject: 'agent-7' })
  })

  test('progress arrives under the token of the request and only grows', async () => {
    const workspace = slow(await open(), async ({ onProgress }) => {
      for (const done of [1, 5, 3, 9]) {
        onProgress?.(done, 10)
        await pause(120)
      }
    })
    const client = await serve(era, {}, workspace)
    const seen: number[] = []
    await client.callTool(
      { name: 'view_file', arguments: { file_path: 'src/a.txt' } },
      { onprogress: ({ progress, total }) => seen.push(progress) && expect(total).toBe(10) },
    )
    expect(seen).toEqual([1, 5, 9])
  })

  test('a cancellation reaches the call', async () => {
    let reason: unknown
    const workspace = slow(await open(), async ({ signal }) => {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      reason = signal?.reason
    })
    const client = await serve(era, {}, workspace)
    const abort = new AbortController()
    const call = client.callTool({ name: 'view_file', arguments: { file_path: 'src/a.txt' } }, { signal: abort.signal })
    setTimeout(() => abort.abort('enough'), 20)
    await expect(call).rejects.toThrow()
    await expect.poll(() => reason).toBeDefined()
  })
})

test.each(ERAS)('the same factory serves HTTP, a request at a time (%s)', async (era) => {
  const client = await connectHttp(createMcpFactory(await open()), era)
  expect((await client.listTools()).tools.length).toBeGreaterThan(0)
  await client.callTool({ name: 'write_file', arguments: { file_path: 'c.txt', content: 'over HTTP' } })
  const result = await client.callTool({ name: 'view_file', arguments: { file_path: 'c.txt' } })
  expect(result).toMatchObject({ isError: false, structuredContent: { content: expect.stringContaining('over HTTP') } })
  await expect(client.callTool({ name: 'frobnicate', arguments: {} })).rejects.toMatchObject({ code: -32602 })
})

test('connections share nothing but the workspace', async () => {
  const factory = createMcpFactory(await open())
  const [old, modern] = await Promise.all([connect(factory, '2025'), connect(factory, '2026')])
  await old.callTool({ name: 'write_file', arguments: { file_path: 'b.txt', content: 'shared' } })
  await old.close()
  const result = await modern.callTool({ name: 'view_file', arguments: { file_path: 'b.txt' } })
  expect(result.structuredContent).toMatchObject({ content: expect.stringContaining('shared') })
})

/** The workspace with calls that take their time first. */
function slow(workspace: Workspace, first: (options: CallOptions) => Promise<void>): Workspace {
  return {
    ...workspace,
    async call(tool, args, options = {}) {
      await first(options)
      return workspace.call(tool, args, options)
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
