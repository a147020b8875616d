/** Contents by their SHA-256: what was staged here, and what history keeps. */
import { FilewrightError } from '../../core/errors.ts'
import type { Hash, Hasher } from '../../core/hash.ts'
import type { Oid } from '../../core/repository.ts'
import type { ObjectDatabase } from '../../git/objects.ts'
import type { Kept } from './kept.ts'

/** A blob whose SHA-256 is known. */
export interface Held {
  readonly oid: Oid
  readonly size: number
}

/** What was staged by this process. A blob that nothing leads to is there until a collection of garbage removes it. */
export interface Staged {
  stage(body: Uint8Array | AsyncIterable<Uint8Array>, maxBytes: number): Promise<{ readonly hash: Hash; readonly size: number }>
  /** Undefined for what was not staged, or is gone. */
  get(hash: Hash): Promise<Held | undefined>
  /** A commit used it, or history took it over: it is no longer staged. */
  used(hash: Hash): void
}

export function createStaged(objects: ObjectDatabase, hasher: Hasher): Staged {
  const staged = new Map<Hash, Held>()
  return {
    async stage(body, maxBytes) {
      const stream = hasher.stream()
      const passed = body instanceof Uint8Array ? hashed([body]) : hashed(body)
      async function* hashed(parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
        let size = 0
        for await (const part of parts) {
          size += part.length
          if (size > maxBytes) {
            throw new FilewrightError('too_large', `The content is larger than the ${maxBytes} bytes of the largest file.`)
          }
          stream.update(part)
          yield part
        }
      }
      const held = await objects.writeBlob(passed)
      const hash = stream.digest()
      staged.set(hash, held)
      return { hash, size: held.size }
    },
    async get(hash) {
      const held = staged.get(hash)
      return held && (await objects.keep(held.oid)) ? held : undefined
    },
    used: (hash) => void staged.delete(hash),
  }
}

/** A content that history keeps. */
export async function findKept(objects: ObjectDatabase, kept: Kept, hash: Hash): Promise<Held | undefined> {
  const oid = await kept.get(hash)
  return oid === null ? undefined : { oid, size: (await objects.header(oid)).size }
}
