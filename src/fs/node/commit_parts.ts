/** What the parts of a commit share. */
import type { Hash, Hasher } from '../../core/hash.ts'
import type { Cursor, Root } from './handles.ts'
import type { HashCache } from './hash_cache.ts'
import type { Lock } from './lock.ts'
import type { Source } from './staging.ts'
import type { Store } from './store.ts'

/** What commits need. */
export interface CommitParts {
  readonly root: Root
  readonly hasher: Hasher
  readonly hashes: HashCache
  readonly durable: boolean
  readonly fileBytes: number
  readonly umask: number
  /** The device of the root. */
  readonly device: number
  readonly lock: Lock
  newId(): string
  /** The open store; null when there is none yet. */
  store(): Store | null
  /** The open store, made if need be. */
  makeStore(): Store
  /** Held content. */
  source(hash: Hash, cursor: Cursor): Source | null
  /** The name in the store of content that this storage staged; null when it did not. */
  stagedName(hash: Hash): string | null
  /** Told when a commit used staged content up. */
  taken(hash: Hash): void
}
