/** Tasks as files: every kind of repository and of check, and what is wrong with others. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { evaluate, scriptedAgent } from '../../src/testing/index.ts'
import { readTasks } from '../../src/testing/node.ts'
import { commitFiles, git, initRepository, tempDir } from '../git/real_git.ts'

function temporary(): string {
  const { dir, remove } = tempDir()
  onTestFinished(remove)
  return dir
}

/** A folder with tasks, and whatever else lies beside them. */
function folderOf(files: { readonly [path: string]: object | string }): string {
  const dir = temporary()
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return dir
}

const edit = { tool: 'edit', arguments: { path: 'a.txt', old: 'one', new: 'two' } }

/** A task on a file `a.txt` that holds `one`. */
function task(parts: object = {}): object {
  return {
    instruction: 'Write two.',
    repository: { files: { 'a.txt': 'one\n' } },
    check: { files: { 'a.txt': 'two\n' } },
    script: [edit],
    ...parts,
  }
}

/** What a single task comes to: null when it is passed. */
async function problemOf(files: { readonly [path: string]: object | string }): Promise<string | null | undefined> {
  const [result] = await evaluate(readTasks(folderOf(files)), scriptedAgent)
  return result?.problem
}

describe('repositories', () => {
  test('files, with modes and links', async () => {
    const files = { 'a.txt': 'one\n', run: { text: '#!/bin/sh\n', mode: 0o755 }, link: { link: 'a.txt' } }
    expect(
      await problemOf({ 't.json': task({ repository: { files }, check: { files: { link: 'two\n' }, changed: ['a.txt'] } }) }),
    ).toBeNull()
  })

  test('a folder beside the task, of which nothing is changed', async () => {
    const dir = folderOf({
      't/task.json': task({ repository: { folder: '../project' } }),
      'project/a.txt': 'one\n',
      'project/.git/HEAD': 'x',
    })
    const tasks = readTasks(dir)
    expect(tasks.map(({ name }) => name)).toEqual(['t'])
    for (let i = 0; i < 2; i++) expect(await evaluate(tasks, scriptedAgent)).toMatchObject([{ passed: true, changed: ['a.txt'] }])
  })

  test('a package', async () => {
    const check = { files: { 'package.json': { contains: '"version": "0.0.0"' } }, changed: ['package.json'] }
    const script = [{ tool: 'edit', arguments: { path: 'package.json', patches: [{ op: 'set', path: '/version', value: '0.0.0' }] } }]
    const repository = { package: './node_modules/small' }
    expect(
      await problemOf({ 't.json': task({ repository, check, script }), 'node_modules/small/package.json': '{\n  "version": "1.0.0"\n}\n' }),
    ).toBeNull()
  })

  test('a commit of a repository, and of a bundle', async () => {
    const repo = join(temporary(), 'repo')
    initRepository(repo)
    commitFiles(repo, 'One', { 'a.txt': 'one\n' })
    commitFiles(repo, 'Three', { 'a.txt': 'three\n' })
    git(repo, 'bundle', 'create', '-q', join(repo, '../a.bundle'), 'main')
    const dir = folderOf({
      'a.json': task({ repository: { commit: repo, ref: 'HEAD~1' } }),
      'b.json': task({ repository: { commit: join(repo, '../a.bundle'), ref: 'main~1' } }),
      'c.json': task({ repository: { commit: repo } }),
    })
    const results = await evaluate(readTasks(dir), scriptedAgent)
    expect(results.map(({ passed }) => passed)).toEqual([true, true, false])
  })

  test('with files laid over it, which are no change', async () => {
    const parts = { repository: { files: { 'b.txt': 'b\n' } }, overlay: { 'a.txt': 'one\n' }, check: { changed: ['a.txt'] } }
    expect(await problemOf({ 't.json': task(parts) })).toBeNull()
  })

  test('with the tools of a profile', async () => {
    const script = [{ tool: 'write_file', arguments: { file_path: 'a.txt', content: 'two\n', force_overwrite: true } }]
    expect(await problemOf({ 't.json': task({ profile: 'fileops', script }) })).toBeNull()
  })
})

