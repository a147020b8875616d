/** `search_files`: P-130 to P-135, T-P-SF-01 to 15. */
import { describe, expect, test } from 'vitest'
import { type Fixture, type Planted, workspaceWith } from './setup.ts'

type Files = { readonly [path: string]: Planted }

/** Matches as `path:line:column text`. */
async function search(files: Files, args: object): Promise<string[]> {
  const { result, code } = await (await workspaceWith(files)).call('search_files', { search_path: '.', ...args })
  expect(code).toBeNull()
  return shown(result)
}

function shown(
  result: Fixture['call'] extends (...args: never[]) => Promise<infer R> ? (R & { result: unknown })['result'] : never,
): string[] {
  const matches = result.matches as { file_path: string; line_number: number; end_line?: number; column: number; line_content: string }[]
  return matches.map(({ file_path, line_number, end_line, column, line_content }) => {
    const end = end_line === undefined ? '' : `-${end_line}`
    return `${file_path}:${line_number}${end}:${column} ${line_content}`
  })
}

describe('what is found', () => {
  const abc = { 'a.txt': 'axb\na.b\nA.B\n' }
  test.each<[name: string, files: Files, args: object, found: string[]]>([
    ['SF-01 a literal', abc, { query: 'a.b' }, ['a.txt:2:1 a.b']],
    ['SF-01 a regular expression', abc, { query: 'a.b', is_regex: true }, ['a.txt:1:1 axb', 'a.txt:2:1 a.b']],
    ['SF-01 without case', abc, { query: 'a.b', case_insensitive: true }, ['a.txt:2:1 a.b', 'a.txt:3:1 A.B']],
    [
      'SF-01 without case, beyond ASCII',
      { a: 'ÉCOLE\nécole\necole\n' },
      { query: 'éCole', case_insensitive: true },
      ['a:1:1 ÉCOLE', 'a:2:1 école'],
    ],
    ['the Kelvin sign and the long s', { a: 'K\nſ\nx' }, { query: 'k', case_insensitive: true }, ['a:1:1 K']],
    ['… both ways', { a: 'k\ns\nS\nx' }, { query: 'ſ', case_insensitive: true }, ['a:2:1 s', 'a:3:1 S']],
    [
      'no full case folding',
      { a: 'STRASSE\nstraße\nSTRAẞE' },
      { query: 'straße', case_insensitive: true },
      ['a:2:1 straße', 'a:3:1 STRAẞE'],
    ],
    ['a caseless literal without case', { a: '1.5\n' }, { query: '1.5', case_insensitive: true }, ['a:1:1 1.5']],
    ['special characters in a literal', { a: 'f(x\n$^[\n' }, { query: '(' }, ['a:1:2 f(x']],
    [
      '… without case',
      { a: 'x[A^$.*+?()|{}/\\-]' },
      { query: '[a^$.*+?()|{}/\\-]', case_insensitive: true },
      ['a:1:2 x[A^$.*+?()|{}/\\-]'],
    ],
    ['NFC is not NFD (C-21)', { a: 'e\u0301\né\n' }, { query: 'é' }, ['a:2:1 é']],
    ['one entry a line (P-131)', { a: 'hit and hit\n' }, { query: 'hit' }, ['a:1:1 hit and hit']],
    [
      'SF-12 CRLF, BOM, no final newline',
      { a: '\ufeffhit 1\r\nhit 2\r\nhit 3' },
      { query: 'hit' },
      ['a:1:1 hit 1', 'a:2:1 hit 2', 'a:3:1 hit 3'],
    ],
    [
      '… with a regular expression',
      { a: '\ufeffhit 1\r\nhit 2\r\nhit 3' },
      { query: '^hit \\d$', is_regex: true },
      ['a:1:1 hit 1', 'a:2:1 hit 2', 'a:3:1 hit 3'],
    ],
    ['the BOM is not seen (39)', { a: '\ufeffx\n\ufeffx\n' }, { query: '\ufeffx' }, ['a:2:1 \ufeffx']],
    ['the CR of a CRLF is not in the line', { a: 'x\r\nx\ry\r\n' }, { query: 'x\r' }, ['a:2:1 x\ry']],
    ['lone CR and U+2028 end no line (C-15)', { a: 'a\rb\u2028c\nd' }, { query: '[cd]', is_regex: true }, ['a:1:5 a\rb\u2028c', 'a:2:1 d']],
    ['SF-15 columns are characters', { a: '😀é漢hit\n' }, { query: 'hit' }, ['a:1:4 😀é漢hit']],
    ['… also for a regular expression', { a: '😀é漢hit\n' }, { query: 'h.t', is_regex: true }, ['a:1:4 😀é漢hit']],
    ['what is empty matches each line (C-31)', { a: 'x\n\ny' }, { query: 'z*', is_regex: true }, ['a:1:1 x', 'a:2:1 ', 'a:3:1 y']],
    ['… and no line of an empty file', { a: '', b: '\n' }, { query: '^', is_regex: true }, ['b:1:1 ']],
    ['look-around and backreferences', { a: 'aa\nab\n' }, { query: '(?P<n>a)(?P=n)', is_regex: true }, ['a:1:1 aa']],
    [
      'paths, then lines, by code points',
      { 'b/a': 'x\nx', 'b.c': 'x', B: 'x', é: 'x' },
      { query: 'x' },
      ['B:1:1 x', 'b.c:1:1 x', 'b/a:1:1 x', 'b/a:2:1 x', 'é:1:1 x'],
    ],
    [
      'names that look like patterns (P50)',
      { __proto__x: 'x', 'a*': 'x', '[x]': 'x', '%': 'x' },
      { query: 'x', include_patterns: ['\\[x\\]'] },
      ['[x]:1:1 x'],
    ],
  ])('%s', async (_, files, args, found) => {
    expect(await search(files, args)).toEqual(found)
  })
})

