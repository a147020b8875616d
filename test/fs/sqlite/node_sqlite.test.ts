/** The sqlite adapter on Node's SQLite: costs, foreign and damaged databases, what is swept. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ScanOptions } from '../../../src/core/file_system.ts'
import type { Path } from '../../../src/core/path.ts'
import type { Sql } from '../../../src/core/sql.ts'
import { CHUNK_BYTES } from '../../../src/fs/sqlite/contents.ts'
import { openNodeSql, openNodeSqliteFs } from '../../../src/fs/sqlite/node_sqlite.ts'
import { createSqliteFs } from '../../../src/fs/sqlite.ts'
import { bytesOf, commit, draft, hashOf, makeDirectory, readBytes, readText, remove, scanPaths, write } from '../../../src/testing/setup.ts'
import { doActs, isWrite, LIMITS } from './cost.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const at = (path: string) => path as Path

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'filewright-'))
  file = join(dir, 'workspace.db')
})
afterEach(() => rmSync(dir, { recursive: true }))

/** Runs one statement on the file, as another program would. */
function raw(query: string, ...values: Parameters<Sql['exec']>[1][]): unknown[] {
  const sql = openNodeSql(file)
  try {
    return sql.exec(query, ...values).flat()
  } finally {
    sql.close()
  }
}

/** Bytes that repeat nowhere, so that every chunk is another. */
function noise(length: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(length / 4))
  for (let i = 0, word = 1; i < words.length; i++) {
    word = Math.imul(word, 1664525) + 1013904223
    words[i] = word
  }
  return new Uint8Array(words.buffer, 0, length)
}

test('a small change writes few rows in few statements', async () => {
  const sql = openNodeSql(file)
  let statements = 0
  const counting: Sql = {
    ...sql,
    exec(query, ...values) {
      if (isWrite(query)) statements++
      return sql.exec(query, ...values)
    },
  }
  const fs = await createSqliteFs({ sql: counting })
  const rows = () => sql.exec('SELECT total_changes()')[0]?.[0] as number
  const done: string[] = []
  await doActs(fs, async (act, action) => {
    const before = rows()
    statements = 0
    await action()
    const limit = LIMITS[act] as (typeof LIMITS)[string]
    expect(statements, act).toBeLessThanOrEqual(limit.statements)
    expect(rows() - before, act).toBeLessThanOrEqual(limit.rows)
    done.push(act)
  })
  expect(done).toEqual(Object.keys(LIMITS))
  await fs.close()
})

test('a scan goes over many pages of rows, in whatever order its filter enters directories', async () => {
  const fs = await openNodeSqliteFs(file)
  const dirs = Array.from({ length: 60 }, (_, index) => `d${index}`)
  const files = dirs.flatMap((name) => Array.from({ length: 60 }, (_, index) => `${name}/f${index}`))
  await commit(fs, ...dirs.map(makeDirectory), ...files.map((path) => write(fs, path, path)))
  const orders: readonly ScanOptions['filter'][] = [
    (_, children) => children,
    (_, children) => children.toReversed(),
    (_, children) => children.filter((entry) => !/^d[1-4]/.test(entry.path)).toReversed(),
  ]
  for (const [index, filter] of orders.entries()) {
    const paths = await scanPaths(fs, '', filter ? { filter } : {})
    const wanted = [...dirs, ...files].filter((path) => index < 2 || !/^d[1-4]/.test(path))
    expect(paths.toSorted()).toEqual(wanted.toSorted())
  }
  await fs.close()
})

test('traits tell the file, its durability, and that others may have it open', async () => {
  const inFile = await openNodeSqliteFs(file)
  expect(inFile.traits).toMatchObject({
    adapter: 'sqlite',
    durability: 'power',
    shared: true,
    atomic: true,
    confinement: 'virtual',
    root: '',
  })
  await inFile.close()
  const faster = await openNodeSqliteFs(file, { durability: 'process' })
  expect(faster.traits.durability).toBe('process')
  await faster.close()
  const inMemory = await openNodeSqliteFs(':memory:')
  expect(inMemory.traits).toMatchObject({ durability: 'memory', shared: false })
  await inMemory.close()
})

