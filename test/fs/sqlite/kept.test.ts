/** What history holds in a database, and what is left when it gives something up. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import { CHUNK_BYTES } from '../../../src/fs/sqlite/contents.ts'
import { keptContents } from '../../../src/fs/sqlite/kept.ts'
import { openNodeSql, openNodeSqliteFs } from '../../../src/fs/sqlite/node_sqlite.ts'
import { createSqliteFs } from '../../../src/fs/sqlite.ts'
import { at, bytesOf, commit, copy, hashOf, keptContents as keptOf, pattern, plant, remove, write } from '../../../src/testing/setup.ts'

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'filewright-'))
  file = join(dir, 'workspace.db')
})
afterEach(() => rmSync(dir, { recursive: true }))

/** How many rows of content there are, counted as another program would. */
function rowsOfContent(): number {
  const sql = openNodeSql(file)
  try {
    return sql.exec('SELECT count(*) FROM fw_content')[0]?.[0] as number
  } finally {
    sql.close()
  }
}

async function writeBig(fs: FileSystem, path: string, bytes: Uint8Array): Promise<{ readonly hash: ReturnType<typeof hashOf>['hash'] }> {
  const { hash, size } = await fs.stage(bytes)
  await commit(fs, { kind: 'write', path: at(path), content: { hash, size }, expect: 'absent' })
  return { hash }
}

test('pages of any length tell the same', async () => {
  const sql = openNodeSql(file)
  const fs = await createSqliteFs({ sql })
  const names = Array.from({ length: 10 }, (_, index) => `f${index}`)
  await commit(fs, ...names.map((name) => write(fs, name, name)))
  await commit(fs, ...names.filter((name) => name !== 'f4').map((name) => remove(name, hashOf(fs, name))))
  const expected = names.filter((name) => name !== 'f4').map((name) => hashOf(fs, name).hash)
  for (const length of [1, 2, 3, 8, 9, 10]) {
    const pages: string[][] = []
    for await (const page of keptContents(sql, () => undefined, length)) pages.push(page.map(({ hash }) => hash))
    expect(pages.flat(), `pages of ${length}`).toEqual(expected)
    expect(Math.max(...pages.map((page) => page.length))).toBe(Math.min(length, 9))
  }
  await fs.close()
})

test('a chunk that is a content of its own is told when history holds it, and goes when nothing does', async () => {
  const fs = await openNodeSqliteFs(file)
  const bytes = pattern(3 * CHUNK_BYTES + 5, 1)
  const first = bytes.slice(0, CHUNK_BYTES)
  const { hash } = await writeBig(fs, 'big', bytes)
  const { hash: part } = await writeBig(fs, 'part', first)
  await commit(fs, copy('big', 'twin', { hash }))
  expect(await keptOf(fs)).toEqual([])
  await commit(fs, remove('big', { hash }), remove('part', { hash: part }))
  expect((await keptOf(fs)).map((kept) => kept.hash).sort()).toEqual([hash, part].sort())
  // The twin holds all chunks.
  expect(await fs.forget([hash, part])).toBe(0)
  expect(await keptOf(fs)).toEqual([])
  expect(await bytesOf(await fs.open(at('twin')))).toEqual(bytes)
  await commit(fs, remove('twin', { hash }))
  expect(await fs.forget([hash])).toBe(bytes.length)
  await fs.close()
  expect(rowsOfContent()).toBe(0)
})

test('giving up one of two contents frees what only that one had', async () => {
  const fs = await openNodeSqliteFs(file)
  const one = pattern(3 * CHUNK_BYTES, 2)
  const two = one.slice()
  two[3 * CHUNK_BYTES - 1] = ~(two[3 * CHUNK_BYTES - 1] as number)
  const [a, b] = [await writeBig(fs, 'a', one), await writeBig(fs, 'b', two)]
  await commit(fs, remove('a', a), remove('b', b))
  expect(await fs.forget([b.hash])).toBe(CHUNK_BYTES)
  expect(await bytesOf(await fs.object(a.hash))).toEqual(one)
  expect(await fs.forget([a.hash])).toBe(3 * CHUNK_BYTES)
  await fs.close()
  expect(rowsOfContent()).toBe(0)
})

test('a copy is limited as a write is', async () => {
  const fs = await openNodeSqliteFs(file)
  await plant(fs, { f: 'twelve bytes' })
  await fs.close()
  const limited = await openNodeSqliteFs(file, { limits: { fileBytes: 11 } })
  await expect(commit(limited, copy('f', 'g', hashOf(limited, 'twelve bytes')))).rejects.toMatchObject({ code: 'too_large' })
  await limited.close()
})
