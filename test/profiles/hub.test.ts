/** The hub: operations by name, what it refuses and how, and the corrections that it offers (contract 5.16). */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FailingCall, withFaults } from '../../src/testing/faults.ts'
import type { OperatorSettings } from '../../src/workspace/workspace.ts'
import { type Fixture, type FixtureOptions, type Planted, workspaceWith } from '../tools/setup.ts'

const FILES: { readonly [path: string]: Planted } = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n', 'd/k': 'k', 'x.json': '{"a": 1}\n' }

async function hubWith(settings: OperatorSettings = {}, files = FILES, options: FixtureOptions = {}) {
  const fixture = await workspaceWith(files, { settings, ...options })
  const hub = async (args: object) => {
    const { result, code, text } = await fixture.call('file_ops_hub', args)
    return { ...result, code, text } as { readonly [member: string]: unknown }
  }
  return { ...fixture, hub }
}

const EDIT = { operation: 'edit_file', path: 'a.txt', config: { replacements: [{ old_content: 'two', new_content: '2' }] } }

describe('operations', () => {
  const reads: [string, object, object][] = [
    ['view_file', { path: 'a.txt', config: { start_line: 2 } }, { file_path: 'a.txt', start_line: 2 }],
    ['file_info', { path: 'a.txt' }, { path: 'a.txt' }],
    ['list_directory', {}, { directory_path: '.' }],
    ['file_tree', {}, { root_path: '.' }],
    ['search_files', { config: { query: 'two' } }, { search_path: '.', query: 'two' }],
    ['diff_file', { path: 'a.txt', config: { new_content: 'x' } }, { file_path: 'a.txt', new_content: 'x' }],
    ['validate_file', { path: 'x.json' }, { file_path: 'x.json' }],
  ]
  it.each(reads)('%s gives what its tool gives (T-P-HB-01, T-P-HB-07)', async (operation, parts, args) => {
    const { hub, call } = await hubWith()
    const { elapsed_ms: _, ...expected } = (await call(operation, args)).result
    const answer = await hub({ operation, ...parts })
    expect(answer).toMatchObject({ operation, code: null, result: expected })
    for (const member of ['mutation_receipt', 'mutation_receipts', 'workspace_delta', 'enabled_operations', 'error_kind']) {
      expect(answer).not.toHaveProperty(member)
    }
  })

  const writes: [string, object, object][] = [
    ['write_file', { path: 'n/x', config: { content: 'x\n' } }, { created: true, bytes_written: 2 }],
    ['create_file', { path: 'n', config: { content: 'x' } }, { created: true }],
    ['create_directory', { path: 'n/m' }, { created: true, directory_path: '/n/m' }],
    ['edit_file', { path: 'a.txt', config: EDIT.config }, { changed: true, applied_count: 1 }],
    ['patch_file', { path: 'x.json', config: { patches: [{ op: 'set', path: '/a', value: 2 }] } }, { patches_applied: 1 }],
    ['copy_file', { path: 'a.txt', config: { destination_path: 'c.txt' } }, { created: true, bytes_copied: 8 }],
    ['backup_file', { path: 'a.txt', config: { label: 'x' } }, { bytes_copied: 8 }],
  ]
  it.each(writes)('%s runs, small and reversible, without being asked about (T-P-HB-10)', async (operation, parts, result) => {
    const { hub } = await hubWith()
    expect(await hub({ operation, ...parts })).toMatchObject({
      code: null,
      operation,
      result,
      mutation_receipt: { operation, self_verified: true },
      workspace_delta: { deleted: [], moved: [] },
    })
  })

  it('tells what a write did, with the directories on the way (T-P-HB-06)', async () => {
    const { hub } = await hubWith()
    const answer = await hub({ operation: 'write_file', path: 'n/m/x', config: { content: 'x\n' } })
    expect(answer.mutation_receipt).toEqual({
      operation: 'write_file',
      path: '/n/m/x',
      created: true,
      modified: false,
      deleted: false,
      moved: false,
      after_sha256: '73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac',
      bytes_after: 2,
      self_verified: true,
    })
    expect(answer.workspace_delta).toEqual({ created: ['n', 'n/m', 'n/m/x'], modified: [], deleted: [], moved: [] })
  })

  it('tells of a dry run without a receipt, and asks nobody', async () => {
    const { hub, paths } = await hubWith()
    const before = await paths()
    for (const [operation, config] of [
      ['delete_file', { dry_run: true }],
      ['move_file', { dry_run: true, destination_path: 'z' }],
    ] as const) {
      const answer = await hub({ operation, path: 'a.txt', config })
      expect(answer).toMatchObject({ code: null, result: { dry_run: true } })
      expect(answer).not.toHaveProperty('mutation_receipt')
    }
    expect(await paths()).toEqual(before)
  })

  it('creates, and never replaces, with create_file', async () => {
    const { hub, read } = await hubWith({ approval: 'off' })
    expect(await hub({ operation: 'create_file', path: 'a.txt', config: { content: 'x', force_overwrite: true } })).toMatchObject({
      error_kind: 'already_exists',
    })
    expect(await read('a.txt')).toBe('one\ntwo\n')
  })

  it('makes directories (T-P-HB-17)', async () => {
    const { hub } = await hubWith()
    expect(await hub({ operation: 'create_directory', path: 'd' })).toMatchObject({ result: { created: false } })
    expect((await hub({ operation: 'create_directory', path: 'a.txt' })).code).toBe('not_directory')
    expect((await hub({ operation: 'create_directory', path: 'a.txt/x' })).code).toBe('not_directory')
  })
})

