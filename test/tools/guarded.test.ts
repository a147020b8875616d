/** What all changing tools have in common: permissions, approval, and the facts that surfaces tell of each tool. */
import { describe, expect, test } from 'vitest'
import { FilewrightError } from '../../src/core/errors.ts'
import type { FileSystem } from '../../src/core/file_system.ts'
import { TOOLS } from '../../src/tools/index.ts'
import { workspaceWith } from './setup.ts'

const FILES = { 'a.txt': 'alpha\n', '.gitignore': 'out/\n', 'out/a.txt': 'alpha\n' }
const write = { content: 'beta\n' }
const edit = { replacements: [{ old_content: 'alpha', new_content: 'beta' }] }

/** A storage in which this process may not write the files that are there. */
const readOnlyFiles = (fs: FileSystem): FileSystem => ({
  ...fs,
  async stat(path, want) {
    const entry = await fs.stat(path, want)
    return want?.access && entry.kind === 'file' ? { ...entry, access: { read: true, write: false } } : entry
  },
})

/** A storage in which this process may not read files. */
const unreadableFiles = (fs: FileSystem): FileSystem => ({
  ...fs,
  async open(path) {
    throw new FilewrightError('permission_denied', `${path} cannot be read.`)
  },
})

describe('34 a file whose own mode forbids writing', () => {
  test.each<[string, string, object, string | null]>([
    ['is not replaced', 'write_file', { ...write, force_overwrite: true }, 'permission_denied'],
    ['is not replaced in a dry run', 'write_file', { ...write, force_overwrite: true, dry_run: true }, 'permission_denied'],
    ['is not extended', 'write_file', { ...write, append: true }, 'permission_denied'],
    ['is not edited', 'edit_file', edit, 'permission_denied'],
    ['may be deleted: that needs its directory only', 'delete_file', {}, null],
    ['may be found to be what was asked for', 'write_file', { content: 'alpha\n', force_overwrite: true }, null],
  ])('%s', async (_, tool, args, code) => {
    const { call, read } = await workspaceWith(FILES, { over: readOnlyFiles })
    expect((await call(tool, { file_path: 'a.txt', ...args })).code).toBe(code)
    expect(await read('a.txt')).toBe(tool === 'delete_file' ? null : 'alpha\n')
  })

  test('is said to be read-only', async () => {
    const { call } = await workspaceWith(FILES, { over: readOnlyFiles })
    expect((await call('file_info', { path: 'a.txt' })).result).toMatchObject({ is_readable: true, is_writable: false })
  })
})

describe('a file that cannot be read', () => {
  test.each<[string, object]>([
    ['view_file', {}],
    ['diff_file', { new_content: 'x' }],
    ['edit_file', edit],
    ['write_file', { ...write, force_overwrite: true }],
  ])('%s says so', async (tool, args) => {
    const { call } = await workspaceWith(FILES, { over: unreadableFiles })
    expect((await call(tool, { file_path: 'a.txt', ...args })).code).toBe('permission_denied')
  })

  test('file_info tells what is known of it', async () => {
    const { call } = await workspaceWith(FILES, { over: unreadableFiles })
    const { result, code } = await call('file_info', { path: 'a.txt' })
    expect(code).toBeNull()
    expect(result).toMatchObject({ exists: true, size_bytes: 6, total_lines: null, is_readable: false })
  })
})

describe('P-159 approval, when what is risky asks', () => {
  test.each<[string, string, object, string | null]>([
    ['a new file does not ask', 'write_file', { file_path: 'n.txt', ...write }, null],
    ['a replacement asks', 'write_file', { file_path: 'a.txt', ...write, force_overwrite: true }, 'approval_required'],
    ['an append asks', 'write_file', { file_path: 'a.txt', ...write, append: true }, 'approval_required'],
    ['a refusal comes before it', 'write_file', { file_path: 'a.txt', ...write }, 'already_exists'],
    ['an edit does not ask', 'edit_file', { file_path: 'a.txt', ...edit }, null],
    ['an edit of an ignored file asks', 'edit_file', { file_path: 'out/a.txt', ...edit, allow_ignored: true }, 'approval_required'],
    ['a deletion asks', 'delete_file', { file_path: 'a.txt' }, 'approval_required'],
    ['a dry run never asks', 'delete_file', { file_path: 'a.txt', dry_run: true }, null],
    ['reading never asks', 'view_file', { file_path: 'a.txt' }, null],
  ])('%s', async (_, tool, args, code) => {
    const { call, read } = await workspaceWith(FILES, { settings: { approval: 'risky' } })
    expect((await call(tool, args)).code).toBe(code)
    if (code) expect(await read('a.txt')).toBe('alpha\n')
  })
})

test('a read-only workspace refuses every change, also in a dry run', async () => {
  const { call } = await workspaceWith(FILES, { settings: { readOnly: true } })
  expect((await call('write_file', { file_path: 'n.txt', ...write })).code).toBe('read_only')
  expect((await call('view_file', { file_path: 'a.txt' })).code).toBeNull()
})

test('what surfaces tell of each tool', () => {
  const facts = Object.values(TOOLS).map(({ name, kind, idempotent, destructive }) => [name, { kind, idempotent, destructive }])
  expect(Object.fromEntries(facts)).toMatchObject({
    view_file: { kind: 'read', idempotent: true, destructive: false },
    write_file: { kind: 'write', idempotent: false, destructive: true },
    edit_file: { kind: 'write', idempotent: false, destructive: true },
    delete_file: { kind: 'write', idempotent: false, destructive: true },
    diff_file: { kind: 'read', idempotent: true, destructive: false },
    file_info: { kind: 'read', idempotent: true, destructive: false },
  })
})
