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
}

/** An open pack. All it reads is `corrupt` when it is not as it should be; the names of objects are not checked here. */
export interface Pack {
  /** Only type and size when the object is larger than `maxBytes`. */
  read(offset: number, maxBytes: number): Steps<SizedObject>
  /** The object part by part, where it is stored whole; null where it is a delta. */
  stream(offset: number): Promise<(ObjectHeader & { readonly chunks: AsyncIterable<Uint8Array> }) | null>
}

/** What a pack is made of. */
export interface PackParts {
  readonly index: PackIndex
  readonly bytes: PackBytes
  readonly zlib: Zlib
  /** Objects by offset. */
  readonly cache: CachePart<GitObject>
  readonly limits: ObjectLimits
}

/** The head of one object. */
interface Head {
  readonly kind: number
  /** Bytes of what is deflated: the object, or the delta. */
  readonly size: number
  /** Where that begins. */
  readonly data: number
  /** Where the base is; {@link NO_BASE} for an object stored whole. */
  readonly base: number
}

const FILE_HEAD = 12
/** No base: the object is stored whole. */
const NO_BASE = -1
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
    if (kind === OFS_DELTA) return { kind, size, data, base: offset - distance }
    if (kind !== REF_DELTA) return { kind, size, data, base: NO_BASE }
    const position = index.find(view.subarray(length - OID_BYTES, length))
    if (position < 0) throw damaged()
    return { kind, size, data, base: index.offset(position) }
  }

  function* headAt(offset: number): Steps<Head> {
    if (offset < FILE_HEAD || offset >= bytes.end) throw damaged()
    return parseHead(bytes.near(offset, MOST_ENTRY_HEAD_BYTES) ?? (yield* bytes.at(offset, MOST_ENTRY_HEAD_BYTES)), offset)
  }

  function* inflate({ data, size }: Head): Steps<Uint8Array> {
    if (size > limits.maxObjectBytes) throw tooLarge(size)
    if (size > (bytes.end - data) * MOST_INFLATED) throw damaged()
    const bound = mostDeflated(size)
    const view = bytes.near(data, bound) ?? (yield* bytes.at(data, bound))
    try {
      return zlib.inflate(view, size).bytes
    } catch (error) {
      // Compressed in a strange way, or damaged.
      if (view.length >= bytes.end - data) throw error
      return zlib.inflate(yield* bytes.at(data, bound * 2 + 1024), size).bytes
    }
  }

  function keep(offset: number, type: ObjectType, content: Uint8Array): GitObject & SizedObject {
    const object = { type, size: content.length, bytes: content }
    cache.set(offset, object, content.length)
    return object
  }

  return {
    *read(offset, maxBytes) {
      const known = cache.get(offset)
      if (known) return sized(known, maxBytes)
      const outer = yield* headAt(offset)
      if (outer.base === NO_BASE) {
        const type = typeOfKind(outer.kind)
        return outer.size > maxBytes ? { type, size: outer.size, bytes: null } : keep(offset, type, yield* inflate(outer))
      }
      const outermost = yield* inflate(outer)
      // The size of what a delta makes stands in the delta, its type only with the last base.
      const { result: size } = deltaSizes(outermost)
      const chain: [offset: number, head: Head][] = []
      let base: GitObject | undefined
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
      if (size > maxBytes) return { type: type as ObjectType, size, bytes: null }
      for (let link = chain.pop(); link; link = chain.pop()) {
        const content: Uint8Array = yield* inflate(link[1])
        base = keep(link[0], type as ObjectType, base ? applyDelta(base.bytes, content, limits.maxObjectBytes) : content)
      }
      return keep(offset, type as ObjectType, applyDelta((base as GitObject).bytes, outermost, limits.maxObjectBytes))
    },
    async stream(offset) {
      const head = await run(headAt(offset))
      if (head.base !== NO_BASE) return null
      return { type: typeOfKind(head.kind), size: head.size, chunks: zlib.inflateStream(bytes.from(head.data)) }
    },
  }
}

/** As much as the worst compression of so many bytes comes to. */
function mostDeflated(size: number): number {
  return size + (size >> 9) + 64
}

function sized({ type, bytes }: GitObject, maxBytes: number): SizedObject {
  return { type, size: bytes.length, bytes: bytes.length > maxBytes ? null : bytes }
}

/** What reading a large object whole throws. */
export function tooLarge(size: number): FilewrightError {
  return new FilewrightError('too_large', `An object of ${size} bytes is too large to be read whole.`)
}

function damaged(): FilewrightError {
  return new FilewrightError('corrupt', 'A pack is damaged.')
}
