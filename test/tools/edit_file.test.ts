/** `edit_file`: P-50 to P-58, T-P-EF-01 to 18. Matching and diagnostics are tested with their own modules. */
import { describe, expect, test } from 'vitest'
import type { FileSystem } from '../../src/core/file_system.ts'
import { ID } from '../../src/core/id.ts'
import type { Path } from '../../src/core/path.ts'
import { bytesReader } from '../../src/core/read.ts'
import { sha, workspaceWith } from './setup.ts'

const ABC = 'alpha\nbeta\ngamma\n'
const TABBED = '\tif (order.isOpen) {\n\t\treturn discount(order, today)\n\t}\n'
const SPACED = '    if (order.isOpen) {\n        return discount(order, today)\n    }'
const TEN = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join('')
const TODO = Array.from({ length: 10 }, (_, i) => `${i + 1}: ${[2, 6, 9].includes(i + 1) ? 'todo' : 'done'}\n`).join('')
const FILES = {
  'a.txt': ABC,
  'x.txt': 'x x\n',
  'tab.js': TABBED,
  'tabs.js': `${TABBED}\tnext()\n${TABBED}`,
  'quotes.md': 'say “hi” twice\n',
  'both.md': '“hi” "hi"\n',
  'ten.txt': TEN,
  'todo.txt': TODO,
  'crlf.txt': 'x\r\ny\r\nz\r\n',
  'bom.txt': '\ufefffirst\nsecond\n',
  'open.txt': 'start\nend',
  'latin1.txt': new Uint8Array([0x61, 0x3d, 0x31, 0x0a, 0xe9, 0x0a]),
  bin: new Uint8Array([0x61, 0, 0x62]),
  'run.sh': { text: 'exit 1\n', mode: 0o755 },
  'd/k': 'old\n',
  in: { link: 'd/k' },
  '.gitignore': 'dist/\n',
  'dist/a.js': '1;\n',
  '.env': 'K=1\n',
  'calls.py': Array.from({ length: 4 }, (_, i) => `value = compute(${i + 1})\n`).join(''),
} as const

const one = (old_content: string, new_content: string, more: object = {}): object => ({
  replacements: [{ old_content, new_content, ...more }],
})

