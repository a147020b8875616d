/** `apply_patch`: what several operations come to together, on a workspace; hunks themselves are tested with the algorithm. */
import { describe, expect, test } from 'vitest'
import type { Path } from '../../../src/core/path.ts'
import { profileWith } from '../../profiles/setup.ts'
import type { Planted } from '../setup.ts'

async function patcherWith(files: { readonly [path: string]: Planted }, settings = {}) {
  const fixture = await profileWith('apply-patch', files, settings)
  return {
    ...fixture,
    patch: (...lines: string[]) => fixture.call('apply_patch', { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') }),
  }
}

const FILES = { a: '1\n', b: '2\n', 'd/c': '3\n', bin: new Uint8Array([0, 1]), l: { link: 'a' } }
const to2 = ['@@', '-1', '+one']

type Row = readonly [what: string, patch: readonly string[], files: readonly object[], after: { readonly [path: string]: string | null }]

const COMES_TO: readonly Row[] = [
  ['an addition that is deleted again is none', ['*** Add File: n', '+x', '*** Delete File: n'], [], { n: null }],
  [
    'a file added, then moved',
    ['*** Add File: n', '+x', '*** Update File: n', '*** Move to: m'],
    [{ path: 'm', action: 'added' }],
    { n: null, m: 'x\n' },
  ],
  [
    'a file moved, then deleted',
    ['*** Update File: a', '*** Move to: n', '*** Delete File: n'],
    [{ path: 'a', action: 'deleted' }],
    { a: null, n: null },
  ],
  [
    'a file moved, and another in its place',
    ['*** Update File: a', '*** Move to: n', ...to2, '*** Add File: a', '+new'],
    [
      { path: 'a', action: 'modified' },
      { path: 'n', action: 'modified', moved_from: 'a', match: 'exact' },
    ],
    { a: 'new\n', n: 'one\n' },
  ],
  [
    'a file moved onto one that is deleted',
    ['*** Delete File: b', '*** Update File: a', '*** Move to: b', ...to2],
    [{ path: 'b', action: 'modified', moved_from: 'a', match: 'exact' }],
    { a: null, b: 'one\n' },
  ],
  [
    'a file moved there and back',
    ['*** Update File: a', '*** Move to: n', '*** Update File: n', '*** Move to: a'],
    [{ path: 'a', action: 'modified' }],
    { a: '1\n' },
  ],
  [
    'one file by two names',
    ['*** Update File: a', ...to2, '*** Update File: ./a', '@@', '-one', '+1'],
    [{ path: 'a', action: 'modified', match: 'exact' }],
    { a: '1\n' },
  ],
  ['a file through a link', ['*** Update File: l', ...to2], [{ path: 'l', action: 'modified', match: 'exact' }], { a: 'one\n' }],
  ['a link deleted itself', ['*** Delete File: l'], [{ path: 'l', action: 'deleted' }], { a: '1\n', l: null }],
]

describe('what it comes to', () => {
  test.each(COMES_TO)('%s', async (_, lines, files, after) => {
    const { patch, read } = await patcherWith(FILES)
    const outcome = await patch(...lines)
    expect(outcome.text).toMatch(/^Success\. /)
    expect(outcome.result).toEqual({ files })
    for (const [path, text] of Object.entries(after)) expect(await read(path)).toBe(text)
  })

  test('one record, that can be undone as one', async () => {
    const { patch, read, workspace } = await patcherWith(FILES)
    await patch('*** Update File: a', '*** Move to: n/m', ...to2, '*** Delete File: b', '*** Add File: x', '+y')
    expect(await workspace.log()).toHaveLength(2)
    await workspace.undo('last')
    for (const [path, text] of Object.entries({ a: '1\n', b: '2\n', x: null, 'n/m': null })) expect(await read(path)).toBe(text)
  })

  test('a moved and changed file keeps its mode', async () => {
    const { patch, fs } = await patcherWith({ a: { text: '1\n', mode: 0o755 } })
    await patch('*** Update File: a', '*** Move to: b', ...to2)
    expect(await fs.stat('b' as Path)).toMatchObject({ mode: 0o755 })
  })
})

const REFUSED: readonly (readonly [what: string, patch: readonly string[], code: string, text: RegExp])[] = [
  ['an addition onto a file', ['*** Add File: a', '+x'], 'already_exists', /^a exists/],
  ['an addition onto a directory', ['*** Add File: d', '+x'], 'already_exists', /^d exists/],
  ['an addition that names a directory', ['*** Add File: n/', '+x'], 'is_directory', /n\//],
  ['a move onto a file', ['*** Update File: a', '*** Move to: b'], 'already_exists', /^b exists/],
  ['a move onto a directory', ['*** Update File: a', '*** Move to: d'], 'already_exists', /^d exists/],
  ['a move into a new directory by its name', ['*** Update File: a', '*** Move to: n/'], 'is_directory', /n\//],
  ['a move of a link', ['*** Update File: l', '*** Move to: n', ...to2], 'not_regular', /^l is a link/],
  ['a move of a directory', ['*** Update File: d', '*** Move to: e'], 'is_directory', /^d is a directory/],
  ['a change of a directory', ['*** Update File: d', ...to2], 'is_directory', /^d is a directory/],
  ['a change of a binary file', ['*** Update File: bin', ...to2], 'binary_file', /^bin is binary/],
  ['a change of what was deleted', ['*** Delete File: a', '*** Update File: a', ...to2], 'not_found', /^a does not exist/],
  ['a deletion of what was moved', ['*** Update File: a', '*** Move to: n', '*** Delete File: a'], 'not_found', /^a does not exist/],
  ['a second deletion', ['*** Delete File: a', '*** Delete File: a'], 'not_found', /^a does not exist/],
  ['an absolute path outside', ['*** Add File: ../x', '+y'], 'outside_root', /\.\.\/x/],
  [
    'a hunk that does not fit, after others that do',
    ['*** Delete File: b', '*** Update File: a', ...to2, '*** Update File: d/c', ...to2],
    'no_match',
    /^d\/c: hunk 1/,
  ],
]

describe('what is refused, with all else that the patch asks for', () => {
  test.each(REFUSED)('%s', async (_, lines, code, text) => {
    const { patch, workspace } = await patcherWith(FILES)
    const outcome = await patch(...lines)
    expect(outcome).toMatchObject({ code, text: expect.stringMatching(text), result: { files: [], error: expect.any(String) } })
    expect(await workspace.log()).toHaveLength(1)
  })

  test('a change of a file that may not be written; it may be moved', async () => {
    const { patch } = await patcherWith({ a: { text: '1\n', mode: 0o400 } })
    expect(await patch('*** Update File: a', ...to2)).toMatchObject({ code: 'permission_denied' })
    expect(await patch('*** Update File: a', '*** Move to: b', ...to2)).toMatchObject({ code: 'permission_denied' })
    expect(await patch('*** Update File: a', '*** Move to: b')).toMatchObject({ code: null })
  })

  test('a hunk without a place is told as data', async () => {
    const { patch } = await patcherWith({ a: 'def f():\n\treturn 1\n' })
    const { result, text } = await patch('*** Update File: a', '@@', ' def f():', '-\treturn 2', '+\treturn 3')
    expect(text).toContain('line 2, column 9: the file has "1", the search text "2"')
    expect(result.misfit).toMatchObject({
      file: 'a',
      hunk: 1,
      patch_line: 3,
      reason: 'lines_not_found',
      missing: '\treturn 2',
      cause: 'typo',
      candidates: [{ start_line: 1, end_line: 2 }],
    })
  })
})

test('deletions and moves wait for a person where the operator wants it, and so does a change of several files', async () => {
  const { patch } = await patcherWith(FILES, { approval: 'risky' })
  expect(await patch('*** Update File: a', ...to2)).toMatchObject({ code: null })
  expect(await patch('*** Add File: n', '+x')).toMatchObject({ code: null })
  for (const lines of [
    ['*** Delete File: b'],
    ['*** Update File: b', '*** Move to: m'],
    ['*** Update File: a', '@@', '-one', '+1', '*** Update File: b', '@@', '-2', '+3'],
  ])
    expect(await patch(...lines)).toMatchObject({ code: 'approval_required' })
})