test.each([
  ['power', 2],
  ['process', 1],
] as const)('durability %s is what SQLite is told, also after staging', async (durability, synchronous) => {
  const sql = openNodeSql(file, { durability })
  const fs = await createSqliteFs({ sql })
  await fs.stage(noise(2 * CHUNK_BYTES))
  expect(sql.exec('PRAGMA synchronous')).toEqual([[synchronous]])
  expect(sql.exec('PRAGMA journal_mode')).toEqual([['wal']])
  await fs.close()
})

describe('databases that are not ours to open', () => {
  test('a newer schema is unsupported, and left alone', async () => {
    await (await openNodeSqliteFs(file)).close()
    raw('UPDATE fw_schema SET version = 2')
    await expect(openNodeSqliteFs(file)).rejects.toMatchObject({ code: 'unsupported', message: expect.stringContaining('schema 2') })
    expect(raw('SELECT version FROM fw_schema')).toEqual([2])
  })

  test('what is no database is corrupt', async () => {
    writeFileSync(file, 'no database at all, only some text that is long enough to be looked at as one '.repeat(20))
    await expect(openNodeSqliteFs(file)).rejects.toMatchObject({ code: 'corrupt' })
  })

  test('a folder that is missing is permission_denied, without its name', async () => {
    const opening = openNodeSqliteFs(join(dir, 'missing', 'workspace.db'))
    await expect(opening).rejects.toMatchObject({ code: 'permission_denied', message: expect.not.stringContaining(dir) })
  })

  test('a database that another process holds is timeout', async () => {
    const fs = await openNodeSqliteFs(file, { busyMs: 20 })
    const other = openNodeSql(file)
    other.exec('BEGIN IMMEDIATE')
    await expect(commit(fs, write(fs, 'f', 'x'))).rejects.toMatchObject({ code: 'timeout' })
    other.exec('ROLLBACK')
    other.close()
    await commit(fs, write(fs, 'f', 'x'))
    await fs.close()
  })
})

describe('damage', () => {
  test('content that does not match its hash is corrupt, however it is read', async () => {
    const fs = await openNodeSqliteFs(file)
    await commit(fs, write(fs, 'bad', 'some text'), write(fs, 'good', 'other text'))
    const { hash } = hashOf(fs, 'some text')
    raw('UPDATE fw_content SET bytes = ? WHERE hash = ?', new TextEncoder().encode('some tExt'), hash)
    await expect(fs.open(at('bad'))).rejects.toMatchObject({ code: 'corrupt' })
    await expect(fs.object(hash)).rejects.toMatchObject({ code: 'corrupt' })
    const problems: unknown[] = []
    await fs.readEach([at('bad'), at('good')], { maxBytes: 100 }, (_, bytes, problem) => void problems.push(problem?.code ?? bytes?.length))
    expect(problems).toEqual(['corrupt', 10])
    await fs.close()
  })

  test('one bad chunk of a large file is corrupt; the others are read', async () => {
    const fs = await openNodeSqliteFs(file)
    const bytes = noise(3 * CHUNK_BYTES)
    await fs.commit([{ kind: 'write', path: at('big'), content: await fs.stage(bytes), expect: 'absent' }], draft())
    raw(
      'UPDATE fw_content SET bytes = zeroblob(length(bytes)) WHERE hash = ?',
      fs.hasher.hash(bytes.subarray(CHUNK_BYTES, 2 * CHUNK_BYTES)),
    )
    const reader = await fs.open(at('big'))
    const block = new Uint8Array(100)
    expect(await reader.read(2 * CHUNK_BYTES, block)).toBe(100)
    expect(() => reader.read(CHUNK_BYTES, block)).toThrow(expect.objectContaining({ code: 'corrupt' }))
    await fs.close()
  })

  test('an entry whose content is gone is corrupt, not empty', async () => {
    const fs = await openNodeSqliteFs(file)
    await commit(fs, write(fs, 'f', 'some text'))
    raw('DELETE FROM fw_content')
    await expect(fs.open(at('f'))).rejects.toMatchObject({ code: 'corrupt' })
    await fs.close()
  })
})

