/** `patch_file`: P-60 to P-69, T-P-PF-01 to 24. */
import { describe, expect, test } from 'vitest'
import { ID } from '../../src/core/id.ts'
import { type Fixture, workspaceWith } from './setup.ts'

type Patch = readonly [op: string, path: unknown, value?: unknown]

const listed = (patches: readonly Patch[]): object[] =>
  patches.map(([op, path, ...value]) => ({ op, path, ...(value.length > 0 && { value: value[0] }) }))

/** Patches one file and tells what became of it. */
async function patch(name: string, text: string, patches: readonly Patch[], more: object = {}) {
  const fixture: Fixture = await workspaceWith({ [name]: text })
  const outcome = await fixture.call('patch_file', { file_path: name, patches: listed(patches), ...more })
  return { ...outcome, after: await fixture.read(name), fixture }
}

const FOUR = '{\n    "a": 1.0,\n    "b": [1,2]\n}\n'
const LIST = '{\n  "b": [\n    "x",\n    "y"\n  ]\n}\n'
const TSCONFIG = '{\n  // compiler\n  "compilerOptions": {\n    "strict": false, /* soon */\n    "target": "ES2022",\n  },\n}\n'
const SHARED = 'a: &x\n  k: 1\nb: *x\n'
const MERGED = 'base: &base\n  image: one\nweb:\n  <<: *base\n  port: 1\n'

