/** The object database of a repository: what every other part of the git layer reads and writes through. */
import type { MaybePromise } from '../core/file_system.ts'
import type { Oid } from '../core/repository.ts'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

/** An object whole. Its bytes are shared with a cache: nobody may change them. */
export interface GitObject {
  readonly type: ObjectType
  readonly bytes: Uint8Array
}

/** What an object's header tells. */
export interface ObjectHeader {
  readonly type: ObjectType
  readonly size: number
}

/** An object that is read part by part. */
export interface ObjectStream extends ObjectHeader {
  readonly chunks: AsyncIterable<Uint8Array>
}

/** An object to be written. */
export interface NewObject extends GitObject {
  readonly oid: Oid
}

/** How far something has come; `total` is null while unknown. */
export type GitProgress = (phase: string, done: number, total: number | null) => void

/** Options of {@link ObjectDatabase.addPack}. */
export interface AddPackOptions {
  /** It came from a server that holds what it lacks (a partial clone). */
  readonly promisor?: boolean
  /** Largest pack, bytes; `too_large` beyond. */
  readonly maxBytes?: number
  readonly onProgress?: GitProgress
  readonly signal?: AbortSignal
}

/** What fetches objects that are not here, where a server promised them. */
export type Promisor = (missing: readonly Oid[]) => Promise<void>

/**
 * All objects of a repository: loose ones, packs, alternates, and those that a promisor still holds. Every read checks what it found.
 * A missing object is `not_found` with `details` `{oid}`, a damaged one `corrupt`.
 */
export interface ObjectDatabase {
  read(oid: Oid): MaybePromise<GitObject>
  /** As `read`, where another type is `corrupt`. */
  readAs(oid: Oid, type: ObjectType): MaybePromise<Uint8Array>
  header(oid: Oid): MaybePromise<ObjectHeader>
  /** Whether it is here; nothing is fetched. */
  has(oid: Oid): MaybePromise<boolean>
  /** As `has`; and no collection of garbage that runs beside us removes it. */
  keep(oid: Oid): Promise<boolean>
  /** For blobs that may be large: memory stays flat where the object is not stored as a delta. */
  stream(oid: Oid): Promise<ObjectStream>
  /** Reads many, in the order that is cheapest; stops when `visit` returns false. `bytes` is null for what is larger than `maxBytes`. */
  readEach(
    oids: readonly Oid[],
    maxBytes: number,
    visit: (
      oid: Oid,
      object: { readonly type: ObjectType; readonly size: number; readonly bytes: Uint8Array | null },
    ) => boolean | undefined,
  ): Promise<void>
  /** Fetches what is not here, in batches, where there is a promisor; else does nothing. */
  prefetch(oids: readonly Oid[]): Promise<void>
  /** Sets what fetches missing objects. */
  promise(promisor: Promisor | null): void
  /** Objects whose names begin with these hex digits (4 to 40), at most `limit`. */
  withPrefix(prefix: string, limit: number): Promise<readonly Oid[]>

  /** The name that an object has. */
  name(type: ObjectType, bytes: Uint8Array): Oid
  /** Stores objects durably: a few as loose ones, many as one pack. What is here already is not written again. */
  write(objects: readonly NewObject[]): Promise<void>
  /** Stores one blob of any size, whose name is not known. */
  writeBlob(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ readonly oid: Oid; readonly size: number }>
  /**
   * Takes in a pack as a server sends it: every object is checked, bases that a thin pack leaves out are added, and the index is
   * written last. Answers how many objects it held. Throws `corrupt` for a pack that is cut or damaged; then nothing is kept.
   */
  addPack(body: AsyncIterable<Uint8Array>, options?: AddPackOptions): Promise<number>
  /** Looks for packs that came since, as after `git gc`. Reads do so by themselves before they say that an object is missing. */
  refresh(): MaybePromise<void>
}

/** An object from its parts, with its name. */
export function newObject(objects: Pick<ObjectDatabase, 'name'>, type: ObjectType, bytes: Uint8Array): NewObject {
  return { oid: objects.name(type, bytes), type, bytes }
}
