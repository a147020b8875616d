/** `diff_file`: P-95, T-P-DF-01 to 10. The diff itself is tested with its own module. */
import { describe, expect, test } from 'vitest'
import { workspaceWith } from './setup.ts'

const FILES = {
  'f.txt': 'x\ny\n',
  'g.txt': 'x\nz',
  'crlf.txt': 'a\r\nb\r\n',
  'nine.txt': 'l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n',
  'empty.txt': '',
  'many-a.txt': 'a\n'.repeat(100_000),
  'many-b.txt': 'b\n'.repeat(100_000),
  bin: new Uint8Array([0x61, 0, 0x62]),
  'latin1.txt': new Uint8Array([0x63, 0xe9, 0x0a]),
  'sub/f.txt': 'x\ny\n',
  link: { link: 'sub/f.txt' },
  outside: { link: '../away' },
} as const

const nine = (five: string): string => FILES['nine.txt'].replace('l5', five)

describe('compares', () => {
  test.each<[string, object, object]>([
    [
      'DF-01 with a text',
      { file_path: 'f.txt', new_content: 'x\nz' },
      {
        file_path: '/f.txt',
        compare_path: null,
        diff: '--- a/f.txt\n+++ b/f.txt\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n\\ No newline at end of file\n',
        has_changes: true,
        added_lines: 1,
        removed_lines: 1,
        truncated: false,
      },
    ],
    [
      'DF-01 with a file',
      { file_path: 'f.txt', compare_path: 'g.txt' },
      { compare_path: '/g.txt', diff: '--- a/f.txt\n+++ b/g.txt\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n\\ No newline at end of file\n' },
    ],
    [
      'DF-02 equal texts',
      { file_path: 'f.txt', new_content: 'x\ny\n' },
      { diff: '', has_changes: false, added_lines: 0, removed_lines: 0, truncated: false },
    ],
    [
      'DF-02 equal files, through a link',
      { file_path: 'f.txt', compare_path: 'link' },
      { compare_path: '/sub/f.txt', diff: '', has_changes: false },
    ],
    [
      'DF-03 line ends',
      { file_path: 'crlf.txt', new_content: 'a\nb\n' },
      { diff: '--- a/crlf.txt\n+++ b/crlf.txt\n@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+b\n', added_lines: 2, removed_lines: 2 },
    ],
    ['DF-05 an empty text is given', { file_path: 'f.txt', new_content: '' }, { has_changes: true, added_lines: 0, removed_lines: 2 }],
    [
      'DF-07 no context',
      { file_path: 'nine.txt', new_content: nine('L5'), context_lines: 0 },
      { diff: '--- a/nine.txt\n+++ b/nine.txt\n@@ -5 +5 @@\n-l5\n+L5\n' },
    ],
    [
      'DF-07 three lines by default',
      { file_path: 'nine.txt', new_content: nine('L5') },
      { diff: expect.stringContaining('@@ -2,7 +2,7 @@\n l2\n') },
    ],
    [
      'endless context',
      { file_path: 'nine.txt', new_content: nine('L5'), context_lines: 1e15 },
      { diff: expect.stringContaining('@@ -1,9 +1,9 @@\n') },
    ],
    [
      'DF-08 counts are full',
      { file_path: 'many-a.txt', compare_path: 'many-b.txt' },
      { truncated: true, added_lines: 100_000, removed_lines: 100_000 },
    ],
    [
      'DF-10 from nothing',
      { file_path: 'empty.txt', new_content: 'new\n' },
      { diff: '--- a/empty.txt\n+++ b/empty.txt\n@@ -0,0 +1 @@\n+new\n' },
    ],
  ])('%s', async (_, args, expected) => {
    const { call } = await workspaceWith(FILES)
    const { result, code } = await call('diff_file', args)
    expect(code).toBeNull()
    expect(result).toMatchObject(expected)
    expect((result.diff as string).length).toBeLessThanOrEqual(100_000)
    expect(result).not.toHaveProperty('error')
  })
})

describe('refuses', () => {
  test.each<[string, object, string, string?]>([
    ['DF-06 both', { file_path: 'f.txt', compare_path: 'g.txt', new_content: 'x' }, 'invalid_argument', 'compare_path'],
    ['DF-06 neither', { file_path: 'f.txt' }, 'missing_argument', 'compare_path'],
    ['DF-07 context below nothing', { file_path: 'f.txt', new_content: 'x', context_lines: -1 }, 'invalid_argument', 'context_lines'],
    ['P-95 binary', { file_path: 'bin', new_content: 'x' }, 'binary_file'],
    ['P-95 binary on the other side', { file_path: 'f.txt', compare_path: 'bin' }, 'binary_file'],
    ['P-95 a binary text', { file_path: 'f.txt', new_content: 'a\0b' }, 'binary_file'],
    ['P-95 not UTF-8', { file_path: 'latin1.txt', new_content: 'x' }, 'invalid_utf8'],
    ['P-95 not UTF-8 on the other side', { file_path: 'f.txt', compare_path: 'latin1.txt' }, 'invalid_utf8'],
    ['nothing there', { file_path: 'gone', new_content: 'x' }, 'not_found'],
    ['nothing on the other side', { file_path: 'f.txt', compare_path: 'gone' }, 'not_found'],
    ['a directory', { file_path: 'sub', new_content: 'x' }, 'is_directory'],
    ['C-5 outside', { file_path: 'f.txt', compare_path: 'outside' }, 'outside_root'],
    ['W-5 a misspelt option', { file_path: 'f.txt', new_contents: 'x' }, 'invalid_argument', 'new_contents'],
  ])('%s', async (_, args, code, field) => {
    const { call } = await workspaceWith(FILES)
    const outcome = await call('diff_file', args)
    expect({ code: outcome.code, field: outcome.field }).toEqual({ code, field })
    expect(outcome.result).toMatchObject({
      file_path: '',
      compare_path: null,
      diff: '',
      has_changes: false,
      added_lines: 0,
      removed_lines: 0,
    })
  })

  test('DF-06 both names are told', async () => {
    const { call } = await workspaceWith(FILES)
    expect((await call('diff_file', { file_path: 'f.txt' })).result.error).toMatch(/compare_path.*new_content/)
  })
})

test('the text block is the diff', async () => {
  const { call } = await workspaceWith(FILES)
  expect((await call('diff_file', { file_path: 'f.txt', compare_path: 'g.txt' })).text).toMatch(/^--- a\/f\.txt\n.*\n\[\+1 -1\]$/s)
  expect((await call('diff_file', { file_path: 'f.txt', compare_path: 'link' })).text).toBe('No differences.')
})