describe('content that nothing uses', () => {
  const contents = () => raw('SELECT count(*) FROM fw_content')[0]

  test('what was staged and not used is swept after a day, also its chunks', async () => {
    let time = 1e12
    const now = () => time
    const fs = await openNodeSqliteFs(file, { now })
    const used = noise(2 * CHUNK_BYTES + 1)
    await fs.stage(noise(3 * CHUNK_BYTES + 5))
    const content = await fs.stage(used)
    await fs.commit([{ kind: 'write', path: at('f'), content, expect: 'absent' }], draft())
    await fs.stage(used)
    // Two chunks are in both.
    expect(contents()).toBe(2 + 2 + 1 + 2)
    time += DAY_MS + 1
    await fs.stage(new Uint8Array())
    expect(contents()).toBe(1 + 3 + 1)
    expect(await readBytes(fs, 'f')).toEqual(used)
    await fs.close()
    await (await openNodeSqliteFs(file, { now: () => time + DAY_MS + 1 })).close()
    expect(contents()).toBe(1 + 3)
  })

  test('a chunk that was staged by itself too goes with the content that it is in', async () => {
    const fs = await openNodeSqliteFs(file)
    const bytes = noise(3 * CHUNK_BYTES)
    await fs.stage(bytes)
    for (const index of [0, 1, 2]) await fs.stage(bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES))
    expect(contents()).toBe(4)
    await fs.close()
    const nextDay = Date.now() + DAY_MS + 1
    await (await openNodeSqliteFs(file, { now: () => nextDay })).close()
    await (await openNodeSqliteFs(file, { now: () => nextDay + DAY_MS })).close()
    expect(contents()).toBe(0)
  })

  test('a body that fails leaves chunks that are swept too', async () => {
    const fs = await openNodeSqliteFs(file)
    const failing = async function* () {
      yield noise(2 * CHUNK_BYTES)
      throw new Error('the sender is gone')
    }
    await expect(fs.stage(failing())).rejects.toThrow('the sender is gone')
    await fs.close()
    expect(contents()).toBe(1)
    await (await openNodeSqliteFs(file, { now: () => Date.now() + DAY_MS + 1 })).close()
    expect(contents()).toBe(0)
  })

  test('what is destroyed without a before-image is gone at once, unless it is used elsewhere', async () => {
    const fs = await openNodeSqliteFs(file)
    const big = await fs.stage(noise(2 * CHUNK_BYTES + 1))
    const writeBig = (path: string) => ({ kind: 'write', path: at(path), content: big, expect: 'absent' }) as const
    await fs.commit([writeBig('a'), writeBig('b')], draft())
    await fs.commit([{ ...remove('a', { hash: big.hash }), keep: false }], draft())
    expect(contents()).toBe(4)
    expect((await readBytes(fs, 'b')).length).toBe(big.size)
    await fs.commit([{ ...remove('b', { hash: big.hash }), keep: false }], draft())
    expect(contents()).toBe(0)
    await fs.close()
  })

  test('an open reader keeps what it reads until it is closed', async () => {
    const fs = await openNodeSqliteFs(file)
    const bytes = noise(2 * CHUNK_BYTES + 1)
    const content = await fs.stage(bytes)
    await fs.commit([{ kind: 'write', path: at('f'), content, expect: 'absent' }], draft())
    const reader = await fs.open(at('f'))
    await fs.commit([{ ...remove('f', { hash: content.hash }), keep: false }], draft())
    expect(await bytesOf(reader)).toEqual(bytes)
    await fs.close()
    await (await openNodeSqliteFs(file, { now: () => Date.now() + DAY_MS + 1 })).close()
    expect(contents()).toBe(0)
  })

  test('content inside a change may be longer than a chunk', async () => {
    const fs = await openNodeSqliteFs(file)
    const bytes = noise(CHUNK_BYTES + 10)
    await commit(fs, write(fs, 'f', bytes), write(fs, 'g', bytes), write(fs, 'h', 'text'))
    expect(await readBytes(fs, 'f')).toEqual(bytes)
    expect(await readBytes(fs, 'g')).toEqual(bytes)
    expect(await readText(fs, 'h')).toBe('text')
    expect(contents()).toBe(4)
    await fs.close()
  })
})