describe('the shape of a call', () => {
  it('wants config to be an object, and offers what the text says (T-P-HB-04)', async () => {
    const { hub } = await hubWith()
    const refused = await hub({ operation: 'write_file', path: 'n', config: '{"content": "x"}' })
    expect(refused).toMatchObject({ error_kind: 'invalid_config', error_field: 'config', retry_disposition: 'retry_after_correction' })
    expect(await hub(refused.correct_call as object)).toMatchObject({ code: null, result: { created: true } })
  })

  it('names a missing option in the words of the caller (T-P-HB-05, T-P-HB-18)', async () => {
    const { hub } = await hubWith()
    const write = await hub({ operation: 'write_file', path: 'n' })
    expect(write).toMatchObject({ error_kind: 'missing_argument', error_field: 'config.content' })
    expect((await hub(write.correct_call as object)).code).toBeNull()
    const copy = await hub({ operation: 'copy_file', path: 'a.txt', config: {} })
    expect(copy).toMatchObject({ error_field: 'config.destination_path', correct_call: { operation: 'copy_file', path: 'a.txt' } })
    expect((await hub(copy.correct_call as object)).code).toBeNull()
    expect(await hub({ operation: 'view_file' })).toMatchObject({ error_kind: 'missing_argument', error_field: 'path' })
  })

  it('names its own members as they stand there', async () => {
    const { hub } = await hubWith()
    expect(await hub({ operation: 'view_file', path: { a: 1 } })).toMatchObject({ error_field: 'path' })
    expect(await hub({ operation: 'view_file', path: 'a.txt', file_path: 'a.txt' })).toMatchObject({ error_field: 'file_path' })
  })

  it('corrects the operation of a batch that is wrong, and no other', async () => {
    const { hub } = await hubWith()
    const list = { operation: 'list_directory', path: 'd', config: {} }
    const rows: [object, string, object][] = [
      [{ operation: 'view_fil', path: 'a.txt' }, 'operation', { operation: 'view_file', path: 'a.txt' }],
      [
        { operation: 'view_file', path: 'a.txt', config: '{"start_line": 2}' },
        'config',
        { operation: 'view_file', config: { start_line: 2 } },
      ],
    ]
    for (const [wrong, field, right] of rows) {
      const answer = await hub({ operation: 'batch_file_ops', config: { operations: [list, wrong] } })
      expect(answer).toMatchObject({
        error_field: `config.operations[1].${field}`,
        correct_call: { operation: 'batch_file_ops', config: { operations: [list, right] } },
      })
      expect((await hub(answer.correct_call as object)).code).toBeNull()
    }
  })

  it('names an item of a list', async () => {
    const { hub } = await hubWith()
    const replacements = [
      { old_content: 'one', new_content: '1' },
      { old_content: '', new_content: '2' },
    ]
    const answer = await hub({ ...EDIT, config: { replacements } })
    expect(answer).toMatchObject({ error_kind: 'invalid_argument', error_field: 'config.replacements[1].old_content' })
    expect((await hub(answer.correct_call as object)).code).toBeNull()
  })

  it('refuses two different paths, and takes the same one twice', async () => {
    const { hub } = await hubWith()
    expect((await hub({ operation: 'view_file', path: 'a.txt', config: { file_path: 'b.txt' } })).code).toBe('invalid_argument')
    expect((await hub({ operation: 'view_file', path: 'a.txt', config: { file_path: 'a.txt' } })).code).toBeNull()
  })

  it('ignores null, says what it ignored else, and refuses what nothing knows (P-153)', async () => {
    const { hub } = await hubWith()
    const call = { operation: 'write_file', path: 'n' }
    expect((await hub({ ...call, config: { content: 'x', start_line: null } })).code).toBeNull()
    expect((await hub({ operation: 'view_file', path: 'a.txt', config: { recursive: true } })).summary).toContain('recursive')
    expect((await hub({ operation: 'batch_file_ops', path: 'd', config: { operations: [EDIT], dry_run: true } })).summary).toContain('path')
    for (const long of [{ operation: 'x'.repeat(1e5) }, { ...call, config: { content: 'x', ['x'.repeat(1e5)]: 1 } }]) {
      expect(String((await hub(long)).error).length).toBeLessThan(1000)
    }
    const typo = await hub({ operation: 'write_file', path: 'm', config: { content: 'x', create_dir: true } })
    expect(typo).toMatchObject({ error_field: 'config.create_dir', error: expect.stringContaining('create_dirs') })
    expect(typo.correct_call).toEqual({ operation: 'write_file', path: 'm', config: { content: 'x', create_dirs: true } })
  })

  it.each(['allow_delete', 'require_approval', 'sandbox_root'])('does not take %s from a call (T-P-HB-09, T-X-16)', async (name) => {
    const { hub, read } = await hubWith({ disabled: ['delete'] })
    expect((await hub({ operation: 'delete_file', path: 'a.txt', [name]: true })).code).not.toBeNull()
    expect((await hub({ operation: 'view_file', path: 'a.txt', config: { [name]: true } })).code).toBe('invalid_argument')
    expect(await read('a.txt')).not.toBeNull()
  })
})

