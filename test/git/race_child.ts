/** One of several processes that move the same reference: `DIR NAME COUNT` adds so many commits to it, each on top of the last. */
import type { Oid } from '../../src/core/repository.ts'
import { openNodeGitDirectory } from '../../src/fs/git/node_directory.ts'
import { newObject } from '../../src/git/objects.ts'

const [, , dir, name, count] = process.argv as unknown as [string, string, string, string, string]
const { objects, refs } = await openNodeGitDirectory(dir, { durability: 'process', lockWaitMs: 20_000 })
const ref = 'refs/heads/shared'
const tree = newObject(objects, 'tree', new Uint8Array(0))
await objects.write([tree])
for (let done = 0, tried = 0; done < Number(count); tried++) {
  const parent = (await refs.read(ref)) as Oid
  const who = `${name} <${name}@example.com> 1767319446 +0000`
  const text = `tree ${tree.oid}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\n${name} ${done} ${tried}\n`
  const commit = newObject(objects, 'commit', new TextEncoder().encode(text))
  await objects.write([commit])
  if (await refs.update({ name: ref, from: parent, to: commit.oid, message: 'race' })) done++
}
