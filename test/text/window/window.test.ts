/** Windows of a text: P-20 to P-31, T-P-VF-01 to 18, and T-X-05: walking by any cursor gives everything once. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeText, isBinary } from '../../../src/text/utf8.ts'
import { readFacts } from '../../../src/text/window/text_facts.ts'
import type { TextWindow } from '../../../src/text/window/text_window.ts'
import { readWindow, type WindowRequest } from '../../../src/text/window/window.ts'
import { bytes } from '../arbitraries.ts'
import { readerOf } from '../reader.ts'

async function view(text: string | Uint8Array, request: WindowRequest): Promise<TextWindow> {
  const input = typeof text === 'string' ? encodeText(text) : text
  return readWindow(readerOf(input), await readFacts(readerOf(input)), request)
}

const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('')
const MIXED = 'aé漢😀e\u0301z'
const cursors = (window: TextWindow): (number | undefined)[] => [window.next_start_line, window.next_offset_bytes, window.next_offset_chars]

interface Case {
  readonly name: string
  readonly text: string | Uint8Array
  readonly request: WindowRequest
  readonly expected: Partial<TextWindow>
  /** The cursors by lines, bytes and characters. */
  readonly next: readonly (number | undefined)[]
}

const row = (
  name: string,
  text: string | Uint8Array,
  request: WindowRequest,
  expected: Partial<TextWindow>,
  next: Case['next'] = [],
): Case => ({
  name,
  text,
  request,
  expected,
  next,
})