describe('edits', () => {
  test.each<[string, string, object, string, object]>([
    [
      'EF-01 two items',
      'a.txt',
      {
        replacements: [
          { old_content: 'alpha', new_content: 'ALPHA' },
          { old_content: 'gamma', new_content: 'GAMMA' },
        ],
      },
      'ALPHA\nbeta\nGAMMA\n',
      { applied_count: 2, replacement_occurrences: 2, match_mode: 'exact', total_lines_before: 3, total_lines_after: 3 },
    ],
    [
      'EF-03 an item sees those before',
      'a.txt',
      {
        replacements: [
          { old_content: 'beta', new_content: 'delta' },
          { old_content: 'alpha\ndelta', new_content: 'one\ntwo' },
        ],
      },
      'one\ntwo\ngamma\n',
      { applied_count: 2 },
    ],
    [
      'EF-04 the first of several',
      'x.txt',
      { ...one('x', 'y'), require_unique_match: false },
      'y x\n',
      { applied_count: 1, replacement_occurrences: 1 },
    ],
    [
      'EF-04 all',
      'x.txt',
      { ...one('x', 'y'), replace_all: true, require_unique_match: true },
      'y y\n',
      { applied_count: 1, replacement_occurrences: 2 },
    ],
    [
      'an item decides for itself',
      'x.txt',
      { ...one('x', 'y', { replace_all: false, require_unique_match: false }), replace_all: true },
      'y x\n',
      { replacement_occurrences: 1 },
    ],
    [
      'P-6 null in an item means not given',
      'x.txt',
      { ...one('x', 'y', { replace_all: null, start_line: null }), replace_all: true },
      'y y\n',
      {},
    ],
    ['EF-05 one object', 'a.txt', { replacements: { old_content: 'beta', new_content: 'B' } }, 'alpha\nB\ngamma\n', { applied_count: 1 }],
    ['EF-05 JSON text of one object', 'a.txt', { replacements: '{"old_content":"beta","new_content":"B"}' }, 'alpha\nB\ngamma\n', {}],
    [
      'EF-05 JSON text of a list',
      'a.txt',
      { replacements: '[{"old_content":"beta","new_content":"B"},{"old_content":"gamma","new_content":"G"}]' },
      'alpha\nB\nG\n',
      { applied_count: 2 },
    ],
    [
      'EF-05 replacements_json wins',
      'a.txt',
      { ...one('alpha', 'A'), replacements_json: '[{"old_content":"beta","new_content":"B"}]' },
      'alpha\nB\ngamma\n',
      {},
    ],
    [
      'EF-06 white space',
      'tab.js',
      { ...one(SPACED, '    return 20'), ignore_whitespace: true },
      '    return 20\n',
      { match_mode: 'whitespace_normalized', used_confusable_fallback: false },
    ],
    [
      'EF-07 look-alikes',
      'quotes.md',
      { ...one('say "hi"', 'say "ho"'), confusable_fallback: true },
      'say "ho" twice\n',
      { match_mode: 'confusable_normalized', used_confusable_fallback: true },
    ],
    [
      'EF-07 exact comes first',
      'both.md',
      { ...one('"hi"', '"ho"'), confusable_fallback: true, ignore_whitespace: true },
      '“hi” "ho"\n',
      { match_mode: 'exact', used_confusable_fallback: false },
    ],
    [
      'EF-08 force skips the hash',
      'a.txt',
      { ...one('beta', 'B'), expected_sha256: '0'.repeat(64), force_overwrite: true },
      'alpha\nB\ngamma\n',
      {},
    ],
    ['EF-11 CRLF', 'crlf.txt', one('x\ny', 'p\nq'), 'p\r\nq\r\nz\r\n', { match_mode: 'exact' }],
    ['EF-11 BOM', 'bom.txt', one('first', '1st'), '\ufeff1st\nsecond\n', {}],
    ['EF-11 no newline at the end', 'open.txt', one('end', 'END'), 'start\nEND', { total_lines_after: 2 }],
    ['EF-12 nothing in new text is special', 'a.txt', one('beta', '$&$1$$\\1\\n'), 'alpha\n$&$1$$\\1\\n\ngamma\n', {}],
    [
      'EF-17 a scope',
      'todo.txt',
      one('todo', 'DONE', { start_line: 5, end_line: 8 }),
      TODO.replace('6: todo', '6: DONE'),
      { replacement_occurrences: 1 },
    ],
    ['EF-16 ignored, when allowed', 'dist/a.js', { ...one('1', '2'), allow_ignored: true }, '2;\n', {}],
    ['sensitive, when allowed', '.env', { ...one('1', '2'), allow_sensitive: true }, 'K=2\n', {}],
    ['text is removed', 'a.txt', one('beta\n', ''), 'alpha\ngamma\n', { total_lines_before: 3, total_lines_after: 2 }],
  ])('%s', async (_, path, args, after, expected) => {
    const { call, read, workspace } = await workspaceWith(FILES)
    const before = await read(path)
    const { result, code, text } = await call('edit_file', { file_path: path, ...args })
    expect(code).toBeNull()
    expect(result).toMatchObject({
      file_path: `/${path}`,
      changed: true,
      dry_run: false,
      diagnostics: [],
      backup_id: expect.stringMatching(ID),
      ...expected,
    })
    expect(result.diff).toContain(`--- a/${path}\n+++ b/${path}\n@@ `)
    expect(text).toMatch(/^Edited .*: \d+ replacements?\.$/)
    expect(await read(path)).toBe(after)
    await workspace.undo('last')
    expect(await read(path)).toBe(before)
  })

  test('C-18 a bad byte elsewhere stays', async () => {
    const { call, bytes } = await workspaceWith(FILES)
    await call('edit_file', { file_path: 'latin1.txt', ...one('a=1', 'a=2') })
    expect([...(await bytes('latin1.txt'))]).toEqual([0x61, 0x3d, 0x32, 0x0a, 0xe9, 0x0a])
  })

  test('C-5 through a link, C-14 the mode stays', async () => {
    const { call, read, stat } = await workspaceWith(FILES)
    await call('edit_file', { file_path: 'in', ...one('old', 'new') })
    await call('edit_file', { file_path: 'run.sh', ...one('1', '2') })
    expect([(await stat('in'))?.kind, await read('d/k'), (await stat('run.sh'))?.mode]).toEqual(['link', 'new\n', 0o755])
  })

  test('P-50 without a backup there is no id, and no undo', async () => {
    const { call, workspace } = await workspaceWith(FILES)
    const { result } = await call('edit_file', { file_path: 'a.txt', ...one('beta', 'B'), create_backup: false })
    expect(result).not.toHaveProperty('backup_id')
    await expect(workspace.undo('last')).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('EF-10 the diff is left out when it is not wanted, but not from a dry run', async () => {
    const { call } = await workspaceWith(FILES)
    const args = { file_path: 'a.txt', ...one('beta', 'B'), return_diff: false }
    expect((await call('edit_file', { ...args, dry_run: true })).result.diff).toContain('-beta\n+B\n')
    expect((await call('edit_file', args)).result).not.toHaveProperty('diff')
  })

  test.each<[string, object, object[]]>([
    ['EF-15 no context', { ...one('line 5\n', 'LINE 5\n'), snippet_context_lines: 0 }, [{ start_line: 5, end_line: 5, content: 'LINE 5' }]],
    [
      'EF-15 the first line',
      { ...one('line 1\n', 'LINE 1\n'), snippet_context_lines: 2 },
      [{ start_line: 1, end_line: 3, content: 'LINE 1\nline 2\nline 3' }],
    ],
    ['EF-15 the last line', one('line 10', 'LINE 10'), [{ start_line: 7, end_line: 10, content: 'line 7\nline 8\nline 9\nLINE 10' }]],
  ])('%s', async (_, args, snippets) => {
    const { call } = await workspaceWith(FILES)
    expect((await call('edit_file', { file_path: 'ten.txt', ...args })).result.snippets).toEqual(snippets)
  })

  test('T-C-17 twenty edits at once are all kept', async () => {
    const tokens = Array.from({ length: 20 }, (_, i) => `token_${String(i).padStart(2, '0')}`)
    const { call, read } = await workspaceWith({ f: tokens.join('\n') })
    await Promise.all(tokens.map((token) => call('edit_file', { file_path: 'f', ...one(token, token.toUpperCase()) })))
    expect(await read('f')).toBe(tokens.join('\n').toUpperCase())
  })
})

describe('changes nothing', () => {
  test('EF-13 old text equal to new', async () => {
    const { call, stat, workspace } = await workspaceWith(FILES)
    const before = await stat('a.txt')
    const { result, code } = await call('edit_file', { file_path: 'a.txt', ...one('beta', 'beta') })
    expect(code).toBeNull()
    expect(result).toMatchObject({ changed: false, applied_count: 0, diff: '', snippets: [], total_lines_before: 3, total_lines_after: 3 })
    expect(result).not.toHaveProperty('backup_id')
    expect(await stat('a.txt')).toEqual(before)
    expect(await workspace.log()).toHaveLength(1)
  })

  test('P-57 edits that take each other back', async () => {
    const { call, workspace } = await workspaceWith(FILES)
    const replacements = [
      { old_content: 'beta', new_content: 'B' },
      { old_content: 'B', new_content: 'beta' },
    ]
    expect((await call('edit_file', { file_path: 'a.txt', replacements })).result).toMatchObject({ changed: false, diff: '' })
    expect(await workspace.log()).toHaveLength(1)
  })

  test('EF-09 a dry run', async () => {
    const { call, read, paths, workspace } = await workspaceWith(FILES)
    const before = await paths()
    const { result, text } = await call('edit_file', { file_path: 'a.txt', ...one('beta', 'B'), dry_run: true, backup_root: 'bk' })
    expect(result).toMatchObject({ changed: true, dry_run: true, applied_count: 1, diff: expect.stringContaining('-beta\n+B\n') })
    expect(result).not.toHaveProperty('backup_id')
    expect(text).toMatch(/^Would edit/)
    expect([await read('a.txt'), await paths()]).toEqual([ABC, before])
    expect(await workspace.log()).toHaveLength(1)
  })
})

describe('refuses, and changes nothing', () => {
  const second = {
    replacements: [
      { old_content: 'alpha', new_content: 'ALPHA' },
      { old_content: 'delta', new_content: 'DELTA' },
    ],
  }
  test.each<[string, string, object, string, object?]>([
    ['EF-02 the second item', 'a.txt', second, 'no_match', { index: 1, reason: 'no_match', match_count: 0 }],
    [
      'EF-04 several',
      'x.txt',
      one('x', 'y'),
      'ambiguous_match',
      { index: 0, reason: 'ambiguous_match', match_count: 2, match_lines: [1, 1] },
    ],
    [
      'EF-06 white space',
      'tab.js',
      one(SPACED, 'x'),
      'no_match',
      { reason: 'no_match', candidates: [expect.objectContaining({ start_line: 1, end_line: 3 })] },
    ],
    [
      'EF-06 several by lines',
      'tabs.js',
      { ...one(SPACED, 'x'), ignore_whitespace: true },
      'ambiguous_whitespace_match',
      { reason: 'ambiguous_whitespace_match', match_count: 2 },
    ],
    ['EF-07 look-alikes', 'quotes.md', one('say "hi"', 'x'), 'no_match', { reason: 'no_match' }],
    ['EF-17 outside the scope', 'todo.txt', one('todo', 'x', { start_line: 3, end_line: 5 }), 'no_match', { reason: 'no_match' }],
    ['EF-14 empty old text', 'a.txt', one('', 'x'), 'invalid_argument', { index: 0, reason: 'empty_old_content' }],
    ['EF-14 empty old text, for all', 'a.txt', { ...one('', 'x'), replace_all: true }, 'invalid_argument', { reason: 'empty_old_content' }],
    [
      '23 in any item, before matching',
      'a.txt',
      {
        replacements: [
          { old_content: 'zeta', new_content: 'Z' },
          { old_content: '', new_content: 'x' },
        ],
      },
      'invalid_argument',
      { index: 1, reason: 'empty_old_content' },
    ],
    ['EF-14 no new text', 'a.txt', { replacements: [{ old_content: 'beta' }] }, 'missing_argument', { index: 0, reason: 'invalid_item' }],
    [
      'no old text',
      'a.txt',
      { replacements: [{ old_text: 'beta', new_text: 'B' }] },
      'invalid_argument',
      { index: 0, reason: 'invalid_item' },
    ],
    ['an item that is no object', 'a.txt', { replacements: ['beta'] }, 'invalid_argument', { index: 0, reason: 'invalid_item' }],
    [
      'a scope that ends before it starts',
      'a.txt',
      one('a', 'b', { start_line: 3, end_line: 2 }),
      'invalid_argument',
      { index: 0, reason: 'invalid_item' },
    ],
    ['EF-14 an empty list', 'a.txt', { replacements: [] }, 'invalid_argument'],
    ['EF-14 nothing to replace', 'a.txt', {}, 'missing_argument'],
    ['EF-08 a wrong hash', 'a.txt', { ...one('beta', 'B'), expected_sha256: '0'.repeat(64) }, 'stale_expected_sha256'],
    ['P-57 binary', 'bin', one('a', 'b'), 'binary_file'],
    ['P-57 a directory', 'd', one('a', 'b'), 'is_directory'],
    ['P-57 nothing there', 'gone', one('a', 'b'), 'not_found'],
    ['P-57 U+FFFD in a file that is not UTF-8', 'latin1.txt', one('\ufffd', 'e'), 'invalid_utf8'],
    ['EF-16 ignored', 'dist/a.js', one('1', '2'), 'ignored_path'],
    ['sensitive', '.env', one('1', '2'), 'sensitive_path'],
    ['sensitive in a dry run', '.env', { ...one('1', '2'), dry_run: true }, 'sensitive_path'],
    ['23 shape comes before guards', '.env', one('', '2'), 'invalid_argument', { reason: 'empty_old_content' }],
    ['a backup that cannot be made', 'a.txt', { ...one('beta', 'B'), backup_root: 'bin' }, 'not_directory'],
  ])('%s', async (_, path, args, code, diagnostic?) => {
    const fixture = await workspaceWith(FILES)
    const before = await fixture.paths()
    const content = await fixture.read(path)
    const outcome = await fixture.call('edit_file', { file_path: path, ...args })
    expect(outcome.code).toBe(code)
    expect(outcome.result).toMatchObject({
      file_path: '',
      changed: false,
      applied_count: 0,
      replacement_occurrences: 0,
      match_mode: 'exact',
      diagnostics: diagnostic ? [expect.objectContaining(diagnostic)] : [],
    })
    expect(await fixture.read(path)).toBe(content)
    expect(await fixture.paths()).toEqual(before)
    expect(await fixture.workspace.log()).toHaveLength(1)
  })

  test.each<[string, object, string]>([
    ['bad JSON', { replacements_json: '[{"old_content":' }, 'replacements_json'],
    ['bad JSON as replacements', { replacements: '[{' }, 'replacements'],
    [
      'C-22 a lone surrogate',
      {
        replacements: [
          { old_content: 'a', new_content: 'b' },
          { old_content: 'beta', new_content: '\ud800' },
        ],
      },
      'replacements[1].new_content',
    ],
    ['a member of an item', { replacements: [{ old_content: 'a', new_content: 'b', x: 1 }] }, 'replacements[0].x'],
    ['a member of one object', { replacements: { old_content: 'a', new_content: 7 } }, 'replacements.new_content'],
    [
      'a member in JSON text',
      { replacements_json: '[{"old_content":"a","new_content":"b","start_line":0}]' },
      'replacements_json[0].start_line',
    ],
    ['C-41 context that is no integer', { ...one('a', 'b'), snippet_context_lines: '2' }, 'snippet_context_lines'],
    ['C-42 context below nothing', { ...one('a', 'b'), snippet_context_lines: -1 }, 'snippet_context_lines'],
    ['W-5 a misspelt option', { ...one('a', 'b'), replaceall: true }, 'replaceall'],
  ])('%s names the argument', async (_, args, field) => {
    const { call } = await workspaceWith(FILES)
    const outcome = await call('edit_file', { file_path: 'a.txt', ...args })
    expect(outcome).toMatchObject({ code: 'invalid_argument', field })
    expect(outcome.result.error).toContain(field)
  })

  test.each([
    [0, 0],
    [1, 1],
    [undefined, 3],
  ])('EF-18 at most %s candidates: %s', async (most, count) => {
    const { call } = await workspaceWith(FILES)
    const args = {
      file_path: 'calls.py',
      ...one('value = compute(9)', 'x'),
      ...(most !== undefined && { max_diagnostic_candidates: most }),
    }
    const { result } = await call('edit_file', args)
    expect((result.diagnostics as { candidates: object[] }[])[0]?.candidates).toHaveLength(count)
  })

  test('EF-08 the current hash comes with the refusal', async () => {
    const { call, fs } = await workspaceWith(FILES)
    const { result } = await call('edit_file', { file_path: 'a.txt', ...one('beta', 'B'), expected_sha256: '0'.repeat(64) })
    expect(result.current_sha256).toBe(sha(fs, ABC))
  })
})

describe('P-159 approval', () => {
  test.each<[string, object, string | null]>([
    ['a small edit with a backup asks nobody', {}, null],
    ['without a backup it asks', { create_backup: false }, 'approval_required'],
    ['by force it asks', { force_overwrite: true }, 'approval_required'],
    ['a dry run never asks', { create_backup: false, dry_run: true }, null],
  ])('%s', async (_, args, code) => {
    const { call } = await workspaceWith(FILES, { settings: { approval: 'risky' } })
    expect((await call('edit_file', { file_path: 'a.txt', ...one('beta', 'B'), ...args })).code).toBe(code)
  })
})

describe('a text that was there before', () => {
  const misfit = { replacements: [{ old_content: 'second line\n', new_content: 'x\n' }] }
  const start = { 'a.txt': 'first line\nsecond line\nthird line\n' }
  const rewrite = { content: 'first line\nanother\nthird line\n', force_overwrite: true }

  test('is said to be gone since the change that removed it', async () => {
    const { call, workspace } = await workspaceWith(start)
    const { changeId } = await workspace.call('write_file', { file_path: 'a.txt', ...rewrite }, { subject: 'somebody' })
    await call('edit_file', { file_path: 'a.txt', replacements: [{ old_content: 'first', new_content: '1st' }] })
    const { code, result } = await call('edit_file', { file_path: 'a.txt', ...misfit })
    expect(code).toBe('no_match')
    const removed_by = { change_id: changeId, sequence: 2, tool: 'write_file', subject: 'somebody', time: expect.any(String) }
    expect(result.diagnostics).toEqual([expect.objectContaining({ reason: 'no_match', removed_by })])
    expect(result.error).toContain('change 2 (write_file by somebody')
  })

  test('is found under the names that the file had, its directory moved too', async () => {
    const { call } = await workspaceWith({ 'd/a.txt': start['a.txt'] })
    await call('write_file', { file_path: 'd/a.txt', ...rewrite })
    await call('move_file', { source_path: 'd/a.txt', destination_path: 'd/b.txt' })
    await call('move_file', { source_path: 'd', destination_path: 'e' })
    const { result } = await call('edit_file', { file_path: 'e/b.txt', ...misfit })
    expect(result.diagnostics).toEqual([expect.objectContaining({ removed_by: expect.objectContaining({ sequence: 2 }) })])
  })

  test('is found with the line ends of its file', async () => {
    const { call } = await workspaceWith({ 'a.txt': 'first\r\nsecond line\r\n' })
    await call('write_file', { file_path: 'a.txt', content: 'first\r\n', force_overwrite: true })
    const { result } = await call('edit_file', { file_path: 'a.txt', ...misfit })
    expect(result.diagnostics).toEqual([expect.objectContaining({ removed_by: expect.objectContaining({ tool: 'write_file' }) })])
  })

  test.each<[string, object]>([
    ['that never was there', { old_content: 'no line at all\n', new_content: '' }],
    ['that is there, but not in these lines', { old_content: 'third', new_content: '', start_line: 1, end_line: 1 }],
    ['whose version was not kept', { old_content: 'second line\n', new_content: '' }],
  ])('a text %s has no such change', async (_, item) => {
    const { call } = await workspaceWith(start)
    await call('write_file', { file_path: 'a.txt', ...rewrite, create_backup: false })
    const { code, result } = await call('edit_file', { file_path: 'a.txt', replacements: [item] })
    expect(code).toBe('no_match')
    expect((result.diagnostics as object[])[0]).not.toHaveProperty('removed_by')
  })

  test('nobody is named when the file changed behind the journal', async () => {
    let outside = false
    const behind = (fs: FileSystem): FileSystem => {
      const bytes = new TextEncoder().encode('changed\n')
      const entry = async (path: Path) => ({ ...(await fs.stat(path)), hash: fs.hasher.hash(bytes), size: bytes.length })
      return {
        ...fs,
        stat: async (path, want) => (outside && path === 'a.txt' ? entry(path) : fs.stat(path, want)),
        open: async (path) => (outside && path === 'a.txt' ? bytesReader(await entry(path), bytes) : fs.open(path)),
      }
    }
    const { call } = await workspaceWith(start, { over: behind })
    await call('edit_file', { file_path: 'a.txt', replacements: [{ old_content: 'first', new_content: '1st' }] })
    outside = true
    const { code, result } = await call('edit_file', { file_path: 'a.txt', ...misfit })
    expect(code).toBe('no_match')
    expect((result.diagnostics as object[])[0]).not.toHaveProperty('removed_by')
  })
})

test('a line that holds a text twice is told once', async () => {
  const { call } = await workspaceWith({ 'a.txt': 'x x\ny\nx\n' })
  const { result } = await call('edit_file', { file_path: 'a.txt', replacements: [{ old_content: 'x', new_content: 'z' }] })
  expect(result.error).toContain('(lines 1, 3)')
  expect(result.diagnostics).toEqual([expect.objectContaining({ match_count: 3, match_lines: [1, 1, 3] })])
})
