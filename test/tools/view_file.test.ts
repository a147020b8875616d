/** `view_file`: P-20 to P-31, T-P-VF-01 to 18. The windows themselves are tested with their own modules. */
import { describe, expect, test } from 'vitest'
import { sha, workspaceWith } from './setup.ts'

const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('')
const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => `${String(from + i).padStart(4)}\tline ${from + i}`).join('\n')

const FILES = {
  'three.txt': 'one\ntwo\nthree\n',
  '500.txt': lines(500),
  '501.txt': lines(501),
  '1200.txt': lines(1200),
  'mixed.txt': 'aé漢😀e\u0301z',
  'long.txt': 'x'.repeat(200_000),
  'wide.txt': `${'y'.repeat(1000)}\n`.repeat(400),
  'crlf.txt': 'x\r\ny\r\nz\r\n',
  'bom.txt': '\ufeffx\ny\n',
  'empty.txt': '',
  'open.txt': 'a\nb',
  'bad.txt': new Uint8Array([0x41, 0xc3, 0x28, 0x0a]),
  'nul.bin': new Uint8Array([0x61, 0, 0x62]),
  'sub/a.txt': 'x',
  link: { link: 'three.txt' },
  outside: { link: '../away' },
}

const CURSORS = { next_start_line: undefined, next_offset_bytes: undefined, next_offset_chars: undefined }

describe('windows', () => {
  test.each<[string, object, object]>([
    [
      'VF-01 a whole file',
      { file_path: 'three.txt' },
      {
        content: '   1\tone\n   2\ttwo\n   3\tthree',
        encoding: 'utf-8',
        mode: 'line',
        file_path: '/three.txt',
        start_line: 1,
        end_line: 3,
        total_lines: 3,
        total_bytes: 14,
        eof: true,
        truncated: false,
        truncated_reason: undefined,
        error: undefined,
        ...CURSORS,
      },
    ],
    ['C-5 through a link', { file_path: 'link' }, { file_path: '/three.txt', total_lines: 3 }],
    ['VF-02 500 lines are shown whole', { file_path: '500.txt' }, { content: numbered(1, 500), eof: true, truncated: false, ...CURSORS }],
    [
      'VF-02 501 lines are previewed',
      { file_path: '501.txt' },
      {
        content: numbered(1, 200),
        end_line: 200,
        eof: false,
        truncated: true,
        truncated_reason: 'large_file_preview',
        ...CURSORS,
        next_start_line: 201,
      },
    ],
    [
      'VF-03 a larger range is cut',
      { file_path: '1200.txt', start_line: 1, end_line: 1200 },
      { content: numbered(1, 500), truncated: true, truncated_reason: 'max_lines', ...CURSORS, next_start_line: 501 },
    ],
    [
      'VF-03 a start alone shows 500 lines',
      { file_path: '1200.txt', start_line: 501 },
      { content: numbered(501, 1000), ...CURSORS, next_start_line: 1001 },
    ],
    [
      'VF-06 a tail',
      { file_path: '500.txt', tail_lines: 3 },
      { content: numbered(498, 500), mode: 'line', start_line: 498, end_line: 500, requested_tail_lines: 3, eof: true, ...CURSORS },
    ],
    [
      'VF-06 a tail of more than a window',
      { file_path: '1200.txt', tail_lines: 600 },
      { start_line: 701, end_line: 1200, truncated: true, truncated_reason: 'max_lines', eof: true, ...CURSORS },
    ],
    [
      'VF-07 bytes end on a boundary',
      { file_path: 'mixed.txt', offset_bytes: 0, limit_bytes: 5 },
      {
        content: 'aé',
        mode: 'byte',
        shown_bytes: 3,
        total_bytes: 14,
        total_lines: 1,
        truncated_reason: 'byte_limit',
        ...CURSORS,
        next_offset_bytes: 3,
      },
    ],
    [
      'VF-07 a cursor always advances',
      { file_path: 'mixed.txt', offset_bytes: 6, limit_bytes: 1 },
      { content: '😀', next_offset_bytes: 10 },
    ],
    ['VF-07 at the end', { file_path: 'mixed.txt', offset_bytes: 14 }, { content: '', eof: true, ...CURSORS }],
    [
      'VF-08 characters',
      { file_path: 'mixed.txt', offset_chars: 3, limit_chars: 2 },
      { content: '😀e', mode: 'char', shown_chars: 2, total_chars: 7, truncated_reason: 'char_limit', ...CURSORS, next_offset_chars: 5 },
    ],
    [
      'VF-10 a line too long for a window',
      { file_path: 'long.txt' },
      { content: `   1\t${'x'.repeat(50_000)}`, truncated_reason: 'line_too_long', ...CURSORS, next_offset_chars: 50_000 },
    ],
    [
      'VF-10 goes on by characters',
      { file_path: 'long.txt', offset_chars: 50_000 },
      { content: 'x'.repeat(150_000), eof: true, ...CURSORS },
    ],
    [
      'VF-11 cut between lines',
      { file_path: 'wide.txt' },
      { end_line: 50, truncated_reason: 'max_output_chars', ...CURSORS, next_start_line: 51 },
    ],
    ['VF-14 CRLF by lines', { file_path: 'crlf.txt' }, { content: '   1\tx\n   2\ty\n   3\tz', total_lines: 3 }],
    ['VF-14 CRLF by bytes', { file_path: 'crlf.txt', offset_bytes: 0 }, { content: 'x\r\ny\r\nz\r\n', total_lines: 3 }],
    ['VF-14 BOM by lines', { file_path: 'bom.txt' }, { content: '   1\tx\n   2\ty', total_bytes: 7 }],
    ['VF-14 BOM by bytes', { file_path: 'bom.txt', limit_bytes: 3 }, { content: '\ufeff', shown_bytes: 3, next_offset_bytes: 3 }],
    [
      'VF-15 an empty file',
      { file_path: 'empty.txt' },
      { content: '', total_lines: 0, total_bytes: 0, eof: true, truncated: false, ...CURSORS },
    ],
    [
      'VF-16 beyond the end',
      { file_path: 'three.txt', start_line: 99 },
      { content: '', start_line: 99, end_line: 98, eof: true, error: undefined, ...CURSORS },
    ],
    ['VF-17 bad bytes are shown', { file_path: 'bad.txt' }, { content: '   1\tA\ufffd(', invalid_utf8: true, total_bytes: 4 }],
    ['VF-17 byte offsets stay true', { file_path: 'bad.txt', offset_bytes: 2 }, { content: '(\n', offset_bytes: 2, eof: true }],
    ['VF-18 no newline at the end', { file_path: 'open.txt' }, { content: '   1\ta\n   2\tb', total_lines: 2, eof: true }],
    [
      'P-20 a limit alone chooses its mode',
      { file_path: 'three.txt', limit_chars: 3 },
      { content: 'one', mode: 'char', offset_chars: 0, next_offset_chars: 3 },
    ],
    [
      'P-6 null means not given',
      { file_path: 'three.txt', start_line: 2, tail_lines: null, offset_bytes: null },
      { content: '   2\ttwo\n   3\tthree' },
    ],
  ])('%s', async (_, args, expected) => {
    const { call } = await workspaceWith(FILES)
    const { result, code } = await call('view_file', args)
    expect(code).toBeNull()
    expect(pick(result, expected)).toEqual(expected)
  })

  test('VF-03 following the cursor yields every line once', async () => {
    const { call } = await workspaceWith(FILES)
    const seen: string[] = []
    for (let next: unknown = 1; next !== undefined; ) {
      const { result } = await call('view_file', { file_path: '1200.txt', start_line: next })
      seen.push(result.content as string)
      next = result.next_start_line
    }
    expect(seen.join('\n')).toBe(numbered(1, 1200))
  })
})

