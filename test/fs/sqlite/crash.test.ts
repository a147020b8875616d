/** A process that dies anywhere in a commit leaves the old state or the new one; two processes never lose each other's changes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import type { Sql } from '../../../src/core/sql.ts'
import { createMemoryFs } from '../../../src/fs/memory.ts'
import { openNodeSql, openNodeSqliteFs } from '../../../src/fs/sqlite/node_sqlite.ts'
import { createSqliteFs } from '../../../src/fs/sqlite.ts'
import { verifyChain } from '../../../src/testing/history.ts'
import { commit, readText, write } from '../../../src/testing/setup.ts'
import { type Snapshot, snapshot } from '../../../src/testing/snapshot.ts'
import { changeALot, prepareTakeOver, type Taken } from '../../../src/testing/take_over.ts'
import { changeMuch, prepare } from './changing.ts'

const PROGRAM = join(import.meta.dirname, 'changing.ts')
/** How many processes are killed at any time; raise it for a long sweep. */
const KILLS = Number(process.env.FILEWRIGHT_KILLS ?? 4)

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'filewright-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

interface State {
  readonly tree: Snapshot
  readonly records: number
}

/** Opens the database, looks at everything, and shows that work can go on. */
async function stateOf(file: string): Promise<State> {
  const fs = await openNodeSqliteFs(file)
  const state = { tree: await snapshot(fs), records: await verifyChain(fs) }
  await commit(fs, write(fs, 'later', 'later'))
  await fs.close()
  return state
}

/** Calls `moment` before every act on a database, and after every transaction. */
function observed(sql: Sql, moment: () => void): Sql {
  const around: Sql['transaction'] = (action) => {
    const result = sql.transaction(() => {
      const inner = action()
      moment()
      return inner
    })
    moment()
    return result
  }
  const exec: Sql['exec'] = (query, ...values) => {
    moment()
    return sql.exec(query, ...values)
  }
  return { ...sql, exec, transaction: around, relaxed: around }
}

/** A database without transactions, to show that the test sees what they are for. */
function naive(sql: Sql): Sql {
  return { ...sql, transaction: (action) => action(), relaxed: (action) => action() }
}

/** What is done while the files are copied, and what goes before it. */
interface Act {
  prepare(fs: FileSystem): Promise<unknown>
  act(fs: FileSystem): Promise<void>
}

const COMMIT: Act = { prepare, act: changeMuch }

/** Takes over the past and the files of another workspace. */
function takingOver(): Act {
  const source = createMemoryFs()
  let taken: Taken
  return {
    async prepare(fs) {
      await changeALot(source, 3)
      taken = await prepareTakeOver(source, fs)
    },
    act: (fs) => fs.adopt(taken.changes, taken.records),
  }
}

/**
 * Does one act and copies the files of the database before each of its acts: what a process that is killed there leaves.
 * One character for each copy, in order: `<` the old state, `>` the new one, `?` another, `!` one that is not sound.
 */
async function outcomesOf(careful: (sql: Sql) => Sql, { prepare, act }: Act = COMMIT): Promise<string> {
  const file = join(dir, 'workspace.db')
  const image = (number: number) => join(dir, `${number}.db`)
  const copyTo = (to: string) => {
    for (const part of ['', '-wal']) if (existsSync(file + part)) copyFileSync(file + part, to + part)
  }
  let images = 0
  let watching = false
  const sql = observed(careful(openNodeSql(file)), () => {
    if (watching) copyTo(image(++images))
  })
  const fs = await createSqliteFs({ sql })
  await prepare(fs)
  copyTo(image(0))
  watching = true
  await act(fs)
  watching = false
  copyTo(image(images + 1))
  await fs.close()
  const before = JSON.stringify(await stateOf(image(0)))
  const after = JSON.stringify(await stateOf(image(images + 1)))
  expect(before).not.toBe(after)
  let outcomes = ''
  for (let number = 1; number <= images; number++) {
    const state = await stateOf(image(number)).then(JSON.stringify, () => null)
    outcomes += state === null ? '!' : state === before ? '<' : state === after ? '>' : '?'
  }
  return outcomes
}

test('killed before any act: the old state, then the new one', async () => {
  expect(await outcomesOf((sql) => sql)).toMatch(/^<{25,}>+$/)
}, 60_000)

test('killed while it takes over another workspace: nothing, then all', async () => {
  expect(await outcomesOf((sql) => sql, takingOver())).toMatch(/^<{25,}>+$/)
}, 60_000)

test('without transactions the same test finds torn states', async () => {
  expect(await outcomesOf(naive)).toMatch(/[?!]/)
}, 60_000)

/** Starts a process that counts; resolves when it has begun. */
async function startCounting(file: string, steps: number): Promise<{ readonly child: ChildProcess; readonly ended: Promise<unknown> }> {
  const child = spawn(process.execPath, [PROGRAM, file, String(steps)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return { child, ended }
}

test('killed at any time: every commit is there whole', async () => {
  const file = join(dir, 'workspace.db')
  const fs = await openNodeSqliteFs(file)
  await prepare(fs)
  await fs.close()
  let committed = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const { child, ended } = await startCounting(file, 1_000_000)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 30))
    child.kill('SIGKILL')
    expect(await ended).toBe('SIGKILL')
    const again = await openNodeSqliteFs(file)
    const count = Number(await readText(again, 'counter'))
    expect(await verifyChain(again)).toBe(count + 1)
    await again.close()
    expect(count).toBeGreaterThan(committed)
    committed = count
  }
}, 120_000)

test('two processes count up in one file, and no step is lost', async () => {
  const file = join(dir, 'workspace.db')
  const fs = await openNodeSqliteFs(file)
  await prepare(fs)
  const steps = 60
  const children = await Promise.all([startCounting(file, steps), startCounting(file, steps)])
  expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0])
  expect(await readText(fs, 'counter')).toBe(String(2 * steps))
  expect(await verifyChain(fs)).toBe(2 * steps + 1)
  await fs.close()
}, 60_000)