const CASES: readonly Case[] = [
  row(
    'three lines',
    'one\ntwo\nthree\n',
    { kind: 'lines' },
    {
      content: '   1\tone\n   2\ttwo\n   3\tthree',
      mode: 'line',
      start_line: 1,
      end_line: 3,
      total_lines: 3,
      total_bytes: 14,
      eof: true,
      truncated: false,
    },
  ),
  row('a last line without an end', 'a\nb', { kind: 'lines' }, { content: '   1\ta\n   2\tb', total_lines: 2, eof: true }),
  row('500 lines', lines(500), { kind: 'lines' }, { start_line: 1, end_line: 500, eof: true, truncated: false }),
  row(
    '501 lines',
    lines(501),
    { kind: 'lines' },
    { end_line: 200, eof: false, truncated: true, truncated_reason: 'large_file_preview' },
    [201],
  ),
  row(
    'a larger range',
    lines(1200),
    { kind: 'lines', start: 1, end: 1200 },
    { end_line: 500, truncated: true, truncated_reason: 'max_lines' },
    [501],
  ),
  row(
    'a range served in full',
    lines(10),
    { kind: 'lines', start: 4, end: 6 },
    {
      content: '   4\tline 4\n   5\tline 5\n   6\tline 6',
      end_line: 6,
      eof: false,
      truncated: false,
    },
    [7],
  ),
  row('an end alone', lines(10), { kind: 'lines', end: 2 }, { start_line: 1, end_line: 2 }, [3]),
  row('a start alone', lines(1200), { kind: 'lines', start: 800 }, { start_line: 800, end_line: 1200, eof: true, truncated: false }),
  row('an end beyond the file', lines(3), { kind: 'lines', start: 2, end: 99 }, { end_line: 3, eof: true, truncated: false }),
  row(
    'a start beyond the file',
    'a\n',
    { kind: 'lines', start: 99 },
    { content: '', start_line: 99, end_line: 98, eof: true, truncated: false },
  ),
  row('an empty file', '', { kind: 'lines' }, { content: '', total_lines: 0, total_bytes: 0, eof: true, truncated: false }),
  row('CRLF', 'x\r\ny\r\nz\r', { kind: 'lines' }, { content: '   1\tx\n   2\ty\n   3\tz\r' }),
  row('a BOM, by lines', '\ufeffx\ny\n', { kind: 'lines' }, { content: '   1\tx\n   2\ty' }),
  row(
    'a BOM alone, by lines',
    '\ufeff',
    { kind: 'lines' },
    { content: '   1\t', end_line: 1, total_lines: 1, eof: true, truncated: false },
  ),
  row('a BOM alone, from the end', '\ufeff', { kind: 'tail', lines: 3 }, { content: '   1\t', start_line: 1, total_lines: 1, eof: true }),
  row('a BOM, from the end', '\ufeffx\ny\n', { kind: 'tail', lines: 2 }, { content: '   1\tx\n   2\ty' }),
  row('a BOM, by bytes', '\ufeffx\ny\n', { kind: 'bytes', limit: 3 }, { content: '\ufeff', shown_bytes: 3, shown_chars: 1 }, [
    undefined,
    3,
  ]),
  row(
    'a line number of five digits',
    lines(12_345),
    { kind: 'lines', start: 9999, end: 10_000 },
    {
      content: '9999\tline 9999\n10000\tline 10000',
    },
    [10_001],
  ),
  row(
    'a line that is too long',
    `${'x'.repeat(60_000)}\nb\n`,
    { kind: 'lines' },
    {
      content: `   1\t${'x'.repeat(50_000)}`,
      start_line: 1,
      end_line: 1,
      eof: false,
      truncated: true,
      truncated_reason: 'line_too_long',
    },
    [undefined, undefined, 50_000],
  ),
  row(
    'a long line after others',
    `é\n${'😀'.repeat(50_001)}`,
    { kind: 'lines' },
    { content: '   1\té', end_line: 1, truncated_reason: 'max_output_chars' },
    [2],
  ),
  row(
    'a long line met first',
    `é\n${'😀'.repeat(50_001)}`,
    { kind: 'lines', start: 2 },
    {
      content: `   2\t${'😀'.repeat(50_000)}`,
      truncated_reason: 'line_too_long',
    },
    [undefined, undefined, 50_002],
  ),
  row('a long line after a BOM', `\ufeff${'x'.repeat(50_001)}`, { kind: 'lines' }, { truncated_reason: 'line_too_long' }, [
    undefined,
    undefined,
    50_001,
  ]),
  row('a line of exactly the budget', '😀'.repeat(50_000), { kind: 'lines' }, { eof: true, truncated: false }),
  row(
    'lines of exactly the budget',
    `${'x'.repeat(100)}\n`.repeat(501),
    { kind: 'lines', end: 501 },
    { end_line: 500, truncated_reason: 'max_lines' },
    [501],
  ),
  row(
    'lines above the budget',
    `${'x'.repeat(1000)}\n`.repeat(400),
    { kind: 'lines' },
    { end_line: 50, truncated_reason: 'max_output_chars' },
    [51],
  ),
  row(
    'a preview above the budget',
    `${'é'.repeat(300)}\r\n`.repeat(600),
    { kind: 'lines' },
    { end_line: 166, truncated_reason: 'max_output_chars' },
    [167],
  ),
  row(
    'the last lines',
    lines(10),
    { kind: 'tail', lines: 3 },
    {
      content: '   8\tline 8\n   9\tline 9\n  10\tline 10',
      mode: 'line',
      start_line: 8,
      end_line: 10,
      requested_tail_lines: 3,
      eof: true,
      truncated: false,
    },
  ),
  row(
    'more last lines than a window has',
    lines(1000),
    { kind: 'tail', lines: 600 },
    { start_line: 501, end_line: 1000, eof: true, truncated: true, truncated_reason: 'max_lines' },
  ),
  row(
    'more last lines than there are',
    lines(10),
    { kind: 'tail', lines: 50 },
    { start_line: 1, end_line: 10, requested_tail_lines: 50, truncated: false },
  ),
  row(
    'last lines above the budget',
    `${'x'.repeat(999)}y\n`.repeat(400),
    { kind: 'tail', lines: 100 },
    { start_line: 351, end_line: 400, eof: true, truncated: true, truncated_reason: 'max_output_chars' },
  ),
  row(
    'a last line that is too long',
    `a\n${'é'.repeat(200_000)}`,
    { kind: 'tail', lines: 2 },
    {
      content: `   2\t${'é'.repeat(50_000)}`,
      requested_tail_lines: 2,
      eof: false,
      truncated_reason: 'line_too_long',
    },
    [undefined, undefined, 50_002],
  ),
  row('the end of an empty file', '', { kind: 'tail', lines: 5 }, { content: '', start_line: 1, end_line: 0, eof: true, truncated: false }),
  row(
    'bytes, moved down to a character',
    MIXED,
    { kind: 'bytes', offset: 0, limit: 5 },
    {
      content: 'aé',
      mode: 'byte',
      offset_bytes: 0,
      shown_bytes: 3,
      shown_chars: 2,
      truncated: true,
      truncated_reason: 'byte_limit',
    },
    [undefined, 3],
  ),
  row('bytes, one character at least', MIXED, { kind: 'bytes', offset: 6, limit: 1 }, { content: '😀', shown_bytes: 4 }, [undefined, 10]),
  row('bytes from the end', MIXED, { kind: 'bytes', offset: 14 }, { content: '', offset_bytes: 14, eof: true, truncated: false }),
  row('bytes from beyond the end', MIXED, { kind: 'bytes', offset: 99 }, { content: '', eof: true }),
  row(
    'at most 1 MiB of bytes',
    'é'.repeat(1_048_576),
    { kind: 'bytes', limit: 5_242_880 },
    { shown_bytes: 1_048_576, truncated_reason: 'byte_limit' },
    [undefined, 1_048_576],
  ),
  row(
    'characters',
    MIXED,
    { kind: 'chars', offset: 3, limit: 2 },
    {
      content: '😀e',
      mode: 'char',
      offset_chars: 3,
      shown_chars: 2,
      shown_bytes: 5,
      total_chars: 7,
      truncated: true,
      truncated_reason: 'char_limit',
    },
    [undefined, undefined, 5],
  ),
  row('characters to the end', MIXED, { kind: 'chars', offset: 5 }, { content: '\u0301z', total_chars: 7, eof: true, truncated: false }),
  row(
    'characters from beyond the end',
    MIXED,
    { kind: 'chars', offset: 8, limit: 1 },
    { content: '', offset_chars: 8, shown_chars: 0, total_chars: 7, eof: true },
  ),
  row('at most 1 MiB of characters', '漢'.repeat(400_000), { kind: 'chars' }, { shown_chars: 349_525, truncated_reason: 'char_limit' }, [
    undefined,
    undefined,
    349_525,
  ]),
  row(
    'at most 1 MiB of replaced bytes',
    new Uint8Array(400_000).fill(0xff),
    { kind: 'chars' },
    { shown_chars: 349_525, invalid_utf8: true },
    [undefined, undefined, 349_525],
  ),
  row(
    'bad UTF-8',
    Uint8Array.of(0x41, 0xc3, 0x28, 0x0a),
    { kind: 'lines' },
    { content: '   1\tA\ufffd(', invalid_utf8: true, total_bytes: 4 },
  ),
  row(
    'bad UTF-8 by bytes',
    Uint8Array.of(0x41, 0xc3, 0x28, 0x0a),
    { kind: 'bytes', offset: 2 },
    { content: '(\n', offset_bytes: 2, invalid_utf8: true },
  ),
]

