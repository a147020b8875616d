/** Calls that must stay in some directories: nothing else is read, listed, told or changed, whatever the tool. */
import { describe, expect, test } from 'vitest'
import type { Path } from '../../src/core/path.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { boundsOf } from '../../src/workspace/within.ts'
import type { CallResult, Workspace } from '../../src/workspace/workspace.ts'

const PLACES = ['a', 'top/b'] as Path[]

/** Files with the text `inside` in the places, and `secret` everywhere else. */
async function open(profile: string): Promise<Workspace> {
  const workspace = await openWorkspace({ profile, fs: createMemoryFs() })
  const stage = (text: string) => workspace.stage(new TextEncoder().encode(`${text}\n`))
  const [inside, secret] = [await stage('inside'), await stage('secret')]
  const files = [
    ...['a/one.txt', 'a/deep/two.txt', 'top/b/three.txt'].map((path) => ({ path, content: inside })),
    ...['root.txt', 'ab/x.txt', 'top/y.txt', 'top/bb/z.txt'].map((path) => ({ path, content: secret })),
    { path: '.gitignore', content: await stage('*.log') },
    { path: 'a/noise.log', content: inside },
    { path: 'a/link', link: '../root.txt' },
  ]
  await workspace.importFiles(files, { operator: true })
  return workspace
}

const within = async () => PLACES

const outside = (outcome: CallResult): void => expect(outcome.error, outcome.text).toMatchObject({ code: 'outside_root' })

describe('fileops', () => {
  test('a rule beside the places still holds in them', async () => {
    const workspace = await open('fileops')
    const { result } = await workspace.call('file_tree', { root_path: '.' }, { within })
    expect(result.tree).not.toMatch(/noise|\n {2}root\.txt|ab|y\.txt|bb/)
    expect(result.tree).toMatch(/two\.txt[\s\S]*link[\s\S]*one\.txt[\s\S]*three\.txt/)
    expect((await workspace.call('delete_file', { file_path: 'a/noise.log' }, { within })).error).toMatchObject({ code: 'ignored_path' })
  })

  test('backups of other files are neither listed nor put back', async () => {
    const workspace = await open('fileops')
    const saved = await workspace.call('backup_file', { file_path: 'root.txt' })
    const id = saved.result.backup_id as string
    await workspace.call('backup_file', { file_path: 'a/one.txt' })
    await workspace.call('delete_file', { file_path: 'root.txt' })
    expect(JSON.stringify((await workspace.call('list_backups', {}, { within })).result)).not.toContain('root.txt')
    outside(await workspace.call('rollback_file', { file_path: 'root.txt', backup_id: id }, { within }))
    const elsewhere = await workspace.call('rollback_file', { file_path: 'a/one.txt', backup_id: id }, { within })
    expect(elsewhere.error).not.toBeNull()
    expect(JSON.stringify(elsewhere)).not.toContain('secret')
    expect((await workspace.call('view_file', { file_path: 'root.txt' })).error).toMatchObject({ code: 'not_found' })
  })

  test('a step of a batch is kept in them, and the others are not done', async () => {
    const workspace = await open('fileops')
    const operations = [
      { operation: 'write_file', path: 'a/new.txt', config: { content: 'x' } },
      { operation: 'write_file', path: 'top/new.txt', config: { content: 'x' } },
    ]
    const { error } = await workspace.call('batch_file_ops', { operations }, { within })
    expect(error).not.toBeNull()
    expect((await workspace.call('view_file', { file_path: 'a/new.txt' })).error).toMatchObject({ code: 'not_found' })
  })

  test('it is asked anew for each call, and what it throws is the answer', async () => {
    const workspace = await open('fileops')
    let places: readonly Path[] | null = null
    const changing = async () => places
    const read = () => workspace.call('view_file', { file_path: 'root.txt' }, { within: changing })
    expect((await read()).error).toBeNull()
    places = PLACES
    outside(await read())
    places = []
    outside(await read())
    places = ['' as Path]
    expect((await read()).error).toBeNull()
    const failing = await workspace.call('view_file', { file_path: 'a/one.txt' }, { within: () => Promise.reject(new Error('no')) })
    expect(failing.error).toMatchObject({ code: 'io_error' })
  })
})

test('a change that reached further is not taken back in part', async () => {
  const workspace = await open('native')
  const write = (path: string) => ({ op: 'write', path, content: 'x' })
  const done = await workspace.call('batch', { operations: [write('a/new.txt'), write('top/new.txt')] })
  expect(done.error, done.text).toBeNull()
  outside(await workspace.call('batch', { operations: [{ op: 'undo' }] }, { within }))
  expect((await workspace.call('read', { path: 'a/new.txt' })).error).toBeNull()
  expect((await workspace.log())[0]).toMatchObject({ undone: false })
})

/** Reads, lists and searches of other profiles, each at the root and at a file outside. */
const CALLS: readonly [profile: string, tool: string, args: object, names: 'outside' | 'all'][] = [
  ['fsproc', 'read_file', { root: '/', file: 'root.txt' }, 'outside'],
  ['fsproc', 'read_file', { root: '/ab', file: 'x.txt' }, 'outside'],
  ['fsproc', 'write_file', { root: '/top', file: 'n.txt', content: 'x' }, 'outside'],
  ['fsproc', 'list_dir', { root: '/', path: '.' }, 'all'],
  ['fsproc', 'search_files', { root: '/', path: '.', pattern: 'secret' }, 'all'],
  ['native', 'read', { path: 'top/y.txt' }, 'outside'],
  ['native', 'read', { path: 'a/link' }, 'outside'],
  ['native', 'grep', { pattern: 'secret' }, 'all'],
  ['native', 'list', { path: '.' }, 'all'],
  ['mcp-filesystem', 'read_text_file', { path: '/top/y.txt' }, 'outside'],
  ['mcp-filesystem', 'directory_tree', { path: '/' }, 'all'],
  ['mcp-filesystem', 'search_files', { path: '/', pattern: '**' }, 'all'],
  ['text-editor', 'str_replace_based_edit_tool', { command: 'view', path: '/root.txt' }, 'outside'],
  ['text-editor', 'str_replace_based_edit_tool', { command: 'create', path: '/n.txt', file_text: 'x' }, 'outside'],
]

test.each(CALLS)('%s: %s %j', async (profile, tool, args, names) => {
  const workspace = await open(profile)
  const before = await workspace.log()
  const outcome = await workspace.call(tool, args, { within })
  if (names === 'outside') outside(outcome)
  else expect(outcome.error, outcome.text).toBeNull()
  expect(JSON.stringify([outcome.text, outcome.result])).not.toMatch(
    names === 'outside' ? /"secret|secret\\n/ : /root\.txt|x\.txt|y\.txt|z\.txt/,
  )
  expect(await workspace.log()).toEqual(before)
})

test('bounds of the whole workspace are none', () => {
  expect(boundsOf(['a', ''] as Path[])).toBeNull()
  expect(boundsOf(['a'] as Path[])?.holds('ab/c' as Path)).toBe(false)
  expect(boundsOf([])?.holds('a' as Path)).toBe(false)
})
