/** A pack: objects read by their offsets, whole or as deltas of others. */
import { FilewrightError } from '../core/errors.ts'
import type { CachePart } from './byte_cache.ts'
import { applyDelta, deltaSizes } from './delta.ts'
import type { GitFile } from './files.ts'
import { countInHead, MOST_ENTRY_HEAD_BYTES, OFS_DELTA, REF_DELTA, readEntryHead, typeOfKind } from './incoming/pack_format.ts'
import type { GitObject, ObjectHeader, ObjectType } from './objects.ts'
import { OID_BYTES } from './oid.ts'
import type { PackBytes } from './pack_bytes.ts'
import { type PackIndex, sameBytes } from './pack_index.ts'
import type { Zlib } from './platform.ts'
import { run, type Steps, settled } from './steps.ts'

/** What reading is held to. */
export interface ObjectLimits {
  /** Largest object that is read whole, bytes. */
  readonly maxObjectBytes: number
  /** Longest chain of deltas. */
  readonly maxDeltaDepth: number
}

/** An object, or its type and size alone. */
export interface SizedObject extends ObjectHeader {
  readonly bytes: Uint8Array | null
  /** Its bytes are what the index, which vouches for its name, has the checksum of. Else its name must be checked. */
  readonly isProved: boolean
}

/** An object whole, as a pack holds it. */
export type PackedObject = GitObject & SizedObject

/** An open pack. All it reads is `corrupt` when it is not as it should be; the names of objects are not checked here. */
export interface Pack {
  /** Only type and size when the object is larger than `maxBytes`. `crc` is what the index says, where it does. */
  read(offset: number, crc: number | null, maxBytes: number): Steps<SizedObject>
  /** The object part by part, where it is stored whole; null where it is a delta. */
  stream(offset: number): Promise<(ObjectHeader & { readonly chunks: AsyncIterable<Uint8Array> }) | null>
}

/** What a pack is made of. */
export interface PackParts {
  readonly index: PackIndex
  readonly bytes: PackBytes
  readonly zlib: Zlib
  /** Objects by offset. */
  readonly cache: CachePart<PackedObject>
  readonly limits: ObjectLimits
}

/** The head of one object. */
interface Head {
  readonly kind: number
  /** Bytes of what is deflated: the object, or the delta. */
  readonly size: number
  /** Where the head and that begin. */
  readonly offset: number
  readonly data: number
  /** Where the base is; {@link NO_BASE} for an object stored whole. */
  readonly base: number
}

const FILE_HEAD = 12
/** No base: the object is stored whole. */
const NO_BASE = -1
/** A larger object is kept only once it is the base of another: most are not. */
const KEPT_AS_READ = 64 * 1024
/** No deflated byte stands for more. */
const MOST_INFLATED = 1032

/** Throws `corrupt` unless a file begins as a pack, and ends with the checksum that its index names. */
export function* checkPack(file: GitFile, index: PackIndex): Steps<void> {
  const head = yield* settled(file.read(0, FILE_HEAD))
  const end = yield* settled(file.read(Math.max(0, file.size - OID_BYTES), OID_BYTES))
  if (countInHead(head) !== index.count || !sameBytes(end, index.packChecksum)) {
    throw new FilewrightError('corrupt', 'A pack is cut, or not the one of its index.')
  }
}

