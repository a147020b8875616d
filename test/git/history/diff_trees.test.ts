/** Differences of trees, and trees with chosen changes, against git's own plumbing. */
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { bytesOfText } from '../../../src/core/name_bytes.ts'
import { isWithin, type Path } from '../../../src/core/path.ts'
import type { Oid, TreeChange } from '../../../src/core/repository.ts'
import { differAt, diffTrees, entryAt } from '../../../src/git/history/diff_trees.ts'
import { type NewTree, treeWithChanges } from '../../../src/git/history/tree_with_changes.ts'
import type { OwnedObjectDatabase } from '../../../src/git/object_database.ts'
import type { NewObject } from '../../../src/git/objects.ts'
import { fsck, git, gitBytes, numbers, tempDir } from '../real_git.ts'
import { below, type MadeCommit, type MadeFile, makeCommits, openObjects } from './histories.ts'

const temp = tempDir()
afterAll(() => temp.remove(), 300_000)
const ROUNDS = Number(process.env.HISTORY_ROUNDS ?? 3)
const SUBMODULE = '1234567890123456789012345678901234567890'

/** Names that sort differently as files and as directories, and some that are not UTF-8. Bytes are characters. */
const NAMES = ['a', 'a-b', 'a.c', 'a0', 'b', 'B', 'ä', '\xff', '\xc3\xa9', '\xc3', 'z z']

function randomFiles(random: () => number, from: ReadonlyMap<string, MadeFile>): Map<string, MadeFile> {
  const files = new Map(from)
  const name = (): string => Buffer.from(NAMES[below(random, NAMES.length)] as string, 'latin1').toString('latin1')
  for (let change = 0; change < 6; change++) {
    const path = Array.from({ length: 1 + below(random, 3) }, name).join('/')
    for (const other of [...files.keys()]) {
      if (other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other)
    }
    const mode = (['100644', '100644', '100755', '120000'] as const)[below(random, 4)] as MadeFile['mode']
    if (random() < 0.75) files.set(path, { mode, text: `${below(random, 3)}` })
  }
  return files
}

function randomTrees(dir: string, seed: number): { oids: Oid[]; objects: OwnedObjectDatabase; random: () => number } {
  const random = numbers(seed * 31337)
  const commits: MadeCommit[] = []
  for (let at = 0; at < 12; at++) {
    const files = randomFiles(random, commits[at - 1]?.files ?? new Map())
    commits.push({ parents: at === 0 ? [] : [at - 1], time: 1_700_000_000 + at, files })
  }
  const oids = makeCommits(dir, commits).map((oid) => git(dir, 'rev-parse', `${oid}^{tree}`) as Oid)
  return { oids, objects: openObjects(dir), random }
}

/** A change as `git diff-tree -z` says it, each byte a character. */
function raw({ path, before, after }: TreeChange): string {
  const none = { mode: '000000', oid: '0'.repeat(40) }
  const [a, b] = [before ?? none, after ?? none]
  const typeChanged = before && after && before.mode.slice(0, 2) !== after.mode.slice(0, 2)
  const letter = !before ? 'A' : !after ? 'D' : typeChanged ? 'T' : 'M'
  return `:${a.mode} ${b.mode} ${a.oid} ${b.oid} ${letter}\0${Buffer.from(bytesOfText(path)).toString('latin1')}\0`
}

function diffTree(dir: string, a: string, b: string, ...paths: string[]): string {
  return gitBytes(dir, ['--literal-pathspecs', 'diff-tree', '-r', '-z', '--no-renames', a, b, '--', ...paths]).toString('latin1')
}

describe.each(Array.from({ length: ROUNDS }, (_, at) => at + 1))('trees %i', (seed) => {
  const dir = join(temp.dir, `trees${seed}`)

  test('differ as git says', async () => {
    const { oids, objects, random } = randomTrees(dir, seed)
    for (let round = 0; round < 10; round++) {
      const [a, b] = [oids[below(random, oids.length)] as Oid, oids[below(random, oids.length)] as Oid]
      const changes = await diffTrees(objects, a, b)
      expect(changes.map(raw).join('')).toBe(diffTree(dir, a, b))
      const paths = ['a', 'b/a', 'a/a-b', 'B', 'z z'].filter(() => random() < 0.5) as Path[]
      if (paths.length === 0) continue
      expect((await diffTrees(objects, a, b, { paths })).map(raw).join('')).toBe(diffTree(dir, a, b, ...paths))
      expect(await differAt(objects, a, b, paths)).toBe(changes.some(({ path }) => paths.some((at) => isWithin(path, at))))
    }
    const [first] = oids as [Oid]
    const added = await diffTrees(objects, null, first)
    expect(added.every(({ before }) => before === null)).toBe(true)
    expect(added.map(({ path }) => Buffer.from(bytesOfText(path)).toString('latin1'))).toEqual(
      gitBytes(dir, ['ls-tree', '-r', '-z', '--name-only', first]).toString('latin1').split('\0').slice(0, -1),
    )
    expect(await diffTrees(objects, first, null)).toEqual(added.map(({ path, after }) => ({ path, before: after, after: null })))
    await objects.close()
  })

  test('are made from chosen paths as git makes them', async () => {
    const { oids, objects, random } = randomTrees(`${dir}-chosen`, seed + 500)
    for (let round = 0; round < 10; round++) {
      const [a, b] = [oids[below(random, oids.length)] as Oid, oids[below(random, oids.length)] as Oid]
      expect((await treeWithPaths(objects, a, b, ['' as Path])).oid).toBe(b)
      const changes = await diffTrees(objects, a, b)
      expect((await treeWithChanges(objects, a, changes)).oid).toBe(b)
      const paths = changes.filter(() => random() < 0.4).map(({ path }) => path)
      const chosen = changes.filter(({ path }) => paths.some((at) => isWithin(path, at)))
      const made = await treeWithPaths(objects, a, b, paths)
      expect(made.oid).toBe(gitTreeWith(`${dir}-chosen`, a, chosen))
      if (round % 5 === 0) await objects.write(made.objects)
    }
    await objects.close()
    fsck(`${dir}-chosen`)
  })
})

