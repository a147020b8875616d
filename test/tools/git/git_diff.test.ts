/** `git_diff`: what it says of each kind of change, and its pages. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Path } from '../../../src/core/path.ts'
import { COMPARED_BYTES } from '../../../src/tools/git/file_diff.ts'
import { gitCommit } from '../../../src/tools/git/git_commit.ts'
import { gitDiff } from '../../../src/tools/git/git_diff.ts'
import type { GitDiffResult } from '../../../src/tools/git/results.ts'
import { placeWith } from './setup.ts'

const text = (bytes: string): Uint8Array => new TextEncoder().encode(bytes)
const POINTER =
  'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n'

test('what no patch in text holds is said, path by path', async () => {
  const place = await placeWith({
    'big.txt': 'x'.repeat(COMPARED_BYTES + 1),
    'data.bin': Uint8Array.of(1, 0, 2),
    'latin.txt': Uint8Array.of(0xe9, 0x0a),
    'model.bin': POINTER,
    'run.sh': '#!/bin/sh\n',
    'plain.txt': 'one\n',
    link: '-> run.sh',
    'was file': 'text\n',
  })
  const { fs, workspace, call, git } = place
  const expectOf = async (path: string) => ({
    version: (await fs.stat(path as Path)).version as NonNullable<Awaited<ReturnType<typeof fs.stat>>['version']>,
  })
  const write = async (path: string, bytes: Uint8Array, mode?: number) => {
    const content = await fs.stage(bytes)
    return { kind: 'write' as const, path: path as Path, content, expect: await expectOf(path), ...(mode !== undefined && { mode }) }
  }
  await fs.commit(
    [
      await write('big.txt', text(`${'x'.repeat(COMPARED_BYTES + 1)}y`)),
      await write('data.bin', Uint8Array.of(1, 0, 3, 4)),
      await write('latin.txt', Uint8Array.of(0xe8, 0x0a)),
      await write('model.bin', text(POINTER.replace('12345', '54321'))),
      await write('run.sh', text('#!/bin/sh\n'), 0o755),
      await write('plain.txt', text('two\n')),
      { kind: 'link', path: 'link' as Path, target: 'plain.txt', expect: { link: 'run.sh' } },
      { kind: 'remove', path: 'was file' as Path, expect: await expectOf('was file') },
      { kind: 'link', path: 'was file' as Path, target: 'link', expect: 'absent' },
    ],
    { id: 'one', time: new Date(0).toISOString(), kind: 'call', subject: 'local', tool: 'test', call: null },
  )
  const { result, text: said } = await call('git_diff', {})
  const notes = Object.fromEntries(
    (result.changes as { path: string; kind: string; note?: string }[]).map(({ path, kind, note }) => [path, [kind, note]]),
  )
  expect(notes).toEqual({
    'big.txt': ['modified', expect.stringMatching(/^too large/)],
    'data.bin': ['modified', 'binary: 3 bytes → 4 bytes'],
    'latin.txt': ['modified', expect.stringMatching(/^not UTF-8/)],
    link: ['modified', expect.stringMatching(/^link/)],
    'model.bin': ['modified', expect.stringContaining('54321 bytes')],
    'plain.txt': ['modified', undefined],
    'run.sh': ['modified', 'executable now'],
    'was file': ['type-changed', expect.stringMatching(/^file → link/)],
  })
  expect(said).toContain('[data.bin: binary: 3 bytes → 4 bytes]')
  expect(said).toContain('diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n')
  // What is in the patch can be applied as it is.
  writeFileSync(join(place.dir, '..', 'patch'), said)
  git('apply', '--index', '../patch')
  await workspace.run(gitCommit, { message: 'all' })
  expect(git('diff', '--cached', '--name-only', 'filewright/main')).toBe('big.txt\ndata.bin\nlatin.txt')
})

test('a submodule is told as git tells it', async () => {
  const place = await placeWith({ 'a.txt': 'a\n' })
  const { git, again } = place
  const oid = git('rev-parse', 'HEAD')
  git('update-index', '--add', '--cacheinfo', `160000,${oid},sub`)
  git('commit', '-q', '-m', 'Submodule')
  const other = await again({ name: 'other' })
  const { text: said, result } = await other.call('git_diff', { from: 'HEAD~1', to: 'HEAD' })
  expect(result.changes).toMatchObject([{ path: 'sub', kind: 'added', added: 1, note: expect.stringMatching(/^submodule/) }])
  expect(said).toContain(
    `new file mode 160000\nindex 0000000..${oid.slice(0, 7)}\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+Subproject commit ${oid}\n`,
  )
})

test('pages put together are the whole, however small they are', async () => {
  const { call, say, workspace } = await placeWith({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': `${'long '.repeat(200)}\n` })
  for (const [path, content] of [
    ['a.txt', 'A\n'],
    ['b.txt', `${'b\n'.repeat(30)}`],
    ['c.txt', 'é😀\n'.repeat(40)],
  ])
    await say('write', { path, content, mode: 'overwrite' })
  const diffOf = async (args: object) => (await workspace.run(gitDiff, args)).result as unknown as GitDiffResult
  const { diff: whole } = await diffOf({})
  for (const max_chars of [100, 177, 333]) {
    let [diff, pages, total] = ['', 0, 0]
    let cursor: string | undefined
    do {
      const result = await diffOf({ max_chars, cursor })
      expect(result.diff.length).toBeLessThanOrEqual(max_chars)
      expect(result.diff.isWellFormed()).toBe(true)
      diff += result.diff
      total += result.changes.length
      cursor = result.cursor
    } while (cursor !== undefined && ++pages < 100)
    expect(diff, String(max_chars)).toBe(whole)
    expect(total).toBe(3)
  }
  const stat = await call('git_diff', { stat: true })
  expect(stat.text).toMatch(/^a\.txt \+1 -1 modified\nb\.txt \+29 -0 modified\nc\.txt \+40 -1 modified\n\[/)
  for (const cursor of ['x', '1', ':', '-1:a']) expect((await call('git_diff', { cursor })).error?.code).toBe('invalid_argument')
})

test('what is ignored and new is left out, and named paths and revisions are checked', async () => {
  const { call, say } = await placeWith({ '.gitignore': '*.log\n', 'a.txt': 'a\n' })
  await say('write', { path: 'x.log', content: 'log\n', allow_ignored: true })
  expect((await call('git_diff', {})).result.total).toBe(0)
  expect((await call('git_diff', { all: true })).result.total).toBe(1)
  expect((await call('git_diff', { paths: ['../x'] })).error?.code).toBe('outside_root')
  const { error } = await call('git_diff', { from: 'nowhere' })
  expect(error).toMatchObject({ code: 'not_found', field: 'from' })
  expect((await call('git_diff', { path: 'a.txt' })).error).toMatchObject({ code: 'invalid_argument', field: 'path' })
  expect((await call('git_diff', { paths: ['a.txt', 'nothing/here'] })).result.total).toBe(0)
})