/** A pack whose file is open. */
export function createPack({ index, bytes, zlib, cache, limits }: PackParts): Pack {
  function parseHead(view: Uint8Array, offset: number): Head {
    const { kind, size, length, distance } = readEntryHead(view, 0)
    const data = offset + length
    if (kind === OFS_DELTA) return { kind, size, offset, data, base: offset - distance }
    if (kind !== REF_DELTA) return { kind, size, offset, data, base: NO_BASE }
    const position = index.find(view.subarray(length - OID_BYTES, length))
    if (position < 0) throw damaged()
    return { kind, size, offset, data, base: index.offset(position) }
  }

  function* headAt(offset: number): Steps<Head> {
    if (offset < FILE_HEAD || offset >= bytes.end) throw damaged()
    return parseHead(bytes.near(offset, MOST_ENTRY_HEAD_BYTES) ?? (yield* bytes.at(offset, MOST_ENTRY_HEAD_BYTES)), offset)
  }

  /** Inflates what stands behind a head. Throws unless both have the checksum `crc`, where there is one. */
  function* inflate({ size, offset, data }: Head, crc: number | null = null): Steps<Uint8Array> {
    if (size > limits.maxObjectBytes) throw tooLarge(size)
    if (size > (bytes.end - data) * MOST_INFLATED) throw damaged()
    const head = data - offset
    // As much as the worst compression comes to; a stranger one is found by a second try.
    const bound = head + size + Math.floor(size / 512) + 64
    const view = bytes.near(offset, bound) ?? (yield* bytes.at(offset, bound))
    try {
      return inflateChecked(view, head, size, crc)
    } catch (error) {
      if (view.length >= bytes.end - offset) throw error
      return inflateChecked(yield* bytes.at(offset, bound * 2 + 1024), head, size, crc)
    }
  }

  function inflateChecked(view: Uint8Array, head: number, size: number, crc: number | null): Uint8Array {
    const inflated = zlib.inflate(view.subarray(head), size)
    if (crc !== null && zlib.crc32(view.subarray(0, head + inflated.used)) !== crc) throw damaged()
    return inflated.bytes
  }

  function keep(offset: number, type: ObjectType, content: Uint8Array, isProved: boolean): PackedObject {
    const object = { type, size: content.length, bytes: content, isProved }
    cache.set(offset, object, content.length)
    return object
  }

  return {
    *read(offset, crc, maxBytes) {
      const known = cache.get(offset)
      if (known) return sized(known, maxBytes)
      const outer = yield* headAt(offset)
      if (outer.base === NO_BASE) {
        const type = typeOfKind(outer.kind)
        if (outer.size > maxBytes) return { type, size: outer.size, bytes: null, isProved: false }
        const content = yield* inflate(outer, crc)
        if (content.length <= KEPT_AS_READ) return keep(offset, type, content, crc !== null)
        return { type, size: content.length, bytes: content, isProved: crc !== null }
      }
      const outermost = yield* inflate(outer)
      // The size of what a delta makes stands in the delta, its type only with the last base.
      const { result: size } = deltaSizes(outermost)
      const chain: [offset: number, head: Head][] = []
      let base: PackedObject | undefined
      let type: ObjectType | undefined
      for (let at = outer.base; type === undefined; ) {
        base = cache.get(at)
        type = base?.type
        if (base) break
        const head = yield* headAt(at)
        if (chain.push([at, head]) >= limits.maxDeltaDepth) throw damaged()
        if (head.base === NO_BASE) type = typeOfKind(head.kind)
        at = head.base
      }
      if (size > maxBytes) return { type: type as ObjectType, size, bytes: null, isProved: false }
      for (let link = chain.pop(); link; link = chain.pop()) {
        const content: Uint8Array = yield* inflate(link[1])
        base = keep(link[0], type as ObjectType, base ? applyDelta(base.bytes, content, limits.maxObjectBytes) : content, false)
      }
      return keep(offset, type as ObjectType, applyDelta((base as PackedObject).bytes, outermost, limits.maxObjectBytes), false)
    },
    async stream(offset) {
      const head = await run(headAt(offset))
      if (head.base !== NO_BASE) return null
      return { type: typeOfKind(head.kind), size: head.size, chunks: zlib.inflateStream(bytes.from(head.data)) }
    },
  }
}

function sized(object: PackedObject, maxBytes: number): SizedObject {
  return object.size > maxBytes ? { ...object, bytes: null } : object
}

/** What reading a large object whole throws. */
export function tooLarge(size: number): FilewrightError {
  return new FilewrightError('too_large', `An object of ${size} bytes is too large to be read whole.`)
}

function damaged(): FilewrightError {
  return new FilewrightError('corrupt', 'A pack is damaged.')
}
