/** Merges case by case: moves, directories in the place of files, what a workspace adds, and what a merge reads. */
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { MergeResult, Oid } from '../../../src/core/repository.ts'
import { mergeCommits } from '../../../src/git/history/merge_commits.ts'
import { mergeTrees } from '../../../src/git/history/merge_trees.ts'
import { newObject } from '../../../src/git/objects.ts'
import { formatTree } from '../../../src/git/tree.ts'
import { git, manyFiles, tempDir, tryGit } from '../real_git.ts'
import { type MadeFile, makeCommits, openObjects } from './histories.ts'

const temp = tempDir()
afterAll(() => temp.remove())
let made = 0

type Files = { readonly [path: string]: string }

function filesOf(files: Files): Map<string, MadeFile> {
  return new Map(
    Object.entries(files).map(([name, text]) => {
      const mode = text.startsWith('-> ') ? '120000' : name.endsWith('*') ? '100755' : '100644'
      return [name.replace(/\*$/, ''), { mode, text: text.replace(/^-> /, '') }]
    }),
  )
}

/** What a merge comes to, with each change as text. */
interface Told {
  readonly kind: string
  readonly changes: { readonly [path: string]: string | null }
  readonly conflicts: { readonly [path: string]: string }
}

/** Merges two versions of one. */
async function merge(base: Files, ours: Files, theirs: Files): Promise<Told & { dir: string; result: MergeResult }> {
  const dir = join(temp.dir, String(made++))
  const [, our, their] = makeCommits(dir, [
    { parents: [], time: 1_700_000_000, files: filesOf(base) },
    { parents: [0], time: 1_700_000_001, files: filesOf(ours) },
    { parents: [0], time: 1_700_000_002, files: filesOf(theirs) },
  ])
  const objects = openObjects(dir)
  const result = await mergeCommits(objects, { ours: our as Oid, theirs: their as Oid })
  const changes: { [path: string]: string | null } = {}
  for (const change of result.changes) {
    if ('bytes' in change) changes[change.path] = Buffer.from(change.bytes).toString()
    else
      changes[change.path] =
        change.entry && `${change.entry.mode === '100755' ? '*' : ''}${git(dir, 'cat-file', 'blob', change.entry.oid)}\n`
  }
  await objects.close()
  const conflicts = Object.fromEntries(result.conflicts.map(({ path, kind }) => [path, kind]))
  return { dir, result, kind: result.kind, changes, conflicts }
}

/** Whether git, which sees moves too, merges to the same. */
function gitTree(dir: string): string {
  return tryGit(dir, ['merge-tree', '--write-tree', '--no-messages', 'b1', 'b2']).stdout.toString().slice(0, 40)
}

const LONG = Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join('')

describe('a file that was moved', () => {
  test('takes along what the other side changed in it', async () => {
    const [old, changed] = [LONG, LONG.replace('line 3', 'LINE 3')]
    const byUs = await merge({ a: old, z: '1\n' }, { 'new/a': old, z: '1\n' }, { a: changed, z: '1\n' })
    expect(byUs).toMatchObject({ changes: { 'new/a': changed }, conflicts: {} })
    const byThem = await merge({ a: old, z: '1\n' }, { a: changed, z: '1\n' }, { 'new/a': old, z: '1\n' })
    expect(byThem).toMatchObject({ changes: { a: null, 'new/a': changed }, conflicts: {} })
    expect(git(byThem.dir, 'ls-tree', '-r', gitTree(byThem.dir))).toContain('new/a')
  })

  test('takes along a mode', async () => {
    const told = await merge({ a: LONG }, { b: LONG }, { 'a*': `${LONG}x\n` })
    expect(told).toMatchObject({ changes: { b: `*${LONG}x\n` }, conflicts: {} })
  })

  test('is a conflict where it could have gone to two places, or another file is there', async () => {
    const twice = await merge({ a: LONG }, { b: LONG, c: LONG }, { a: `${LONG}x\n` })
    expect(twice).toMatchObject({ changes: { a: `${LONG}x\n` }, conflicts: { a: 'modify/delete' } })
    const taken = await merge({ a: LONG }, { b: LONG }, { a: `${LONG}x\n`, b: 'other\n' })
    expect(taken.conflicts).toEqual({ a: 'modify/delete', b: 'add/add' })
  })

  test('an empty file is not taken for another one', async () => {
    const told = await merge({ a: '', z: '1\n' }, { b: '', z: '1\n' }, { a: 'x\n', z: '1\n' })
    expect(told.conflicts).toEqual({ a: 'modify/delete' })
  })
})

