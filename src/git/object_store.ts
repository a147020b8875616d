/** One directory of objects, a repository's own or an alternate: its packs and its loose objects. */
import type { Oid } from '../core/repository.ts'
import type { ByteCache } from './byte_cache.ts'
import type { GitFile, GitFiles } from './files.ts'
import { loosePath, readLoose, streamLoose } from './loose.ts'
import type { ObjectStream } from './objects.ts'
import { OID_BYTES, oidBytes } from './oid.ts'
import { checkPack, createPack, type ObjectLimits, type Pack, type PackedObject, type SizedObject, tooLarge } from './pack.ts'
import type { PackBytes, PackWindows } from './pack_bytes.ts'
import { openPackIndex, type PackIndex } from './pack_index.ts'
import type { GitPlatform } from './platform.ts'
import { run, type Steps, settled } from './steps.ts'

/** Where an object is: in a pack, or in a file of its own. */
export type Place =
  | { readonly store: ObjectStore; readonly pack: StoredPack; readonly offset: number; readonly crc: number | null }
  | { readonly store: ObjectStore; readonly pack: null; readonly path: string }

/** A pack of a store. */
export interface StoredPack {
  /** As in `objects/pack/NAME.pack`. */
  readonly name: string
  readonly path: string
  /** In the order in which packs came. */
  readonly number: number
  /** What `open` gave before, while it is open. */
  readonly opened: Pack | null
  /** Opens what is not open. Null when the file is gone, as after `git gc`. */
  open(): Steps<Pack | null>
  /** Keeps the file open until it is let go, also when the pack is not among the store's any more. */
  hold(): void
  release(): void
}

/** A directory of objects. What is gone meanwhile is null. */
export interface ObjectStore {
  /** Where an object is, as far as that is known without waiting: in a pack whose index is open. */
  known(oid: Oid): Place | null
  /** Where an object is; null when it was not here at the last look. */
  find(oid: Oid): Steps<Place | null>
  /** Only type and size when the object is larger than `maxBytes`. */
  read(place: Place, maxBytes: number): Steps<SizedObject | null>
  stream(place: Place): Promise<ObjectStream | null>
  /** Throws `corrupt` where an index is damaged, so that it may not tell what is here. */
  check(): void
  /** Looks for packs that came or went; answers whether there were any. */
  refresh(): Steps<boolean>
  /** Adds the names that begin with some hex digits, until there are `limit`. */
  withPrefix(prefix: string, limit: number, found: Set<Oid>): Steps<void>
  close(): Steps<void>
}

/** What a store is made of. */
export interface StoreParts {
  readonly files: GitFiles
  /** The directory within `files`, with its slash; empty for all of it. */
  readonly dir: string
  readonly platform: GitPlatform
  readonly limits: ObjectLimits
  readonly objects: ByteCache<PackedObject>
  readonly windows: PackWindows
}

/** A pack as far as it was opened. */
interface KnownPack extends StoredPack {
  /** What `index` gave before. */
  readonly known: PackIndex | undefined
  index(): Steps<PackIndex | null>
  /** Closes the file once nobody holds it. */
  retire(): Steps<void>
  /** Closes the file whoever holds it. */
  close(): Steps<void>
}

