/** A process dies at any statement on its database: the repository in it is whole, and what nobody needs is swept away. */
import { afterEach, expect, it } from 'vitest'
import type { Oid } from '../../src/core/repository.ts'
import type { Sql } from '../../src/core/sql.ts'
import { createSqliteGitFiles } from '../../src/fs/git/sqlite_files.ts'
import { openNodeSql } from '../../src/fs/sqlite/node_sqlite.ts'
import { type NewObject, newObject } from '../../src/git/objects.ts'
import { initGitDirectory, openGitDirectory } from '../../src/git/open.ts'
import { copyOut } from './copied.ts'
import { fsck, git, tempDir } from './real_git.ts'

const undo: (() => void)[] = []
afterEach(() => {
  for (const action of undo.splice(0)) action()
})

/** A database that does no more after so many statements. */
function dying(sql: Sql, after: number): { readonly sql: Sql; count(): number } {
  let count = 0
  const alive = (): void => {
    if (++count > after) throw new Error('The process is dead.')
  }
  return {
    count: () => count,
    sql: {
      ...sql,
      exec(query, ...values) {
        alive()
        return sql.exec(query, ...values)
      },
    },
  }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Writes a commit of a small and a large file on top of another, and moves the branch. */
async function commit(sql: Sql, parent: Oid | null, name: string): Promise<void> {
  const { objects, refs } = await openGitDirectory(createSqliteGitFiles(sql))
  const large = new Uint8Array(700_000)
  for (let at = 0; at < large.length; at++) large[at] = (at * at * 31 + (at >> 3)) & 255
  const blobs = [newObject(objects, 'blob', bytes(name)), newObject(objects, 'blob', Uint8Array.from([...bytes(name), ...large]))]
  const entries = blobs.map(({ oid }, at) => Buffer.concat([bytes(`100644 f${at}\0`), Buffer.from(oid, 'hex')]))
  const tree = newObject(objects, 'tree', Buffer.concat(entries))
  const who = 'Ada <ada@example.com> 1767319446 +0000'
  const text = `tree ${tree.oid}\n${parent ? `parent ${parent}\n` : ''}author ${who}\ncommitter ${who}\n\n${name}\n`
  const made: NewObject = newObject(objects, 'commit', bytes(text))
  await objects.write([...blobs, tree, made])
  await refs.update({ name: 'refs/heads/main', from: parent, to: made.oid })
}

it('a commit that dies anywhere is there or not there', { timeout: 120_000 }, async () => {
  for (let after = 0, isDone = false; !isDone; after += process.env.FILEWRIGHT_LONG ? 1 : 3) {
    const sql = openNodeSql(':memory:')
    const first = await initGitDirectory(createSqliteGitFiles(sql))
    await commit(sql, null, 'one')
    const old = (await first.refs.read('refs/heads/main')) as Oid
    const dead = dying(sql, after)
    isDone = await commit(dead.sql, old, 'two').then(
      () => true,
      () => false,
    )
    const files = createSqliteGitFiles(sql)
    const { refs } = await openGitDirectory(files)
    const tip = (await refs.read('refs/heads/main')) as Oid
    if (tip === old) await commit(sql, old, 'two')
    const { dir, remove } = tempDir()
    undo.push(remove)
    await copyOut(files, dir)
    if (after % 9 === 0 || isDone) fsck(dir)
    expect(git(dir, 'log', '--format=%s', 'main')).toBe('two\none')
    // Nothing is left of what was never finished.
    const orphans = sql.exec('SELECT DISTINCT content FROM fw_git_chunk WHERE content NOT IN (SELECT content FROM fw_git_file)')
    expect([after, orphans.length]).toEqual([after, 0])
    sql.close()
    if (isDone) expect(after).toBeGreaterThan(20)
  }
})
