/** A git directory in the SQLite of a real Durable Object. */
import { expect, test } from 'vitest'
import { createSqliteGitFiles } from '../../src/fs/git/sqlite_files.ts'
import { durableObjectSql } from '../../src/fs/sqlite/durable_object.ts'
import { newObject as gitObject } from '../../src/git/objects.ts'
import { initGitDirectory, openGitDirectory } from '../../src/git/open.ts'
import { newObject } from '../fs/sqlite/durable_object.workerd.ts'
import { registerFiles } from './files_suite.ts'

registerFiles({
  name: 'a Durable Object',
  run: (body) =>
    newObject().run((storage) => {
      const open = () => createSqliteGitFiles(durableObjectSql(storage))
      return body(open(), open)
    }),
})

test('a repository outlives the object that wrote it', async () => {
  const place = newObject()
  const written = await place.run(async (storage) => {
    const { objects, refs } = await initGitDirectory(createSqliteGitFiles(durableObjectSql(storage)))
    const many = Array.from({ length: 100 }, (_, at) => gitObject(objects, 'blob', new TextEncoder().encode(`blob ${at}`)))
    await objects.write(many)
    const large = await objects.writeBlob(new Uint8Array(5_000_000))
    await refs.update({ name: 'refs/filewright/x', from: null, to: large.oid })
    return [large.oid, ...many.map(({ oid }) => oid)]
  })
  await place.evict()
  await place.run(async (storage) => {
    const { objects, refs } = await openGitDirectory(createSqliteGitFiles(durableObjectSql(storage)))
    expect(await refs.read('refs/filewright/x')).toBe(written[0])
    for (const oid of written) expect((await objects.read(oid)).type).toBe('blob')
  })
})
