/** Revisions against `git rev-parse`. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Oid } from '../../../src/core/repository.ts'
import { openNodeGitFiles } from '../../../src/fs/git/node_files.ts'
import type { GitDirectory } from '../../../src/git/directory.ts'
import { newCommit } from '../../../src/git/history/new_objects.ts'
import { type RevisionSource, resolveCommit, resolveRevision } from '../../../src/git/history/resolve_revision.ts'
import { type NewObject, newObject } from '../../../src/git/objects.ts'
import { openGitDirectory } from '../../../src/git/open.ts'
import { commitFiles, git, gitBytes, initRepository, tempDir, tryGit } from '../real_git.ts'

const temp = tempDir()
const dir = join(temp.dir, 'repository')
let repository: GitDirectory
let source: RevisionSource

beforeAll(async () => {
  initRepository(dir)
  commitFiles(dir, 'one', { 'src/a.txt': 'a\n', b: 'b\n' })
  git(dir, 'tag', 'light')
  git(dir, 'tag', '-a', 'v1', '-m', 'one')
  git(dir, 'tag', '-a', 'v1-again', '-m', 'a tag of a tag', 'v1')
  git(dir, 'tag', 'of-tree', 'HEAD^{tree}')
  git(dir, 'tag', 'of-blob', 'HEAD:b')
  commitFiles(dir, 'two', { b: 'c\n' })
  git(dir, 'checkout', '-q', '-b', 'topic/x', 'HEAD~')
  commitFiles(dir, 'three', { c: 'c\n' })
  git(dir, 'checkout', '-q', 'main')
  git(dir, 'merge', '-q', '--no-ff', '-m', 'four', 'topic/x')
  // The same name in several places.
  git(dir, 'update-ref', 'refs/heads/both', 'main~1')
  git(dir, 'update-ref', 'refs/tags/both', 'main')
  git(dir, 'update-ref', 'refs/heads/tags/both', 'topic/x')
  git(dir, 'update-ref', 'refs/remotes/origin/main', 'main~1')
  git(dir, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main')
  git(dir, 'update-ref', 'refs/remotes/origin/only-there', 'topic/x')
  git(dir, 'update-ref', 'ORIG_HEAD', 'main~1')
  git(dir, 'update-ref', 'refs/heads/MAIN-loud', 'main')
  git(dir, 'pack-refs', '--all')
  git(dir, 'update-ref', 'refs/heads/abcd', 'main')
  repository = await openGitDirectory(openNodeGitFiles(join(dir, '.git')))
  source = { objects: repository.objects, refs: repository.refs, shallow: await repository.shallow() }
})
afterAll(async () => {
  await repository.close()
  temp.remove()
})

const FOUND = [
  ...['HEAD', '@', 'main', 'heads/main', 'refs/heads/main', 'topic/x', 'light', 'v1', 'v1-again', 'tags/v1', 'refs/tags/v1', 'both'],
  ...['heads/both', 'tags/both', 'origin', 'origin/main', 'origin/HEAD', 'origin/only-there', 'remotes/origin/main', 'ORIG_HEAD', 'abcd'],
  ...[
    'HEAD~',
    'HEAD~1',
    'HEAD~2',
    '@~2',
    '@^',
    'HEAD^1',
    'HEAD^2',
    'HEAD^2~1',
    'HEAD^^',
    'HEAD~0',
    'HEAD^0',
    'v1^0',
    'v1^{}',
    'v1-again^{}',
  ],
  ...[
    'v1^{commit}',
    'v1^{tree}',
    'v1-again^{tag}',
    'HEAD^{tree}',
    'HEAD^{object}',
    'v1^{object}',
    'light~0',
    'of-tree',
    'of-blob',
    'of-blob^{blob}',
  ],
  ...['HEAD:', 'HEAD:b', 'HEAD:src', 'HEAD:src/a.txt', 'v1:src/a.txt', 'of-tree:b', 'HEAD^2:c', 'MAIN-loud'],
]

test.each(FOUND)('%s', async (text) => {
  expect(await resolveRevision(source, text)).toBe(git(dir, 'rev-parse', '--verify', text))
})

const NOT_FOUND = [
  'nothing',
  'HEAD~9',
  'HEAD^3',
  'v1^{blob}',
  'HEAD:none',
  'HEAD:b/x',
  'of-blob~1',
  'heads/none',
  'deadbeef',
  'main~99999999999',
  'abc',
]

test.each(NOT_FOUND)('%s is not there', async (text) => {
  expect(tryGit(dir, ['rev-parse', '--verify', text]).status).not.toBe(0)
  await expect(resolveRevision(source, text)).rejects.toMatchObject({ code: 'not_found', field: 'revision' })
})

test('names in full and in part, in either case', async () => {
  const oids = gitBytes(dir, ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)']).toString().trim().split('\n')
  for (const oid of oids) {
    const short = git(dir, 'rev-parse', '--short=4', oid)
    for (const text of [oid, oid.toUpperCase(), short, short.toUpperCase(), oid.slice(0, 20)]) {
      expect(await resolveRevision(source, text)).toBe(oid)
    }
  }
  const head = git(dir, 'rev-parse', 'HEAD')
  expect(await resolveRevision(source, `v1-3-g${head.slice(0, 8)}`)).toBe(head)
  expect(await resolveRevision(source, `${head.slice(0, 8)}~1`)).toBe(git(dir, 'rev-parse', 'HEAD~1'))
})

test('commits are what tags stand for', async () => {
  for (const text of ['v1', 'v1-again', 'light', 'main']) {
    expect(await resolveCommit(source, text)).toBe(git(dir, 'rev-parse', `${text}^{commit}`))
  }
  await expect(resolveCommit(source, 'of-tree')).rejects.toMatchObject({ code: 'not_found' })
  await expect(resolveCommit(source, '0'.repeat(40))).rejects.toMatchObject({ code: 'not_found' })
})

test('the first digits of several objects are told with all of them; of one commit among them, where only that will do', async () => {
  const { objects } = repository
  const blob = (at: number): NewObject => newObject(objects, 'blob', Buffer.from(`${at}`))
  const tree = git(dir, 'rev-parse', 'HEAD^{tree}') as Oid
  const who = { name: 'A', email: 'a@example.com', timeMs: 0, offsetMinutes: 0 }
  const commit = (at: number): NewObject => newCommit(objects, { tree, parents: [], author: who, message: `${at}` })
  const first = blob(0)
  const short = first.oid.slice(0, 4)
  const alike = (make: (at: number) => NewObject): NewObject => {
    for (let at = 1; ; at++) if (make(at).oid.startsWith(short)) return make(at)
  }
  const [second, third] = [alike(blob), alike(commit)]
  await objects.write([first, second, third])
  expect(tryGit(dir, ['rev-parse', '--verify', short]).status).not.toBe(0)
  await expect(resolveRevision(source, short)).rejects.toMatchObject({
    code: 'ambiguous_match',
    field: 'revision',
    details: { candidates: expect.arrayContaining([first.oid, second.oid, third.oid]) },
  })
  for (const text of [`${short}^{commit}`, `${short}~0`, `${short}^{tree}`]) {
    expect(await resolveRevision(source, text)).toBe(git(dir, 'rev-parse', '--verify', text))
  }
  expect(await resolveCommit(source, short)).toBe(third.oid)
})

test.each([
  ['', 'invalid_argument'],
  ['-main', 'invalid_argument'],
  ['--all', 'invalid_argument'],
  ['main\0', 'invalid_argument'],
  ['ma\nin', 'invalid_argument'],
  ['x'.repeat(5000), 'invalid_argument'],
  ['main..topic/x', 'invalid_argument'],
  ['main...topic/x', 'invalid_argument'],
  ['^main', 'invalid_argument'],
  ['main^!', 'invalid_argument'],
  ['main^{wrong}', 'invalid_argument'],
  ['~1', 'invalid_argument'],
  ['main@{1}', 'unsupported'],
  ['@{u}', 'unsupported'],
  ['main@{yesterday}', 'unsupported'],
  [':/four', 'unsupported'],
  [':b', 'unsupported'],
  ['main^{/four}', 'unsupported'],
  ['../config', 'invalid_argument'],
  ['refs/../config', 'invalid_argument'],
  ['config', 'not_found'],
  ['objects/pack', 'not_found'],
  ['refs/heads/main.lock', 'not_found'],
  ['refs/heads/', 'not_found'],
  ['C:\\main', 'not_found'],
  ['main\ud800', 'not_found'],
])('%j is refused as %s', async (text, code) => {
  await expect(resolveRevision(source, text)).rejects.toMatchObject({ code })
})
