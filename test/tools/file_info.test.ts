/** `file_info`: P-105, T-P-IN-01 to 09. */
import { describe, expect, test } from 'vitest'
import { workspaceWith } from './setup.ts'

const NOW = Date.UTC(2025, 0, 31, 10, 45, 0, 123)
const FILES = {
  'a.txt': 'a\nb',
  'n.dat': new Uint8Array([0x61, 0, 0x62, 0x0a]),
  'm.rs': 'fn main() {}\n',
  'x.json': '{}\n',
  'x.unknownext': 'hello\n',
  'e.txt': '',
  'run.sh': { text: 'x', mode: 0o750 },
  'sub/a.txt': 'x',
  link: { link: 'a.txt' },
  'sub/up': { link: '../m.rs' },
  'dir-link': { link: 'sub' },
  dangling: { link: 'gone' },
  circle: { link: 'circle' },
  outside: { link: '../away' },
} as const

describe('what is there', () => {
  test.each<[string, string, object]>([
    [
      'IN-01 a file',
      'a.txt',
      {
        path: '/a.txt',
        entry_type: 'file',
        size_bytes: 3,
        total_lines: 2,
        is_binary: false,
        is_readable: true,
        is_writable: true,
        mime_type: 'text/plain',
      },
    ],
    ['an absolute path', '/sub/a.txt', { path: '/sub/a.txt', size_bytes: 1 }],
    [
      'IN-02 a directory',
      'sub',
      { entry_type: 'dir', size_bytes: null, total_lines: null, is_binary: false, mime_type: 'inode/directory' },
    ],
    ['the root', '.', { path: '/', entry_type: 'dir' }],
    ['IN-04 a binary file', 'n.dat', { is_binary: true, total_lines: null, size_bytes: 4, mime_type: 'application/octet-stream' }],
    [
      'IN-05 a link',
      'link',
      { path: '/link', entry_type: 'symlink', size_bytes: 3, total_lines: 2, is_readable: true, mime_type: 'text/plain' },
    ],
    ['IN-05 a link elsewhere', 'sub/up', { path: '/sub/up', entry_type: 'symlink', size_bytes: 13, mime_type: 'text/x-rust' }],
    [
      'IN-05 a link that leads outside',
      'outside',
      { entry_type: 'symlink', size_bytes: null, total_lines: null, is_readable: false, mime_type: 'inode/symlink' },
    ],
    ['a link to a directory', 'dir-link', { entry_type: 'symlink', size_bytes: null, mime_type: 'inode/directory' }],
    ['a link to nothing', 'dangling', { entry_type: 'symlink', size_bytes: null, is_readable: false }],
    ['a link to itself', 'circle', { entry_type: 'symlink', size_bytes: null }],
    ['IN-07 rust', 'm.rs', { mime_type: 'text/x-rust', is_binary: false }],
    ['IN-07 json', 'x.json', { mime_type: 'application/json' }],
    ['IN-07 unknown text', 'x.unknownext', { mime_type: 'text/plain' }],
    ['IN-08 an empty file', 'e.txt', { size_bytes: 0, total_lines: 0, is_binary: false }],
    ['IN-09 times', 'a.txt', { modified: '2025-01-31T10:45:00.123Z', created: '2025-01-31T10:45:00.123Z' }],
    ['permissions in words', 'run.sh', { metadata: 'file, 1 byte, 1 line, text/x-sh, mode 0750, modified 2025-01-31T10:45:00.123Z' }],
  ])('%s', async (_, path, expected) => {
    const { call } = await workspaceWith(FILES, { fs: { now: () => NOW } })
    const { result, code, text } = await call('file_info', { path })
    expect(code).toBeNull()
    expect(result).toMatchObject({ exists: true, ...expected })
    expect(result).not.toHaveProperty('content')
    expect(text).toBe(`${result.path}: ${result.metadata}`)
  })

  test('C-46 the text of a link that leads outside is not told', async () => {
    const { call } = await workspaceWith(FILES)
    expect(JSON.stringify(await call('file_info', { path: 'outside' }))).not.toContain('away')
  })

  test('P-105 lines of a very large file are not counted', async () => {
    const { call } = await workspaceWith({ big: new Uint8Array(64 * 1024 * 1024 + 1).fill(10) })
    const { result } = await call('file_info', { path: 'big' })
    expect(result).toMatchObject({ total_lines: null, is_binary: false, size_bytes: 64 * 1024 * 1024 + 1 })
  })
})

describe('IN-03 nothing there is an answer', () => {
  test.each([
    ['gone.txt', '/gone.txt'],
    ['gone/deep', '/gone/deep'],
    ['a.txt/child', '/a.txt/child'],
    ['a.txt/', '/a.txt'],
    ['gone/../x', 'gone/../x'],
  ])('%s', async (path, shown) => {
    const { call } = await workspaceWith(FILES)
    const { result, code } = await call('file_info', { path })
    expect(code).toBeNull()
    expect(result).toEqual({
      path: shown,
      exists: false,
      size_bytes: null,
      total_lines: null,
      is_binary: false,
      is_readable: false,
      is_writable: false,
      mime_type: '',
      created: null,
      modified: null,
      metadata: 'does not exist',
    })
  })
})

describe('refuses', () => {
  test.each<[string, object, string, string?]>([
    ['IN-03 outside', { path: '../x' }, 'outside_root'],
    ['through a circle', { path: 'circle/x' }, 'loop'],
    ['C-8 empty', { path: '' }, 'invalid_argument', 'path'],
    ['C-8 NUL', { path: 'a\0' }, 'invalid_argument', 'path'],
    ['no path', {}, 'missing_argument', 'path'],
    ['a list', { path: ['a.txt'] }, 'invalid_argument', 'path'],
    ['another name', { file_path: 'a.txt' }, 'invalid_argument', 'file_path'],
  ])('%s', async (_, args, code, field) => {
    const { call } = await workspaceWith(FILES)
    const outcome = await call('file_info', args)
    expect({ code: outcome.code, field: outcome.field }).toEqual({ code, field })
    expect(outcome.result).toMatchObject({ path: '', exists: false, size_bytes: null })
  })
})
