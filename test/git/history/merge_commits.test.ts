/** Merges against `git merge-tree`, with renames off: the same tree where it merges, the same paths and the same text where it does not. */
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { bytesOfText } from '../../../src/core/name_bytes.ts'
import type { MergeResult, Oid } from '../../../src/core/repository.ts'
import { type CommitMerge, mergeCommits } from '../../../src/git/history/merge_commits.ts'
import { treeWithChanges } from '../../../src/git/history/tree_with_changes.ts'
import type { OwnedObjectDatabase } from '../../../src/git/object_database.ts'
import { newObject } from '../../../src/git/objects.ts'
import { git, numbers, tempDir, tryGit } from '../real_git.ts'
import { below, makeCommits, openObjects } from './histories.ts'
import { randomMerges } from './random_merges.ts'

const temp = tempDir()
// Long sweeps leave much to remove.
afterAll(() => temp.remove(), 300_000)
const ROUNDS = Number(process.env.HISTORY_ROUNDS ?? 6)

/** What git makes of a merge. */
function gitMerge(dir: string, ours: string, theirs: string, ...options: string[]): { status: number; tree: string; paths: string[] } {
  const { status, stdout, stderr } = tryGit(dir, [
    '-c',
    'merge.renames=false',
    ...options,
    'merge-tree',
    '--write-tree',
    '--no-messages',
    '--name-only',
    '-z',
    ours,
    theirs,
  ])
  if (status > 1) throw new Error(stderr)
  const [tree = '', ...paths] = stdout.toString('latin1').split('\0')
  return { status, tree, paths: paths.filter((path) => path !== '').sort() }
}

/** The tree of our side after a merge. */
async function treeAfter(dir: string, objects: OwnedObjectDatabase, ours: Oid, merge: MergeResult): Promise<Oid> {
  const tree = git(dir, 'rev-parse', `${ours}^{tree}`) as Oid
  const blobs = merge.changes.flatMap((change) => ('bytes' in change ? [newObject(objects, 'blob', change.bytes)] : []))
  await objects.write(blobs)
  const changes = merge.changes.map((change) => ({
    path: change.path,
    after: 'bytes' in change ? { mode: change.mode, oid: objects.name('blob', change.bytes) } : change.entry,
  }))
  const made = await treeWithChanges(objects, tree, changes)
  await objects.write(made.objects)
  return made.oid
}

function pathsOf({ conflicts }: MergeResult): string[] {
  return conflicts.map(({ path }) => Buffer.from(bytesOfText(path)).toString('latin1')).sort()
}

describe.each(Array.from({ length: ROUNDS }, (_, at) => at + 1))('history %i', (seed) => {
  test('merges as git does', async () => {
    const dir = join(temp.dir, `merges${seed}`)
    const random = numbers(seed * 65537)
    const oids = makeCommits(dir, randomMerges(random, 24))
    const objects = openObjects(dir)
    for (let round = 0; round < 30; round++) {
      const [a, b] = [below(random, oids.length), below(random, oids.length)]
      const [ours, theirs] = [oids[a] as Oid, oids[b] as Oid]
      const showBase = random() < 0.3
      const merge: CommitMerge = { ours, theirs, labels: { ours: `b${a}`, theirs: `b${b}` }, showBase }
      const expected = gitMerge(dir, `b${a}`, `b${b}`, ...(showBase ? ['-c', 'merge.conflictStyle=diff3'] : []))
      const found = await mergeCommits(objects, merge)
      const tree = await treeAfter(dir, objects, ours, found)
      const told = { seed, a, b, showBase, paths: pathsOf(found) }
      // Where a link meets a file, git moves one of them aside; here ours stays, and theirs is in the conflict.
      if (found.conflicts.some(({ kind }) => kind === 'mode')) {
        expect(expected.status).toBe(1)
        continue
      }
      expect(told).toEqual({ ...told, paths: expected.paths })
      // Of two new files with CR LF, git's markers end in LF: it asks the version that both come from, which there is none of.
      if (found.conflicts.some(({ kind, path }) => kind === 'add/add' && path === 'crlf')) continue
      expect({ ...told, tree }).toEqual({ ...told, tree: expected.tree })
    }
    await objects.close()
  })
})
