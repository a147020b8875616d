/** What the memfs adapter holds beside the volume: before-images, the changes of long records, and staged bytes. */
import type { KeptContent } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'

/** Staged content that no commit used is swept after this time. */
const STAGED_MS = 60 * 60 * 1000

/** Contents by hash. Files of the volume are not among them. */
export interface Contents {
  /** Bytes that history holds, or that are staged. */
  get(hash: Hash): Uint8Array | undefined
  stage(hash: Hash, bytes: Uint8Array, now: number): void
  /** Something asked for it by name, so it no longer waits for that. */
  unstage(hash: Hash): void
  isKept(hash: Hash): boolean
  /** History holds these bytes from now on. */
  keep(hash: Hash, bytes: Uint8Array): void
  /** What history holds. */
  kept(): KeptContent[]
  /** History gives up a content; answers how many bytes were freed. */
  forget(hash: Hash): number
  clear(): void
}

export function createContents(): Contents {
  const history = new Map<Hash, Uint8Array>()
  const staged = new Map<Hash, { readonly bytes: Uint8Array; readonly time: number }>()
  return {
    get: (hash) => history.get(hash) ?? staged.get(hash)?.bytes,
    stage(hash, bytes, now) {
      for (const [old, { time }] of staged) {
        if (now - time < STAGED_MS) break
        staged.delete(old)
      }
      // Anew, so that the oldest stay first.
      staged.delete(hash)
      staged.set(hash, { bytes: history.get(hash) ?? bytes, time: now })
    },
    unstage: (hash) => void staged.delete(hash),
    isKept: (hash) => history.has(hash),
    keep: (hash, bytes) => void history.set(hash, bytes),
    kept: () => [...history].map(([hash, { length }]) => ({ hash, size: length })),
    forget(hash) {
      const bytes = history.get(hash)
      history.delete(hash)
      return bytes && !staged.has(hash) ? bytes.length : 0
    },
    clear() {
      history.clear()
      staged.clear()
    },
  }
}