describe('refusals', () => {
  test.each<[string, object, string, string?]>([
    ['VF-04 an end before the start', { file_path: 'three.txt', start_line: 3, end_line: 2 }, 'invalid_argument', 'end_line'],
    ['VF-04 line 0', { file_path: 'three.txt', start_line: 0 }, 'invalid_argument', 'start_line'],
    ['VF-05 lines and tail', { file_path: 'three.txt', start_line: 1, tail_lines: 5 }, 'invalid_argument', 'tail_lines'],
    ['VF-05 bytes and characters', { file_path: 'three.txt', offset_bytes: 0, offset_chars: 0 }, 'invalid_argument', 'offset_chars'],
    ['VF-05 a line and a byte limit', { file_path: 'three.txt', end_line: 2, limit_bytes: 10 }, 'invalid_argument', 'limit_bytes'],
    ['VF-06 a tail of nothing', { file_path: 'three.txt', tail_lines: 0 }, 'invalid_argument', 'tail_lines'],
    ['VF-07 inside a character', { file_path: 'mixed.txt', offset_bytes: 2 }, 'invalid_argument', 'offset_bytes'],
    ['P-29 a limit of nothing', { file_path: 'three.txt', limit_bytes: 0 }, 'invalid_argument', 'limit_bytes'],
    ['P-7 no hash', { file_path: 'three.txt', known_sha256: 'abc' }, 'invalid_argument', 'known_sha256'],
    ['no time', { file_path: 'three.txt', known_modified_at: 'yesterday' }, 'invalid_argument', 'known_modified_at'],
    ['VF-17 a directory', { file_path: 'sub' }, 'is_directory'],
    ['VF-17 nothing', { file_path: 'gone.txt' }, 'not_found'],
    ['VF-17 binary', { file_path: 'nul.bin' }, 'binary_file'],
    ['C-5 outside', { file_path: 'outside' }, 'outside_root'],
    ['C-8 through a file', { file_path: 'three.txt/x' }, 'not_directory'],
    ['a final slash on a file', { file_path: 'three.txt/' }, 'not_directory'],
    ['C-8 empty', { file_path: '' }, 'invalid_argument', 'file_path'],
    ['C-8 NUL', { file_path: 'a\0b' }, 'invalid_argument', 'file_path'],
  ])('%s', async (_, args, code, field) => {
    const { call } = await workspaceWith(FILES)
    const outcome = await call('view_file', args)
    expect({ code: outcome.code, field: outcome.field }).toEqual({ code, field })
    expect(outcome.result).toMatchObject({ file_path: '', content: '', total_bytes: 0, total_lines: 0, eof: false, truncated: false })
    expect(outcome.text).toBe(outcome.result.error)
    expect(outcome.result.error).toMatch(new RegExp(`^${code}: `))
  })

  test('VF-05 both arguments are named', async () => {
    const { call } = await workspaceWith(FILES)
    const { result } = await call('view_file', { file_path: 'three.txt', start_line: 1, tail_lines: 5 })
    expect(result.error).toMatch(/start_line.*tail_lines/)
  })
})

