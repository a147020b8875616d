/** A pack for a server: whole objects, one after another, without deltas. */
import type { Oid } from '../../core/repository.ts'
import type { GitDirectory } from '../directory.ts'
import type { GitProgress, ObjectType } from '../objects.ts'
import { checkCanceled } from './body.ts'
import type { ObjectsByType } from './new_objects.ts'

/** Objects read at a time, and the largest that is held whole: what a batch holds at most is the product. */
const [BATCH, LARGEST] = [128, 256 * 1024]
const KINDS: readonly (readonly [ObjectType, number])[] = [
  ['commit', 1],
  ['tag', 4],
  ['tree', 2],
  ['blob', 3],
]

/** The bytes of a pack with these objects. Begins anew each time it is iterated. */
export function outgoingPack(
  git: GitDirectory,
  objects: ObjectsByType,
  { onProgress, signal }: { readonly onProgress?: GitProgress | undefined; readonly signal?: AbortSignal | undefined },
): AsyncIterable<Uint8Array> {
  const { zlib, sha1 } = git.platform
  const total = KINDS.reduce((sum, [type]) => sum + objects[type].size, 0)

  async function* parts(): AsyncGenerator<Uint8Array> {
    const head = new DataView(new ArrayBuffer(12))
    head.setUint32(0, 0x5041434b)
    head.setUint32(4, 2)
    head.setUint32(8, total)
    yield new Uint8Array(head.buffer)
    let done = 0
    for (const [type, code] of KINDS) {
      const all = [...objects[type]]
      for (let at = 0; at < all.length; at += BATCH) {
        checkCanceled(signal)
        const batch = all.slice(at, at + BATCH)
        const large: Oid[] = []
        const ready: Uint8Array[] = []
        await git.objects.readEach(batch, LARGEST, (oid, { size, bytes }) => {
          if (bytes) ready.push(entryHead(code, size), zlib.deflate(bytes))
          else large.push(oid)
          return true
        })
        yield* ready
        for (const oid of large) {
          const { size, chunks } = await git.objects.stream(oid)
          yield entryHead(code, size)
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

/** The type and size in front of an object: four bits, then seven at a time. */
function entryHead(code: number, size: number): Uint8Array {
  const bytes: number[] = []
  let byte = (code << 4) | (size & 15)
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80)
    byte = rest & 0x7f
  }
  bytes.push(byte)
  return Uint8Array.from(bytes)
}
