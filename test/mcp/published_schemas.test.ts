/** Every published result validates against its published schema, by two independent validators (contract W-1, T-X-14). */
import type { Client } from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createMcpFactory } from '../../src/mcp/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { connect } from './connection.ts'

type Schema = Parameters<AjvJsonSchemaValidator['getValidator']>[0]
type Check = (value: unknown) => { readonly valid: boolean; readonly errorMessage?: string | undefined }

interface Checks {
  /** The arguments, in their order. */
  readonly names: readonly string[]
  readonly input: readonly Check[]
  readonly output: readonly Check[]
}

const FILES = {
  'a.txt': 'one\ntwo\nthree\n',
  'b.txt': 'one\r\nTWO\r\n',
  'src/deep/c.json': '{"a": [1, 2]}\n',
  'src/.hidden': 'x',
  '.gitignore': '*.log\n',
  'out.log': 'ignored',
  '.env': 'KEY=1',
  'binary.bin': 'a\0b',
  empty: '',
}

let client: Client
let workspace: Workspace
const checks = new Map<string, Checks>()

beforeAll(async () => {
  workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
  const encoder = new TextEncoder()
  const files = Object.entries(FILES).map(async ([path, text]) => ({ path, content: await workspace.stage(encoder.encode(text)) }))
  await workspace.importFiles([...(await Promise.all(files)), { path: 'link', link: 'a.txt' }], { operator: true })
  client = await connect(createMcpFactory(workspace), '2026')
  const { tools } = await client.listTools()
  for (const { name, inputSchema, outputSchema } of tools) {
    const validators = [new AjvJsonSchemaValidator(), new CfWorkerJsonSchemaValidator()]
    const both = (schema: unknown): Check[] => validators.map((validator) => validator.getValidator(schema as Schema))
    checks.set(name, { names: Object.keys(inputSchema.properties ?? {}), input: both(inputSchema), output: both(outputSchema) })
  }
})

/** Calls a tool and holds its result to the published schema; a success has been a valid call too. */
async function call(name: string, args: unknown): Promise<boolean> {
  const sent = JSON.parse(JSON.stringify(args))
  const result = await client.callTool({ name, arguments: sent })
  const at = `${name} ${JSON.stringify(sent)} -> ${JSON.stringify(result.structuredContent)}`
  const { input, output } = checks.get(name) as Checks
  for (const check of output) expect(check(result.structuredContent), at).toMatchObject({ valid: true })
  expect(result.isError, at).toBe('error' in (result.structuredContent as object))
  expect(result.content, at).toEqual([{ type: 'text', text: expect.any(String) }])
  // Null means "not given" and is not part of the schema (P-6).
  const given = Object.fromEntries(Object.entries(sent as object).filter(([, value]) => value !== null))
  if (!result.isError) for (const check of input) expect(check(given), at).toMatchObject({ valid: true })
  return result.isError !== true
}

