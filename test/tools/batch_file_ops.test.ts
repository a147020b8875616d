/** Batches: all or nothing, each operation seeing the earlier ones, and what they tell (contract P-160). */
import { describe, expect, it } from 'vitest'
import { OPERATIONS } from '../../src/tools/operations.ts'
import type { OperatorSettings } from '../../src/workspace/workspace.ts'
import { type Planted, workspaceWith } from './setup.ts'

const FILES: { readonly [path: string]: Planted } = { 'a.txt': 'one\n', 'b.txt': 'two\n' }
const write = (path: string, content = 'x\n') => ({ operation: 'write_file', path, config: { content } })
const edit = (path: string, from: string, to: string) => ({
  operation: 'edit_file',
  path,
  config: { replacements: [{ old_content: from, new_content: to }] },
})

async function batchWith(settings: OperatorSettings = { approval: 'off' }) {
  const fixture = await workspaceWith(FILES, { settings })
  const batch = async (operations: readonly object[], config: object = {}) => {
    const { result, code } = await fixture.call('file_ops_hub', { operation: 'batch_file_ops', config: { operations, ...config } })
    return { ...result, code } as { readonly [member: string]: unknown }
  }
  return { ...fixture, batch }
}

/** A person would be asked about moves and deletions otherwise. */
const TRUSTING: OperatorSettings = {
  approval: 'trusted',
  trustPolicy: { version: 1, rules: [{ operations: Object.keys(OPERATIONS), paths: ['**'] }] },
}

const FAILING = [write('d/one.txt'), edit('a.txt', 'one', 'ONE'), edit('b.txt', 'zzz', 'ZZZ'), write('two.txt')]

describe('atomic', () => {
  it('leaves nothing when one operation fails, and tells what was taken back (T-P-HB-12)', async () => {
    const { batch, paths, read, workspace, stat } = await batchWith()
    const before = await paths()
    const mtime = (await stat('a.txt'))?.mtimeMs
    const answer = await batch(FAILING)
    expect(answer).toMatchObject({
      error_kind: 'no_match',
      result: {
        failed_index: 2,
        completed: 2,
        change_id: null,
        results: [{ ok: true }, { ok: true }, { ok: false, error_kind: 'no_match' }],
      },
      mutation_receipts: [
        { operation: 'write_file', path: '/d/one.txt', created: true, rolled_back: true, self_verified: false },
        { operation: 'edit_file', path: '/a.txt', modified: true, rolled_back: true, self_verified: false },
      ],
    })
    expect(answer).not.toHaveProperty('workspace_delta')
    expect(await paths()).toEqual(before)
    expect(await read('a.txt')).toBe('one\n')
    expect((await stat('a.txt'))?.mtimeMs).toBe(mtime)
    expect(await workspace.log({ limit: 10 })).toHaveLength(1)
  })

  it('is one change, which one undo takes back', async () => {
    const { batch, workspace, read, paths } = await batchWith()
    const before = await paths()
    const answer = await batch([
      write('n', 'one two'),
      edit('n', 'two', '2'),
      { operation: 'copy_file', path: 'n', config: { destination_path: 'm' } },
      edit('m', 'one 2', 'done'),
      edit('a.txt', 'one', '1'),
    ])
    expect(answer).toMatchObject({ code: null, result: { completed: 5, failed_index: null } })
    expect([await read('n'), await read('m'), await read('a.txt')]).toEqual(['one 2', 'done', '1\n'])
    expect(answer.workspace_delta).toEqual({ created: ['n', 'm'], modified: ['a.txt'], deleted: [], moved: [] })
    expect(answer.mutation_receipts).toMatchObject(Array.from({ length: 5 }, () => ({ self_verified: true })))
    const { record } = await workspace.show('last')
    expect(record.id).toBe((answer.result as { change_id: string }).change_id)
    await workspace.undo('last')
    expect(await paths()).toEqual(before)
    expect(await read('a.txt')).toBe('one\n')
  })

  it('follows what was moved and removed', async () => {
    const { batch, read, paths } = await batchWith(TRUSTING)
    const answer = await batch([
      { operation: 'create_directory', path: 'd' },
      { operation: 'move_file', path: 'a.txt', config: { destination_path: 'd/a.txt' } },
      edit('d/a.txt', 'one', '1'),
      { operation: 'move_file', path: 'd', config: { destination_path: 'e' } },
      edit('e/a.txt', '1', 'uno'),
      { operation: 'delete_file', path: 'b.txt' },
      write('b.txt', 'new'),
      { operation: 'list_directory', path: 'e' },
    ])
    expect(answer).toMatchObject({ code: null })
    expect((await paths()).sort()).toEqual(['b.txt', 'e', 'e/a.txt'])
    expect([await read('e/a.txt'), await read('b.txt')]).toEqual(['uno\n', 'new'])
    expect((answer.result as { results: { result: { entries: object[] } }[] }).results[7]?.result.entries).toMatchObject([
      { name: 'a.txt' },
    ])
  })
})