describe('multiline (P-134)', () => {
  const text = { a: 'x\nfoo 1\nmid\nbar 2\nfoo 3\nbar 4\n' }
  const span = { query: 'foo[\\s\\S]*?bar', is_regex: true, multiline: true }
  test.each<[name: string, files: Files, args: object, found: string[]]>([
    ['SF-09 across lines', text, span, ['a:2-4:1 foo 1\nmid\nbar 2', 'a:5-6:1 foo 3\nbar 4']],
    ['SF-09 longer spans are passed over', text, { ...span, max_match_span_lines: 2 }, ['a:5-6:1 foo 3\nbar 4']],
    ['… by bytes', text, { ...span, max_match_span_bytes: 10 }, ['a:5-6:1 foo 3\nbar 4']],
    ['every match, not every line', { a: 'aXaXa\n' }, { query: 'a', multiline: true }, ['a:1-1:1 aXaXa', 'a:1-1:3 aXaXa', 'a:1-1:5 aXaXa']],
    ['^ and $ are at lines', { a: 'a\nba\n' }, { query: '^a$', is_regex: true, multiline: true }, ['a:1-1:1 a']],
    ['a dot does not cross lines', { a: 'a\nb' }, { query: 'a.b', is_regex: true, multiline: true }, []],
    ['… unless it is told to', { a: 'a\nb' }, { query: '(?s)a.b', is_regex: true, multiline: true }, ['a:1-2:1 a\nb']],
    ['a literal with a line break', { a: 'x\ny\nx\r\ny\n' }, { query: 'x\ny', multiline: true }, ['a:1-2:1 x\ny']],
    ['… in a CRLF file (C-19)', { a: 'x\r\ny\r\n' }, { query: 'x\ny', multiline: true }, ['a:1-2:1 x\ny']],
    ['… without case', { a: 'x\r\nY\r\n' }, { query: 'X\ny', multiline: true, case_insensitive: true }, ['a:1-2:1 x\nY']],
    ['a match that ends with its line', { a: 'a\nb\n' }, { query: 'a\n', multiline: true }, ['a:1-1:1 a']],
    ['an empty match is told once a line', { a: 'aa\nb\n' }, { query: 'x*', is_regex: true, multiline: true }, ['a:1-1:1 aa', 'a:2-2:1 b']],
  ])('%s', async (_, files, args, found) => {
    expect(await search(files, args)).toEqual(found)
  })
})