describe('directories and files in one place', () => {
  test('the file goes beside, on whichever side it is', async () => {
    const theirs = await merge({ z: '1\n' }, { z: '1\n', 'a/b': 'dir\n' }, { z: '1\n', a: 'file\n' })
    expect(theirs).toMatchObject({ changes: { 'a~theirs': 'file\n' }, conflicts: { 'a~theirs': 'directory/file' } })
    const ours = await merge({ z: '1\n' }, { z: '1\n', a: 'file\n' }, { z: '1\n', 'a/b': 'dir\n' })
    expect(ours).toMatchObject({ changes: { a: null, 'a~ours': 'file\n', 'a/b': 'dir\n' }, conflicts: { 'a~ours': 'directory/file' } })
    expect(ours.result.conflicts[0]).toMatchObject({ base: null, ours: { mode: '100644' }, theirs: null })
  })

  test('a name that is taken is not taken again', async () => {
    const told = await merge({ z: '1\n' }, { z: '1\n', 'a/b': 'dir\n', 'a~theirs': 'mine\n' }, { z: '1\n', a: 'file\n' })
    expect(told.changes).toEqual({ 'a~theirs_0': 'file\n' })
  })

  test('a directory that the merge empties is not in the way', async () => {
    const told = await merge({ 'a/b': 'old\n', z: '1\n' }, { 'a/b': 'old\n', z: '2\n' }, { a: 'file\n', z: '1\n' })
    expect(told).toMatchObject({ changes: { 'a/b': null, a: 'file\n' }, conflicts: {} })
  })

  test('what we changed in a directory that they replaced stays', async () => {
    const told = await merge({ 'a/b': 'old\n', 'a/c': 'c\n' }, { 'a/b': 'new\n', 'a/c': 'c\n' }, { a: 'file\n' })
    expect(told.changes).toEqual({ 'a/c': null, 'a~theirs': 'file\n' })
    expect(told.conflicts).toEqual({ 'a/b': 'modify/delete', 'a~theirs': 'directory/file' })
  })
})

describe('kinds of conflicts, with both versions', () => {
  test.each([
    ['content', { a: '1\n' }, { a: '2\n' }, { a: '3\n' }],
    ['add/add', { z: '' }, { z: '', a: '2\n' }, { z: '', a: '3\n' }],
    ['modify/delete', { a: '1\n', z: '' }, { z: '' }, { a: '2\n', z: '' }],
    ['modify/delete', { a: '1\n', z: '' }, { a: '2\n', z: '' }, { z: '' }],
    ['binary', { a: '\0' }, { a: '\0b' }, { a: '\0c' }],
    ['binary', { a: '-> x' }, { a: '-> y' }, { a: '-> z' }],
    ['mode', { z: '' }, { z: '', 'a*': '1\n' }, { z: '', a: '1\n' }],
    ['mode', { a: '1\n' }, { a: '-> x' }, { a: '2\n' }],
  ] as [string, Files, Files, Files][])('%s', async (kind, base, ours, theirs) => {
    const told = await merge(base, ours, theirs)
    expect(told.conflicts).toEqual({ a: kind })
    const [conflict] = told.result.conflicts
    const entry = (files: Files): unknown =>
      files.a === undefined && files['a*'] === undefined ? null : { oid: expect.any(String), mode: expect.any(String) }
    expect(conflict).toEqual({ path: 'a', kind, base: entry(base), ours: entry(ours), theirs: entry(theirs) })
  })

  test('equal changes, and what both deleted, are none', async () => {
    expect(await merge({ a: '1\n', b: '1\n' }, { a: '2\n' }, { a: '2\n' })).toMatchObject({ kind: 'merge', changes: {}, conflicts: {} })
  })
})

