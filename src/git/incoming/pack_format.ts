/** The bytes of a pack: its head, and those that stand before each object. */
import { FilewrightError } from '../../core/errors.ts'
import type { ObjectType } from '../objects.ts'

/** What stands in a pack: an object whole, or as the difference from another, which is named by its place or by its name. */
export const OFS_DELTA = 6
export const REF_DELTA = 7

const TYPES: readonly (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob', 'tag']
const HEAD_BYTES = 12
/** Longest head of an object: the size in 10 bytes, and a base's name or distance. */
export const MOST_ENTRY_HEAD_BYTES = 32

/** The head of one object in a pack. */
export interface EntryHead {
  /** 1 to 4 for an object, {@link OFS_DELTA}, {@link REF_DELTA}. */
  readonly kind: number
  /** Inflated. */
  readonly size: number
  /** Bytes until the compressed data. */
  readonly length: number
  /** How far before this object its base is; 0 unless it says so. */
  readonly distance: number
}

export function corrupt(what: string, cause?: unknown): FilewrightError {
  return new FilewrightError('corrupt', `The pack is damaged: ${what}.`, { cause })
}

export function typeOfKind(kind: number): ObjectType {
  const type = TYPES[kind]
  if (!type) throw corrupt(`it holds an object of kind ${kind}`)
  return type
}

export function kindOfType(type: ObjectType): number {
  return TYPES.indexOf(type)
}

/** The first bytes of a pack with so many objects. */
export function packHead(count: number): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0x5041434b)
  view.setUint32(4, 2)
  view.setUint32(8, count)
  return bytes
}

/** How many objects a pack says it has. Throws `corrupt` for what is no pack, `unsupported` for another version. */
export function countInHead(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (bytes.length < HEAD_BYTES || view.getUint32(0) !== 0x5041434b) throw corrupt('it does not begin as a pack')
  const version = view.getUint32(4)
  if (version !== 2 && version !== 3) throw new FilewrightError('unsupported', `Packs of version ${version} are not known.`)
  return view.getUint32(8)
}

/** Reads the head of the object at `start`. Throws `corrupt`, also when it is cut. */
export function readEntryHead(bytes: Uint8Array, start: number): EntryHead {
  let at = start
  const next = (): number => {
    const byte = bytes[at++]
    if (byte === undefined || at - start > MOST_ENTRY_HEAD_BYTES) throw corrupt('it is cut in the head of an object')
    return byte
  }
  let byte = next()
  const kind = (byte >> 4) & 7
  let size = byte & 15
  for (let factor = 16; byte & 128; factor *= 128) {
    byte = next()
    size += (byte & 127) * factor
  }
  if (!Number.isSafeInteger(size)) throw corrupt('an object says that it is larger than anything')
  let distance = 0
  if (kind === OFS_DELTA) {
    byte = next()
    distance = byte & 127
    while (byte & 128) {
      byte = next()
      distance = (distance + 1) * 128 + (byte & 127)
    }
    if (distance === 0) throw corrupt('an object is based on itself')
  } else if (kind === REF_DELTA) {
    at += 20
    if (at > bytes.length) throw corrupt('it is cut in the head of an object')
  } else typeOfKind(kind)
  return { kind, size, length: at - start, distance }
}

/** The head of an object that is stored whole. */
export function entryHead(type: ObjectType, size: number): Uint8Array {
  const bytes: number[] = []
  let rest = Math.floor(size / 16)
  let byte = (kindOfType(type) << 4) | (size & 15)
  while (rest > 0) {
    bytes.push(byte | 128)
    byte = rest % 128
    rest = Math.floor(rest / 128)
  }
  bytes.push(byte)
  return Uint8Array.from(bytes)
}

/** What an object's name is made of, before its bytes. */
export function nameHead(type: ObjectType, size: number): Uint8Array {
  const text = `${type} ${size}`
  const bytes = new Uint8Array(text.length + 1)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}
