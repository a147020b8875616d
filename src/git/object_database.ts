/** The object database: a repository's own objects, those it borrows, those a server promised, and the writing of new ones. */
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { Oid } from '../core/repository.ts'
import { findAlternates, type OpenAlternate } from './alternates.ts'
import { createByteCache } from './byte_cache.ts'
import type { GitFiles } from './files.ts'
import { nameHead } from './incoming/pack_format.ts'
import { createObjectStore, type ObjectStore, type Place } from './object_store.ts'
import { createObjectWriter } from './object_writer.ts'
import type { GitObject, ObjectDatabase, ObjectHeader, ObjectStream, ObjectType, Promisor } from './objects.ts'
import { oidAt } from './oid.ts'
import { type ObjectLimits, type PackedObject, type SizedObject, tooLarge } from './pack.ts'
import { createPackWindows } from './pack_bytes.ts'
import type { GitPlatform } from './platform.ts'
import { run, type Steps, settled } from './steps.ts'

/** Options of {@link createObjectDatabase}. */
export interface ObjectDatabaseOptions extends Partial<ObjectLimits> {
  /** Opens the directories that `objects/info/alternates` names; without it, a repository that has some is `unsupported`. */
  readonly openAlternate?: OpenAlternate
  /** Objects that are kept because others may be deltas of them, bytes; default 16 MiB. */
  readonly cacheBytes?: number
}

/** The objects, and what must be let go of in the end. */
export interface OwnedObjectDatabase extends ObjectDatabase {
  close(): Promise<void>
}

const MIB = 1024 * 1024
const DEFAULTS = { maxObjectBytes: 512 * MIB, maxDeltaDepth: 10_000, cacheBytes: 16 * MIB }
/** So often a search begins anew while somebody else moves objects about. */
const MOST_ROUNDS = 10
/** No object is as small: only type and size are told. */
const HEADER_ONLY = -1