test('of two bases, a third one is made, and no conflict names what nobody could read', async () => {
  const dir = join(temp.dir, 'cross')
  const files = (text: string): Map<string, MadeFile> => filesOf({ a: text })
  const lines = (first: string, last: string): string => `${first}\n1\n2\n3\n4\n5\n${last}\n`
  const parents = [[], [0], [0], [1, 2], [2, 1]]
  const texts = [lines('x', 'y'), lines('X', 'y'), lines('P', 'y'), lines('ours', 'y'), lines('theirs', 'Y')]
  const oids = makeCommits(
    dir,
    parents.map((from, at) => ({ parents: from, time: 1_700_000_000 + at, files: files(texts[at] as string) })),
  )
  const objects = openObjects(dir)
  const { conflicts, changes } = await mergeCommits(objects, {
    ours: oids[3] as Oid,
    theirs: oids[4] as Oid,
    labels: { ours: 'b3', theirs: 'b4' },
  })
  expect(conflicts).toMatchObject([{ path: 'a', kind: 'content', base: null }])
  const [tree] = tryGit(dir, ['merge-tree', '--write-tree', 'b3', 'b4']).stdout.toString().split('\n')
  expect(Buffer.from((changes[0] as { bytes: Uint8Array }).bytes).toString()).toBe(`${git(dir, 'cat-file', 'blob', `${tree}:a`)}\n`)
})