describe('JSON', () => {
  test.each<[string, string, readonly Patch[], string]>([
    ['PF-01 one number', FOUR, [['replace', '/b/1', 9]], '{\n    "a": 1.0,\n    "b": [1,9]\n}\n'],
    [
      'PF-02 escapes of the pointer',
      '{"a/b":1,"m~n":2,"~1":3}',
      [
        ['replace', '/a~1b', 10],
        ['replace', '/m~0n', 20],
        ['replace', '/~01', 30],
      ],
      '{"a/b":10,"m~n":20,"~1":30}',
    ],
    ['PF-04 insert first', LIST, [['insert', '/b/0', 'n']], '{\n  "b": [\n    "n",\n    "x",\n    "y"\n  ]\n}\n'],
    ['PF-04 insert between', LIST, [['insert', '/b/1', 'n']], '{\n  "b": [\n    "x",\n    "n",\n    "y"\n  ]\n}\n'],
    ['PF-04 insert at the length', LIST, [['insert', '/b/2', 'n']], '{\n  "b": [\n    "x",\n    "y",\n    "n"\n  ]\n}\n'],
    ['PF-05 append', '{"b": [1, 2]}', [['append', '/b', 3]], '{"b": [1, 2, 3]}'],
    ['PF-05 append by -', '{"b": [1, 2]}', [['append', '/b/-', 3]], '{"b": [1, 2, 3]}'],
    [
      'PF-06 one after the other',
      LIST,
      [
        ['remove', '/b/0'],
        ['replace', '/b/0', 'z'],
      ],
      '{\n  "b": [\n    "z"\n  ]\n}\n',
    ],
    ['PF-08 objects that lead there', '{}', [['set', '/x/y/z', 1]], '{"x": {"y": {"z": 1}}}'],
    ['PF-10 the whole document', '{"a": [1, 2]}\n', [['set', '', { k: 1 }]], '{"k": 1}\n'],
    [
      'PF-11 CRLF, also of a new line',
      '{\r\n  "b": [\r\n    1\r\n  ]\r\n}\r\n',
      [['append', '/b', 2]],
      '{\r\n  "b": [\r\n    1,\r\n    2\r\n  ]\r\n}\r\n',
    ],
    [
      'PF-11 tabs, BOM, no final newline',
      '\ufeff{\n\t"a": {\n\t\t"b": 1\n\t}\n}',
      [['set', '/a/c', [2]]],
      '\ufeff{\n\t"a": {\n\t\t"b": 1,\n\t\t"c": [\n\t\t\t2\n\t\t]\n\t}\n}',
    ],
    [
      'PF-12 numbers elsewhere',
      '{"id": 12345678901234567890, "f": 1e3, "n": 1}',
      [['set', '/n', 2]],
      '{"id": 12345678901234567890, "f": 1e3, "n": 2}',
    ],
    ['PF-14 duplicates elsewhere', '{"a": 1, "a": 2, "b": 3}', [['replace', '/b', 4]], '{"a": 1, "a": 2, "b": 4}'],
    ['PF-21 a key that is data', '{}', [['set', '/__proto__', 1]], '{"__proto__": 1}'],
    ['PF-23 null', '{"a": 1}', [['set', '/a', null]], '{"a": null}'],
    ['a key written with escapes', '{"\\u0061": 1, "b": 2}', [['replace', '/a', 2]], '{"\\u0061": 2, "b": 2}'],
    ['the last one takes its comma along', '{\n  "a": 1,\n  "b": 2\n}', [['remove', '/b']], '{\n  "a": 1\n}'],
    ['nothing is left', '{"a": [1]}', [['remove', '/a/0']], '{"a": []}'],
    ['what was on one line stays there', '{\n  "a": {"x": 1}\n}', [['set', '/a', { y: [2] }]], '{\n  "a": {"y": [2]}\n}'],
    [
      'an equal number keeps its spelling',
      '{"a": 1.0, "b": [2e0]}',
      [
        ['set', '/a', 1],
        ['set', '/b', [2]],
        ['set', '/c', 0],
      ],
      '{"a": 1.0, "b": [2e0], "c": 0}',
    ],
  ])('%s', async (_, before, patches, after) => {
    const { result, after: text, code } = await patch('x.json', before, patches)
    expect([code, text]).toEqual([null, after])
    expect(result).toMatchObject({
      changed: true,
      format: 'json',
      patches_applied: patches.length,
      validation_after_patch: { valid: true },
    })
    expect(result.backup_id).toMatch(ID)
  })

  test.each<[string, string, string, readonly Patch[], string]>([
    ['PF-13 a comment stays', 'tsconfig.json', TSCONFIG, [['set', '/compilerOptions/strict', true]], TSCONFIG.replace('false', 'true')],
    [
      'PF-13 a new key after a trailing comma',
      'a.jsonc',
      TSCONFIG,
      [['set', '/compilerOptions/noEmit', true]],
      TSCONFIG.replace('"ES2022",\n', '"ES2022",\n    "noEmit": true,\n'),
    ],
    [
      'a removed line takes its comment along',
      '.vscode/settings.json',
      TSCONFIG,
      [['remove', '/compilerOptions/strict']],
      TSCONFIG.replace(/ {4}"strict.*\n/, ''),
    ],
    ['a comment before the comma', 'a.jsonc', '[\n  1 // one\n]', [['append', '', 2]], '[\n  1, // one\n  2\n]'],
    ['brackets in comments', 'a.jsonc', '{"a": [1 /* ] } " */, 2], "b": 1}', [['set', '/b', 2]], '{"a": [1 /* ] } " */, 2], "b": 2}'],
  ])('with comments: %s', async (_, name, before, patches, after) => {
    expect(await patch(name, before, patches)).toMatchObject({ code: null, after })
  })
})

describe('YAML', () => {
  const SERVICE =
    '# service\n\nserver:\n    host: "0.0.0.0"\n    port: 8080  # public\n    paths:\n    - /a\n    - \'/b\'\n    banner: |\n        hello\n          world\n    note: this is a rather long plain line that goes well past eighty columns so that it would be folded\n'
  test.each<[string, string, readonly Patch[], string]>([
    ['PF-15 one scalar', SERVICE, [['replace', '/server/port', 9090]], SERVICE.replace('8080', '9090')],
    ['PF-15 its quotes stay', SERVICE, [['replace', '/server/paths/1', "it's"]], SERVICE.replace("'/b'", "'it''s'")],
    ['PF-16 an unindented list', 'items:\n- a\n- b\nafter: 1\n', [['append', '/items', 'c']], 'items:\n- a\n- b\n- c\nafter: 1\n'],
    ['PF-16 a flow list', 'v: [1, 2]  # two\nw: x\n', [['append', '/v', 3]], 'v: [1, 2, 3]  # two\nw: x\n'],
    ['PF-16 insert at 0', 'items:\n- a\n- b\n', [['insert', '/items/0', 'z']], 'items:\n- z\n- a\n- b\n'],
    ['PF-16 remove the last', 'items:\n- a\n- b # b\nafter: 1\n', [['remove', '/items/1']], 'items:\n- a\nafter: 1\n'],
    ['remove the only one', 'm:\n  k: v\nz: 1\n', [['remove', '/m/k']], 'm: {}\nz: 1\n'],
    ['a comment line above stays', 'a: 1\n# about b\nb: 2 # b\nc: 3\n', [['remove', '/b']], 'a: 1\n# about b\nc: 3\n'],
    ['PF-17 an alias itself', SHARED, [['replace', '/b', 5]], 'a: &x\n  k: 1\nb: 5\n'],
    ['PF-17 an own key beside a merge', MERGED, [['replace', '/web/port', 2]], MERGED.replace('port: 1', 'port: 2')],
    ['a block for a scalar', 'a: 1 # c\nb: 2\n', [['set', '/a', { k: [1, { x: 2 }] }]], 'a: # c\n  k:\n    - 1\n    - x: 2\nb: 2\n'],
    ['a scalar for a block', 'a: # c\n  k: 1\n  l: 2 # x\nb: 2\n', [['set', '/a', 1]], 'a: 1 # c\nb: 2\n'],
    ['several lines of text', 'a: old\nz: 1\n', [['set', '/a', 'l1\nl2\n']], 'a: |\n  l1\n  l2\nz: 1\n'],
    ['a tag of the application', 'a: !secret old\n', [['set', '/a', 'new']], 'a: !secret new\n'],
    ['CRLF, BOM, no final newline', '\ufeffa: 1\r\nb:\r\n  c: 2', [['set', '/b/d', [1]]], '\ufeffa: 1\r\nb:\r\n  c: 2\r\n  d:\r\n    - 1'],
    ['a first key beside its dash', '- a: 1\n  b: 2\n', [['remove', '/0/a']], '- b: 2\n'],
    ['a document marker', '---\na: 1\n...\n', [['set', '/b', 2]], '---\na: 1\nb: 2\n...\n'],
    ['an empty file', '# nothing yet\n', [['set', '/a/b', 1]], '# nothing yet\na:\n  b: 1\n'],
    [
      'an equal value keeps its spelling',
      'a: 0x10\nb: 1\n',
      [
        ['set', '/a', 16],
        ['set', '/b', 2],
      ],
      'a: 0x10\nb: 2\n',
    ],
  ])('%s', async (_, before, patches, after) => {
    const outcome = await patch('c.yaml', before, patches)
    expect([outcome.code, outcome.after]).toEqual([null, after])
    expect(outcome.result).toMatchObject({ format: 'yaml', validation_after_patch: { valid: true } })
  })

  test.each([
    'no',
    '1',
    'a: b',
    '# x',
    'l1\nl2',
    '',
    'true',
    'null',
    '~',
    '- a',
    '2001-01-01',
    '0x1',
    "it's",
    '"',
    '\\',
    '\t',
    '<<',
    '@a',
    ' a',
    'a ',
  ])('PF-18 %j is written so that it reads the same', async (value) => {
    const { fixture, code } = await patch('s.yaml', 'a: old\nl: [x]\nz: 1\n', [
      ['set', '/a', value],
      ['set', '/l/0', value],
      ['set', `/k${value.replaceAll('~', '~0')}`, 1],
    ])
    expect(code).toBeNull()
    const again = await fixture.call('patch_file', {
      file_path: 's.yaml',
      patches: listed([
        ['set', '/a', value],
        ['set', '/l/0', value],
      ]),
    })
    expect(again.result).toMatchObject({ changed: false })
  })
})

describe('refusals', () => {
  const J = '{"a": 1, "arr": [1, 2], "o": {"k": 1}}\n'
  const BOMB = `${['a: &a [x,x,x,x,x,x,x,x,x]', ...'bcdefghi'.split('').map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[i]}`)}]`)].join('\n')}\nz: 1\n`
  test.each<[string, string, string, Patch, string]>([
    ['PF-03 a wrong escape', 'x.json', J, ['replace', '/a~2b', 5], 'invalid_argument'],
    ['PF-03 no slash', 'x.json', J, ['replace', 'a', 5], 'invalid_argument'],
    ['PF-03 a fragment', 'x.json', J, ['replace', '#/a', 5], 'invalid_argument'],
    ['PF-03 a leading zero', 'x.json', J, ['replace', '/arr/01', 5], 'invalid_argument'],
    ['PF-03 a negative index', 'x.json', J, ['replace', '/arr/-1', 5], 'invalid_argument'],
    ['an exponent', 'x.json', J, ['set', '/arr/1e0', 5], 'invalid_argument'],
    ['PF-04 beyond the length', 'x.json', J, ['insert', '/arr/3', 5], 'no_match'],
    ['insert of a key', 'x.json', J, ['insert', '/o/n', 5], 'invalid_argument'],
    ['PF-05 append to an object', 'x.json', J, ['append', '/o', 5], 'invalid_argument'],
    ['PF-07 remove nothing', 'x.json', J, ['remove', '/gone'], 'no_match'],
    ['PF-07 replace nothing', 'x.json', J, ['replace', '/arr/2', 5], 'no_match'],
    ['PF-08 through a scalar', 'x.json', J, ['set', '/a/b', 5], 'invalid_argument'],
    ['set beyond the length', 'x.json', J, ['set', '/arr/3', 5], 'no_match'],
    ['set into an item that is not there', 'x.json', J, ['set', '/arr/2/x', 5], 'no_match'],
    ['PF-10 remove everything', 'x.json', J, ['remove', ''], 'invalid_argument'],
    ['an inherited name', 'x.json', J, ['replace', '/constructor/prototype/x', 5], 'no_match'],
    ['PF-13 comments in JSON', 'x.json', TSCONFIG, ['set', '/a', 1], 'invalid_argument'],
    ['PF-14 a key that is there twice', 'x.json', '{"a": 1, "a": 2}', ['replace', '/a', 9], 'ambiguous_match'],
    ['the same, by an escape', 'x.json', '{"a": 1, "\\u0061": 2}', ['replace', '/a', 9], 'ambiguous_match'],
    ['PF-17 through an alias', 'c.yaml', SHARED, ['set', '/b/k', 2], 'unsupported'],
    ['PF-17 into what an alias stands for', 'c.yaml', SHARED, ['set', '/a/k', 2], 'unsupported'],
    ['PF-17 the owner of an anchor in use', 'c.yaml', SHARED, ['remove', '/a'], 'unsupported'],
    ['PF-17 a key that comes from a merge', 'c.yaml', MERGED, ['set', '/web/image', 'two'], 'unsupported'],
    ['PF-17 through a merge key', 'c.yaml', MERGED, ['set', '/web/<</image', 'two'], 'unsupported'],
    ['PF-22 two documents', 'c.yaml', 'a: 1\n---\na: 2\n', ['replace', '/a', 3], 'unsupported'],
    ['PF-22 an alias bomb', 'c.yaml', BOMB, ['replace', '/z', 2], 'invalid_argument'],
    ['PF-22 a duplicate key', 'c.yaml', 'a: 1\nb: 2\na: 3\n', ['replace', '/b', 3], 'invalid_argument'],
    ['PF-22 a tab as indentation', 'c.yaml', 'a:\n\tb: 1\n', ['replace', '/a/b', 3], 'invalid_argument'],
    ['PF-22 an unknown alias', 'c.yaml', 'a: *nope\nb: 1\n', ['replace', '/b', 3], 'invalid_argument'],
    ['PF-23 another operation', 'x.json', J, ['add', '/b', 2], 'invalid_argument'],
    ['PF-23 no value', 'x.json', J, ['set', '/a'], 'missing_argument'],
    ['PF-24 Markdown', 'a.md', '# t\n', ['set', '/a', 1], 'invalid_argument'],
    ['a name that tells nothing', 'a.conf', '{}', ['set', '/a', 1], 'invalid_argument'],
    ['half a character', 'x.json', J, ['set', '/a', '\ud800'], 'invalid_argument'],
    ['a path that is no text', 'x.json', J, ['set', 5, 1], 'invalid_argument'],
  ])('%s', async (_, name, text, one, expected) => {
    const { code, result, after, fixture } = await patch(name, text, [one])
    expect([code, after]).toEqual([expected, text])
    expect(result).toMatchObject({ changed: false, patches_applied: 0 })
    expect(await fixture.paths()).toEqual(name.split('/'))
  })

  test('PF-09 one of three is wrong: nothing is written, and it is named', async () => {
    const { result, after, field } = await patch('x.json', J, [
      ['replace', '/a', 2],
      ['remove', '/nope'],
      ['replace', '/arr/0', 5],
    ])
    expect(after).toBe(J)
    expect(field).toBe('patches[1].path')
    expect(result.error_details).toEqual([{ patch_index: 1, op: 'remove', path: '/nope', message: 'there is nothing at /nope' }])
  })

  test('PF-23 the error names the five operations', async () => {
    expect((await patch('x.json', J, [['add', '/b', 2]])).result.error).toContain('set, remove, append, insert, replace')
  })

  test('values and documents that are too deep are answered', async () => {
    const deep = JSON.parse('['.repeat(5000) + ']'.repeat(5000))
    expect((await patch('x.json', J, [['set', '/a', deep]])).code).toBe('invalid_argument')
    expect((await patch('x.json', '{}', [['set', '/a'.repeat(5000), 1]])).code).toBe('invalid_argument')
    const nested = '['.repeat(20_000) + ']'.repeat(20_000)
    expect((await patch('x.json', `{"a": ${nested}, "b": 1}`, [['set', '/b', 2]])).after).toBe(`{"a": ${nested}, "b": 2}`)
    expect((await patch('x.yaml', `a: ${nested}\n`, [['set', '/b', 2]])).code).toBe('invalid_argument')
  })

  test('nothing reaches a prototype', async () => {
    const before = JSON.stringify(Object.getOwnPropertyNames(Object.prototype))
    const value = JSON.parse('{"__proto__": {"x": 1}}')
    const { after } = await patch('x.json', '{}', [
      ['set', '/__proto__/x', 1],
      ['set', '/constructor/prototype/x', value],
    ])
    expect(JSON.parse(after as string).constructor.prototype.x).toEqual(value)
    await patch('x.yaml', 'a: 1\n', [['set', '/__proto__/x', 1]])
    expect(({} as { x?: unknown }).x).toBeUndefined()
    expect(JSON.stringify(Object.getOwnPropertyNames(Object.prototype))).toBe(before)
  })
})

