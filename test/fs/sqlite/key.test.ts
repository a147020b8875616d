/** Stored names: any text comes back, and the database's order is that of `compareText`. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareText, type Path } from '../../../src/core/path.ts'
import { directoryKey, endOf, fromStored, keyOf, toStored } from '../../../src/fs/sqlite/key.ts'
import { openNodeSql } from '../../../src/fs/sqlite/node_sqlite.ts'

/** Texts of characters that need care: bad bytes, the escape itself, both sides of the surrogates. */
const texts = fc.string({
  unit: fc.constantFrom('a', '/', '\u0001', 'é', '\u{d7ff}', '\u{e000}', '\u{ffff}', '\u{10000}', '\u{10ffff}', '\udc80', '\udcff'),
  maxLength: 6,
})

test('any text comes back', () => {
  fc.assert(
    fc.property(fc.oneof(texts, fc.string({ unit: 'binary' })), (text) => {
      expect(toStored(text).isWellFormed()).toBe(true)
      expect(fromStored(toStored(text))).toBe(text)
    }),
  )
  expect(fromStored(toStored('\ud800'))).toBe('\ud800')
})

test('the order of SQLite is the order of code points', () => {
  const sql = openNodeSql(':memory:')
  const inSql = (a: string, b: string) => sql.exec('SELECT (? > ?) - (? < ?)', ...[a, b, a, b].map(toStored))[0]?.[0]
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      expect(inSql(a, b)).toBe(Math.sign(compareText(a, b)))
    }),
  )
  sql.close()
})

test('the keys of a subtree are one range', () => {
  expect(keyOf('' as Path)).toEqual(['', ''])
  expect(keyOf('a' as Path)).toEqual(['', 'a'])
  expect(keyOf('a/b/c' as Path)).toEqual(['a/b/', 'c'])
  const within = (path: string, dir: string) => {
    const [key] = keyOf(path as Path)
    return key >= directoryKey(dir as Path) && key < endOf(directoryKey(dir as Path))
  }
  for (const path of ['d/x', 'd/x/y', 'd/\u{10ffff}', 'd/\udcff']) expect(within(path, 'd'), path).toBe(true)
  for (const path of ['d', 'd-/x', 'd.txt', 'd0/x', 'c/x', 'dd/x']) expect(within(path, 'd'), path).toBe(false)
  for (const path of ['a', 'z/\udcff/x', '\udcff/x']) expect(within(path, ''), path).toBe(true)
})