describe('backups that the batch itself makes', () => {
  const last = { operation: 'rollback_file', path: 'a.txt', config: { backup_id: 'last' } }

  it('are not there to be restored, and no older one is taken in their place', async () => {
    const { batch, call, read } = await batchWith(TRUSTING)
    await call('file_ops_hub', edit('a.txt', 'one', 'older'))
    for (const earlier of [
      edit('a.txt', 'older', 'newer'),
      { operation: 'backup_file', path: 'a.txt' },
      { operation: 'delete_file', path: 'a.txt' },
    ]) {
      const answer = await batch([earlier, last])
      expect(answer).toMatchObject({ code: 'invalid_argument', error_field: 'config.operations[1].config.backup_id' })
      expect(await read('a.txt')).toBe('older\n')
    }
    expect((await batch([edit('b.txt', 'two', '2'), last])).code).toBeNull()
    expect([await read('a.txt'), await read('b.txt')]).toEqual(['one\n', '2\n'])
  })
})

it('a folder for backups that an operation only tried to use is there for the next one', async () => {
  const { batch } = await batchWith()
  const tried = {
    operation: 'write_file',
    path: 'a.txt',
    config: { content: 'x', force_overwrite: true, dry_run: true, backup_root: 'bk' },
  }
  const answer = await batch([{ operation: 'create_directory', path: 'bk' }, tried, write('bk/n')])
  expect(answer).toMatchObject({ code: null, workspace_delta: { created: ['bk', 'bk/n'] } })
})

describe('not atomic', () => {
  it('keeps what succeeded before the failure (T-P-HB-12)', async () => {
    const { batch, read } = await batchWith()
    const answer = await batch(FAILING, { atomic: false })
    expect(answer).toMatchObject({
      error_kind: 'no_match',
      result: { failed_index: 2, completed: 2, change_id: expect.any(String) },
      mutation_receipts: [{ self_verified: true }, { self_verified: true }],
      workspace_delta: { created: ['d', 'd/one.txt'], modified: ['a.txt'] },
    })
    expect(answer.mutation_receipts).not.toContainEqual(expect.objectContaining({ rolled_back: true }))
    expect([await read('d/one.txt'), await read('a.txt'), await read('two.txt')]).toEqual(['x\n', 'ONE\n', null])
  })

  it('goes on after a failure when told to', async () => {
    const { batch, read } = await batchWith()
    const answer = await batch(FAILING, { atomic: false, stop_on_error: false })
    expect(answer).toMatchObject({ result: { failed_index: 2, completed: 3 } })
    expect([await read('two.txt'), await read('b.txt')]).toEqual(['x\n', 'two\n'])
  })
})

