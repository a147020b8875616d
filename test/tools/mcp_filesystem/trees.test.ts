/** What is told of many files: bounded, in a fixed order, and never without saying what is left out. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openNodeFs } from '../../../src/fs/node.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import { profileWith } from '../../profiles/setup.ts'
import { temporaryFolder } from '../storages.ts'

const many = (count: number, name: (i: number) => string) => Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), '']))

interface Node {
  readonly name: string
  readonly type: string
  readonly children?: readonly Node[]
}

const count = (nodes: readonly Node[]): number => nodes.reduce((sum, { children }) => sum + 1 + count(children ?? []), 0)

describe('directory_tree', () => {
  test('shows the upper levels of what is too much, and says where something is left out', async () => {
    const files = { ...many(1500, (i) => `a/deep/${i}`), ...many(1500, (i) => `b/${i}`), 'z.txt': '' }
    const { call } = await profileWith('mcp-filesystem', files)
    const tree = JSON.parse((await call('directory_tree', { path: '/' })).text) as Node[]
    expect(tree.map(({ name }) => name)).toEqual(['a', 'b', 'z.txt'])
    expect(tree[1]?.children).toHaveLength(1500)
    const deep = tree[0]?.children?.[0]?.children ?? []
    const omitted = deep.at(-1)
    expect(omitted).toEqual({ name: expect.stringMatching(/^… \d+ more entries/), type: 'omitted' })
    expect(deep.length - 1 + Number(/\d+/.exec(omitted?.name ?? '')?.[0])).toBe(1500)
    expect(count(tree)).toBe(2001)
  })

  test('lets other work go on, and can be canceled, while many globs are compared with many names', async () => {
    const { workspace } = await profileWith(
      'mcp-filesystem',
      many(20_000, (i) => `d/${i}`),
    )
    const excludePatterns = Array.from({ length: 300 }, (_, i) => `none${i}`)
    const canceling = new AbortController()
    setTimeout(() => canceling.abort(), 20)
    const { error } = await workspace.call('directory_tree', { path: 'd', excludePatterns }, { signal: canceling.signal })
    expect(error?.code).toBe('canceled')
  })

  test('says so of directories that it did not look into', async () => {
    const { call } = await profileWith(
      'mcp-filesystem',
      many(2100, (i) => `${i}/x`),
    )
    const tree = JSON.parse((await call('directory_tree', { path: '/' })).text) as Node[]
    expect(tree.at(-1)).toEqual({ name: expect.stringContaining('100 more entries'), type: 'omitted' })
    expect(tree[0]?.children).toEqual([{ name: expect.stringContaining('not shown here'), type: 'omitted' }])
  })

  test.skipIf(process.getuid?.() === 0)('goes on where a directory cannot be read', async () => {
    const root = temporaryFolder()
    for (const dir of ['closed', 'open']) mkdirSync(join(root, dir))
    writeFileSync(join(root, 'open/x'), '')
    chmodSync(join(root, 'closed'), 0)
    const fs = await openNodeFs({ root, durability: 'process' })
    const { text } = await (await openWorkspace({ fs, profile: 'mcp-filesystem' })).call('directory_tree', { path: '.' })
    await fs.close()
    expect(JSON.parse(text)).toEqual([
      { name: 'closed', type: 'directory', children: [{ name: '… cannot be read', type: 'omitted' }] },
      { name: 'open', type: 'directory', children: [{ name: 'x', type: 'file' }] },
    ])
  })
})

test('lists are bounded, and say how much is missing', async () => {
  const { call } = await profileWith(
    'mcp-filesystem',
    many(10_002, (i) => `d/${i}`),
  )
  for (const [tool, args, told] of [
    ['list_directory', {}, '… 2 more entries'],
    ['list_directory_with_sizes', {}, '… 2 more entries'],
    ['search_files', { pattern: '*' }, '… and more: only the first 10000 are told. Narrow the pattern or the path.'],
  ] as const) {
    const lines = (await call(tool, { path: 'd', ...args })).text.split('\n')
    expect(lines[10_000], tool).toBe(told)
    expect(new Set(lines.slice(0, 10_000)).size, tool).toBe(10_000)
  }
})

test('search_files stops when the call is cancelled', async () => {
  const { workspace } = await profileWith(
    'mcp-filesystem',
    many(5000, (i) => `${i % 50}/${i}`),
  )
  const abort = new AbortController()
  let reports = 0
  const onProgress = (): void => {
    reports++
    abort.abort()
  }
  const { error } = await workspace.call('search_files', { path: '/', pattern: '**' }, { signal: abort.signal, onProgress })
  expect(error?.code).toBe('canceled')
  expect(reports).toBe(1)
})

test('read_multiple_files is bounded as one file is', async () => {
  const { workspace } = await profileWith('mcp-filesystem', { a: 'x'.repeat(2 ** 25), b: 'y'.repeat(2 ** 25), c: 'z' })
  const { text } = await workspace.call('read_multiple_files', { paths: ['a', 'b', 'c'] })
  expect(text).toMatch(/\n---\nb: Error - b does not fit beside the files before it: read it in a call of its own\.\n---\nc:\nz\n$/)
})
