/** Common ancestors against `git merge-base`, and against what leads to what where clocks are wrong. */
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Oid } from '../../../src/core/repository.ts'
import { commitGraph } from '../../../src/git/history/commit_graph.ts'
import { isAncestor, mergeBase, mergeBases } from '../../../src/git/history/merge_base.ts'
import { git, numbers, tempDir, tryGit } from '../real_git.ts'
import { ancestors, below, type Clocks, makeCommits, openObjects, randomCommits } from './histories.ts'

const temp = tempDir()
afterAll(() => temp.remove(), 300_000)
const ROUNDS = Number(process.env.HISTORY_ROUNDS ?? 3)

describe.each(['right', 'equal', 'skewed'] satisfies Clocks[])('with %s clocks', (clocks) => {
  for (let seed = 1; seed <= ROUNDS; seed++) {
    test(`history ${seed}`, async () => {
      const dir = join(temp.dir, `${clocks}${seed}`)
      const random = numbers(seed * 7919 + clocks.length)
      const commits = randomCommits(random, 60, clocks)
      const oids = makeCommits(dir, commits)
      const reach = ancestors(commits)
      const objects = openObjects(dir)
      const graph = commitGraph(objects)
      for (let round = 0; round < 100; round++) {
        const [a, b] = [below(random, 60), below(random, 60)]
        const [one, other] = [oids[a] as Oid, oids[b] as Oid]
        const common = [...(reach[a] as Set<number>)].filter((at) => reach[b]?.has(at))
        const best = common.filter((at) => !common.some((from) => from !== at && reach[from]?.has(at))).map((at) => oids[at])
        const found = await mergeBases(commitGraph(objects), one, other)
        expect([...found].sort()).toEqual(best.sort())
        expect(await isAncestor(graph, one, other)).toBe(reach[b]?.has(a))
        if (round % 30 === 0) {
          const said = tryGit(dir, ['merge-base', '--all', one, other])
            .stdout.toString()
            .split('\n')
            .filter((line) => line !== '')
          expect([...found].sort()).toEqual(said.sort())
        }
      }
      await objects.close()
    })
  }
})

test('of a criss-cross, both bases are found, and the newest is the one', async () => {
  const dir = join(temp.dir, 'cross')
  const file = (text: string) => new Map([['a', { mode: '100644' as const, text }]])
  const parents = [[], [0], [0], [1, 2], [2, 1]]
  const oids = makeCommits(
    dir,
    parents.map((from, at) => ({ parents: from, time: 1_700_000_000 + at, files: file(`${at}\n`) })),
  )
  const graph = commitGraph(openObjects(dir))
  expect(await mergeBases(graph, oids[3] as Oid, oids[4] as Oid)).toEqual([oids[2], oids[1]])
  expect(await mergeBase(graph, oids[3] as Oid, oids[4] as Oid)).toBe(git(dir, 'merge-base', 'b3', 'b4'))
})

test('histories that have nothing in common', async () => {
  const dir = join(temp.dir, 'apart')
  const oids = makeCommits(
    dir,
    [0, 1].map((at) => ({ parents: [], time: 1_700_000_000, files: new Map([['a', { mode: '100644' as const, text: `${at}` }]]) })),
  )
  const graph = commitGraph(openObjects(dir))
  expect(await mergeBase(graph, oids[0] as Oid, oids[1] as Oid)).toBeNull()
})