const SUCCESSES: readonly [tool: string, args: object][] = [
  ['view_file', { file_path: 'a.txt' }],
  ['view_file', { file_path: '/a.txt', start_line: 2, end_line: 99 }],
  ['view_file', { file_path: 'a.txt', tail_lines: 1 }],
  ['view_file', { file_path: 'a.txt', offset_bytes: 2, limit_bytes: 3 }],
  ['view_file', { file_path: 'a.txt', limit_chars: 3 }],
  ['view_file', { file_path: 'empty', start_line: null }],
  ['write_file', { file_path: 'new/file.txt', content: 'x\n' }],
  ['write_file', { file_path: 'dry.txt', content: 'x', dry_run: true }],
  ['write_file', { file_path: 'a.txt', content: 'more\n', append: true }],
  ['edit_file', { file_path: 'a.txt', replacements: [{ old_content: 'two', new_content: '2' }] }],
  ['edit_file', { file_path: 'b.txt', replacements: { old_content: 'one\nTWO', new_content: 'x\ny' }, dry_run: true }],
  ['delete_file', { file_path: 'new/file.txt', dry_run: true }],
  ['delete_file', { file_path: 'new/file.txt' }],
  ['diff_file', { file_path: 'a.txt', compare_path: 'b.txt' }],
  ['diff_file', { file_path: 'a.txt', new_content: 'one\n' }],
  ['file_info', { path: 'a.txt' }],
  ['file_info', { path: 'src' }],
  ['file_info', { path: 'link' }],
  ['file_info', { path: 'none' }],
  ['file_tree', { root_path: '.' }],
  ['file_tree', { root_path: '/', max_depth: 1, show_hidden: true, include_stats: true }],
  ['list_directory', { directory_path: '.', verbose: true, show_hidden: true }],
  ['list_directory', { directory_path: 'src', max_depth: 3, page_size: 1 }],
  ['search_files', { search_path: '.', query: 'one' }],
  ['search_files', { search_path: '.', query: 'ONE', case_insensitive: true, output_mode: 'count' }],
  ['search_files', { search_path: 'src', query: '"a"', output_mode: 'files_with_matches' }],
  ['validate_file', { file_path: 'src/deep/c.json' }],
  ['validate_file', { content: '[1,' }],
  ['patch_file', { file_path: 'src/deep/c.json', patches: [{ op: 'append', path: '/a', value: null }] }],
  ['patch_file', { file_path: 'notes.md', content: '# Notes\n', dry_run: true }],
  ['copy_file', { source_path: 'a.txt', destination_path: 'copies/a.txt' }],
  ['copy_file', { source_path: 'src', destination_path: 'copies/src', recursive: true }],
  ['move_file', { source_path: 'copies/a.txt', destination_path: 'copies/b.txt' }],
  ['move_file', { source_path: 'copies', destination_path: 'moved', dry_run: true }],
  ['backup_file', { file_path: 'a.txt', label: 'by hand' }],
  ['backup_file', { file_path: 'a.txt', backup_root: 'kept' }],
  ['rollback_file', { file_path: 'a.txt', backup_id: 'last' }],
  ['rollback_file', { file_path: 'a.txt', backup_id: 'last', backup_root: 'kept', dry_run: true }],
  ['file_ops_hub', { operation: 'view_file', path: 'a.txt' }],
  ['file_ops_hub', { operation: 'write_file', path: 'hub.txt', config: { content: 'x' } }],
  ['file_ops_hub', { operation: 'list_backups', path: 'a.txt' }],
  ['file_ops_hub', { operation: 'create_directory', path: 'made/here' }],
  ['file_ops_hub', { operation: 'batch_file_ops', config: { operations: [{ operation: 'delete_file', path: 'hub.txt' }], dry_run: true } }],
]

test('every tool has a call here', () => {
  const called = new Set(SUCCESSES.map(([tool]) => tool))
  expect(
    workspace
      .tools()
      .map(({ tool }) => tool.name)
      .sort(),
  ).toEqual([...called].sort())
})

test('results of calls that succeed', async () => {
  for (const [tool, args] of SUCCESSES) {
    expect(await call(tool, args), `${tool} ${JSON.stringify(args)}`).toBe(true)
  }
})

test('results of any other call', async () => {
  const path = fc.constantFrom(...Object.keys(FILES), 'src', 'link', 'none', '/', '../x', '.git/config', '', 'a\0', 'x'.repeat(300))
  const value = fc.oneof(
    path,
    fc.integer({ min: -2, max: 4 }),
    fc.boolean(),
    fc.constantFrom(null, 'one', '(', '^o.e$', [], {}, 1.5, ['*.txt'], [{ old_content: 'one', new_content: '1' }], 'e3b0'),
  )
  const tools = [...checks].map(([name, { names }]) => ({ name, names }))
  const anyCall = fc.constantFrom(...tools).chain(({ name, names }) =>
    fc.record({
      name: fc.constant(name),
      target: fc.record({ [names[0] as string]: path }),
      args: fc.dictionary(fc.constantFrom(...names, 'surprise'), value, { maxKeys: 4 }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(anyCall, async ({ name, target, args }) => {
      await call(name, { ...target, ...args })
    }),
    { numRuns: Number(process.env.SCHEMA_RUNS ?? 300) },
  )
})
