/** Several processes in one folder: nobody's change is lost, and nobody waits for the dead. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openNodeFs } from '../../../src/fs/node.ts'
import { allRecords, commit, hashOf, write } from '../../../src/testing/setup.ts'
import { newFolder, problemsOf } from './scenarios.ts'

const CHILD = fileURLToPath(new URL('lock_child.ts', import.meta.url))
let folder: ReturnType<typeof newFolder>
const children: ChildProcess[] = []

function start(role: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CHILD, role, folder.root, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return child
}

const open = (lockWaitMs = 30_000) => openNodeFs({ root: folder.root, durability: 'process', lockWaitMs })

beforeEach(() => {
  folder = newFolder()
})

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  folder.remove()
})

it('eight processes that edit one file lose none of their edits', { timeout: 120_000 }, async () => {
  const [processes, times] = [8, Number(process.env.FILEWRIGHT_LOCK_EDITS ?? 25)]
  const fs = await open()
  await commit(fs, write(fs, 'counter', '0'))
  await fs.close()
  const exits = Array.from({ length: processes }, () => once(start('count', String(times)), 'exit'))
  expect((await Promise.all(exits)).map(([code]) => code)).toEqual(Array(processes).fill(0))
  expect(readFileSync(join(folder.root, 'counter'), 'utf8')).toBe(String(processes * times))
  const after = await open()
  expect((await allRecords(after)).map(({ sequence }) => sequence)).toEqual(Array.from({ length: processes * times + 1 }, (_, i) => i + 1))
  expect(await problemsOf(after, folder.root)).toEqual([])
  await after.close()
})

it('of two open storages with one expectation, one wins', async () => {
  const [one, other] = [await open(), await open()]
  await commit(one, write(one, 'a', 'old'))
  for (const [before, after] of [
    ['old', 'mid'],
    ['mid', 'new'],
  ] as const) {
    const results = await Promise.allSettled([one, other].map((fs) => commit(fs, write(fs, 'a', after, hashOf(fs, before)))))
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(results.find((result) => result.status === 'rejected')?.reason).toMatchObject({ code: 'conflict' })
  }
  // Each knows what the other did.
  expect((await one.records()).length).toBe(3)
  expect((await other.records()).length).toBe(3)
  await one.close()
  await other.close()
})

it('two open storages that commit without a break both get on', async () => {
  const [one, other] = [await open(), await open()]
  const run = async (fs: typeof one, name: string): Promise<void> => {
    for (let i = 0; i < 40; i++) await commit(fs, write(fs, `${name}${i}`, 'x'))
  }
  await Promise.all([run(one, 'one'), run(other, 'other')])
  expect((await one.records({ limit: 1000 })).length).toBe(80)
  await one.close()
  await other.close()
})

it('a holder that was killed holds nothing', async () => {
  const child = start('hold')
  await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data')
  const fs = await open()
  const waiting = commit(fs, write(fs, 'mine', 'mine'))
  await new Promise((resolve) => setTimeout(resolve, 100))
  const killed = performance.now()
  child.kill('SIGKILL')
  await waiting
  expect(performance.now() - killed).toBeLessThan(1000)
  await fs.close()
})

it('a holder that hangs is waited for only so long, and nothing has changed then', async () => {
  const child = start('hold')
  await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data')
  const fs = await open(200)
  await expect(commit(fs, write(fs, 'mine', 'mine'))).rejects.toMatchObject({ code: 'timeout' })
  await expect(fs.stat('mine' as never)).rejects.toMatchObject({ code: 'not_found' })
  expect((await fs.records()).length).toBe(1)
  await fs.close()
})
