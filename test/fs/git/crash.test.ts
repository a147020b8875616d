/** A workspace on disk whose process is killed at a change of the disk: it is as before or as after, and git finds nothing wrong. */
import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openNodeGitDirectory } from '../../../src/fs/git/node_directory.ts'
import { createGitFs } from '../../../src/fs/git.ts'
import { verifyChain } from '../../../src/testing/history.ts'
import { commit, draft, makeDirectory } from '../../../src/testing/setup.ts'
import { snapshot } from '../../../src/testing/snapshot.ts'
import { fsck, git, tempDir } from '../../git/real_git.ts'
import { ACTS, prepare } from './crash_acts.ts'
import { ADA, type GitWorkspace, onRepository } from './place.ts'

// `CRASH_SWEEP=1` goes through every change of the disk.
const POINTS = process.env.CRASH_SWEEP ? Number.POSITIVE_INFINITY : 3
const CHILD = join(import.meta.dirname, 'crash_child.ts')

function run(dir: string, act: string, change: number | 'never'): { readonly signal: string | null; readonly output: string } {
  const { signal, stdout, stderr, status } = spawnSync(process.execPath, [CHILD, dir, act, `${change}`], { encoding: 'utf8' })
  if (signal === null && status !== 0) throw new Error(stderr)
  return { signal, output: stdout }
}

async function open(dir: string): Promise<GitWorkspace> {
  return (await createGitFs({ git: await openNodeGitDirectory(dir, { durability: 'process', lockWaitMs: 200 }) })) as GitWorkspace
}

/** All that a workspace is, but for names that are new each time. */
async function stateOf(dir: string): Promise<unknown> {
  const fs = await open(dir)
  try {
    await verifyChain(fs)
    const { base, tip, changes } = await fs.repository.status()
    const records = (await fs.records()).map(({ kind, count }) => [kind, count])
    const kept: unknown[] = []
    for await (const page of fs.contents()) kept.push(...page)
    const standing = [base === null ? null : git(dir, 'log', '-1', '--format=%s %T', base), tip === base, changes]
    return [await snapshot(fs), records, kept, standing, await fs.notes.list('')]
  } finally {
    await fs.close()
  }
}

test.each(Object.keys(ACTS))('killed in %s', async (act) => {
  await onRepository(async ({ dir, open: openFirst }) => {
    await prepare(await openFirst())
    const scratch = tempDir()
    try {
      const copyOf = (name: string): string => {
        const copy = join(scratch.dir, name)
        cpSync(dir, copy, { recursive: true, verbatimSymlinks: true })
        return copy
      }
      const before = await stateOf(dir)
      const done = copyOf('done')
      const changes = Number(run(done, act, 'never').output)
      expect(changes).toBeGreaterThan(0)
      const after = await stateOf(done)
      expect(after).not.toEqual(before)
      const step = Math.max(1, Math.floor(changes / POINTS))
      const seen = new Set<unknown>()
      for (let change = changes; change > 0; change -= step) {
        const copy = copyOf(`${change}`)
        // Names of objects differ from run to run, and with them how many directories are made.
        const { signal } = run(copy, act, change)
        const state = await stateOf(copy)
        const isAfter = JSON.stringify(state) === JSON.stringify(after)
        expect(state, `killed at change ${change} of ${changes}`).toEqual(isAfter || signal === null ? after : before)
        seen.add(isAfter)
        await goesOn(copy)
        fsck(copy)
      }
      expect(seen.has(false)).toBe(true)
    } finally {
      scratch.remove()
    }
  })
})

/** Whatever was left behind is in nobody's way. */
async function goesOn(dir: string): Promise<void> {
  const fs = await open(dir)
  await commit(fs, makeDirectory('later'))
  await fs.repository.makeCommit({ message: 'Later', author: ADA, allowEmpty: true }, draft())
  await fs.close()
}

test('a commit whose process died behind the move of its branch is seen by one that was open already', () =>
  onRepository(async ({ dir, git, open: openHere }) => {
    const other = await openHere()
    await prepare(other)
    const place = await openNodeGitDirectory(dir, { durability: 'process' })
    let isDead = false
    const update: typeof place.refs.update = async (wanted) => {
      if (isDead) throw new Error('dead')
      isDead = wanted.name === 'refs/heads/filewright/main'
      return place.refs.update(wanted)
    }
    const dying = (await createGitFs({ git: { ...place, refs: { ...place.refs, update } } })) as GitWorkspace
    await expect(dying.repository.makeCommit({ message: 'Edits', author: ADA }, draft())).rejects.toThrow('dead')
    const tip = git('rev-parse', 'filewright/main')
    expect(await other.repository.status()).toMatchObject({ base: tip, tip, merging: null, changes: [] })
    expect(await other.repository.resolve('HEAD')).toBe(tip)
    expect((await other.repository.log())[0]?.oid).toBe(tip)
    const basis = { before: { base: tip, merging: null }, after: { base: git('rev-parse', 'main'), merging: null } }
    await other.commit([], { ...draft(), basis })
    expect((await other.repository.status()).base).toBe(basis.after.base)
    expect((await other.records({ limit: 2 })).map(({ kind }) => kind)).toEqual([draft().kind, 'git'])
    await dying.close()
  }))