export function createObjectStore(parts: StoreParts): ObjectStore {
  const { files, dir, platform, limits } = parts
  const packDir = `${dir}pack`
  /** By name; the one that was found in last comes first. */
  let packs: KnownPack[] = []
  /** Of the directory of packs, when it was listed; undefined before. */
  let lastStamp: string | null | undefined
  let lastNumber = 0
  const key = new Uint8Array(OID_BYTES)

  function* refresh(): Steps<boolean> {
    const stamp = yield* settled(files.stamp(packDir))
    if (stamp !== null && stamp === lastStamp) return false
    lastStamp = stamp
    const names = new Set<string>()
    const all = new Set(yield* settled(files.list(packDir)))
    for (const name of all) if (name.endsWith('.idx') && all.has(`${name.slice(0, -4)}.pack`)) names.add(name.slice(0, -4))
    const gone = packs.filter(({ name }) => !names.has(name))
    const known = new Set(packs.map(({ name }) => name))
    const added = [...names].filter((name) => !known.has(name)).map((name) => createKnownPack(name, parts, ++lastNumber))
    packs = [...added, ...packs.filter(({ name }) => names.has(name))]
    for (const pack of gone) yield* pack.retire()
    return added.length > 0 || gone.length > 0
  }

  function known(oid: Oid): Place | null {
    oidBytes(oid, key)
    for (let i = 0; i < packs.length; i++) {
      const pack = packs[i] as KnownPack
      const position = pack.known ? pack.known.find(key) : -1
      if (!pack.known || position < 0) continue
      // The next one is likely to be in the same.
      if (i > 0) packs = [pack, ...packs.filter((other) => other !== pack)]
      return { store, pack, offset: pack.known.offset(position), crc: pack.known.crc(position) }
    }
    return null
  }

  function* find(oid: Oid): Steps<Place | null> {
    if (lastStamp === undefined) yield* refresh()
    let packed = known(oid)
    for (const pack of packs) {
      if (packed) break
      if (!pack.known && (yield* pack.index())) packed = known(oid)
    }
    if (packed) return packed
    const path = loosePath(oid, dir)
    return (yield* settled(files.stamp(path))) === null ? null : { store, pack: null, path }
  }

  const store: ObjectStore = {
    known,
    find,
    check() {
      for (const pack of packs) pack.known?.check()
    },
    refresh,
    *read(place, maxBytes) {
      if (place.pack) {
        const stored = place.pack
        const pack = stored.opened ?? (yield* stored.open())
        if (!pack) return null
        stored.hold()
        try {
          return yield* pack.read(place.offset, place.crc, maxBytes)
        } finally {
          stored.release()
        }
      }
      const file = yield* settled(files.open(place.path))
      return file && (yield* readLoose(file, platform.zlib, maxBytes))
    },
    async stream(place) {
      if (!place.pack) {
        const file = await files.open(place.path)
        return file && streamLoose(file, platform.zlib)
      }
      const stored = place.pack
      const pack = await run(stored.open())
      if (!pack) return null
      stored.hold()
      let isHeld = false
      try {
        const stream = await pack.stream(place.offset)
        if (stream) {
          isHeld = true
          return { ...stream, chunks: letGoAfter(stored, stream.chunks) }
        }
        const { type, size, bytes } = await run(pack.read(place.offset, place.crc, limits.maxObjectBytes))
        if (!bytes) throw tooLarge(size)
        return { type, size, chunks: whole(bytes) }
      } finally {
        if (!isHeld) stored.release()
      }
    },
    *withPrefix(prefix, limit, found) {
      if (lastStamp === undefined) yield* refresh()
      const first = oidBytes(prefix.padEnd(OID_BYTES * 2, '0') as Oid)
      for (const pack of packs) {
        const index = yield* pack.index()
        if (!index) continue
        for (let at = index.lowerBound(first); at < index.count && found.size < limit; at++) {
          const oid = index.oid(at)
          if (!oid.startsWith(prefix)) break
          found.add(oid)
        }
      }
      const start = prefix.slice(0, 2)
      for (const name of yield* settled(files.list(dir + start))) {
        const oid = start + name
        if (found.size < limit && oid.startsWith(prefix) && /^[0-9a-f]{40}$/.test(oid)) found.add(oid as Oid)
      }
    },
    *close() {
      for (const pack of packs) yield* pack.close()
      packs = []
      lastStamp = undefined
    },
  }
  return store
}

/** A pack that is opened when it is needed: its index with the first search, its file with the first object. */
function createKnownPack(name: string, { files, dir, platform, limits, objects, windows }: StoreParts, number: number): KnownPack {
  const path = `${dir}pack/${name}.pack`
  const cache = objects.part()
  let index: PackIndex | undefined
  let opened: { readonly file: GitFile; readonly bytes: PackBytes; readonly pack: Pack } | null = null
  let [holders, isRetired] = [0, false]

  const current = (): Pack | null => opened?.pack ?? null

  function* indexSteps(): Steps<PackIndex | null> {
    if (index === undefined) {
      const bytes = yield* settled(files.read(`${dir}pack/${name}.idx`))
      if (bytes) index ??= openPackIndex(bytes, `${name}.idx`, platform.sha1)
    }
    return index ?? null
  }

  function* closeFile(): Steps<void> {
    const closing = opened
    opened = null
    cache.clear()
    if (!closing) return
    closing.bytes.clear()
    yield* settled(closing.file.close())
  }

  return {
    name,
    path,
    number,
    get known() {
      return index
    },
    get opened() {
      return current()
    },
    index: indexSteps,
    *open() {
      if (opened) return opened.pack
      const known = yield* indexSteps()
      const file = known && (yield* settled(files.open(path)))
      if (!known || !file) return null
      try {
        yield* checkPack(file, known)
      } catch (error) {
        yield* settled(file.close())
        throw error
      }
      // Another read may have opened it while this one waited.
      const first = current()
      if (first) {
        yield* settled(file.close())
        return first
      }
      const bytes = windows.reader(file, OID_BYTES)
      opened = { file, bytes, pack: createPack({ index: known, bytes, zlib: platform.zlib, cache, limits }) }
      return opened.pack
    },
    hold() {
      holders++
    },
    release() {
      if (--holders === 0 && isRetired) void run(closeFile())
    },
    *retire() {
      isRetired = true
      if (holders === 0) yield* closeFile()
    },
    close: closeFile,
  }
}

async function* letGoAfter(pack: StoredPack, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } finally {
    pack.release()
  }
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes
}
