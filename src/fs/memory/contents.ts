/** What the memory adapter holds by hash: contents of files, before-images, staged bytes and long records. */
import type { Content } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'

/** Staged content that no commit used is swept after this time. */
const STAGED_MS = 60 * 60 * 1000

/** Contents by hash. */
export interface Contents {
  /** Bytes that are held or staged. */
  get(hash: Hash): Uint8Array | undefined
  stage(hash: Hash, bytes: Uint8Array, now: number): void
  /** What one commit brings and gives up; nothing counts before `apply`. */
  begin(): ContentsEdit
}

/** The part of a commit that concerns contents. */
export interface ContentsEdit {
  /** The bytes of a content, its own or held ones, with one more user. Throws `invalid_argument` or `not_found`. */
  use(content: Content): Uint8Array
  /** Holds bytes for good. */
  keep(hash: Hash, bytes: Uint8Array): void
  /** One user less. A destroyed file that is kept for undo stays a user. */
  release(hash: Hash): void
  apply(): void
}

export function createContents(): Contents {
  const held = new Map<Hash, { readonly bytes: Uint8Array; users: number }>()
  const staged = new Map<Hash, { readonly bytes: Uint8Array; readonly time: number }>()
  const get = (hash: Hash) => held.get(hash)?.bytes ?? staged.get(hash)?.bytes
  return {
    get,
    stage(hash, bytes, now) {
      for (const [old, { time }] of staged) {
        if (now - time < STAGED_MS) break
        staged.delete(old)
      }
      const known = get(hash)
      staged.delete(hash)
      staged.set(hash, { bytes: known ?? bytes, time: now })
    },
    begin() {
      const fresh = new Map<Hash, { readonly bytes: Uint8Array; users: number }>()
      const entry = (hash: Hash, bytes: () => Uint8Array) => {
        let found = fresh.get(hash)
        if (!found) {
          found = { bytes: get(hash) ?? bytes(), users: 0 }
          fresh.set(hash, found)
        }
        return found
      }
      return {
        use(content) {
          const found = entry(content.hash, () => copyOf(content))
          if (found.bytes.length !== content.size) {
            throw new FilewrightError(
              'invalid_argument',
              `The content ${content.hash} has ${found.bytes.length} bytes, not ${content.size}.`,
            )
          }
          found.users++
          return found.bytes
        },
        keep(hash, bytes) {
          entry(hash, () => bytes).users++
        },
        release(hash) {
          entry(hash, () => new Uint8Array()).users--
        },
        apply() {
          for (const [hash, { bytes, users }] of fresh) {
            const total = (held.get(hash)?.users ?? 0) + users
            if (total > 0) held.set(hash, { bytes, users: total })
            else held.delete(hash)
            staged.delete(hash)
          }
        },
      }
    },
  }
}

/** The caller's bytes, copied: what the caller does to its array later is its own affair. */
function copyOf({ hash, size, bytes }: Content): Uint8Array {
  if (!bytes) throw new FilewrightError('not_found', `The content ${hash} is not stored here; stage it again.`)
  if (bytes.length !== size) {
    throw new FilewrightError('invalid_argument', `The content ${hash} has ${bytes.length} bytes, not ${size}.`)
  }
  return new Uint8Array(bytes)
}