describe('every kind of failure (T-P-HB-16)', () => {
  interface Row {
    readonly call: object
    readonly settings?: OperatorSettings
    readonly files?: { readonly [path: string]: Planted }
    readonly options?: FixtureOptions
    readonly terminal: boolean
    readonly retry: string
    readonly action: string
  }
  const correct = { terminal: false, retry: 'retry_after_correction' }
  const again = { terminal: false, retry: 'retry_same_call' }
  const never = { terminal: true, retry: 'do_not_retry' }
  const off: OperatorSettings = { approval: 'off' }
  const stale = 'a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa'
  /** Some failures only a storage can cause. */
  const failing = (code: FailingCall['code']): FixtureOptions => ({
    over: (fs) => withFaults(fs, [{ method: 'commit', call: 1, code }]),
  })
  const write = (config: object, path = 'n') => ({ operation: 'write_file', path, config: { content: 'x', ...config } })
  const view = (path: string) => ({ operation: 'view_file', path })

  const rows: { readonly [kind: string]: Row } = {
    operation_not_enabled: { call: EDIT, settings: { disabled: ['edit'] }, ...never, action: 'use_enabled_operation' },
    invalid_operation: { call: { operation: 'rm', path: 'a.txt' }, ...correct, action: 'choose_valid_operation' },
    invalid_config: { call: { ...view('a.txt'), config: [1] }, ...correct, action: 'fix_argument' },
    missing_argument: { call: { operation: 'write_file', path: 'n' }, ...correct, action: 'fix_argument' },
    invalid_argument: { call: { ...EDIT, config: { ...EDIT.config, expected_sha256: 'zz' } }, ...correct, action: 'fix_argument' },
    not_found: { call: view('none'), ...correct, action: 'use_file_tree' },
    outside_root: { call: view('../x'), ...correct, action: 'correct_source_path' },
    is_directory: { call: view('d'), ...correct, action: 'use_list_directory' },
    not_directory: { call: { operation: 'list_directory', path: 'a.txt' }, ...correct, action: 'correct_source_path' },
    already_exists: { call: write({}, 'a.txt'), settings: off, ...correct, action: 'confirm_overwrite' },
    confirmation_required: { call: write({ overwrite: true }, 'a.txt'), settings: off, ...correct, action: 'reread_file' },
    stale_expected_sha256: {
      call: write({ overwrite: true, expected_sha256: stale }, 'a.txt'),
      settings: off,
      ...correct,
      action: 'reread_file',
    },
    no_match: { call: { ...EDIT, config: { replacements: [{ old_content: 'zzz', new_content: '' }] } }, ...correct, action: 'reread_file' },
    ambiguous_match: {
      call: { ...EDIT, config: { replacements: [{ old_content: 'o', new_content: '' }] } },
      ...correct,
      action: 'reread_file',
    },
    ambiguous_whitespace_match: {
      call: { ...EDIT, config: { replacements: [{ old_content: 'if a:\n    b', new_content: 'c' }], ignore_whitespace: true } },
      files: { 'a.txt': 'if a:\n\tb\nif a:\n\tb\n' },
      ...correct,
      action: 'reread_file',
    },
    ignored_path: { call: write({}, 'out/a'), files: { '.gitignore': 'out/\n' }, ...correct, action: 'request_permission' },
    sensitive_path: { call: write({}, '.env'), ...correct, action: 'request_permission' },
    approval_required: { call: { operation: 'delete_file', path: 'a.txt' }, ...again, action: 'request_approval' },
    binary_file: { call: view('a.bin'), files: { 'a.bin': new Uint8Array([97, 0, 98]) }, ...never, action: 'use_other_tool' },
    invalid_utf8: {
      call: { operation: 'diff_file', path: 'a.txt', config: { new_content: 'x' } },
      files: { 'a.txt': new Uint8Array([0x41, 0xc3, 0x28, 0x0a]) },
      ...never,
      action: 'use_other_tool',
    },
    unsupported: { call: write({ content_artifact_uri: 'artifact://x' }), ...never, action: 'use_other_tool' },
    permission_denied: { call: EDIT, files: { 'a.txt': { text: 'two\n', mode: 0o444 } }, ...never, action: 'report_to_user' },
    protected_path: { call: write({}, '.git/config'), ...never, action: 'use_other_path' },
    read_only: { call: write({}), settings: { readOnly: true }, ...never, action: 'report_to_user' },
    too_large: { call: EDIT, options: { fs: { limits: { textBytes: 4 } } }, ...never, action: 'use_other_tool' },
    loop: { call: view('l'), files: { l: { link: 'm' }, m: { link: 'l' } }, ...correct, action: 'correct_source_path' },
    invalid_name: { call: write({}, 'a\u0001b'), ...correct, action: 'fix_argument' },
    invalid_regex: {
      call: { operation: 'search_files', config: { query: '[a', is_regex: true } },
      ...correct,
      action: 'fix_argument',
    },
    not_regular: { call: write({}), options: failing('not_regular'), ...never, action: 'use_other_tool' },
    no_space: { call: write({}), options: failing('no_space'), ...never, action: 'report_to_user' },
    quota_exceeded: { call: write({}), options: failing('quota_exceeded'), ...never, action: 'report_to_user' },
    corrupt: { call: write({}), options: failing('corrupt'), ...never, action: 'report_to_user' },
    io_error: { call: write({}), options: failing('io_error'), ...again, action: 'retry' },
    timeout: { call: write({}), options: failing('timeout'), ...again, action: 'retry' },
    canceled: { call: write({}), options: failing('canceled'), ...again, action: 'retry' },
    runner_lost: { call: write({}), options: failing('runner_lost'), ...again, action: 'retry' },
  }
  it.each(Object.entries(rows))('%s', async (kind, { call, settings, files, options, terminal, retry, action }) => {
    const { hub } = await hubWith(settings, files ?? FILES, options)
    const answer = await hub(call)
    expect(answer).toMatchObject({ error_kind: kind, terminal, retry_disposition: retry, suggested_action: action })
    expect(Array.isArray(answer.enabled_operations)).toBe(terminal || kind === 'invalid_operation')
    expect(Array.isArray(answer.disabled_operations)).toBe(terminal)
  })
})

