/** A pack's index: where in the pack an object is, found in the file's own bytes. */
import { FilewrightError } from '../core/errors.ts'
import type { Oid } from '../core/repository.ts'
import { OID_BYTES, oidAt } from './oid.ts'
import type { Sha1 } from './platform.ts'

/** An open index. A position is an object's place in the order of names. */
export interface PackIndex {
  readonly count: number
  /** The position of a name of 20 bytes; -1 when it is not here. */
  find(oid: Uint8Array): number
  /** The first position whose name is not before these bytes. */
  lowerBound(prefix: Uint8Array): number
  oid(position: number): Oid
  /** Where the object begins in the pack. Throws `corrupt`. */
  offset(position: number): number
  /** CRC-32 of the object as it is in the pack; null in an old index, which has none, and while the index is not checked yet. */
  crc(position: number): number | null
  /** Checks the whole index against its own checksum, at the first time. Throws `corrupt`. */
  check(): void
  /** The checksum that the pack ends with. */
  readonly packChecksum: Uint8Array
}

const MAGIC = 0xff744f63
const FAN_OUT = 256 * 4
const CHECKSUMS = 2 * OID_BYTES
const LARGE = 0x80000000
/** So many objects are proved by their names, one by one, before a check of the whole index pays. */
const CHECKED_AFTER = 200

/** Opens an index of version 1 or 2. `name` is for messages. Throws `corrupt`, `unsupported`. */
export function openPackIndex(bytes: Uint8Array, name: string, sha1: Sha1): PackIndex {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const damaged = (): FilewrightError => new FilewrightError('corrupt', `The index ${name} is damaged.`)
  if (bytes.length < FAN_OUT + CHECKSUMS) throw damaged()
  const version = view.getUint32(0) === MAGIC ? view.getUint32(4) : 1
  if (version > 2) throw new FilewrightError('unsupported', `The index ${name} is of version ${version}, which is not known.`)
  const fanOut = version === 1 ? 0 : 8
  if (bytes.length < fanOut + FAN_OUT + CHECKSUMS) throw damaged()
  const count = view.getUint32(fanOut + FAN_OUT - 4)
  const table = fanOut + FAN_OUT
  // Version 1 has records of an offset and a name; version 2 has tables of names, checksums, offsets, and offsets that are large.
  const [stride, names] = version === 1 ? [24, table + 4] : [OID_BYTES, table]
  const crcs = names + count * OID_BYTES
  const offsets = version === 1 ? table : crcs + count * 4
  const larges = offsets + count * 4
  const rest = bytes.length - CHECKSUMS - (version === 1 ? table + count * stride : larges)
  if (rest < 0 || rest % 8 !== 0 || (version === 1 && rest !== 0)) throw damaged()
  const end = bytes.length - OID_BYTES
  let [isChecked, asked] = [false, 0]
  for (let i = 1; i < 256; i++) if (view.getUint32(fanOut + i * 4) < view.getUint32(fanOut + i * 4 - 4)) throw damaged()

  /** How a name compares with the one at a position, over the bytes that both have. */
  function compare(oid: Uint8Array, position: number): number {
    const at = names + position * stride
    for (let i = 0; i < oid.length; i++) {
      const difference = (oid[i] as number) - (bytes[at + i] as number)
      if (difference !== 0) return difference
    }
    return 0
  }

  function check(): void {
    if (!isChecked && !sameBytes(sha1.hash(bytes.subarray(0, end)), bytes.subarray(end))) throw damaged()
    isChecked = true
  }

  function lowerBound(prefix: Uint8Array): number {
    const first = prefix[0] as number
    let low = first === 0 ? 0 : view.getUint32(fanOut + first * 4 - 4)
    let high = view.getUint32(fanOut + first * 4)
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(prefix, middle) > 0) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    count,
    lowerBound,
    find(oid) {
      const position = lowerBound(oid)
      return position < count && compare(oid, position) === 0 ? position : -1
    },
    oid: (position) => oidAt(bytes, names + position * stride),
    offset(position) {
      const offset = view.getUint32(offsets + position * (version === 1 ? stride : 4))
      if (version === 1 || offset < LARGE) return offset
      const at = (offset - LARGE) * 8
      if (at + 8 > rest) throw damaged()
      return view.getUint32(larges + at) * 2 ** 32 + view.getUint32(larges + at + 4)
    },
    crc(position) {
      if (version === 1) return null
      if (!isChecked) {
        if (++asked < CHECKED_AFTER) return null
        check()
      }
      return view.getUint32(crcs + position * 4)
    },
    check,
    packChecksum: bytes.subarray(end - OID_BYTES, end),
  }
}

/** Whether two byte strings are equal. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
