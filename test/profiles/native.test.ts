/** The `native` profile: a list that costs little, tables that lead somewhere, and answers that say what to do next. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { ERRORS, type ErrorCode, FilewrightError } from '../../src/core/errors.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { openNodeFs } from '../../src/fs/node.ts'
import { createMcpFactory } from '../../src/mcp/index.ts'
import type { Dialect } from '../../src/profiles/lenient.ts'
import { understand } from '../../src/profiles/lenient.ts'
import { native } from '../../src/profiles/native.ts'
import { DIALECTS } from '../../src/profiles/native_dialects.ts'
import { argumentNames } from '../../src/tools/arguments.ts'
import { inputSchema } from '../../src/tools/json_schema.ts'
import { OPERATIONS } from '../../src/tools/native/operations.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { connect, ERAS } from '../mcp/connection.ts'
import { plant } from '../tools/setup.ts'
import { temporaryFolder } from '../tools/storages.ts'

const encoder = new TextEncoder()
const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[]

async function workspaceWith(files: { readonly [path: string]: string }) {
  const fs = await openNodeFs({ root: temporaryFolder(), durability: 'process' })
  // It is there so that all tools are listed.
  const runner = { name: 'none', run: () => Promise.reject(new FilewrightError('runner_lost', 'Nothing is run here.')) }
  const workspace = await openWorkspace({ fs, profile: 'native', runner })
  for (const [path, content] of Object.entries(files)) await workspace.call('write', { path, content })
  return workspace
}

describe('the list of tools', () => {
  it.each(ERAS)('is at most eight tools and less than 8 KB of JSON over MCP (%s)', async (era) => {
    const client = await connect(createMcpFactory(await workspaceWith({})), era)
    const listed = await client.listTools()
    expect(listed.tools.map(({ name }) => name)).toEqual(['read', 'write', 'edit', 'list', 'grep', 'tree', 'batch', 'run'])
    expect(encoder.encode(JSON.stringify(listed)).length).toBeLessThan(8 * 1024)
  })

  it('names only arguments that the tools take, and requires what they require', () => {
    for (const { tool, inputSchema: listedInput } of native.tools) {
      const { properties, required } = (listedInput?.() ?? {}) as { properties?: object; required?: string[] }
      expect(properties).toBeDefined()
      expect(argumentNames(tool)).toEqual(expect.arrayContaining(Object.keys(properties ?? {})))
      expect(required).toEqual(inputSchema(tool).required)
    }
  })
})

describe('the tables of spellings', () => {
  const goals = ({ aliases }: Dialect): string[] => Object.values(aliases).map((alias) => (typeof alias === 'string' ? alias : alias.to))

  it.each(native.tools.map(({ tool }) => [tool.name, tool] as const))('%s: each name stands for an argument of the tool', (name, tool) => {
    const { items, values, single, ...dialect } = DIALECTS[name] as Dialect
    const own = argumentNames(tool)
    expect(goals(dialect).filter((goal) => !own.includes(goal) && !single?.by.includes(goal) && goal !== 'end_line')).toEqual([])
    expect(Object.keys({ ...items, ...values }).filter((member) => !own.includes(member))).toEqual([])
    expect((single?.keep ?? []).filter((member) => !own.includes(member))).toEqual([])
  })

  it('those of a batch stand for what some operation takes', () => {
    const operation = DIALECTS.batch?.items?.operations as Dialect
    const own = new Set(['op', ...Object.values(OPERATIONS).flatMap(({ tool, names }) => [...argumentNames(tool), ...Object.keys(names)])])
    expect(goals(operation).filter((goal) => !own.has(goal))).toEqual([])
    expect(Object.values(operation.values?.op ?? {}).filter((op) => !Object.hasOwn(OPERATIONS, op))).toEqual([])
  })
})

describe('understanding', () => {
  const schema = {
    properties: {
      path: { type: 'string' },
      limit: { type: 'integer' },
      all: { type: 'boolean' },
      list: { type: 'array', items: { type: 'object', properties: { old: { type: 'string' }, all: { type: 'boolean' } } } },
    },
  }
  const dialect: Dialect = {
    aliases: { file: 'path', max: 'limit', last: { to: 'limit', as: (value) => (typeof value === 'number' ? -value : value) } },
    items: { list: { aliases: { from: 'old' } } },
  }
  const argsOf = (sent: unknown) => understand(schema, dialect, sent).args

  it('reads names, numbers, truth values and lists', () => {
    expect(understand(schema, dialect, { file: 'a', max: '10', all: 'TRUE' })).toEqual({
      args: { path: 'a', limit: 10, all: true },
      accepted: ['file as path', 'max as limit', 'max as a number', 'all as true or false'],
    })
    expect(argsOf({ last: 3 })).toEqual({ limit: -3 })
    expect(argsOf({ list: '[{"from": "x", "all": "false"}]' })).toEqual({ list: [{ old: 'x', all: false }] })
    expect(argsOf({ list: { from: 'x' } })).toEqual({ list: [{ old: 'x' }] })
  })

  it('leaves alone what it does not understand', () => {
    for (const sent of [
      { limit: 'ten' },
      { limit: '1e3' },
      { limit: '' },
      { all: 'yes' },
      { list: 'x' },
      { list: '[' },
      { path: '7' },
      { other: 1 },
    ]) {
      expect(understand(schema, dialect, sent)).toEqual({ args: sent, accepted: [] })
    }
    expect(argsOf({ path: null, file: 'a' })).toEqual({ path: 'a' })
    expect(() => argsOf('text')).toThrow()
  })

  it('takes names that every object has for names like any other', () => {
    const sent = JSON.parse('{"__proto__": {"path": "a"}, "constructor": 1, "list": [{"toString": 1}]}')
    expect(understand(schema, dialect, sent)).toEqual({ args: sent, accepted: [] })
    expect(Object.keys(argsOf(sent))).toEqual(['__proto__', 'constructor', 'list'])
  })

  it('reads objects that came as text, also among others', () => {
    expect(understand(schema, dialect, ' {"file": "a"}')).toEqual({
      args: { path: 'a' },
      accepted: ['the arguments as an object', 'file as path'],
    })
    expect(argsOf({ list: ['{"from": "x"}', { old: 'y' }] })).toEqual({ list: [{ old: 'x' }, { old: 'y' }] })
  })

  it('refuses two values of one argument, and takes one value twice', () => {
    let deep: unknown = 1
    for (let depth = 0; depth < 20_000; depth++) deep = [deep]
    expect(() => argsOf({ path: deep, file: 'b' })).toThrow(/path and file/)
    expect(() => argsOf({ path: deep, file: [deep] })).toThrow(/path and file/)
    expect(() => argsOf({ path: 'a', file: 'b' })).toThrow(/path and file/)
    expect(() => argsOf({ list: [{ old: 'a', from: 'b' }] })).toThrow(/list\[0\]\.old and list\[0\]\.from/)
    expect(argsOf({ path: 'a', file: 'a' })).toEqual({ path: 'a' })
  })
})

test('an operation of a batch may be spelt as its tool may', async () => {
  const workspace = await workspaceWith({ a: 'one\ntwo\n', b: 'b\n', 'dir/c': 'c\n' })
  const operations = [
    { op: 'write', path: 'b', content: 'more\n', append: 'true' },
    { op: 'write', path: 'new', content: 'x', mode: 'overwrite' },
    { op: 'edit', path: 'a', old_string: 'o', new_string: '0', replace_all: 'true' },
    { op: 'edit', path: 'a', start_line: '2', end_line: '2', new: 'TWO' },
    { op: 'edit', path: 'b', edits: '[{"insert_line": "0", "new": "first"}]' },
    '{"op": "delete", "path": "dir", "recursive": "true"}',
  ]
  const { error, result } = await workspace.call('batch', { operations })
  expect(error).toBeNull()
  expect(result.accepted).toContain('operations[3].start_line, operations[3].end_line, operations[3].new as one of operations[3].edits')
  const { text } = await workspace.call('read', { paths: ['a', 'b', 'new'] })
  expect(text.replaceAll(/==> .*\//g, '==> /')).toBe('==> /a <==\n0ne\nTWO\n\n==> /b <==\nfirst\nb\nmore\n\n==> /new <==\nx\n')
  const wrong = await workspace.call('batch', { operations: [{ op: 'edit', path: 'a', edits: [{ start_line: 'two', new: '' }] }] })
  expect(wrong.error).toMatchObject({ code: 'invalid_argument', field: 'operations[0].edits[0].start_line' })
})

test('an empty list is told as such; a change may be named by its number', async () => {
  const workspace = await workspaceWith({ a: 'one\n' })
  expect((await workspace.call('edit', { path: 'a', edits: [] })).text).toMatch(/edits must not be empty/)
  expect((await workspace.call('batch', { operations: [] })).text).toMatch(/operations must not be empty/)
  const many = Array.from({ length: 201 }, () => ({ op: 'info', path: 'a' }))
  expect((await workspace.call('batch', { operations: many })).text).toMatch(/at most 200/)
  await workspace.call('write', { path: 'a', content: 'two\n' })
  const unknown = await workspace.call('batch', { operations: [{ op: 'undo', change: 99 }] })
  expect(unknown.error).toMatchObject({ code: 'not_found', field: 'change' })
  expect(unknown.text).toMatch(/no change 99\.\nLeave out change/)
  const { record } = (await workspace.log({ limit: 1 }))[0] ?? {}
  expect((await workspace.call('batch', { op: 'undo', change: record?.sequence })).error).toBeNull()
  expect((await workspace.call('read', { path: 'a' })).text).toBe('one\n')
})

test('a failure says in one line what is wrong, and in the next what to do', async () => {
  const workspace = await workspaceWith({ 'a.txt': 'one\n' })
  const failing: readonly (readonly [string, object])[] = [
    ['read', { path: 'none' }],
    ['read', { path: '../x' }],
    ['read', { path: 7 }],
    ['write', { path: '.env', content: '' }],
    ['write', { path: 'a.txt', content: '', sha256: '0'.repeat(64) }],
    ['edit', { path: 'a.txt', old: 'two', new: '2' }],
    ['grep', { pattern: '(', regex: true }],
    ['list', { path: 'a.txt' }],
    ['batch', { operations: [{ op: 'delete', path: 'none' }] }],
  ]
  for (const [tool, args] of failing) {
    const { text, result, error } = await workspace.call(tool, args)
    const [what, next] = text.split('\n')
    expect(what).toBe(`${error?.code}: ${result.error}`)
    expect(next).toBe(result.next)
    expect(next).toMatch(/^[A-Z].*\.$/)
    expect(result.code).toBe(error?.code)
    // Names of other profiles' tools would lead nowhere.
    expect(`${result.error}\n${next}`).not.toMatch(/\b(view|edit|write|delete|patch|search)_file|list_directory|file_tree|expected_sha256/)
  }
})

test('a picture stands beside the text, and in nothing else', async () => {
  const workspace = await workspaceWith({})
  const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
  await workspace.call('write', { path: 'p.png', content: data, encoding: 'base64' })
  const { attachments, result, text } = await workspace.call('read', { path: 'p.png' })
  expect(attachments).toEqual([{ type: 'image', mimeType: 'image/png', data }])
  expect(JSON.stringify([result, text])).not.toContain(data)
})

test('an undo by the tool is an undo in the journal, and can be redone', async () => {
  const workspace = await workspaceWith({ 'a.txt': 'one\n' })
  await workspace.call('batch', {
    operations: [
      { op: 'move', path: 'a.txt', to: 'b/c.txt' },
      { op: 'write', path: 'd', content: 'x' },
    ],
  })
  await workspace.call('batch', { operations: [{ op: 'undo' }] })
  const [newest, undone] = await workspace.log()
  expect(newest?.record).toMatchObject({ kind: 'undo', target: undone?.record.id })
  expect(undone?.undone).toBe(true)
  expect((await workspace.call('list', {})).text).toBe('a.txt  4')
  await workspace.redo()
  expect((await workspace.call('list', { depth: 2 })).text).toBe('b/\nb/c.txt  4\nd  1')
  expect((await workspace.verify()).records).toBe(4)
})

test('results validate against what is listed', async () => {
  const workspace = await workspaceWith({ 'a.txt': 'one\n', 'src/b.ts': 'one\n' })
  const calls: readonly (readonly [string, object])[] = [
    ['read', { path: 'a.txt' }],
    ['read', { paths: ['a.txt', 'none'] }],
    ['read', { path: 'none' }],
    ['write', { path: 'n', content: '' }],
    ['edit', { path: 'a.txt', old: 'one', new: '1' }],
    ['edit', { path: 'a.txt', old: 'one', new: '1' }],
    ['list', { glob: '*' }],
    ['grep', { pattern: 'one', limit: 1 }],
    ['tree', {}],
    ['batch', { operations: [{ op: 'info', path: 'a.txt' }] }],
    ['batch', { operations: [{ op: 'undo' }] }],
  ]
  for (const [name, args] of calls) {
    const { result } = await workspace.call(name, args)
    const listed = native.tools.find(({ tool }) => tool.name === name)?.outputSchema?.()
    const check = new AjvJsonSchemaValidator().getValidator(listed as Parameters<AjvJsonSchemaValidator['getValidator']>[0])
    expect(check(result), `${name} ${JSON.stringify(result)}`).toMatchObject({ valid: true })
  }
})

test('what the operator turned off is refused, by its own name or as the operation that it is', async () => {
  const open = async (...disabled: string[]) => {
    const fs = createMemoryFs()
    await plant(fs, { 'a.txt': 'one\n' })
    return openWorkspace({ fs, profile: 'native', settings: { disabled } })
  }
  const calls: readonly (readonly [disabled: string, tool: string, args: object, field?: string])[] = [
    ['write', 'write', { path: 'b', content: '' }],
    ['write_file', 'write', { path: 'b', content: '' }],
    ['write', 'batch', { operations: [{ op: 'write', path: 'b', content: '' }] }, 'operations[0].op'],
    [
      'delete',
      'batch',
      {
        operations: [
          { op: 'info', path: 'a.txt' },
          { op: 'rm', path: 'a.txt' },
        ],
      },
      'operations[1].op',
    ],
    ['move_file', 'batch', { op: 'move', path: 'a.txt', to: 'b' }, 'operations[0].op'],
    ['rollback', 'batch', { operations: [{ op: 'undo' }] }, 'operations[0].op'],
    ['patch', 'edit', { path: 'a.txt', patches: [] }, 'patches'],
    ['patch', 'batch', { operations: [{ op: 'edit', path: 'a.txt', patches: [] }] }, 'operations[0].patches'],
    ['search', 'grep', { pattern: 'one' }],
  ]
  for (const [disabled, tool, args, field] of calls) {
    const { error, text } = await (await open(disabled)).call(tool, args)
    expect(error, `${disabled}: ${text}`).toMatchObject({ code: 'unsupported', ...(field !== undefined && { field }) })
  }
  const { error } = await (await open('delete')).call('batch', { operations: [{ op: 'move', path: 'a.txt', to: 'b' }] })
  expect(error).toBeNull()
})

test('any call is answered, whatever it holds', async () => {
  const workspace = await workspaceWith({ 'a.txt': 'one\ntwo\n', 'src/b.json': '{"a": 1}\n', '.gitignore': '*.log\n' })
  const path = fc.constantFrom('a.txt', 'src', 'src/b.json', 'none', '../x', '.git/config', '', 'a\0', 'x'.repeat(300), '\ud800')
  const value: fc.Arbitrary<unknown> = fc.oneof(
    path,
    fc.constantFrom(
      null,
      true,
      'true',
      -1,
      0,
      1,
      2.5,
      '3',
      1e300,
      'one',
      '(',
      '[',
      '{"op":"undo"}',
      [],
      {},
      [null],
      ['*.ts'],
      [{ old: 'one', new: '1' }],
    ),
    fc.constantFrom(
      [{ op: 'write', path: 'n', content: 'x' }],
      [{ op: 'delete', path: 'none' }],
      [{ op: 'undo' }],
      [{ start_line: 1, new: 'x' }],
      [[]],
    ),
  )
  const anyCall = fc.constantFrom(...native.tools.map(({ tool }) => tool)).chain((tool) => {
    const names = [...argumentNames(tool), ...Object.keys(DIALECTS[tool.name]?.aliases ?? {}), 'surprise', '__proto__', 'constructor']
    return fc.record({
      tool: fc.constant(tool.name),
      args: fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5, noNullPrototype: false }),
    })
  })
  await fc.assert(
    fc.asyncProperty(anyCall, async ({ tool, args }) => {
      const { error, text, result } = await workspace.call(tool, args)
      expect(error?.code, text).not.toBe('io_error')
      expect(text).not.toBe('')
      if (error) expect(result).toMatchObject({ code: error.code, error: expect.any(String), next: expect.any(String) })
    }),
    { numRuns: Number(process.env.SCHEMA_RUNS ?? 300) },
  )
  await workspace.verify()
})

test('a failure speaks of the tools and arguments of this profile, and leaves the names of files alone', async () => {
  const foreign = /\b((view|edit|write|patch|delete)_file|list_directory|expected_sha256)\b(?!\.)/
  const [bound] = native.tools
  for (const code of ERROR_CODES) {
    const finished = { sent: {}, result: {}, receipt: null, disabled: () => false, correction: null, display: String }
    const { text } = bound?.render({ ...finished, error: new FilewrightError(code, 'It failed.') }) ?? { text: '' }
    expect(text).not.toMatch(foreign)
  }
  const workspace = await workspaceWith({ 'dir/edit_file.ts': 'one\n' })
  expect((await workspace.call('read', { path: 'view_file.md' })).text).toContain('view_file.md does not exist')
  expect((await workspace.call('edit', { path: 'dir/edit_file.ts', old: 'x', new: 'y' })).text).toContain('dir/edit_file.ts')
  expect((await workspace.call('edit', { path: 'dir', old: 'x', new: 'y' })).text).not.toMatch(foreign)
  const copied = await workspace.call('batch', { operations: [{ op: 'copy', path: 'destination_path.txt', to: 'b' }] })
  expect(copied.text).toContain('destination_path.txt does not exist')
  const nested = await workspace.call('batch', { operations: [{ op: 'copy', path: 'dir/destination_path', to: 'b' }] })
  expect(nested.text).toContain('dir/destination_path does not exist')
})

test('what is always so may be asked for, and every depth is meant where no depth is given', async () => {
  const workspace = await workspaceWith({ 'a/b/c.txt': 'one\n' })
  expect((await workspace.call('grep', { pattern: 'one', '-n': true, path: '.' })).text).toContain('1: one')
  const deep = await workspace.call('list', { path: '.', recursive: true })
  const shallow = await workspace.call('list', { path: '.', recursive: true, max_depth: 1 })
  expect(deep.text).toContain('c.txt')
  expect(shallow.error).toBeNull()
  expect(shallow.text).not.toContain('c.txt')
  expect(shallow.result.accepted).toEqual(['max_depth as depth'])
})