describe('readWindow', () => {
  it.each(CASES)('shows $name', async ({ text, request, expected, next }) => {
    const window = await view(text, request)
    expect(window).toMatchObject(expected)
    expect(cursors(window)).toEqual([next[0], next[1], next[2]])
    if (!expected.invalid_utf8) expect(window).not.toHaveProperty('invalid_utf8')
    if (!window.truncated) expect(window).not.toHaveProperty('truncated_reason')
  })

  it.each<[string, WindowRequest]>([
    ['start_line', { kind: 'lines', start: 0 }],
    ['end_line', { kind: 'lines', end: -1 }],
    ['end_line', { kind: 'lines', start: 3, end: 2 }],
    ['tail_lines', { kind: 'tail', lines: 0 }],
    ['offset_bytes', { kind: 'bytes', offset: -1 }],
    ['limit_bytes', { kind: 'bytes', limit: 0 }],
    ['offset_chars', { kind: 'chars', offset: -1 }],
    ['limit_chars', { kind: 'chars', limit: 0 }],
  ])('refuses %s in %j', async (field, request) => {
    await expect(view('a\nb\nc\n', request)).rejects.toMatchObject({ code: 'invalid_argument', field })
  })

  it('refuses an offset inside a character and names the boundary below', async () => {
    await expect(view(MIXED, { kind: 'bytes', offset: 2 })).rejects.toMatchObject({
      code: 'invalid_argument',
      field: 'offset_bytes',
      message: expect.stringMatching(/\b1\b/),
      details: { nearest_boundary: 1 },
    })
  })
})