/** The objects of a git directory. What every other program does to it meanwhile, such as `git gc`, is noticed. */
export function createObjectDatabase(files: GitFiles, platform: GitPlatform, options: ObjectDatabaseOptions = {}): OwnedObjectDatabase {
  const { openAlternate, cacheBytes, ...limits } = { ...DEFAULTS, ...options }
  const shared = { platform, limits, objects: createByteCache<PackedObject>(cacheBytes), windows: createPackWindows() }
  const own = createObjectStore({ files, dir: 'objects/', ...shared })
  let stores: readonly ObjectStore[] | null = null
  let promisor: Promisor | null = null

  const nameOf = (type: ObjectType, bytes: Uint8Array): Oid => oidAt(platform.sha1.hash(nameHead(type, bytes.length), bytes))

  function* allStores(): Steps<readonly ObjectStore[]> {
    if (stores) return stores
    const alternates = yield* findAlternates(files, openAlternate)
    stores ??= [own, ...alternates.map((place) => createObjectStore({ ...place, ...shared }))]
    return stores
  }

  /** Where an object was at the last look. */
  function* find(oid: Oid): Steps<Place | null> {
    for (const store of stores ?? (yield* allStores())) {
      const place = store.known(oid) ?? (yield* store.find(oid))
      if (place) return place
    }
    return null
  }

  function* refresh(): Steps<boolean> {
    let isChanged = false
    for (const store of yield* allStores()) if (yield* store.refresh()) isChanged = true
    return isChanged
  }

  /**
   * Uses an object where it is. Others may pack it, unpack it or drop a pack at any moment, so that it is looked for again until it is
   * found, or was nowhere while no pack came or went. Null when it is not here.
   */
  function* locate<T>(oid: Oid, use: (place: Place) => Steps<T | null>): Steps<T | null> {
    try {
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const place = yield* find(oid)
        const used = place && (yield* use(place))
        if (used !== null) return used
        if (!(yield* refresh()) && !place) break
      }
      for (const store of yield* allStores()) store.check()
      return null
    } catch (error) {
      throw naming(oid, error)
    }
  }

  /** As {@link locate}, where a promisor is asked once for what is not here. Throws `not_found`; faults name the object. */
  function* demand<T>(oid: Oid, use: (place: Place) => Steps<T | null>): Steps<T> {
    let used = yield* locate(oid, use)
    if (used === null && promisor) {
      yield promisor([oid])
      used = yield* locate(oid, use)
    }
    if (used !== null) return used
    throw new FilewrightError('not_found', `The object ${oid} is not in this repository.`, { details: { oid } })
  }

  function* readSized(oid: Oid, maxBytes: number): Steps<SizedObject> {
    return yield* demand(oid, (place) => readPlace(oid, place, maxBytes))
  }

  /** Null when it is not there any more. */
  function* readPlace(oid: Oid, place: Place, maxBytes: number): Steps<SizedObject | null> {
    try {
      const object = yield* place.store.read(place, maxBytes)
      if (object?.bytes && !object.isProved && nameOf(object.type, object.bytes) !== oid) throw damaged(oid)
      return object
    } catch (error) {
      throw naming(oid, error)
    }
  }

  function* readWhole(oid: Oid): Steps<GitObject> {
    const { type, size, bytes } = yield* readSized(oid, limits.maxObjectBytes)
    if (!bytes) throw naming(oid, tooLarge(size))
    return { type, bytes }
  }

  function* missingOf(oids: readonly Oid[]): Steps<Oid[]> {
    const missing: Oid[] = []
    for (const oid of new Set(oids)) if (!(yield* isHere(oid))) missing.push(oid)
    return missing
  }

  function* isHere(oid: Oid): Steps<boolean> {
    return (yield* locate(oid, settled)) !== null
  }

  /** Reads what is here in the order of the packs; answers what is not here, or null when `visit` wants no more. */
  function* readHere(oids: readonly Oid[], maxBytes: number, visit: Visit): Steps<Oid[] | null> {
    const found: { readonly oid: Oid; readonly place: Place }[] = []
    const missing: Oid[] = []
    for (const oid of oids) {
      const place = yield* find(oid)
      if (place) found.push({ oid, place })
      else missing.push(oid)
    }
    found.sort((a, b) => inOrder(a.place, b.place))
    for (const { oid, place } of found) {
      const object = (yield* readPlace(oid, place, maxBytes)) ?? (yield* readSized(oid, maxBytes))
      if (visit(oid, object) === false) return null
    }
    return missing
  }

  function* readAs(oid: Oid, type: ObjectType): Steps<Uint8Array> {
    const object = yield* readWhole(oid)
    if (object.type === type) return object.bytes
    throw new FilewrightError('corrupt', `The object ${oid} is a ${object.type}, not a ${type}.`, { details: { oid } })
  }

  function* header(oid: Oid): Steps<ObjectHeader> {
    const { type, size } = yield* demand(oid, (place) => place.store.read(place, HEADER_ONLY))
    return { type, size }
  }

  /**
   * The file that holds an object; a null path where it is another repository's. Packs that came since the last look are not looked
   * for: most objects that are written are new, and one that is written twice does no harm.
   */
  function* fileOf(oid: Oid): Steps<{ readonly path: string | null } | null> {
    const place = yield* find(oid)
    return place && { path: place.store === own ? (place.pack ?? place).path : null }
  }

  const writer = createObjectWriter({
    files,
    platform,
    find: (oid) => run(fileOf(oid)),
    read: (oid) => run(readWhole(oid)),
    added: async () => void (await run(own.refresh())),
  })

  return {
    ...writer,
    read: (oid) => run(readWhole(oid)),
    readAs: (oid, type) => run(readAs(oid, type)),
    header: (oid) => run(header(oid)),
    has: (oid) => run(isHere(oid)),
    async keep(oid) {
      const found = (await run(isHere(oid))) ? await run(fileOf(oid)) : null
      return found !== null && (found.path === null || files.touch(found.path))
    },
    async stream(oid) {
      const stream = await run(demand(oid, (place) => settled(place.store.stream(place))))
      return { ...stream, chunks: checkedChunks(oid, stream, platform) }
    },
    async readEach(oids, maxBytes, visit) {
      const missing = await run(readHere(oids, maxBytes, visit))
      if (!missing || missing.length === 0) return
      if (promisor) {
        const wanted = await run(missingOf(missing))
        if (wanted.length > 0) await promisor(wanted)
      }
      for (const oid of missing) if (visit(oid, await run(readSized(oid, maxBytes))) === false) return
    },
    async prefetch(oids) {
      if (!promisor) return
      const missing = await run(missingOf(oids))
      if (missing.length > 0) await promisor(missing)
    },
    promise(next) {
      promisor = next
    },
    async withPrefix(prefix, limit) {
      if (!/^[0-9a-f]{4,40}$/.test(prefix)) throw new FilewrightError('invalid_argument', 'A prefix is 4 to 40 hex digits, in lower case.')
      const found = new Set<Oid>()
      await run(refresh())
      for (const store of await run(allStores())) await run(store.withPrefix(prefix, limit, found))
      return [...found].sort()
    },
    name: nameOf,
    refresh: async () => void (await run(refresh())),
    async close() {
      for (const store of stores ?? [own]) await run(store.close())
    },
  }
}

type Visit = Parameters<ObjectDatabase['readEach']>[2]

/** Loose objects first, then pack by pack from its beginning on. */
function inOrder(a: Place, b: Place): number {
  if (!a.pack || !b.pack) return (a.pack ? 1 : 0) - (b.pack ? 1 : 0)
  return a.pack === b.pack ? a.offset - b.offset : a.pack.number - b.pack.number
}

/** The parts of an object; at the end it is `corrupt` when its name or size is another. */
async function* checkedChunks(oid: Oid, { type, size, chunks }: ObjectStream, { sha1 }: GitPlatform): AsyncGenerator<Uint8Array> {
  const hash = sha1.stream()
  hash.update(nameHead(type, size))
  try {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  } catch (error) {
    throw naming(oid, error)
  }
  if (oidAt(hash.digest()) !== oid) throw damaged(oid)
}

function damaged(oid: Oid): FilewrightError {
  return new FilewrightError('corrupt', `The object ${oid} is damaged.`, { details: { oid } })
}

/** A fault, told about the object that was to be read. */
function naming(oid: Oid, error: unknown): unknown {
  if (isFilewrightError(error) && error.details) return error
  if (isFilewrightError(error, 'corrupt'))
    return new FilewrightError('corrupt', `The object ${oid} is damaged: ${error.message}`, { details: { oid }, cause: error })
  if (isFilewrightError(error, 'too_large')) return new FilewrightError('too_large', error.message, { details: { oid }, cause: error })
  return error
}
