/** `validate_file`: P-100, T-P-VA-01 to 11. */
import { describe, expect, test } from 'vitest'
import { workspaceWith } from './setup.ts'

const { call } = await workspaceWith({
  'a.json': '{"a":1}',
  'tab.yaml': 'a:\n\tb: 1\n',
  'c.jsonc': '// c\n{"a": [1, 2,], /* d */ }\n',
  'tsconfig.base.json': '{\n  // c\n  "a": 1,\n}\n',
  'bom.json': '\ufeff{"a":1}',
  'notes.md': '[1, 2]',
  'latin.yaml': new Uint8Array([0x61, 0x3a, 0x20, 0xe9]),
  'd/x.json': '{}',
})

const check = async (content: string, format?: string) => (await call('validate_file', { content, ...(format && { format }) })).result

describe('what is well-formed', () => {
  test.each<[string, string, string | undefined, string]>([
    ['VA-01', '{"a":1}', 'json', 'json'],
    ['VA-03 an empty text as YAML', '', 'yaml', 'yaml'],
    ['VA-09 by its first character', 'key: v', undefined, 'yaml'],
    ['VA-10 two documents', 'a: 1\n---\na: 2\n', 'yaml', 'yaml'],
    ['a scalar', '"x"', undefined, 'json'],
    ['tags that make nothing', 'a: !!js/function "function () {}"\nb: !x [1]\n', 'yaml', 'yaml'],
    ['anchors and merges', 'a: &a {k: 1}\nb:\n  <<: *a\nc: [*a, *a]\n', 'yaml', 'yaml'],
  ])('%s', async (_, text, format, told) => {
    const result = await check(text, format)
    expect(result).toMatchObject({ valid: true, format: told, file_path: '' })
    expect(result).not.toHaveProperty('line')
  })

  test('a BOM and duplicate keys are mentioned', async () => {
    expect((await call('validate_file', { file_path: 'bom.json' })).result).toMatchObject({
      valid: true,
      summary: expect.stringContaining('BOM'),
    })
    expect((await check('{"k":1,"\\u006b":2}')).summary).toContain('duplicate')
    expect((await check('[{"k":1},{"k":{"k":2}}]')).summary).not.toContain('duplicate')
  })

  test('comments by the name of the file, and not when json is asked for', async () => {
    for (const file_path of ['c.jsonc', 'tsconfig.base.json']) {
      expect((await call('validate_file', { file_path })).result).toMatchObject({ valid: true, format: 'json' })
      expect((await call('validate_file', { file_path, format: 'json' })).result).toMatchObject({ valid: false })
    }
    expect((await call('validate_file', { file_path: 'notes.md' })).result).toMatchObject({ valid: true, format: 'json' })
  })
})

describe('what is not, and where', () => {
  test.each<[string, string, string, number, number]>([
    ['VA-01 a trailing comma', '{"a":1,}', 'json', 1, 8],
    ['VA-02 a missing comma', '{\n "a": 1\n "b": 2}', 'json', 3, 2],
    ['VA-03 an empty text', '', 'json', 1, 1],
    ['VA-04 a key twice', 'a: 1\na: 2', 'yaml', 2, 1],
    ['VA-06 an unknown alias', 'a: *nope', 'yaml', 1, 4],
    ['VA-07 NaN', '{"a": NaN}', 'json', 1, 7],
    ['VA-07 single quotes', "{'a': 1}", 'json', 1, 2],
    ['VA-07 a comment', '// c\n{}', 'json', 1, 1],
    ['VA-07 a leading zero', '{"a": 01}', 'json', 1, 8],
    ['VA-09 the end is one past the last character', '[1,2', 'json', 1, 5],
    ['a line end in a text', '["a\nb"]', 'json', 1, 4],
    ['an escape that there is not', '["é😀\\x"]', 'json', 1, 6],
    ['more after the value', '{} {}', 'json', 1, 4],
    ['an alias that holds itself', 'a: &a [*a]', 'yaml', 1, 8],
  ])('%s', async (_, text, format, line, column) => {
    const result = await check(text, format)
    expect(result).toMatchObject({ valid: false, format, line, column, error_message: expect.any(String) })
    expect(result).not.toHaveProperty('error')
  })

  test('VA-05 tabs, and bytes that are no text', async () => {
    expect((await call('validate_file', { file_path: 'tab.yaml' })).result).toMatchObject({ valid: false, line: 2 })
    const latin = (await call('validate_file', { file_path: 'latin.yaml' })).result
    expect(latin).toMatchObject({ valid: false, line: 1, column: 4, error_message: expect.stringContaining('byte 3') })
  })

  test('later documents of a stream count', async () => {
    expect(await check('a: 1\n---\nb: [1\n', 'yaml')).toMatchObject({ valid: false })
  })
})

describe('hostile texts are answered', () => {
  const laughs = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'.split('').map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[i]}`)}]`),
  ].join('\n')
  test.each<[string, string, string, boolean]>([
    ['VA-11 10,000 nested lists that end', '['.repeat(10_000) + ']'.repeat(10_000), 'json', true],
    ['a million brackets', '['.repeat(1e6), 'json', false],
    ['nested YAML lists', '['.repeat(20_000) + ']'.repeat(20_000), 'yaml', false],
    ['nested YAML maps', '{a: '.repeat(20_000), 'yaml', false],
    ['a million dashes', '- '.repeat(1e6), 'yaml', false],
    ['question marks', '? '.repeat(1e5), 'yaml', false],
    ['steps of indentation', Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}a:\n`).join(''), 'yaml', false],
    ['billion laughs', laughs, 'yaml', false],
    ['quotes without end', `"${'\\"'.repeat(1e5)}`, 'yaml', false],
    ['control characters', 'a: \u0002\u0018\u001f\n', 'yaml', false],
  ])('%s', async (_, text, format, valid) => {
    expect(await check(text, format)).toMatchObject({ valid, format })
  })

  test('200 levels are fine', async () => {
    expect(await check('['.repeat(199) + ']'.repeat(199), 'yaml')).toMatchObject({ valid: true })
  })
})

describe('VA-08 errors of the call', () => {
  test.each<[string, object, string]>([
    ['a file that is not there', { file_path: 'gone.json' }, 'not_found'],
    ['a directory', { file_path: 'd' }, 'is_directory'],
    ['both', { file_path: 'a.json', content: '{}' }, 'invalid_argument'],
    ['neither', {}, 'missing_argument'],
    ['another format', { content: 'x', format: 'toml' }, 'invalid_argument'],
  ])('%s', async (_, args, expected) => {
    const { code, result } = await call('validate_file', args)
    expect(code).toBe(expected)
    expect(result).toMatchObject({ valid: false })
  })
})