describe('before the first operation runs', () => {
  const refusals: [string, readonly object[], OperatorSettings, string, string | undefined][] = [
    [
      'a wrong shape',
      [write('n'), { operation: 'write_file', path: 'm' }],
      { approval: 'off' },
      'missing_argument',
      'config.operations[1].config.content',
    ],
    ['an unknown operation', [write('n'), { operation: 'rm' }], { approval: 'off' }, 'invalid_operation', 'config.operations[1].operation'],
    [
      'a disabled operation (T-P-HB-13)',
      [write('n'), edit('a.txt', 'one', '1')],
      { approval: 'off', disabled: ['edit'] },
      'operation_not_enabled',
      undefined,
    ],
    [
      'a batch in a batch (T-P-HB-14)',
      [write('n'), { operation: 'batch_file_ops', config: { operations: [write('m')] } }],
      { approval: 'off' },
      'invalid_argument',
      undefined,
    ],
    [
      'an unknown option',
      [write('n'), { operation: 'write_file', path: 'm', config: { content: '', bogus_option: 1 } }],
      { approval: 'off' },
      'invalid_argument',
      'config.operations[1].config.bogus_option',
    ],
    [
      'a person to ask (T-P-HB-11)',
      [write('n'), { operation: 'delete_file', path: 'a.txt' }],
      { approval: 'off' },
      'approval_required',
      undefined,
    ],
    ['a person to ask, with approvals on', [write('n')], {}, 'approval_required', undefined],
  ]
  it.each(refusals)('%s refuses all of it', async (_, operations, settings, kind, field) => {
    const { batch, paths } = await batchWith(settings)
    const answer = await batch(operations)
    expect(answer).toMatchObject({ error_kind: kind, ...(field !== undefined && { error_field: field }) })
    expect(answer.mutation_receipts ?? []).toEqual([])
    expect(await paths()).toEqual(['a.txt', 'b.txt'])
  })

  it.each([[[]], [Array.from({ length: 201 }, () => ({ operation: 'file_info', path: 'a.txt' }))]])(
    '0 and 201 operations are refused',
    async (operations) => {
      expect((await (await batchWith()).batch(operations)).code).toBe('invalid_argument')
    },
  )
})

describe('dry run (T-P-HB-15)', () => {
  it('shows later operations what earlier ones would do, and changes nothing', async () => {
    const { batch, paths, read, workspace } = await batchWith()
    const answer = await batch(
      [
        write('d/n', 'one\n'),
        edit('d/n', 'one', '1'),
        { operation: 'delete_file', path: 'a.txt' },
        { operation: 'move_file', path: 'b.txt', config: { destination_path: 'a.txt' } },
      ],
      { dry_run: true },
    )
    expect(answer).toMatchObject({ code: null, result: { completed: 4, change_id: null } })
    expect(answer).not.toHaveProperty('mutation_receipts')
    expect(await paths()).toEqual(['a.txt', 'b.txt'])
    expect(await read('a.txt')).toBe('one\n')
    expect(await workspace.log()).toHaveLength(1)
  })

  it('fails where the batch would', async () => {
    const { batch } = await batchWith()
    const answer = await batch([{ operation: 'delete_file', path: 'a.txt' }, edit('a.txt', 'one', '1')], { dry_run: true })
    expect(answer).toMatchObject({ error_kind: 'not_found', result: { failed_index: 1 } })
  })

  it('of an operation that always asks asks nobody', async () => {
    const { batch } = await batchWith()
    const tried = { operation: 'delete_file', path: 'a.txt', config: { dry_run: true } }
    expect(await batch([tried, { ...tried, path: 'b.txt' }])).toMatchObject({ code: null, result: { change_id: null } })
    expect(await batch([tried, write('n')])).toMatchObject({ code: null, workspace_delta: { created: ['n'], deleted: [] } })
    expect((await batch([tried, { operation: 'delete_file', path: 'b.txt' }])).code).toBe('approval_required')
  })

  it('of one operation is not there for the next', async () => {
    const { batch, read } = await batchWith()
    const tried = { ...edit('a.txt', 'one', '1'), config: { ...edit('a.txt', 'one', '1').config, dry_run: true } }
    expect(await batch([tried, edit('a.txt', 'one', 'uno')], { dry_run: true })).toMatchObject({ code: null })
    expect(await batch([tried, edit('a.txt', 'one', 'uno')])).toMatchObject({ code: null })
    expect(await read('a.txt')).toBe('uno\n')
  })
})

it('judges each operation by its own permissions', async () => {
  const { batch, paths } = await batchWith()
  const allowed = { operation: 'write_file', path: '.env', config: { content: 'A=1', allow_sensitive: true } }
  expect(await batch([allowed, write('.env.local')])).toMatchObject({ error_kind: 'sensitive_path', result: { failed_index: 1 } })
  expect(await paths()).toEqual(['a.txt', 'b.txt'])
  expect(await batch([{ operation: 'write_file', path: '.gitignore', config: { content: 'out/\n' } }, write('out/x')])).toMatchObject({
    error_kind: 'ignored_path',
    result: { failed_index: 1 },
  })
})