describe('the call', () => {
  test('PF-19 a dry run shows the diff and writes nothing', async () => {
    const { result, after } = await patch('x.json', '{"a": 1}\n', [['replace', '/a', 2]], { dry_run: true })
    expect(after).toBe('{"a": 1}\n')
    expect(result).toMatchObject({ changed: true, dry_run: true, diff: '--- a/x.json\n+++ b/x.json\n@@ -1 +1 @@\n-{"a": 1}\n+{"a": 2}\n' })
    expect(result.backup_id).toBeUndefined()
  })

  test('PF-20 whole content must be well-formed', async () => {
    const { call, read } = await workspaceWith({ 'x.json': '{"a": 1}\n', 'a.md': '# t\n' })
    const wrong = await call('patch_file', { file_path: 'x.json', content: '{"a": 1,}', format: 'json' })
    expect(wrong).toMatchObject({ code: 'invalid_argument', field: 'content' })
    expect(wrong.result.validation_after_patch).toMatchObject({ valid: false, line: 1, column: 9 })
    const patches = listed([['remove', '/nope']])
    expect((await call('patch_file', { file_path: 'x.json', content: '{"a": [1.0]}\r\n', patches })).result).toMatchObject({
      changed: true,
    })
    expect(await read('x.json')).toBe('{"a": [1.0]}\r\n')
    expect((await call('patch_file', { file_path: 'a.md', content: '# n\n' })).result).toMatchObject({ format: 'markdown', changed: true })
    const made = await call('patch_file', { file_path: 'd/n.yaml', content: 'a: 1\n' })
    expect(made.result).toMatchObject({ changed: true, format: 'yaml', validation_after_patch: { valid: true } })
    expect(made.result.backup_id).toBeUndefined()
  })

  test('nothing changes where all is as asked for', async () => {
    const { result } = await patch('x.json', '{"a": 1.0}', [['set', '/a', 1]])
    expect(result).toMatchObject({ changed: false, diff: '', patches_applied: 1 })
    expect(result.backup_id).toBeUndefined()
  })

  test('what is no JSON or YAML file is refused', async () => {
    const { call } = await workspaceWith({
      'd/k': 'k',
      'b.json': new Uint8Array([0x7b, 0, 0x7d]),
      'l.json': new Uint8Array([0x22, 0xe9, 0x22]),
    })
    const patches = listed([['set', '/a', 1]])
    expect((await call('patch_file', { file_path: 'd', patches, format: 'json' })).code).toBe('is_directory')
    expect((await call('patch_file', { file_path: 'b.json', patches })).code).toBe('binary_file')
    expect((await call('patch_file', { file_path: 'l.json', patches })).code).toBe('invalid_utf8')
    expect((await call('patch_file', { file_path: 'n.json', patches })).code).toBe('not_found')
    expect((await call('patch_file', { file_path: 'b.json' })).code).toBe('missing_argument')
    expect((await call('patch_file', { file_path: 'b.json', patches: [] })).code).toBe('invalid_argument')
  })
})