describe('P-30 conditional reads', () => {
  test.each<[string, object, object]>([
    ['VF-12 the right hash', { known: true }, { content: '', file_unchanged: true, total_lines: 3, total_bytes: 14, eof: true }],
    ['any mode', { known: true, offset_chars: 2 }, { content: '', file_unchanged: true, mode: 'char', total_chars: 14 }],
    ['VF-12 a wrong hash', { known_sha256: '0'.repeat(64) }, { content: '   1\tone\n   2\ttwo\n   3\tthree', file_unchanged: undefined }],
    ['VF-12 the same size alone', { known_size: 14 }, { content: '   1\tone\n   2\ttwo\n   3\tthree', file_unchanged: undefined }],
    [
      'VF-12 the time alone',
      { known_modified_at: '2025-01-31T10:45:00Z' },
      { content: '   1\tone\n   2\ttwo\n   3\tthree', file_unchanged: undefined },
    ],
  ])('%s', async (_, { known, ...args }: { known?: boolean }, expected) => {
    const { call, fs } = await workspaceWith(FILES)
    const hash = sha(fs, FILES['three.txt'])
    const { result } = await call('view_file', { file_path: 'three.txt', ...args, ...(known && { known_sha256: hash.toUpperCase() }) })
    expect(pick(result, expected)).toEqual(expected)
    expect(result.sha256).toBe(hash)
  })
})

describe('the text block', () => {
  test.each<[string, object, RegExp]>([
    ['is the content', { file_path: 'three.txt' }, /^ {3}1\tone\n {3}2\ttwo\n {3}3\tthree$/],
    ['says how to go on by lines', { file_path: '501.txt' }, /\n\[lines 1-200 of 501; go on with start_line 201\]$/],
    ['says how to go on by bytes', { file_path: 'mixed.txt', limit_bytes: 3 }, /^aé\n\[3 of 14 bytes; go on with offset_bytes 3\]$/],
    ['says that lines are missing before a tail', { file_path: '1200.txt', tail_lines: 600 }, /\n\[lines 701-1200 of 1200\]$/],
    ['is never empty', { file_path: 'empty.txt' }, /^\[empty file\]$/],
    ['beyond the end', { file_path: 'three.txt', start_line: 99 }, /^\[lines 99-98 of 3\]$/],
    ['tells of bad bytes', { file_path: 'bad.txt' }, /\n\[not valid UTF-8/],
  ])('%s', async (_, args, expected) => {
    const { call } = await workspaceWith(FILES)
    expect((await call('view_file', args)).text).toMatch(expected)
  })
})

test('reading leaves no record', async () => {
  const { call, workspace } = await workspaceWith(FILES)
  const before = await workspace.log()
  await call('view_file', { file_path: 'three.txt' })
  expect(await workspace.log()).toEqual(before)
})

function pick(result: { readonly [key: string]: unknown }, expected: object): object {
  return Object.fromEntries(Object.keys(expected).map((key) => [key, result[key]]))
}
