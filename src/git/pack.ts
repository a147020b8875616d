/** A pack: objects read by their offsets, whole or as deltas of others. */
import { FilewrightError } from '../core/errors.ts'
import type { CachePart } from './byte_cache.ts'
import { applyDelta, deltaSizes } from './delta.ts'
import type { GitFile } from './files.ts'
import { countInHead, MOST_ENTRY_HEAD_BYTES, OFS_DELTA, REF_DELTA, readEntryHead, typeOfKind } from './incoming/pack_format.ts'
import type { GitObject, ObjectHeader } from './objects.ts'
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
  /** What `read` gives, where that takes no waiting and no delta; else null. */
  near(offset: number, maxBytes: number): SizedObject | null
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
  function* headAt(offset: number): Steps<Head> {
    if (offset < FILE_HEAD || offset >= bytes.end) throw damaged()
    const view = bytes.near(offset, MOST_ENTRY_HEAD_BYTES) ?? (yield* bytes.at(offset, MOST_ENTRY_HEAD_BYTES))
    const { kind, size, length, distance } = readEntryHead(view, 0)
    const data = offset + length
    if (kind === OFS_DELTA) return { kind, size, data, base: offset - distance }
    if (kind !== REF_DELTA) return { kind, size, data, base: NO_BASE }
    const position = index.find(view.subarray(length - OID_BYTES, length))
    if (position < 0) throw damaged()
    return { kind, size, data, base: index.offset(position) }
  }

  function* inflate({ data, size }: Head): Steps<Uint8Array> {
    if (size > limits.maxObjectBytes) throw tooLarge(size)
    if (size > (bytes.end - data) * MOST_INFLATED) throw damaged()
    const bound = mostDeflated(size)
    const view = bytes.near(data, bound) ?? (yield* bytes.at(data, bound))
    if (view.length >= bytes.end - data) return zlib.inflate(view, size).bytes
    try {
      return zlib.inflate(view, size).bytes
    } catch {
      // Compressed in a strange way, or damaged.
      return zlib.inflate(yield* bytes.at(data, bound * 2 + 1024), size).bytes
    }
  }

  /** The offsets and heads of an object's deltas, outermost first, down to what is whole (the last of them) or known. */
  function* chainAt(offset: number): Steps<{ readonly deltas: readonly [number, Head][]; readonly whole: Head | GitObject }> {
    const deltas: [number, Head][] = []
    for (let at = offset; ; ) {
      const known = cache.get(at)
      if (known) return { deltas, whole: known }
      const head = yield* headAt(at)
      deltas.push([at, head])
      if (head.base === NO_BASE) return { deltas, whole: head }
      if (deltas.length > limits.maxDeltaDepth) throw damaged()
      at = head.base
    }
  }

  return {
    near(offset, maxBytes) {
      const known = cache.get(offset)
      if (known) return sized(known, maxBytes)
      const view = offset < FILE_HEAD ? null : bytes.near(offset, MOST_ENTRY_HEAD_BYTES)
      if (!view) return null
      const { kind, size, length } = readEntryHead(view, 0)
      if (kind === OFS_DELTA || kind === REF_DELTA) return null
      const type = typeOfKind(kind)
      if (size > maxBytes) return { type, size, bytes: null }
      const packed = size > limits.maxObjectBytes ? null : bytes.near(offset + length, mostDeflated(size))
      if (!packed) return null
      const inflated = zlib.inflate(packed, size).bytes
      cache.set(offset, { type, bytes: inflated }, size)
      return { type, size, bytes: inflated }
    },
    *read(offset, maxBytes) {
      const { deltas, whole } = yield* chainAt(offset)
      const type = 'bytes' in whole ? whole.type : typeOfKind(whole.kind)
      const outer = deltas[0]
      if (!outer) return sized(whole as GitObject, maxBytes)
      // The size of what a delta makes stands in the delta.
      const outermost: Uint8Array | null = outer[1].base === NO_BASE ? null : yield* inflate(outer[1])
      const size = outermost ? deltaSizes(outermost).result : outer[1].size
      if (size > maxBytes) return { type, size, bytes: null }
      let bytes: Uint8Array | null = 'bytes' in whole ? whole.bytes : null
      for (let i = deltas.length - 1; i >= 0; i--) {
        const [at, head] = deltas[i] as [number, Head]
        const inflated: Uint8Array = i === 0 && outermost ? outermost : yield* inflate(head)
        bytes = bytes ? applyDelta(bytes, inflated, limits.maxObjectBytes) : inflated
        cache.set(at, { type, bytes }, bytes.length)
      }
      return { type, size, bytes }
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
