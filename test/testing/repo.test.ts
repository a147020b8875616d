/** Repositories in memory, what is laid over them, and what was changed since. */
import { describe, expect, test } from 'vitest'
import { type Fault, finalChanges, finalDiff, overlay, repo, testClock, testIds } from '../../src/testing/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { registerRepo } from './repo_suite.ts'

const FILES = {
  'README.md': '# A\n',
  'src/a.ts': 'export const a = 1\n',
  'bin/run': { text: '#!/bin/sh\n', mode: 0o755 },
  link: { link: 'src/a.ts' },
  data: { bytes: Uint8Array.of(0, 1, 2) },
}

async function work(workspace: Workspace): Promise<void> {
  await workspace.call('edit', { path: 'src/a.ts', old: '1', new: '2' })
  await workspace.call('write', { path: 'new.txt', content: 'new\n' })
  await workspace.call('batch', {
    operations: [
      { op: 'delete', path: 'README.md' },
      { op: 'move', path: 'bin/run', to: 'run' },
    ],
  })
}

registerRepo(async () => ({}))

describe('repo', () => {
  test('holds the files', async () => {
    const workspace = await repo(FILES)
    const view = await workspace.view()
    const entry = async (path: string) => (await view.resolve(path, { last: 'keep' })).entry
    expect(await entry('bin/run')).toMatchObject({ kind: 'file', mode: 0o755 })
    expect(await entry('link')).toMatchObject({ kind: 'link', target: 'src/a.ts' })
    expect(await entry('data')).toMatchObject({ size: 3 })
    expect((await workspace.call('read', { path: 'link' })).text).toContain('export const a = 1')
    expect(await finalDiff(workspace)).toBe('')
  })

  test.each<unknown>([5, null, { txt: 'x' }, { text: 5 }, { directory: false }])('%j is no file', async (file) => {
    const files = { 'a/b': file } as Parameters<typeof repo>[0]
    const refused = { code: 'invalid_argument', message: expect.stringContaining('a/b must be a text') }
    await expect(repo(files)).rejects.toMatchObject(refused)
    await expect(overlay(await repo({}), files)).rejects.toMatchObject(refused)
  })

  test('is the same in every run: records, ids, hashes', async () => {
    const hashes = async (): Promise<unknown> => {
      const workspace = await repo(FILES)
      await work(workspace)
      await workspace.undo('last')
      return (await workspace.log()).map(({ record }) => [record.id, record.time, record.hash])
    }
    const first = await hashes()
    expect(first).toHaveLength(4)
    expect(await hashes()).toEqual(first)
    expect(JSON.stringify(first)).toContain('20260101T000000000Z-0000000')
  })

  test('an empty one has no change, and its first is told', async () => {
    const workspace = await repo({})
    expect(await finalDiff(workspace)).toBe('')
    await workspace.call('write', { path: 'a', content: 'x' })
    expect((await finalChanges(workspace)).map(({ path }) => path)).toEqual(['a'])
  })

  test('takes the options of a workspace', async () => {
    const clock = testClock(0)
    const workspace = await repo({ a: 'x' }, { profile: 'fileops', subject: 'agent', now: clock })
    clock.advance(1500)
    await workspace.call('write_file', { file_path: 'b', content: 'y' })
    expect((await workspace.log())[0]?.record).toMatchObject({ subject: 'agent', tool: 'write_file', time: '1970-01-01T00:00:01.500Z' })
  })
})

describe('faults', () => {
  test('begin once the files are there', async () => {
    const workspace = await repo({ ...FILES, empty: { directory: true } }, { faults: [{ method: 'commit', call: 2, code: 'no_space' }] })
    expect((await workspace.call('write', { path: 'a', content: 'x' })).error).toBeNull()
    expect((await workspace.call('write', { path: 'b', content: 'x' })).error).toMatchObject({ code: 'no_space' })
    expect((await finalChanges(workspace)).map(({ path }) => path)).toEqual(['a'])
  })

  test('another writer is noticed at the commit', async () => {
    const theirs: Fault = {
      method: 'commit',
      call: 1,
      meanwhile: async (fs) => (await openWorkspace({ fs })).call('write', { path: 'src/a.ts', content: 'export const a = 7\n' }),
    }
    const workspace = await repo(FILES, { faults: [theirs] })
    const { error } = await workspace.call('edit', { path: 'src/a.ts', old: 'a = 1', new: 'a = 2' })
    expect(error).toMatchObject({ code: 'no_match' })
    expect((await workspace.call('read', { path: 'src/a.ts' })).text).toBe('export const a = 7\n')
  })
})

describe('finalDiff', () => {
  test('is the net difference, as git shows it', async () => {
    const workspace = await repo(FILES)
    await work(workspace)
    await workspace.call('write', { path: 'passing', content: 'x' })
    await workspace.call('batch', { operations: [{ op: 'delete', path: 'passing' }] })
    expect(await finalDiff(workspace)).toMatchInlineSnapshot(`
      "diff --git a/README.md b/README.md
      deleted file mode 100644
      index 7f3b95d297183eca8f6cf38ceaa253bee8c2d7cd..0000000000000000000000000000000000000000
      --- a/README.md
      +++ /dev/null
      @@ -1 +0,0 @@
      -# A
      diff --git a/bin/run b/bin/run
      deleted file mode 100755
      index 1a2485251c33a70432394c93fb89330ef214bfc9..0000000000000000000000000000000000000000
      --- a/bin/run
      +++ /dev/null
      @@ -1 +0,0 @@
      -#!/bin/sh
      diff --git a/new.txt b/new.txt
      new file mode 100644
      index 0000000000000000000000000000000000000000..3e757656cf36eca53338e520d134963a44f793f8
      --- /dev/null
      +++ b/new.txt
      @@ -0,0 +1 @@
      +new
      diff --git a/run b/run
      new file mode 100755
      index 0000000000000000000000000000000000000000..1a2485251c33a70432394c93fb89330ef214bfc9
      --- /dev/null
      +++ b/run
      @@ -0,0 +1 @@
      +#!/bin/sh
      diff --git a/src/a.ts b/src/a.ts
      index 41715495f45f651e6cf7d38f58a3d512abcfa440..a853d874fb63b83b04ebb3ce1a2f516c4c41eee8
      --- a/src/a.ts
      +++ b/src/a.ts
      @@ -1 +1 @@
      -export const a = 1
      +export const a = 2
      "
    `)
  })

  test('what is laid over later is not a change of the agent', async () => {
    const workspace = await repo(FILES)
    await overlay(workspace, { 'src/a.ts': 'export const a = 7\n', 'src/.git/config': '' })
    expect(await finalDiff(workspace)).toBe('')
    await workspace.call('edit', { path: 'src/a.ts', old: '7', new: '8' })
    expect((await finalChanges(workspace)).map(({ path }) => path)).toEqual(['src/a.ts'])
  })

  test('tells of more records than one page holds', async () => {
    const workspace = await repo(FILES)
    for (let i = 0; i < 120; i++) await workspace.call('write', { path: `f${i}`, content: 'x' })
    expect(await finalChanges(workspace)).toHaveLength(120)
  })
})

test('ids are counted, and sort in the order in which they were made', () => {
  const clock = testClock()
  const newId = testIds(clock)
  const ids = [newId(), newId()]
  clock.advance(1)
  ids.push(newId())
  expect(ids).toEqual(['20260101T000000000Z-00000001', '20260101T000000000Z-00000002', '20260101T000000001Z-00000003'])
})