describe('of histories', () => {
  test('what is there already, what is only ahead, and the files of a workspace', async () => {
    const dir = join(temp.dir, 'ahead')
    const [one, two] = makeCommits(dir, [
      { parents: [], time: 1_700_000_000, files: filesOf({ a: '1\n' }) },
      { parents: [0], time: 1_700_000_001, files: filesOf({ a: '1\n', b: '2\n' }) },
      { parents: [], time: 1_700_000_002, files: filesOf({ a: '1\n', c: 'in the workspace\n', b: 'mine\n' }) },
    ]) as [Oid, Oid]
    const objects = openObjects(dir)
    expect(await mergeCommits(objects, { ours: two, theirs: one })).toEqual({ kind: 'up-to-date', theirs: one, changes: [], conflicts: [] })
    expect(await mergeCommits(objects, { ours: one, theirs: two })).toMatchObject({
      kind: 'fast-forward',
      changes: [{ path: 'b' }],
      conflicts: [],
    })
    const oursTree = git(dir, 'rev-parse', 'b2^{tree}') as Oid
    expect(await mergeCommits(objects, { ours: one, oursTree, theirs: two })).toMatchObject({
      kind: 'fast-forward',
      changes: [{ path: 'b' }],
      conflicts: [{ path: 'b', kind: 'add/add' }],
    })
    const other = git(dir, 'rev-parse', 'b2') as Oid
    await expect(mergeCommits(objects, { ours: one, theirs: other })).rejects.toMatchObject({ code: 'unsupported' })
    await expect(mergeCommits(objects, { ours: one, theirs: two, signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    })
  })

  test('labels stand in one line and in one name', async () => {
    const dir = join(temp.dir, 'labels')
    const oids = makeCommits(dir, [
      { parents: [], time: 1_700_000_000, files: filesOf({ z: '1\n' }) },
      { parents: [0], time: 1_700_000_001, files: filesOf({ z: '2\n', 'a/b': '1\n' }) },
      { parents: [0], time: 1_700_000_002, files: filesOf({ z: '3\n', a: '1\n' }) },
    ]) as [Oid, Oid, Oid]
    const labels = { ours: 'one\n>>>>>>> two', theirs: `topic/${'x'.repeat(500)}` }
    const { changes } = await mergeCommits(openObjects(dir), { ours: oids[1], theirs: oids[2], labels })
    const [beside, text] = changes.map((change) => ('bytes' in change ? Buffer.from(change.bytes).toString() : change.path))
    expect(beside).toMatch(/^a~topic_x{54}$/)
    expect(text?.split('\n')[0]).toBe('<<<<<<< one>>>>>>> two')
  })
})

test.each(['..', '.', '.git', '.GIT', 'git~1', '.git\\x', '.g\u200cit'])('a name that git refuses is not merged: %j', async (name) => {
  const dir = join(temp.dir, `refused${made++}`)
  makeCommits(dir, [{ parents: [], time: 1_700_000_000, files: filesOf({ 'd/a': '1\n' }) }])
  const objects = openObjects(dir)
  const base = git(dir, 'rev-parse', 'b0^{tree}') as Oid
  const a = git(dir, 'rev-parse', 'b0:d') as Oid
  const change = async (names: readonly string[]): Promise<Oid> => {
    const inner = newObject(objects, 'tree', formatTree(names.map((name) => ({ name, mode: '040000', oid: a }))))
    const outer = newObject(objects, 'tree', formatTree([{ name: 'd', mode: '040000', oid: inner.oid }]))
    await objects.write([inner, outer])
    return outer.oid
  }
  const style = { ours: 'a', theirs: 'b', base: null }
  const [ours, theirs, good] = [await change(['mine']), await change([name]), await change(['theirs'])]
  expect(await mergeTrees(objects, { base, ours, theirs: good, style })).toMatchObject({ conflicts: [] })
  for (const side of [ours, base]) {
    await expect(mergeTrees(objects, { base, ours: side, theirs, style })).rejects.toMatchObject({ code: 'invalid_name' })
  }
})

test('a merge of many files reads what changed, and what leads there', async () => {
  const dir = join(temp.dir, 'many')
  manyFiles(join(dir, '.git'), 4_000)
  const base = git(dir, '--git-dir=.git', 'rev-parse', 'main^{tree}') as Oid
  const change = (from: number): Oid => {
    const env = { GIT_INDEX_FILE: join(dir, `index${from}`), GIT_DIR: join(dir, '.git') }
    tryGit(dir, ['read-tree', base], { env })
    const blob = tryGit(dir, ['hash-object', '-w', '--stdin'], { env, input: `${from}\n` })
      .stdout.toString()
      .trim()
    const lines = Array.from({ length: 25 }, (_, at) => (from + at * 140) % 4_000).map(
      (at) => `100644 ${blob}\td${Math.floor(at / 400)}/e${Math.floor(at / 20) % 20}/file${at}.ts\n`,
    )
    tryGit(dir, ['update-index', '--add', '--index-info'], { env, input: lines.join('') })
    return tryGit(dir, ['write-tree'], { env }).stdout.toString().trim() as Oid
  }
  const objects = openObjects(dir)
  const read = new Map<string, number>()
  const reader: Parameters<typeof mergeTrees>[0] = {
    header: (oid) => objects.header(oid),
    prefetch: (oids) => objects.prefetch(oids),
    readAs(oid, type) {
      read.set(type, (read.get(type) ?? 0) + 1)
      return objects.readAs(oid, type)
    },
  }
  const result = await mergeTrees(reader, { base, ours: change(3), theirs: change(350), style: { ours: 'a', theirs: 'b', base: null } })
  expect(result.conflicts).toEqual([])
  expect(result.changes).toHaveLength(25)
  // Three versions of the root, and for each change at most the two levels below, twice.
  expect(read.get('tree')).toBeLessThan(3 + 25 * 3 * 2 + 1)
  expect(read.get('blob')).toBeUndefined()
})