/** All windows from the first on, each begun by the cursor of the one before. */
async function walk(input: Uint8Array, first: WindowRequest, limit?: number): Promise<TextWindow[]> {
  const facts = await readFacts(readerOf(input))
  const reader = readerOf(input, { late: true, most: 1000 })
  const windows: TextWindow[] = []
  let request: WindowRequest | null = first
  while (request) {
    const window: TextWindow = await readWindow(reader, facts, request)
    windows.push(window)
    if (windows.length > 100_000) throw new Error('The cursor does not advance.')
    expect(cursors(window).filter((cursor) => cursor !== undefined).length).toBe(window.eof ? 0 : 1)
    if (window.next_start_line !== undefined) request = { kind: 'lines', start: window.next_start_line }
    else if (window.next_offset_bytes !== undefined) request = { kind: 'bytes', offset: window.next_offset_bytes, limit }
    else if (window.next_offset_chars !== undefined) request = { kind: 'chars', offset: window.next_offset_chars, limit }
    else request = null
  }
  return windows
}

const lossy = new TextDecoder('utf-8', { ignoreBOM: true })

describe('walking by cursors', () => {
  it('gives every byte and every character once, for any limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        bytes,
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('bytes' as const, 'chars' as const),
        async (input, limit, kind) => {
          if (isBinary(input)) return
          const windows = await walk(input, { kind, limit }, limit)
          expect(windows.map((window) => window.content).join('')).toBe(lossy.decode(input))
          expect(windows.reduce((sum, window) => sum + (window.shown_bytes as number), 0)).toBe(input.length)
          expect(windows.reduce((sum, window) => sum + (window.shown_chars as number), 0)).toBe([...lossy.decode(input)].length)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('gives every line once', async () => {
    const times = fc.oneof({ arbitrary: fc.constantFrom(0, 1, 3, 60), weight: 60 }, fc.constantFrom(1000, 20_000))
    const line = fc.tuple(fc.constantFrom('', 'x', 'é漢', '😀'), times, fc.constantFrom('\n', '\r\n'))
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 700, size: 'max' }), fc.boolean(), async (parts, closed) => {
        const text = parts.map(([char, times, end]) => char.repeat(times) + end).join('') + (closed ? '' : 'last')
        const windows = await walk(encodeText(text), { kind: 'lines' })
        const shown = windows.flatMap((window) => (window.content === '' ? [] : window.content.split('\n')))
        const wanted = text.replace(/\r?\n$/, '').split(/\r?\n/)
        expect(shown.length).toBe(text === '' ? 0 : wanted.length)
        expect(shown).toEqual(text === '' ? [] : wanted.map((content, i) => `${String(i + 1).padStart(4)}\t${content}`))
        for (const window of windows) expect((window.end_line as number) - (window.start_line as number)).toBeLessThan(500)
      }),
      { numRuns: 15 },
    )
  })

  it('goes on inside a long line by characters, to the end of the file', async () => {
    const text = `short\n${'漢😀'.repeat(60_000)}\nend\n`
    const windows = await walk(encodeText(text), { kind: 'lines' })
    expect(windows.map((window) => window.mode)).toEqual(['line', 'line', 'char'])
    const [first, second, third] = windows as [TextWindow, TextWindow, TextWindow]
    expect(`${first.content.slice(5)}\n${second.content.slice(5)}${third.content}`).toBe(text)
  })
})

describe('a large file', () => {
  const input = encodeText(lines(700_000))

  it('is read by ranges once it is known', async () => {
    const facts = await readFacts(readerOf(input))
    const requests: readonly WindowRequest[] = [
      { kind: 'lines', start: 650_000, end: 650_499 },
      { kind: 'tail', lines: 500 },
      { kind: 'bytes', offset: 5_000_000, limit: 1000 },
      { kind: 'chars', offset: 5_000_000, limit: 1000 },
    ]
    for (const request of requests) {
      const reader = readerOf(input)
      const window = await readWindow(reader, facts, request)
      expect(reader.bytesRead()).toBeLessThan(600_000)
      expect(window.total_lines).toBe(700_000)
      if (window.mode === 'line') expect(window.content).toContain(`\tline ${window.end_line}`)
      else expect(window.content).toBe(lossy.decode(input.subarray(5_000_000, 5_001_000)))
    }
  })
})