/** What a commit of only these paths holds. */
async function treeWithPaths(objects: OwnedObjectDatabase, base: Oid, target: Oid, paths: readonly Path[]): Promise<NewTree> {
  return treeWithChanges(objects, base, await diffTrees(objects, base, target, { paths }))
}

/** The tree that git's index makes of a tree and some changes; deletions first, so that a directory can take a file's place. */
function gitTreeWith(dir: string, base: Oid, changes: readonly TreeChange[]): string {
  const env = { GIT_INDEX_FILE: join(dir, '.git', 'index-of-test') }
  gitBytes(dir, ['read-tree', base], { env })
  const line = ({ path, after }: TreeChange): Buffer =>
    Buffer.concat([Buffer.from(after ? `${after.mode} ${after.oid}\t` : `0 ${'0'.repeat(40)}\t`), bytesOfText(path), Buffer.of(0)])
  const ordered = [...changes].sort((x, y) => Number(x.after !== null) - Number(y.after !== null))
  // `--replace` as `git add` has it: a file on the way gives way.
  gitBytes(dir, ['update-index', '--replace', '-z', '--index-info'], { env, input: Buffer.concat(ordered.map(line)) })
  return gitBytes(dir, ['write-tree'], { env }).toString().trim()
}

test('submodules, directories in place of files, and what a tree holds at a path', async () => {
  const dir = join(temp.dir, 'kinds')
  const [, at] = makeCommits(dir, [
    { parents: [], time: 1_700_000_000, files: new Map([['x', { mode: '100644', text: '1' }]]) },
    { parents: [0], time: 1_700_000_001, files: new Map([['x/y', { mode: '100644', text: '1' }]]) },
  ])
  const objects = openObjects(dir)
  const tree = git(dir, 'rev-parse', `${at}^{tree}`) as Oid
  const before = git(dir, 'rev-parse', `${at}~^{tree}`) as Oid
  const made = await treeWithChanges(objects, tree, [{ path: 'lib/sub' as Path, after: { mode: '160000', oid: SUBMODULE as Oid } }])
  await objects.write(made.objects)
  expect((await diffTrees(objects, before, made.oid)).map(raw).join('')).toBe(diffTree(dir, before, made.oid))
  expect(await entryAt(objects, made.oid, 'lib/sub' as Path)).toMatchObject({ mode: '160000', oid: SUBMODULE })
  expect(await entryAt(objects, made.oid, 'lib/sub/deeper' as Path)).toBeNull()
  expect(await entryAt(objects, made.oid, 'x/y/z' as Path)).toBeNull()
  // Only the path below the file is chosen: the file has to go.
  expect((await treeWithPaths(objects, before, tree, ['x/y' as Path])).oid).toBe(tree)
  // What is chosen is not there on the other side, where a file stands: only it goes, and with it the directory.
  expect((await treeWithPaths(objects, tree, before, ['x/y' as Path])).oid).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904')
})

test('a tree that nests without end is refused, not followed', async () => {
  const dir = join(temp.dir, 'deep')
  makeCommits(dir, [{ parents: [], time: 1_700_000_000, files: new Map([['x', { mode: '100644', text: '1' }]]) }])
  const objects = openObjects(dir)
  let oid = git(dir, 'rev-parse', 'b0^{tree}') as Oid
  const made: NewObject[] = []
  for (let depth = 0; depth < 2100; depth++) {
    const bytes = Buffer.concat([Buffer.from('40000 d\0'), Buffer.from(oid, 'hex')])
    const next = objects.name('tree', bytes)
    made.push({ oid: next, type: 'tree', bytes })
    oid = next
  }
  await objects.write(made)
  await expect(diffTrees(objects, null, oid)).rejects.toMatchObject({ code: 'unsupported' })
})
