/** A pack for a server: whole objects, one after another, without deltas. */
import { concatBytes } from '../../core/bytes.ts'
import type { Oid } from '../../core/repository.ts'
import type { GitDirectory } from '../directory.ts'
import { entryHead, packHead } from '../incoming/pack_format.ts'
import type { GitProgress, ObjectType } from '../objects.ts'
import { checkCanceled } from './body.ts'
import type { ObjectsByType } from './new_objects.ts'

/** Objects read at a time, and the largest that is held whole: what a batch holds at most is the product. */
const [BATCH, LARGEST] = [128, 256 * 1024]
/** Commits first, as servers do: what reads a history reads them together. */
const TYPES: readonly ObjectType[] = ['commit', 'tag', 'tree', 'blob']

/** The bytes of a pack with these objects. Begins anew each time it is iterated. */
export function outgoingPack(
  git: GitDirectory,
  objects: ObjectsByType,
  { onProgress, signal }: { readonly onProgress?: GitProgress | undefined; readonly signal?: AbortSignal | undefined },
): AsyncIterable<Uint8Array> {
  const { zlib, sha1 } = git.platform
  const total = TYPES.reduce((sum, type) => sum + objects[type].size, 0)

  async function* parts(): AsyncGenerator<Uint8Array> {
    yield packHead(total)
    let done = 0
    for (const type of TYPES) {
      const all = [...objects[type]]
      for (let at = 0; at < all.length; at += BATCH) {
        checkCanceled(signal)
        const batch = all.slice(at, at + BATCH)
        const large: Oid[] = []
        const ready: Uint8Array[] = []
        await git.objects.readEach(batch, LARGEST, (oid, { size, bytes }) => {
          if (bytes) ready.push(entryHead(type, size), zlib.deflate(bytes))
          else large.push(oid)
          return true
        })
        if (ready.length > 0) yield concatBytes(ready)
        for (const oid of large) {
          const { size, chunks } = await git.objects.stream(oid)
          yield entryHead(type, size)
          yield* zlib.deflateStream(chunks)
        }
        done += batch.length
        onProgress?.('Writing objects', done, total)
      }
    }
  }

  return {
    async *[Symbol.asyncIterator]() {
      const hash = sha1.stream()
      for await (const part of parts()) {
        hash.update(part)
        yield part
      }
      yield hash.digest()
    },
  }
}