describe('which files', () => {
  const tree = { 'src/a.rs': 'hit', 'src/b.vue': 'hit', 'target/o.rs': 'hit', 'c.py': 'hit', 'd.txt': 'hit', Makefile: 'hit' }
  const ignoring = {
    '.gitignore': 'out/\n*.log\n',
    'out/gen.txt': 'hit',
    'a.log': 'hit',
    'a.txt': 'hit',
    'sub/.ignore': '!a.log\nno',
    'sub/a.log': 'hit',
    'sub/no': 'hit',
  }
  const hidden = { a: 'hit', '.h': 'hit', '.d/x': 'hit', '.d/.gitignore': 'y', '.d/y': 'hit' }
  test.each<[name: string, files: Files, args: object, found: string[]]>([
    ['SF-07 include', tree, { include_patterns: ['*.rs'] }, ['src/a.rs', 'target/o.rs']],
    ['SF-07 include and exclude', tree, { include_patterns: ['*.rs'], exclude_patterns: ['target/**'] }, ['src/a.rs']],
    ['include a directory', tree, { include_patterns: ['src/'] }, ['src/a.rs', 'src/b.vue']],
    ['exclude a directory', tree, { exclude_patterns: ['src', 'target/'] }, ['Makefile', 'c.py', 'd.txt']],
    ['braces', tree, { include_patterns: ['{src,target}/*.{rs,py}'] }, ['src/a.rs', 'target/o.rs']],
    ['only taken back', tree, { include_patterns: ['!*.rs'] }, ['Makefile', 'c.py', 'd.txt', 'src/b.vue']],
    [
      'empty lists',
      tree,
      { include_patterns: [], exclude_patterns: [], file_types: [] },
      ['Makefile', 'c.py', 'd.txt', 'src/a.rs', 'src/b.vue', 'target/o.rs'],
    ],
    ['SF-07 a known type', tree, { file_types: ['rust'] }, ['src/a.rs', 'target/o.rs']],
    ['SF-07 an unknown type is an extension', tree, { file_types: ['vue', '.txt'] }, ['d.txt', 'src/b.vue']],
    ['types and include', tree, { file_types: ['rust', 'py'], include_patterns: ['src/**'] }, ['src/a.rs']],
    ['globs are relative to search_path', tree, { search_path: 'src', include_patterns: ['/a.*'] }, ['src/a.rs']],
    ['SF-08 ignored', ignoring, {}, ['a.txt', 'sub/a.log']],
    ['SF-08 a named file', ignoring, { search_path: 'out/gen.txt' }, ['out/gen.txt']],
    ['an ignored directory that is named (18)', ignoring, { search_path: 'out' }, ['out/gen.txt']],
    ['include wins over ignore files', ignoring, { include_patterns: ['*.log'] }, ['a.log', 'sub/a.log']],
    ['… in a directory that it names', ignoring, { include_patterns: ['out/*.txt'] }, ['out/gen.txt']],
    ['… but opens no ignored directory by chance', ignoring, { include_patterns: ['*.txt'] }, ['a.txt']],
    ['hidden', hidden, {}, ['a']],
    ['a hidden directory that is named; its rules hold (18)', hidden, { search_path: '.d' }, ['.d/x']],
    ['a hidden file that is named', hidden, { search_path: '.h' }, ['.h']],
    ['links are not followed', { 'r/a': 'hit', l: { link: 'r/a' }, d: { link: 'r' } }, {}, ['r/a']],
    ['… but in the search path', { 'r/a': 'hit', l: { link: 'r/a' } }, { search_path: 'l' }, ['r/a']],
    ['a filter holds for a named file', { 'a.rs': 'hit' }, { search_path: 'a.rs', file_types: ['py'] }, []],
  ])('%s', async (_, files, args, found) => {
    const matches = await search(files, { query: 'hit', ...args })
    expect(matches.map((match) => match.slice(0, match.indexOf(':')))).toEqual(found)
  })

  test('SF-13 binary files and invalid UTF-8 are passed over, and not counted', async () => {
    const bytes = (...parts: number[]) => new Uint8Array(parts)
    const { call } = await workspaceWith({
      a: 'hit',
      nul: bytes(0x68, 0x69, 0x74, 0),
      latin1: bytes(0x68, 0x69, 0x74, 0xe9),
      controls: bytes(...Array(40).fill(1), 0x68, 0x69, 0x74),
      late: `${'x'.repeat(9000)}\0hit`,
      empty: '',
    })
    const { result } = await call('search_files', { search_path: '.', query: 'hit' })
    expect(shown(result).map((match) => match.split(':')[0])).toEqual(['a', 'late'])
    expect(result).toMatchObject({ searched_files: 3, matched_files: 2 })
  })

  test('a file above the limit of text is passed over', async () => {
    const { call } = await workspaceWith({ a: 'hit', big: `hit${'x'.repeat(2000)}` }, { fs: { limits: { textBytes: 1000 } } })
    expect((await call('search_files', { search_path: '.', query: 'hit' })).result).toMatchObject({ total_matches: 1, searched_files: 1 })
  })
})

