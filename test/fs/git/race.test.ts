/** Several processes and the user's own git on one repository at the same time: nothing is lost. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifyChain } from '../../../src/testing/history.ts'
import { allRecords, commit, draft, hashOf, move, readText, scanPaths, write } from '../../../src/testing/setup.ts'
import { commitFiles, tryGit } from '../../git/real_git.ts'
import { ADA, onRepository } from './place.ts'

const CHILD = join(import.meta.dirname, 'race_child.ts')
const TURNS = Number(process.env.RACE_TURNS) || 6

test('two processes and git: every change counts once', { timeout: 120_000 }, () =>
  onRepository(async ({ dir, git, open }) => {
    const fs = await open()
    await commit(fs, write(fs, 'counter', '0'))
    const names = ['one', 'other']
    const running = names.map(async (name) => {
      const child = spawn(process.execPath, [CHILD, dir, name, `${TURNS}`], { stdio: ['ignore', 'ignore', 'pipe'] })
      let said = ''
      child.stderr.on('data', (part) => (said += part))
      const [status] = await once(child, 'exit')
      expect([status, said]).toEqual([0, ''])
    })
    let left = true
    const ended = Promise.allSettled(running).finally(() => {
      left = false
    })
    // What the user does meanwhile: commits, branches, and cleaning up.
    let commits = 0
    while (left) {
      commitFiles(dir, `User ${++commits}`, { 'of the user': `${commits}` })
      for (const args of [
        ['gc', '-q'],
        ['pack-refs', '--all'],
        ['branch', '-f', 'mine'],
        ['repack', '-q', '-d', '-l', '-A'],
      ]) {
        // They may meet with each other's locks, which is theirs to tell.
        tryGit(dir, args)
        await new Promise((done) => setTimeout(done, 1))
      }
    }
    expect((await ended).map((end) => (end.status === 'rejected' ? end.reason : null))).toEqual([null, null])
    expect(await readText(fs, 'counter')).toBe(`${2 * TURNS}`)
    expect((await fs.notes.list(''))[0]?.value).toBe(`${2 * TURNS}`)
    const files = names.flatMap((name) => Array.from({ length: TURNS }, (_, turn) => `${name} ${turn}`))
    expect((await scanPaths(fs, '')).filter((path) => / \d/.test(path))).toEqual(files.sort())
    const commitsMade = names.length * Math.floor(TURNS / 3)
    expect(await verifyChain(fs)).toBe(1 + 4 * TURNS + commitsMade)
    expect(git('log', '--format=%s', 'main').split('\n').length).toBe(commits + 1)
    const made = git('log', '--format=%s', 'filewright/main').split('\n')
    expect(made.length).toBe(commitsMade + 1)
    expect((await fs.repository.status()).tip).toBe((await fs.repository.status()).base)
  }),
)

test('what another process did is seen by the next call, and by what a commit expects', () =>
  onRepository(async ({ open }) => {
    const [one, two] = [await open(), await open()]
    await commit(one, write(one, 'f', '1'))
    expect(await readText(two, 'f')).toBe('1')
    await commit(two, write(two, 'f', '2', hashOf(two, '1')))
    await expect(commit(one, write(one, 'f', '3', hashOf(one, '1')))).rejects.toMatchObject({ code: 'conflict' })
    expect(await readText(one, 'f')).toBe('2')
    const both = await Promise.allSettled([
      ...Array.from({ length: 8 }, (_, index) => commit(one, write(one, `a${index}`, 'x'))),
      ...Array.from({ length: 8 }, (_, index) => commit(two, write(two, `b${index}`, 'x'))),
    ])
    expect(both.map(({ status }) => status)).toEqual(both.map(() => 'fulfilled'))
    expect((await allRecords(one)).map(({ sequence }) => sequence)).toEqual(Array.from({ length: 18 }, (_, index) => index + 1))
    await two.repository.makeCommit({ message: 'Two', author: ADA }, draft())
    expect((await one.repository.status()).changes).toEqual([])
  }))

test('a scan goes on in the tree that it began with', () =>
  onRepository(async ({ open, git }) => {
    const fs = await open()
    const seen = await scanPaths(fs, '', {
      async filter(dir, children) {
        if (dir === '') {
          await commit(fs, move('src', 'source', 'directory'), write(fs, 'new', ''))
          git('gc', '-q')
        }
        return children
      },
    })
    expect(seen).toEqual(git('ls-tree', '-r', '-t', '--name-only', 'HEAD').split('\n'))
  }))
