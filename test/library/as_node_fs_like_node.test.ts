/** `asNodeFs` against Node's own `fs.promises`, on every storage: the same calls give the same answers and the same codes. */
import { promises as nodePromises } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { asNodeFs, withNodeFs } from '../../src/library/as_node_fs.ts'
import { repo } from '../../src/testing/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { numbers } from '../git/real_git.ts'
import { STORAGES, temporaryFolder } from '../tools/storages.ts'
import { CALLS, type Fs, outcome, plant, tree } from './node_fs_calls.ts'

const theirs = nodePromises as unknown as Fs

const WORKSPACES: readonly (readonly [name: string, open: () => Promise<Workspace>])[] = [
  ...STORAGES.map(([name, open]) => [name, async () => openWorkspace({ fs: await open() })] as const),
  ['git', () => repo({})],
]

/** What a call comes to on Node, and the tree after it. */
const expected = new Map<string, Promise<readonly [unknown, string[]]>>()

function onNode(name: string, act: (fs: Fs, root: string) => Promise<unknown>): Promise<readonly [unknown, string[]]> {
  const known = expected.get(name) ?? work()
  expected.set(name, known)
  return known

  async function work(): Promise<readonly [unknown, string[]]> {
    const root = `${temporaryFolder()}/w`
    await theirs.mkdir(root)
    await plant(theirs, root)
    return [await outcome(() => act(theirs, root), root), await tree(theirs, root)]
  }
}

describe.each(WORKSPACES)('on %s', (_, open) => {
  test.each(CALLS)('%s', async (name, act) => {
    const [result, after] = await onNode(name, act)
    const workspace = await open()
    const { promises: fs } = asNodeFs(workspace)
    const root = `${workspace.fs.traits.root}/w`
    await fs.mkdir(root)
    await plant(fs, root)
    expect(await outcome(() => act(fs, root), root)).toEqual(result)
    expect(await tree(fs, root)).toEqual(after)
  })
})

/** Names that meet each other often: files, directories, and links to both. */
const NAMES = ['a', 'b', 'd', 'd/a', 'd/b', 'd/e', 'd/e/f', 'l', 'd/l', 'x/y', 'l/a', 'd/../a', './b', 'd/e/..', 'a/', 'd/']
const TARGETS = ['a', 'd', '../a', './e', 'nothing', 'l', '../d/e', 'd/b']

/** A call with arguments by chance. */
function randomCall(random: () => number): readonly [string, (fs: Fs, root: string) => Promise<unknown>] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const [name, other, target, text] = [pick(NAMES), pick(NAMES), pick(TARGETS), pick(['', 'one\n', 'longer text'])]
  const flag = pick(['w', 'wx', 'a', 'ax', 'r+'])
  // To make the directories of a path Node takes its `..` as text; here they lead where the file system does.
  const recursive = random() < 0.5 && !name.includes('..')
  const calls: readonly (readonly [string, (fs: Fs, root: string) => Promise<unknown>])[] = [
    [`writeFile ${name} ${flag}`, (fs, r) => fs.writeFile(`${r}/${name}`, text, { flag })],
    [`mkdir ${name} ${recursive}`, async (fs, r) => typeof (await fs.mkdir(`${r}/${name}`, { recursive }))],
    [
      `rm ${name} ${recursive}`,
      (fs, r) => fs.rm(`${r}/${name.replace(/\/$/, '')}`, { recursive, force: recursive }).catch(({ code }) => code),
    ],
    [`rmdir ${name}`, (fs, r) => fs.rmdir(`${r}/${name}`)],
    [`unlink ${name}`, (fs, r) => fs.unlink(`${r}/${name}`)],
    [`rename ${name} ${other}`, (fs, r) => fs.rename(`${r}/${name}`, `${r}/${other}`)],
    [
      `copyFile ${name} ${other}`,
      async (fs, r) => {
        // Of a directory Node would leave an empty file behind a link.
        if (!(await fs.stat(`${r}/${name}`)).isDirectory()) await fs.copyFile(`${r}/${name}`, `${r}/${other}`)
      },
    ],
    [`symlink ${target} ${name}`, (fs, r) => fs.symlink(target, `${r}/${name}`)],
    [`truncate ${name}`, (fs, r) => fs.truncate(`${r}/${name}`, 3)],
    [`readFile ${name}`, (fs, r) => fs.readFile(`${r}/${name}`, 'utf8').catch(({ code }) => code)],
    [`readdir ${name}`, (fs, r) => fs.readdir(`${r}/${name}`)],
    [`stat ${name}`, async (fs, r) => (await fs.stat(`${r}/${name}`)).isDirectory()],
    [`readlink ${name}`, (fs, r) => fs.readlink(`${r}/${name}`)],
    [`realpath ${name}`, (fs, r) => fs.realpath(`${r}/${name}`)],
  ]
  return pick(calls)
}

/** Which of several faults is named first differs between systems: of odd spellings only that they fail counts. */
function told(name: string, result: unknown): unknown {
  const isFailure = (typeof result === 'object' && result !== null && 'code' in result) || /^E[A-Z]+$/.test(String(result))
  return isFailure && /\/( |$)|\.\.|^(rename|copyFile) |^mkdir .* true$/.test(name) ? 'failed' : result
}

// `NODE_FS_RUNS=2000` makes a long run.
const runs = Number(process.env.NODE_FS_RUNS) || 40

test(`${runs} random sessions`, async () => {
  const folder = temporaryFolder()
  for (let run = 1; run <= runs; run++) {
    const random = numbers(run)
    // Some links lead one directory up.
    const [there, ours] = [`${folder}/${run}/w`, '/w']
    const { promises: fs } = asNodeFs(await openWorkspace({ fs: createMemoryFs() }))
    await theirs.mkdir(there, { recursive: true })
    await fs.mkdir(ours)
    const done: string[] = []
    for (let step = 0; step < 30; step++) {
      const [name, act] = randomCall(random)
      done.push(name)
      const [wanted, got] = [await outcome(() => act(theirs, there), there), await outcome(() => act(fs, ours), ours)]
      expect([run, done, told(name, got)]).toEqual([run, done, told(name, wanted)])
    }
    expect([run, done, await tree(fs, ours)]).toEqual([run, done, await tree(theirs, there)])
  }
})

describe('gathered', () => {
  test.each(CALLS)('%s', async (name, act) => {
    const [result, after] = await onNode(name, act)
    const workspace = await repo({})
    const root = '/w'
    await asNodeFs(workspace).promises.mkdir(root)
    await withNodeFs(workspace, async ({ promises: fs }) => {
      await plant(fs, root)
      expect(await outcome(() => act(fs, root), root)).toEqual(result)
      expect(await tree(fs, root)).toEqual(after)
    })
    expect(await tree(asNodeFs(workspace).promises, root)).toEqual(after)
    expect(await workspace.log()).toHaveLength(2)
  })
})