describe('how much', () => {
  const hits = (count: number): Files => ({ a: 'hit\n'.repeat(count) })
  const five = { a: 'hit\nhit', b: 'hit', c: 'hit', d: 'no', e: 'hit' }
  test.each<[name: string, files: Files, args: object, result: object, reason: RegExp | null]>([
    ['SF-03 more than 200', hits(300), {}, { total_matches: 200 }, /max_results.*200/],
    ['SF-03 at most 1000', hits(1200), { max_results: 5000 }, { total_matches: 1000 }, /max_results.*1000/],
    ['exactly 200 is all', hits(200), {}, { total_matches: 200 }, null],
    ['the first file alone', five, { max_results: 2 }, { total_matches: 2, matched_files: 1 }, /max_results/],
    ['max_files of content', five, { max_files: 2 }, { total_matches: 3, matched_files: 2 }, /max_files/],
    [
      'SF-04 files',
      five,
      { output_mode: 'files_with_matches' },
      { files_with_matches: ['a', 'b', 'c', 'e'], total_matches: 5, matched_files: 4, searched_files: 5 },
      null,
    ],
    [
      'SF-04 at most 2',
      five,
      { output_mode: 'files_with_matches', max_files: 2 },
      { files_with_matches: ['a', 'b'], total_matches: 5, matched_files: 4 },
      /max_files/,
    ],
    ['max_results is for content', hits(300), { output_mode: 'count' }, { total_matches: 300 }, null],
    ['SF-05 counts', five, { output_mode: 'count' }, { matches: [], total_matches: 5, matched_files: 4 }, null],
    ['multiline counts matches', { a: 'aa\na' }, { query: 'a', multiline: true, output_mode: 'count' }, { total_matches: 3 }, null],
    ['SF-11 files read', five, { max_scanned_files: 1 }, { matched_files: 1, searched_files: 1 }, /max_scanned_files/],
    ['exactly as many files', five, { max_scanned_files: 5 }, { matched_files: 4 }, null],
    ['bytes read', five, { max_scanned_bytes: 10 }, { matched_files: 2, searched_files: 2 }, /max_scanned_bytes/],
    ['exactly as many bytes', five, { max_scanned_bytes: 18 }, { matched_files: 4 }, null],
  ])('%s', async (_, files, args, expected, reason) => {
    const { result } = await (await workspaceWith(files)).call('search_files', { search_path: '.', query: 'hit', ...args })
    expect(result).toMatchObject(expected)
    expect(result.truncated).toBe(reason !== null)
    if (reason) expect(result.truncated_reason).toMatch(reason)
    else expect(result).not.toHaveProperty('truncated_reason')
  })

  test('counts by file, in both of the modes', async () => {
    const { call } = await workspaceWith(five)
    expect((await call('search_files', { search_path: '.', query: 'hit', output_mode: 'count' })).result).not.toHaveProperty(
      'files_with_matches',
    )
    for (const output_mode of ['count', 'files_with_matches']) {
      const { result } = await call('search_files', { search_path: '.', query: 'hit', output_mode })
      expect(result.file_match_counts).toEqual(['a', 'b', 'c', 'e'].map((file_path) => ({ file_path, count: file_path === 'a' ? 2 : 1 })))
    }
  })
})