describe('checks', () => {
  const patch = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n'
  test.each<[string, object, { readonly [path: string]: string }, RegExp | null]>([
    ['a text', { files: { 'a.txt': 'two\n' } }, {}, null],
    ['another text', { files: { 'a.txt': 'three\n' } }, {}, /a\.txt differs/],
    ['nothing there', { files: { 'b.txt': null } }, {}, null],
    ['something there', { files: { 'a.txt': null } }, {}, /a\.txt is there/],
    ['parts', { files: { 'a.txt': { contains: ['t', 'wo'], lacks: ['one', '.*'], matches: '^two$' } } }, {}, null],
    ['a part that is missing', { files: { 'a.txt': { contains: ['two', '('] } } }, {}, /does not fit/],
    ['a part that should be missing', { files: { 'a.txt': { lacks: 'wo' } } }, {}, /does not fit/],
    ['a pattern that does not fit', { files: { 'a.txt': { matches: ['two', '^wo'] } } }, {}, /does not fit/],
    ['a file that is missing', { files: { 'b.txt': {} } }, {}, /b\.txt is not there/],
    ['the changed files', { changed: ['a.txt'] }, {}, null],
    ['other changed files', { changed: [] }, {}, /not expected/],
    ['a patch', { patch: './t.patch' }, { 't.patch': patch }, null],
    ['another patch', { patch: './t.patch' }, { 't.patch': patch.replace('+two', '+2') }, /differs from what the patch makes/],
    [
      'a module',
      { module: './c.mjs' },
      { 'c.mjs': 'export const check = async (w) => !(await w.call("read", { path: "a.txt" })).error' },
      null,
    ],
    ['a module that gives a reason', { module: './c.mjs' }, { 'c.mjs': 'export const check = () => "not so"' }, /^not so$/],
    ['a module that throws', { module: './c.mjs' }, { 'c.mjs': 'export const check = () => { throw new Error("no") }' }, /^no$/],
    ['a module without a check', { module: './c.mjs' }, { 'c.mjs': 'export const other = 1' }, /does not export check/],
  ])('%s', async (_, check, files, problem) => {
    const found = await problemOf({ 't.json': task({ check }), ...files })
    if (problem === null) expect(found).toBeNull()
    else expect(found).toMatch(problem)
  })
})

describe('what is no task', () => {
  test.each<[string, object | string, RegExp]>([
    ['no JSON', '{', /t\.json is not JSON/],
    ['no instruction', task({ instruction: undefined }), /instruction/],
    ['no repository', task({ repository: {} }), /repository/],
    ['two repositories', task({ repository: { package: 'zod', folder: '.' } }), /repository/],
    ['no check', task({ check: {} }), /check: must check something/],
    ['a word that means nothing', task({ timeout: 5 }), /timeout/],
    ['no time', task({ timeout_seconds: 0 }), /timeout_seconds/],
    ['no repository that is known', task({ repository: { fils: {} } }), /t\.json: repository: must be \{"files"/],
    ['a file that is none', task({ repository: { files: { 'd/a': 5 } } }), /t\.json: repository\.files\.d\/a: must be a text/],
    ['a file with another member', task({ overlay: { a: { text: 'x', made: 1 } } }), /overlay\.a: Unrecognized key: "made"/],
    ['a mode that is none', task({ overlay: { a: { text: 'x', mode: '1' } } }), /overlay\.a\.mode: .*number/],
    [
      'a pattern that is none',
      task({ check: { files: { a: { matches: ['x', '('] } } } }),
      /check\.files\.a\.matches\.1: .*regular expression/,
    ],
    ['a folder that is not there', task({ repository: { folder: './none' } }), /t\.json: repository\.folder: \.\/none does not exist/],
    ['a repository that is not there', task({ repository: { commit: './none' } }), /repository\.commit: \.\/none does not exist/],
    ['a patch that is not there', task({ check: { patch: './none' } }), /check\.patch: \.\/none does not exist/],
    ['a patch that is none', task({ check: { patch: './t.json' } }), /check\.patch: This is no unified diff/],
    ['a module that is not there', task({ check: { module: './none' } }), /check\.module: \.\/none does not exist/],
  ])('%s', (_, content, message) => {
    expect(() => readTasks(folderOf({ 't.json': content }))).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringMatching(message) }),
    )
  })

  test('what cannot be opened says of which task', async () => {
    for (const repository of [{ package: 'no-such-package' }, { files: { '../a': '' } }, { commit: '.' }]) {
      const [one] = readTasks(folderOf({ 't.json': task({ repository }) }))
      await expect(one?.open()).rejects.toThrow(/t\.json cannot be opened: /)
    }
  })

  test('two of one name, and a folder that is called as one', () => {
    const one = task({ check: { changed: [] } })
    expect(readTasks(folderOf({ 't.json': one, 'u.json/task.json': one })).map(({ name }) => name)).toEqual(['t', 'u.json'])
    expect(() => readTasks(folderOf({ 't.json': one, 't/task.json': one }))).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })

  test('a folder without any, and none at all', () => {
    expect(() => readTasks(folderOf({ 'a/other.json': '{}', 'b.txt': '' }))).toThrow(expect.objectContaining({ code: 'not_found' }))
    expect(() => readTasks('/none/of/these')).toThrow(expect.objectContaining({ code: 'not_found' }))
  })
})
