/** What a directory holds that is to be deleted, and what keeps it from being deleted. */
import { expect, test } from 'vitest'
import type { Entry, ScanOptions } from '../../src/core/file_system.ts'
import type { Path } from '../../src/core/path.ts'
import type { View } from '../../src/core/view.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { entriesBelow } from '../../src/tools/entries_below.ts'
import type { ToolContext } from '../../src/tools/tool.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { plant } from './setup.ts'

async function below(change: (view: View) => Partial<View> = () => ({})): Promise<string[]> {
  const fs = createMemoryFs()
  await plant(fs, { 'd/a': '1', 'd/e/b': '2', 'd/e/f/c': '3' })
  const view = await (await openWorkspace({ profile: 'fileops', fs })).view()
  const changed = { ...view, ...change(view) }
  const context = { view: changed, signal: new AbortController().signal } as unknown as ToolContext
  const target = await changed.resolve('d', { field: 'path' })
  return (await entriesBelow(context, target, (path) => `<${path}>`)).map(({ path }) => path)
}

test('all that is in it, each directory before what is in it', async () => {
  const paths = await below()
  expect([...paths].sort()).toEqual(['d/a', 'd/e', 'd/e/b', 'd/e/f', 'd/e/f/c'])
  for (const [inner, outer] of [
    ['d/e/b', 'd/e'],
    ['d/e/f', 'd/e'],
    ['d/e/f/c', 'd/e/f'],
  ] as const)
    expect(paths.indexOf(inner)).toBeGreaterThan(paths.indexOf(outer))
})

test('as many as one commit takes beside the directory itself, and no more', async () => {
  const atMost = (changes: number) => below((view) => ({ traits: { ...view.traits, limits: { ...view.traits.limits, changes } } }))
  expect(await atMost(6)).toHaveLength(5)
  await expect(atMost(5)).rejects.toMatchObject({ code: 'too_large', message: expect.stringContaining('more than 4 entries') })
})

test('a directory that cannot be entered keeps all from being deleted, by its name', async () => {
  // A scan lists such a directory and does not ask about what is in it; root may enter every one on disk.
  const closed = 'd/e/f' as Path
  const scan = (view: View) =>
    async function* (dir: Path, options: ScanOptions = {}): AsyncGenerator<Entry[]> {
      const filter = (at: Path, children: Entry[]) => (at === closed ? [] : (options.filter?.(at, children) ?? children))
      yield* view.scan(dir, { ...options, filter })
    }
  await expect(below((view) => ({ scan: scan(view) }))).rejects.toMatchObject({
    code: 'permission_denied',
    message: expect.stringContaining('<d/e/f>'),
  })
})

test('a directory that holds a folder of backups stays', async () => {
  await expect(below(() => ({ holdsHidden: () => true }))).rejects.toMatchObject({ code: 'protected_path', field: 'path' })
})