describe('what the operator took away', () => {
  it.each([['write'], ['write_file']])('--disable %s stops the operation and the tool (T-P-HB-02, settled detail 32)', async (name) => {
    const { hub, call, workspace, paths } = await hubWith({ disabled: [name] })
    const before = await paths()
    const answer = await hub({ operation: 'write_file', path: 'n', config: { content: '' } })
    expect(answer).toMatchObject({ error_kind: 'operation_not_enabled', terminal: true })
    expect(answer.enabled_operations).not.toContain('write_file')
    expect(answer.disabled_operations).toContain('write_file')
    expect(workspace.tools().map(({ tool }) => tool.name)).not.toContain('write_file')
    const refused = await workspace.call('write_file', { file_path: 'n', content: '' })
    expect(refused.result.error_kind).toBe('operation_not_enabled')
    expect((await call('view_file', { file_path: 'a.txt' })).code).toBeNull()
    expect(await paths()).toEqual(before)
  })
})

describe('correct_call', () => {
  const blank = { content: '', force_overwrite: true }
  const unsafe: readonly [string, object][] = [
    ['a dry run that was said wrongly', { operation: 'write_file', path: 'n', config: { content: 'x', dry_run: 'true' } }],
    ['a new directory in a dry run that was said wrongly', { operation: 'create_directory', path: 'n', config: { dry_run: 1 } }],
    ['a dry run with another mistake', { operation: 'write_file', path: 'n', config: { content: 'x', dry_run: true, overwrit: 1 } }],
    ['a batch in a dry run that was said wrongly', { operation: 'batch_file_ops', config: { operations: [EDIT], dry_run: 'yes' } }],
    ['an option that may have meant anything', { operation: 'write_file', path: 'n', config: { content: 'x', preview: true } }],
    ['a configuration that says nothing', { operation: 'create_directory', path: 'n', config: 'dry run, please' }],
    ['content that is missing, over a file', { operation: 'write_file', path: 'a.txt', config: { force_overwrite: true } }],
    ['content that is no text', { operation: 'write_file', path: 'n', config: { content: { a: 1 } } }],
    ['a hash that is none', { ...EDIT, config: { ...EDIT.config, expected_sha256: 'zz' } }],
    ['a hash of what was there before', { ...EDIT, config: { ...EDIT.config, expected_sha256: 'a'.repeat(64) } }],
    ['a replacement without what it needs', { ...EDIT, config: { replacements: [...EDIT.config.replacements, { old_content: 'o' }] } }],
    ['a file that is there', { operation: 'copy_file', path: 'b.txt', config: { destination_path: 'a.txt' } }],
    ['an overwrite that nobody looked at', { operation: 'write_file', path: 'a.txt', config: { content: '', overwrite: true } }],
    ['an operation that there is not', { operation: 'delete_directory', path: 'n' }],
    ['another name of one', { operation: 'rm', path: 'a.txt' }],
    ['a slip in what destroys', { operation: 'write_fil', path: 'a.txt', config: blank }],
  ]
  it.each(unsafe)('never does what was not asked for: %s', async (_, call) => {
    for (const approval of ['risky', 'off'] as const) {
      const { hub, paths, read } = await hubWith({ approval })
      const before = [await paths(), await read('a.txt')]
      const answer = await hub(call)
      expect(answer.correct_call).toBeDefined()
      expect(await hub(answer.correct_call as object)).toMatchObject({ code: null })
      expect([await paths(), await read('a.txt')]).toEqual(before)
    }
  })

  /** Ways to spoil a call. */
  const good: readonly object[] = [
    EDIT,
    { operation: 'view_file', path: 'a.txt', config: { start_line: 1, end_line: 2 } },
    { operation: 'write_file', path: 'new.txt', config: { content: 'x', create_dirs: true } },
    { operation: 'copy_file', path: 'a.txt', config: { destination_path: 'c.txt' } },
    { operation: 'search_files', path: 'd', config: { query: 'k', context_lines: 1 } },
    { operation: 'delete_file', path: 'b.txt' },
    { operation: 'write_file', path: 'a.txt', config: { content: 'y', overwrite: true } },
    {
      operation: 'batch_file_ops',
      config: { operations: [EDIT, { operation: 'write_file', path: 'q', config: { content: '' } }], dry_run: true },
    },
  ]
  const names = ['operation', 'path', 'config', 'conten', 'file_pth', 'dry_rn', 'start_line', 'expected_sha256', 'overwrite', 'recursive']
  const wrong = fc.constantFrom<unknown>(undefined, 'zz', -1, [1], {}, true, '{"content": "z"}', 3.5)
  const spoiled = fc.record({
    call: fc.constantFrom(...good),
    top: fc.option(fc.tuple(fc.constantFrom('operation', 'config'), wrong), { nil: null }),
    inner: fc.array(fc.tuple(fc.constantFrom(...names), wrong), { maxLength: 2 }),
    drop: fc.option(fc.constantFrom('content', 'destination_path', 'query', 'replacements', 'operations'), { nil: null }),
  })

  it('succeeds when it is sent as it is', async () => {
    let offered = 0
    await fc.assert(
      fc.asyncProperty(spoiled, async ({ call, top, inner, drop }) => {
        const config = { ...(call as { config?: object }).config, ...Object.fromEntries(inner) } as { [name: string]: unknown }
        if (drop) delete config[drop]
        const sent = { ...call, config, ...(top && { [top[0]]: top[1] }) }
        const fixture: Fixture & { hub(args: object): Promise<{ readonly [member: string]: unknown }> } = await hubWith()
        const answer = await fixture.hub(sent)
        if (answer.correct_call === undefined) return
        offered++
        expect(await fixture.hub(answer.correct_call as object)).toMatchObject({ code: null })
      }),
      { numRuns: Number(process.env.FILEWRIGHT_HUB_RUNS ?? 150) },
    )
    expect(offered).toBeGreaterThan(50)
  })
})
