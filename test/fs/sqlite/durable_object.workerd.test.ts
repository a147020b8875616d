/** The sqlite adapter inside a real Durable Object. Between closing and opening, the object is evicted. */
import { describe, expect, it, test } from 'vitest'
import { openDurableObjectFs } from '../../../src/fs/sqlite/durable_object.ts'
import { registerConformance } from '../../../src/testing/conformance.ts'
import { commit, hashOf, readText, write } from '../../../src/testing/setup.ts'
import { doActs, isWrite, LIMITS } from './cost.ts'
import { newObject } from './durable_object.workerd.ts'

registerConformance({ name: 'sqlite', persistent: true, create: () => newObject() }, { describe, it }, { runs: 30 })

test('a small change writes few rows in few statements, as they are billed', async () => {
  const done: string[] = []
  await newObject().run(async (storage) => {
    const cursors: { rowsWritten: number }[] = []
    const exec = (query: string, ...values: unknown[]) => {
      const cursor = storage.sql.exec(query, ...values)
      if (isWrite(query)) cursors.push(cursor)
      return cursor
    }
    const fs = await openDurableObjectFs({
      sql: { exec },
      transactionSync: (action) => storage.transactionSync(action),
      sync: () => storage.sync(),
    })
    await doActs(fs, async (act, action) => {
      cursors.length = 0
      await action()
      const limit = LIMITS[act] as (typeof LIMITS)[string]
      expect(cursors.length, act).toBeLessThanOrEqual(limit.statements)
      expect(
        cursors.reduce((rows, cursor) => rows + cursor.rowsWritten, 0),
        act,
      ).toBeLessThanOrEqual(limit.rows)
      done.push(act)
    })
  })
  expect(done).toEqual(Object.keys(LIMITS))
})

test('an eviction that nobody announced loses nothing that was committed', async () => {
  const place = newObject()
  const fs = await place.open()
  await commit(fs, write(fs, 'f', 'one'))
  await commit(fs, write(fs, 'f', 'two', hashOf(fs, 'one')))
  await place.evict()
  const again = await place.open()
  expect(await readText(again, 'f')).toBe('two')
  expect((await again.records()).map(({ sequence }) => sequence)).toEqual([2, 1])
  await again.close()
})

test('traits tell what a Durable Object gives', async () => {
  const fs = await newObject().open()
  expect(fs.traits).toMatchObject({ adapter: 'sqlite', durability: 'power', shared: false, atomic: true })
  expect(fs.traits.limits.textBytes).toBe(16 * 1024 * 1024)
  await fs.close()
})

test('tables of others are left alone', async () => {
  const place = newObject()
  await place.run((storage) => {
    storage.sql.exec('CREATE TABLE approvals (id TEXT)')
    storage.sql.exec(`INSERT INTO approvals VALUES ('one')`)
  })
  const fs = await place.open()
  await commit(fs, write(fs, 'f', 'text'))
  await fs.close()
  expect(await place.run((storage) => [...storage.sql.exec('SELECT id FROM approvals').raw()])).toEqual([['one']])
})
