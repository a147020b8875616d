/** Commits and tags against `git commit-tree`, `git tag` and `git stripspace`. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Oid, Signature } from '../../../src/core/repository.ts'
import { checkedSignature, cleanMessage, newCommit, newTag } from '../../../src/git/history/new_objects.ts'
import type { OwnedObjectDatabase } from '../../../src/git/object_database.ts'
import { commitFiles, fsck, git, gitBytes, initRepository, numbers, tempDir } from '../real_git.ts'
import { below, openObjects } from './histories.ts'

const temp = tempDir()
const dir = join(temp.dir, 'repository')
let objects: OwnedObjectDatabase
let tree: Oid
let parents: Oid[]

beforeAll(() => {
  initRepository(dir)
  parents = [commitFiles(dir, 'one', { a: '1' }), commitFiles(dir, 'two', { a: '2' })] as Oid[]
  tree = git(dir, 'rev-parse', 'HEAD^{tree}') as Oid
  objects = openObjects(dir)
})
afterAll(async () => {
  await objects.close()
  temp.remove()
})

const ADA: Signature = { name: 'Ada', email: 'ada@example.com', timeMs: 1_700_000_000_000, offsetMinutes: 60 }
const BOB: Signature = { name: 'Bob', email: 'bob@example.com', timeMs: 1_700_000_100_999, offsetMinutes: -570 }

function environment(author: Signature, committer: Signature): NodeJS.ProcessEnv {
  const date = ({ timeMs, offsetMinutes }: Signature): string => {
    const [minutes, sign] = [Math.abs(offsetMinutes), offsetMinutes < 0 ? '-' : '+']
    return `@${Math.floor(timeMs / 1000)} ${sign}${String(Math.floor(minutes / 60)).padStart(2, '0')}${String(minutes % 60).padStart(2, '0')}`
  }
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: date(author),
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
    GIT_COMMITTER_DATE: date(committer),
  }
}

test.each([
  ['plain', ADA, BOB, 'Message\n', 1],
  ['a root', ADA, ADA, 'Message\n\nwith a body\n', 0],
  ['a merge', BOB, ADA, 'Merge\n', 2],
  ['names of all kinds', { ...ADA, name: 'Ada 名前 ö' }, { ...BOB, email: 'bo b@exämple' }, '名前\n', 1],
  ['punctuation around names', { ...ADA, name: ' "Ada", ' }, { ...BOB, name: "'Bob' Jr.", email: ' bob@example.com;' }, 'Message\n', 1],
  ['an empty address', { ...ADA, email: '' }, BOB, 'Message\n', 1],
  ['early times and far zones', { ...ADA, timeMs: 100_000_000_000, offsetMinutes: 825 }, { ...BOB, offsetMinutes: 0 }, 'x\n', 1],
] as const)('a commit: %s', async (_, author, committer, message, count) => {
  const from = parents.slice(0, count)
  const made = newCommit(objects, { tree, parents: from, author, committer, message })
  const args = ['commit-tree', tree, ...from.flatMap((oid) => ['-p', oid])]
  expect(made.oid).toBe(
    gitBytes(dir, args, { input: message, env: environment(author, committer) })
      .toString()
      .trim(),
  )
  await objects.write([made])
  fsck(dir)
})

test('a parent that is named twice is one; the committer is the author unless told', () => {
  const [one] = parents as [Oid]
  const made = newCommit(objects, { tree, parents: [one, one], author: ADA, message: 'x' })
  const args = ['commit-tree', tree, '-p', one, '-p', one]
  expect(made.oid).toBe(
    gitBytes(dir, args, { input: 'x\n', env: environment(ADA, ADA) })
      .toString()
      .trim(),
  )
})

test('a tag', async () => {
  const [object] = parents as [Oid]
  const message = 'Version 1\n\nGood.\n'
  const made = newTag(objects, { object, type: 'commit', name: 'v1', tagger: BOB, message })
  gitBytes(dir, ['tag', '-a', 'v1', '-F', '-', object], { input: message, env: environment(ADA, BOB) })
  expect(made.oid).toBe(git(dir, 'rev-parse', 'v1'))
})

describe('messages', () => {
  test.each(Array.from({ length: 20 }, (_, at) => at + 1))('as git stripspace cleans them: %i', (seed) => {
    const random = numbers(seed * 99991)
    const parts = ['word', ' ', '\t', '\n', '\n', '\r\n', '\n\n\n', '# no comment', '\u00a0', '\v', 'ö ']
    const text = `${Array.from({ length: 1 + below(random, 30) }, () => parts[below(random, parts.length)]).join('')}end`
    expect(cleanMessage(text)).toBe(gitBytes(dir, ['stripspace'], { input: text }).toString())
  })

  test.each(['', ' \n\t\n', 'a\0b', 'a\ud800b', 'x'.repeat(1_000_001)])('%# is refused', (message) => {
    expect(() => cleanMessage(message)).toThrow(expect.objectContaining({ code: 'invalid_argument', field: 'message' }))
  })
})

test.each([
  ['name', { name: 'A<b' }],
  ['name', { name: 'A\nauthor x' }],
  ['name', { name: ' ., ' }],
  ['name', { name: '' }],
  ['name', { name: 'x\0' }],
  ['name', { name: '\udc80' }],
  ['name', { name: 'x'.repeat(1001) }],
  ['email', { email: 'a>b' }],
  ['email', { email: 'a\nb' }],
  ['timeMs', { timeMs: Number.NaN }],
  ['timeMs', { timeMs: -1 }],
  ['timeMs', { timeMs: Number.POSITIVE_INFINITY }],
  ['offsetMinutes', { offsetMinutes: 1.5 }],
  ['offsetMinutes', { offsetMinutes: 1440 }],
])('a signature with a wrong %s is refused: %j', (part, wrong) => {
  const refused = expect.objectContaining({ code: 'invalid_argument', field: `author.${part}` })
  expect(() => checkedSignature({ ...ADA, ...wrong }, 'author')).toThrow(refused)
})
