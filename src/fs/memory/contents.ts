/** What the memory adapter holds by hash: contents of files, before-images, staged bytes and long records. */
import type { Content } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { KeptContent } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'

/** Staged content that no commit used is swept after this time. */
const STAGED_MS = 60 * 60 * 1000

/** Contents by hash. */
export interface Contents {
  /** Bytes that are held or staged. */
  get(hash: Hash): Uint8Array | undefined
  stage(hash: Hash, bytes: Uint8Array, now: number): void
  /** What history holds. */
  kept(): KeptContent[]
  /** History gives up a content; answers how many bytes were freed. */
  forget(hash: Hash): number
  /** What one commit brings and gives up; nothing counts before `apply`. */
  begin(): ContentsEdit
  clear(): void
}

/** The part of a commit that concerns contents. */
export interface ContentsEdit {
  /** The bytes of a content, its own or held ones, with one more file. Throws `invalid_argument` or `not_found`. */
  use(content: Content): Uint8Array
  /** History holds a content from now on. Throws as `use`. */
  keep(content: Content): void
  /** One file less; history takes the content over when it is kept for undo. */
  release(hash: Hash, kept: boolean): void
  apply(): void
}

interface Held {
  readonly bytes: Uint8Array
  /** How many files hold it. */
  readonly files: number
  readonly history: boolean
}

interface Edited {
  readonly bytes: Uint8Array
  files: number
  history: boolean
  /** Something asked for it by name, so it no longer waits for that. */
  used: boolean
}

export function createContents(): Contents {
  const held = new Map<Hash, Held>()
  const staged = new Map<Hash, { readonly bytes: Uint8Array; readonly time: number }>()
  const get = (hash: Hash) => held.get(hash)?.bytes ?? staged.get(hash)?.bytes
  const put = (hash: Hash, bytes: Uint8Array, files: number, history: boolean): void => {
    if (files > 0 || history) held.set(hash, { bytes, files, history })
    else held.delete(hash)
  }
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
    kept: () => [...held].filter(([, { history }]) => history).map(([hash, { bytes }]) => ({ hash, size: bytes.length })),
    forget(hash) {
      const found = held.get(hash)
      if (!found?.history) return 0
      put(hash, found.bytes, found.files, false)
      return get(hash) ? 0 : found.bytes.length
    },
    begin() {
      const edited = new Map<Hash, Edited>()
      const edit = (hash: Hash, bytes: () => Uint8Array): Edited => {
        let found = edited.get(hash)
        if (!found) {
          found = { bytes: get(hash) ?? bytes(), files: 0, history: false, used: false }
          edited.set(hash, found)
        }
        return found
      }
      const named = (content: Content): Edited => {
        const found = edit(content.hash, () => copyOf(content))
        if (found.bytes.length !== content.size) {
          throw new FilewrightError('invalid_argument', `The content ${content.hash} has ${found.bytes.length} bytes, not ${content.size}.`)
        }
        found.used = true
        return found
      }
      return {
        use(content) {
          const found = named(content)
          found.files++
          return found.bytes
        },
        keep(content) {
          named(content).history = true
        },
        release(hash, kept) {
          const found = edit(hash, () => new Uint8Array())
          found.files--
          found.history ||= kept
        },
        apply() {
          for (const [hash, { bytes, files, history, used }] of edited) {
            const before = held.get(hash)
            put(hash, bytes, (before?.files ?? 0) + files, (before?.history ?? false) || history)
            if (used) staged.delete(hash)
          }
        },
      }
    },
    clear() {
      held.clear()
      staged.clear()
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
