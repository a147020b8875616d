/** `list_directory`: P-120, T-P-LD-01 to 10. */
import { describe, expect, test } from 'vitest'
import { type Planted, workspaceWith } from './setup.ts'

type Files = { readonly [path: string]: Planted }
interface Listed {
  readonly name: string
  readonly relative_path: string
  readonly entry_type: string
  readonly size_bytes: number | null
  readonly depth: number
}

async function list(files: Files, args: object = {}): Promise<Listed[]> {
  const { result, code } = await (await workspaceWith(files)).call('list_directory', { directory_path: '.', ...args })
  expect(code).toBeNull()
  return result.entries as Listed[]
}

const many = (count: number): Files => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${String(i).padStart(3, '0')}`, '']))
const TREE = { 'z/b.txt': 'b', 'z/a/q.txt': '', 'a.txt': '1', 'm/k.txt': '22', 'b.txt': '', '.h': '', '.d/x': '', '.gitignore': 'b.txt' }

describe('what is listed', () => {
  test.each<[name: string, args: object, paths: string[]]>([
    ['one level by default', {}, ['m', 'z', 'a.txt', 'b.txt']],
    ['LD-05 depth first, directories first', { max_depth: 3 }, ['m', 'm/k.txt', 'z', 'z/a', 'z/a/q.txt', 'z/b.txt', 'a.txt', 'b.txt']],
    ['LD-03 the pattern filters what is listed, not what is entered', { pattern: 'q*', max_depth: 3 }, ['z/a/q.txt']],
    ['LD-03 with braces', { pattern: '{a,b}.txt', max_depth: 5 }, ['z/b.txt', 'a.txt', 'b.txt']],
    ['LD-06 hidden', { show_hidden: true, max_depth: 2, pattern: '[.]*' }, ['.d', '.gitignore', '.h']],
    ['below a directory, relative to it', { directory_path: 'z', max_depth: 2 }, ['a', 'a/q.txt', 'b.txt']],
  ])('%s', async (_, args, paths) => {
    expect((await list(TREE, args)).map((entry) => entry.relative_path)).toEqual(paths)
  })

  test('LD-04 depth 0 is the directory itself', async () => {
    const itself = { relative_path: '.', entry_type: 'dir', size_bytes: null, depth: 0 }
    expect(await list(TREE, { directory_path: 'z', max_depth: 0 })).toEqual([{ ...itself, name: 'z' }])
    expect(await list(TREE, { max_depth: 0 })).toEqual([{ ...itself, name: '/' }])
  })

  test('LD-04 at most 5 levels', async () => {
    expect((await list({ '1/2/3/4/5/6/x': '' }, { max_depth: 9 })).map(({ depth }) => depth)).toEqual([1, 2, 3, 4, 5])
  })

  test('names, types and sizes', async () => {
    const entries = await list(TREE, { max_depth: 2, pattern: '[mk]*' })
    expect(entries).toEqual([
      { name: 'm', relative_path: 'm', entry_type: 'dir', size_bytes: null, depth: 1 },
      { name: 'k.txt', relative_path: 'm/k.txt', entry_type: 'file', size_bytes: 2, depth: 2 },
    ])
  })

  test('links sort as files, are not entered, and have the size of the file they lead to inside', async () => {
    const files = {
      'd/f': 'four',
      in: { link: 'd/f' },
      dir: { link: 'd' },
      out: { link: '../secret' },
      gone: { link: 'nowhere' },
      loop: { link: 'loop' },
    }
    const entries = await list(files, { max_depth: 3 })
    expect(entries.map(({ relative_path, entry_type, size_bytes }) => [relative_path, entry_type, size_bytes])).toEqual([
      ['d', 'dir', null],
      ['d/f', 'file', 4],
      ['dir', 'symlink', null],
      ['gone', 'symlink', null],
      ['in', 'symlink', 4],
      ['loop', 'symlink', null],
      ['out', 'symlink', null],
    ])
  })

  test('LD-07 more when it is asked for', async () => {
    const files = { 'a.txt': 'x', 'b.bin': new Uint8Array([97, 0]), d: { directory: true }, l: { link: 'b.bin' } } as const
    expect(Object.keys((await list(files))[0] as object)).toEqual(['name', 'relative_path', 'entry_type', 'size_bytes', 'depth'])
    const verbose = await list(files, { verbose: true })
    expect(verbose).toMatchObject([
      { absolute_path: '/d', is_binary: false },
      { absolute_path: '/a.txt', is_binary: false, modified: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
      { absolute_path: '/b.bin', is_binary: true },
      { absolute_path: '/l', is_binary: true },
    ])
  })
})

describe('pages', () => {
  test('LD-01 join to the whole', async () => {
    const { call } = await workspaceWith(many(120))
    const names: string[] = []
    const pages: unknown[] = []
    for (let offset: number | null = 0; offset !== null; ) {
      const { result } = await call('list_directory', { directory_path: '.', offset })
      names.push(...(result.entries as Listed[]).map(({ name }) => name))
      pages.push([result.returned_entries, result.total_entries, result.next_offset])
      offset = result.next_offset as number | null
    }
    expect(pages).toEqual([
      [50, 120, 50],
      [50, 120, 100],
      [20, 120, null],
    ])
    expect(names).toEqual(Object.keys(many(120)))
  })

  test.each<[name: string, count: number, args: object, result: object]>([
    ['LD-02 at most 200', 210, { page_size: 500 }, { page_size: 200, returned_entries: 200, total_entries: 210, next_offset: 200 }],
    ['LD-02 past the end', 2, { offset: 999 }, { entries: [], returned_entries: 0, total_entries: 2, next_offset: null }],
    ['exactly one page', 50, {}, { returned_entries: 50, next_offset: null, truncated: false }],
    ['LD-09 nothing', 0, {}, { entries: [], total_entries: 0, next_offset: null, truncated: false }],
  ])('%s', async (_, count, args, expected) => {
    const { result } = await (await workspaceWith(many(count))).call('list_directory', { directory_path: '.', ...args })
    expect(result).toMatchObject(expected)
  })
})

test.each<[args: object, code: string, field: string | undefined]>([
  [{ directory_path: 'a.txt' }, 'not_directory', 'directory_path'],
  [{ directory_path: 'gone' }, 'not_found', 'directory_path'],
  [{ directory_path: '../out' }, 'outside_root', undefined],
  [{}, 'missing_argument', 'directory_path'],
  [{ directory_path: '.', page_size: 0 }, 'invalid_argument', 'page_size'],
  [{ directory_path: '.', offset: -1 }, 'invalid_argument', 'offset'],
  [{ directory_path: '.', max_depth: -1 }, 'invalid_argument', 'max_depth'],
  [{ directory_path: '.', pattern: '[a' }, 'invalid_argument', 'pattern'],
  [{ directory_path: '.', pattern: 'a/*' }, 'invalid_argument', 'pattern'],
])('LD-08 refused: %j', async (args, code, field) => {
  const answer = await (await workspaceWith(TREE)).call('list_directory', args)
  expect(answer).toMatchObject({ code, field, result: { entries: [], total_entries: 0 } })
})
