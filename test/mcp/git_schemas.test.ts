/** The git tools over MCP: every result is as its published schema says, whatever is sent (contract W-1, T-X-14). */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMcpFactory } from '../../src/mcp/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { storageOf } from '../profiles/storage_of.ts'
import { plant } from '../tools/setup.ts'
import { connect } from './connection.ts'

type Schema = Parameters<AjvJsonSchemaValidator['getValidator']>[0]

test('results of any call', async () => {
  const fs = await storageOf('git')
  await plant(fs, { 'a.txt': 'one\n', 'src/b.txt': 'two\n', '.gitignore': '*.log\n', 'x.log': 'x', '.env': 'KEY=1', bin: 'a\0b' })
  const workspace = await openWorkspace({ fs, profile: 'git' })
  await workspace.call('git_commit', { message: 'First', paths: ['src'] })
  await workspace.call('git_commit', { message: 'Second', paths: ['a.txt'] })
  const client = await connect(createMcpFactory(workspace), '2026')
  const { tools } = await client.listTools()
  const known = tools.map(({ name, inputSchema, outputSchema }) => {
    const checks = [new AjvJsonSchemaValidator(), new CfWorkerJsonSchemaValidator()].map((one) => one.getValidator(outputSchema as Schema))
    return { name, checks, names: Object.keys(inputSchema.properties ?? {}) }
  })
  const value = fc.oneof(
    fc.constantFrom(
      'HEAD',
      'HEAD~1',
      'nope',
      'filewright/main',
      'HEAD~1..HEAD',
      '1:a.txt',
      'list',
      'delete',
      'm',
      '',
      'a\0',
      'x'.repeat(300),
    ),
    fc.constantFrom(['a.txt'], ['src'], ['.env'], ['../x'], ['.'], [], {}, null, { name: 'A', email: 'a@b' }),
    fc.integer({ min: -2, max: 400 }),
    fc.boolean(),
  )
  const anyCall = fc
    .constantFrom(...known)
    .chain((tool) =>
      fc.record({ tool: fc.constant(tool), args: fc.dictionary(fc.constantFrom(...tool.names, 'surprise'), value, { maxKeys: 3 }) }),
    )
  const seen = new Map<string, boolean>()
  await fc.assert(
    fc.asyncProperty(anyCall, async ({ tool: { name, checks }, args: given }) => {
      const args = name === 'git_commit' ? { message: 'm', allow_empty: true, ...given } : given
      const { structuredContent, isError, content } = await client.callTool({ name, arguments: args })
      const at = `${name} ${JSON.stringify(args)} -> ${JSON.stringify(structuredContent)}`
      for (const check of checks) expect(check(structuredContent), at).toMatchObject({ valid: true })
      expect(isError, at).toBe('error' in (structuredContent as object))
      expect(at).not.toContain('io_error')
      expect(content, at).toEqual([{ type: 'text', text: expect.any(String) }])
      seen.set(`${name} ${isError}`, true)
    }),
    { numRuns: Number(process.env.SCHEMA_RUNS ?? 300) },
  )
  // The calls are not all refused, nor all taken.
  for (const { name } of known) expect([...seen.keys()]).toEqual(expect.arrayContaining([`${name} true`, `${name} false`]))
  await client.close()
  await workspace.close()
})
