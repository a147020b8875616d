/** A repository in a browser: in memory, with the engines that a page has. */
import { expect, test } from 'vitest'
import { createBrowserGitPlatform } from '../../src/git/browser_platform.ts'
import { createMemoryGitFiles } from '../../src/git/memory_files.ts'
import { newObject } from '../../src/git/objects.ts'
import { initGitDirectory, openGitDirectory } from '../../src/git/open.ts'
import { registerFiles } from './files_suite.ts'

registerFiles({ name: 'memory in a browser', run: (body) => body(createMemoryGitFiles()) })

test('objects, loose and packed, and references', async () => {
  const platform = await createBrowserGitPlatform()
  const files = createMemoryGitFiles()
  const { objects, refs } = await initGitDirectory(files, { platform })
  const many = Array.from({ length: 100 }, (_, at) => newObject(objects, 'blob', new TextEncoder().encode(`blob ${at}`)))
  await objects.write(many.slice(0, 5))
  await objects.write(many)
  const large = await objects.writeBlob(new Uint8Array(5_000_000))
  expect(await refs.update({ name: 'refs/filewright/x', from: null, to: large.oid })).toBe(true)
  const again = await openGitDirectory(files, { platform })
  expect(await again.refs.read('refs/filewright/x')).toBe(large.oid)
  for (const { oid, bytes } of many) expect((await again.objects.readAs(oid, 'blob')).length).toBe(bytes.length)
  expect((await again.objects.header(large.oid)).size).toBe(5_000_000)
})