describe('lines', () => {
  const nine = { a: 'hit 1\nb\nc\nd\ne\nf\ng\nh\nhit 9\n' }
  test.each<[name: string, args: object, around: [string[], string[]][]]>([
    ['none by default', { query: 'hit 1' }, [[[], []]]],
    [
      'SF-06 clipped at both ends',
      { query: 'hit', context_lines: 1 },
      [
        [[], ['b']],
        [['h'], []],
      ],
    ],
    ['SF-06 at most 3', { query: 'hit 9', context_lines: 9 }, [[['f', 'g', 'h'], []]]],
    [
      'around a regular expression',
      { query: '^[de]$', is_regex: true, context_lines: 1 },
      [
        [['c'], ['e']],
        [['d'], ['f']],
      ],
    ],
    [
      'around a match of lines',
      { query: 'd\ne', multiline: true, context_lines: 2 },
      [
        [
          ['b', 'c'],
          ['f', 'g'],
        ],
      ],
    ],
  ])('context: %s', async (_, args, around) => {
    const { result } = await (await workspaceWith(nine)).call('search_files', { search_path: '.', ...args })
    const matches = result.matches as { context_before: string[]; context_after: string[] }[]
    expect(matches.map(({ context_before, context_after }) => [context_before, context_after])).toEqual(around)
  })

  test('context of a CRLF file has no CR', async () => {
    const { result } = await (await workspaceWith({ a: 'a\r\nhit\r\nb\r\n' })).call('search_files', {
      search_path: '.',
      query: 'hit',
      context_lines: 1,
    })
    expect(result.matches).toMatchObject([{ context_before: ['a'], context_after: ['b'], line_content: 'hit' }])
  })

  test.each<[name: string, line: string, query: string]>([
    ['in the middle', `${'x'.repeat(5000)}needle${'y'.repeat(5000)}`, 'needle'],
    ['at the start', `needle${'y'.repeat(5000)}`, 'needle'],
    ['at the end', `${'x'.repeat(5000)}needle`, 'needle'],
    ['near the end', `${'x'.repeat(5000)}needle${'y'.repeat(80)}`, 'needle'],
    ['of wide characters', `${'😀'.repeat(3000)}needle${'漢'.repeat(3000)}`, 'needle'],
    ['a hit that is longer itself', `${'x'.repeat(3000)}${'needle'.repeat(200)}${'y'.repeat(3000)}`, 'needle'.repeat(200)],
    ['one character too long', `needle${'y'.repeat(495)}`, 'needle'],
  ])('a long line is cut around the hit: %s', async (_, line, query) => {
    for (const is_regex of [false, true]) {
      const { result } = await (await workspaceWith({ a: line })).call('search_files', { search_path: '.', query, is_regex })
      const [{ line_content: content, column }] = result.matches as [{ line_content: string; column: number }]
      const inner = content.replace(/^…/, '').replace(/…$/, '')
      expect([...inner].length).toBe(500)
      expect(line).toContain(inner)
      expect(inner).toContain(query.slice(0, 500))
      expect(content.startsWith('…')).toBe(!line.startsWith(inner))
      expect(content.endsWith('…')).toBe(!line.endsWith(inner))
      expect(column).toBe([...line.slice(0, line.indexOf(query))].length + 1)
    }
  })

  test('a line of 500 characters is whole', async () => {
    const line = `${'😀'.repeat(494)}needle`
    expect(await search({ a: `${line}\n` }, { query: 'needle' })).toEqual([`a:1:495 ${line}`])
  })
})

describe('refused', () => {
  test.each<[name: string, args: object, code: string, field: string | undefined]>([
    ['SF-02 an empty query', { query: '' }, 'invalid_argument', 'query'],
    ['no query', {}, 'missing_argument', 'query'],
    ['SF-02 an invalid pattern', { query: '[invalid', is_regex: true }, 'invalid_regex', 'query'],
    ['half a surrogate pair', { query: '\ud83d' }, 'invalid_argument', 'query'],
    ['a literal of two lines', { query: 'a\nb' }, 'invalid_argument', 'query'],
    ['what no engine can do safely', { query: '(a+)+\\1', is_regex: true }, 'unsupported', 'query'],
    ['SF-14 missing', { query: 'x', search_path: 'gone' }, 'not_found', 'search_path'],
    ['SF-14 outside', { query: 'x', search_path: '../outside' }, 'outside_root', undefined],
    ['SF-06 context_lines', { query: 'x', context_lines: -1 }, 'invalid_argument', 'context_lines'],
    ['max_results', { query: 'x', max_results: 0 }, 'invalid_argument', 'max_results'],
    ['a number as text', { query: 'x', max_results: '5' }, 'invalid_argument', 'max_results'],
    ['an unknown argument', { query: 'x', max_result: 5 }, 'invalid_argument', 'max_result'],
    ['an unknown mode', { query: 'x', output_mode: 'lines' }, 'invalid_argument', 'output_mode'],
    ['a glob', { query: 'x', include_patterns: ['a', '[b'] }, 'invalid_argument', 'include_patterns[1]'],
    ['a bomb of braces', { query: 'x', exclude_patterns: ['{a,b}'.repeat(20)] }, 'invalid_argument', 'exclude_patterns[0]'],
  ])('%s', async (_, args, code, field) => {
    const answer = await (await workspaceWith({ 'a.txt': 'x' })).call('search_files', { search_path: '.', ...args })
    expect(answer).toMatchObject({ code, field, result: { matches: [], total_matches: 0, truncated: false } })
  })
})

