/** The log against `git log`, on histories of every shape. */
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Path } from '../../../src/core/path.ts'
import type { Oid } from '../../../src/core/repository.ts'
import { commitGraph } from '../../../src/git/history/commit_graph.ts'
import { type WalkQuery, walkCommits } from '../../../src/git/history/walk_commits.ts'
import { git, numbers, tempDir } from '../real_git.ts'
import { ancestors, below, type Clocks, makeCommits, openObjects, randomCommits } from './histories.ts'

const temp = tempDir()
afterAll(() => temp.remove(), 300_000)
const ROUNDS = Number(process.env.HISTORY_ROUNDS ?? 3)

async function log(dir: string, query: WalkQuery, shallow?: ReadonlySet<string>): Promise<Oid[]> {
  const objects = openObjects(dir)
  const found: Oid[] = []
  for await (const { oid } of walkCommits(commitGraph(objects, shallow), query)) found.push(oid)
  await objects.close()
  return found
}

function gitLog(dir: string, ...args: string[]): string[] {
  return git(dir, 'log', '--format=%H', ...args)
    .split('\n')
    .filter((line) => line !== '')
}

describe.each(['right', 'equal'] satisfies Clocks[])('with %s clocks', (clocks) => {
  for (let seed = 1; seed <= ROUNDS; seed++) {
    test(`history ${seed}`, async () => {
      const dir = join(temp.dir, `${clocks}${seed}`)
      const random = numbers(seed * 7919 + clocks.length)
      const commits = randomCommits(random, 60, clocks)
      const oids = makeCommits(dir, commits)
      const all = 1000
      for (let round = 0; round < 4; round++) {
        const from = oids[oids.length - 1 - below(random, 8)] as Oid
        const except = [oids[below(random, oids.length)] as Oid]
        const paths = [['d'], ['a'], ['f'], ['d/e', 'f/x'], ['d/b', 'none']][below(random, 5)] as Path[]
        expect(await log(dir, { from, limit: all })).toEqual(gitLog(dir, from))
        expect(await log(dir, { from, limit: 7, skip: 3 })).toEqual(gitLog(dir, '-7', '--skip=3', from))
        expect(await log(dir, { from, limit: all, firstParent: true })).toEqual(gitLog(dir, '--first-parent', from))
        expect(await log(dir, { from, limit: all, except })).toEqual(gitLog(dir, from, `^${except[0]}`))
        expect(await log(dir, { from, limit: all, paths })).toEqual(gitLog(dir, from, '--', ...paths))
        expect(await log(dir, { from, limit: all, paths, except })).toEqual(gitLog(dir, from, `^${except[0]}`, '--', ...paths))
        expect(await log(dir, { from, limit: all, paths, firstParent: true })).toEqual(gitLog(dir, '--first-parent', from, '--', ...paths))
      }
    })
  }
})

describe('with skewed clocks', () => {
  for (let seed = 1; seed <= ROUNDS; seed++) {
    test(`history ${seed}`, async () => {
      const dir = join(temp.dir, `skewed${seed}`)
      const random = numbers(seed * 104729)
      const commits = randomCommits(random, 60, 'skewed')
      const oids = makeCommits(dir, commits)
      const reach = ancestors(commits)
      for (let round = 0; round < 10; round++) {
        const [from, except] = [below(random, 60), below(random, 60)]
        expect(await log(dir, { from: oids[from] as Oid, limit: 1000 })).toEqual(gitLog(dir, oids[from] as Oid))
        // Where clocks are wrong, git itself may tell too much: what counts is what leads to what.
        const left = [...(reach[from] as Set<number>)].filter((at) => !(reach[except] as Set<number>).has(at)).map((at) => oids[at])
        const found = await log(dir, { from: oids[from] as Oid, limit: 1000, except: [oids[except] as Oid] })
        expect([...found].sort()).toEqual(left.sort())
      }
    })
  }
})

test('a shallow clone ends where it ends, and a hole in a history is told with its name', async () => {
  const dir = join(temp.dir, 'whole')
  const oids = makeCommits(
    dir,
    randomCommits(numbers(5), 3, 'right').map((commit, at) => ({ ...commit, parents: at === 0 ? [] : [at - 1] })),
  )
  git(temp.dir, 'clone', '-q', '--no-local', '--depth', '2', '--branch', 'b2', dir, 'shallow')
  const shallow = join(temp.dir, 'shallow')
  expect(await log(shallow, { from: oids[2] as Oid }, new Set([oids[1] as string]))).toEqual([oids[2], oids[1]])
  await expect(log(shallow, { from: oids[2] as Oid })).rejects.toMatchObject({ code: 'not_found', details: { oid: oids[0] } })
})

test('a walk can be stopped', async () => {
  const dir = join(temp.dir, 'whole')
  const from = git(dir, 'rev-parse', 'b2') as Oid
  await expect(log(dir, { from, signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
})
