/** Notes in a database file: old files get them, and several may swap. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openNodeSql, openNodeSqliteFs } from '../../../src/fs/sqlite/node_sqlite.ts'
import { verifyChain } from '../../../src/testing/history.ts'
import { plant } from '../../../src/testing/setup.ts'

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'filewright-'))
  file = join(dir, 'workspace.db')
})
afterEach(() => rmSync(dir, { recursive: true }))

test('a database from before there were notes gets them, and keeps what it has', async () => {
  const fs = await openNodeSqliteFs(file)
  await plant(fs, { f: 'text' })
  await fs.close()
  const sql = openNodeSql(file)
  sql.exec('DROP TABLE fw_note')
  sql.close()
  const again = await openNodeSqliteFs(file)
  expect(await again.notes.swap('group/name', null, 'value')).toBe(true)
  expect(await again.notes.list('')).toEqual([{ key: 'group/name', value: 'value' }])
  expect(await verifyChain(again)).toBe(1)
  await again.close()
})

test('of two who have the file open, one swaps', async () => {
  const both = [await openNodeSqliteFs(file), await openNodeSqliteFs(file)] as const
  for (let round = 0; round < 20; round++) {
    const from = round === 0 ? null : `${round}`
    const done = await Promise.all(both.map((fs) => fs.notes.swap('group/name', from, `${round + 1}`)))
    expect(done.filter(Boolean)).toHaveLength(1)
  }
  for (const fs of both) expect(await fs.notes.list('')).toEqual([{ key: 'group/name', value: '20' }])
  for (const fs of both) await fs.close()
})