describe('nothing hangs (C-30)', () => {
  test('SF-10 an exponential pattern, and others are served meanwhile', async () => {
    const { call } = await workspaceWith({ a: `${'a'.repeat(27)}!\n`, b: 'needle\n' })
    const hostile = call('search_files', { search_path: '.', query: '^(a+)+$', is_regex: true })
    expect((await call('search_files', { search_path: '.', query: 'needle' })).result.total_matches).toBe(1)
    expect((await hostile).result).toMatchObject({ total_matches: 0, searched_files: 2, truncated: false })
  })

  test('one file of hostile lines is searched with pauses', async () => {
    const { call } = await workspaceWith({ a: `${'b'.repeat(5000)}${'ab'.repeat(3000)}\n`.repeat(100) })
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    const { result } = await call('search_files', { search_path: '.', query: 'b\\w*a\\w*a$', is_regex: true })
    clearInterval(timer)
    expect(result).toMatchObject({ total_matches: 0, searched_files: 1 })
    expect(turns).toBeGreaterThan(3)
  })

  test('a pattern with a quadratic appetite on a long line has the linear engine', async () => {
    const { call } = await workspaceWith({ a: `${' '.repeat(200_000)}x\nfoo  \n` })
    const { result } = await call('search_files', { search_path: '.', query: '\\s+$', is_regex: true })
    expect(shown(result)).toEqual(['a:2:4 foo  '])
  })

  test('a line that no engine can search is named', async () => {
    const { call } = await workspaceWith({ a: `${'ab'.repeat(100_000)}\nxx\n` })
    const { result } = await call('search_files', { search_path: '.', query: '(\\w+)x\\1?$', is_regex: true })
    expect(shown(result)).toEqual(['a:2:1 xx'])
    expect(result.truncated_reason).toMatch(/too long for a pattern with a backreference.*in a$/)
  })

  test('the time is over', async () => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}`, 'ab'.repeat(20_000)]))
    const { result } = await (await workspaceWith(files)).call('search_files', {
      search_path: '.',
      query: 'b(a|b|ab)*a$',
      is_regex: true,
      timeout_ms: 1,
    })
    expect(result).toMatchObject({ truncated: true, truncated_reason: expect.stringMatching(/timeout_ms/) })
  })

  test('a canceled search stops', async () => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}`, 'ab'.repeat(20_000)]))
    const { workspace } = await workspaceWith(files)
    const control = new AbortController()
    const call = workspace.call('search_files', { search_path: '.', query: 'b(a|b|ab)*a$', is_regex: true }, { signal: control.signal })
    setTimeout(() => control.abort(), 5)
    expect((await call).error?.code).toBe('canceled')
  })
})

describe('the text block', () => {
  test.each<[args: object, text: string]>([
    [{ query: 'hit' }, 'a:1: hit\nb/c:2: a hit\n[2 matches in 2 of 2 files]'],
    [{ query: 'hit', context_lines: 1 }, 'a:1: hit\n--\nb/c-1- x\nb/c:2: a hit\nb/c-3- y\n[2 matches in 2 of 2 files]'],
    [{ query: 'hit', output_mode: 'count' }, 'a: 1\nb/c: 1\n[2 matches in 2 of 2 files]'],
    [{ query: 'hit', max_results: 1 }, 'a:1: hit\n[1 match in 1 of 2 files; not all: max_results: there are more than 1 matches]'],
    [{ query: 'none' }, '[0 matches in 0 of 2 files]'],
  ])('%j', async (args, text) => {
    const { call } = await workspaceWith({ a: 'hit\n', 'b/c': 'x\na hit\ny\n' })
    expect((await call('search_files', { search_path: '.', ...args })).text).toBe(text)
  })
})
