/** What is known of the objects of a pack, and the index that is made of it. */
import { allocate } from '../../core/bytes.ts'
import type { Sha1 } from '../platform.ts'

const OID_BYTES = 20
/** Offsets from here on stand in a table of their own. */
const LARGE_OFFSET = 2 ** 31

/** One row for each object, in the order of the pack. Grows as rows are added. */
export interface PackRows {
  readonly count: number
  /** Adds an object, whose name may not be known yet; its number. */
  add(offset: number, crc: number): number
  offset(row: number): number
  /** The name's bytes, to be read or filled. */
  oid(row: number): Uint8Array
  setOid(row: number, oid: Uint8Array): void
  /** The index of version 2, as git itself writes it. */
  index(packHash: Uint8Array, sha1: Sha1): Uint8Array
}

export function createPackRows(): PackRows {
  let count = 0
  let oids = new Uint8Array(1024 * OID_BYTES)
  let offsets = new Float64Array(1024)
  let crcs = new Uint32Array(1024)

  const grow = (): void => {
    const [oldOids, oldOffsets, oldCrcs] = [oids, offsets, crcs]
    oids = new Uint8Array(oldOids.length * 2)
    offsets = new Float64Array(oldOffsets.length * 2)
    crcs = new Uint32Array(oldCrcs.length * 2)
    oids.set(oldOids)
    offsets.set(oldOffsets)
    crcs.set(oldCrcs)
  }

  const compare = (a: number, b: number): number => {
    for (let at = 0; at < OID_BYTES; at++) {
      const difference = (oids[a * OID_BYTES + at] as number) - (oids[b * OID_BYTES + at] as number)
      if (difference !== 0) return difference
    }
    return (offsets[a] as number) - (offsets[b] as number)
  }

  return {
    get count() {
      return count
    },
    add(offset, crc) {
      if (count === crcs.length) grow()
      offsets[count] = offset
      crcs[count] = crc
      return count++
    },
    offset: (row) => offsets[row] as number,
    oid: (row) => oids.subarray(row * OID_BYTES, (row + 1) * OID_BYTES),
    setOid: (row, oid) => oids.set(oid, row * OID_BYTES),
    index(packHash, sha1) {
      const order = sorted(count, (row) => ((oids[row * OID_BYTES] as number) << 8) | (oids[row * OID_BYTES + 1] as number), compare)
      const large = order.filter((row) => (offsets[row] as number) >= LARGE_OFFSET)
      const bytes = allocate(8 + 1024 + count * 28 + large.length * 8 + 40)
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
      view.setUint32(0, 0xff744f63)
      view.setUint32(4, 2)
      const names = 8 + 1024
      const checksums = names + count * OID_BYTES
      const places = checksums + count * 4
      const largePlaces = places + count * 4
      const fan = new Uint32Array(256)
      let larges = 0
      for (let at = 0; at < count; at++) {
        const row = order[at] as number
        const first = oids[row * OID_BYTES] as number
        fan[first] = (fan[first] as number) + 1
        bytes.set(oids.subarray(row * OID_BYTES, (row + 1) * OID_BYTES), names + at * OID_BYTES)
        view.setUint32(checksums + at * 4, crcs[row] as number)
        const offset = offsets[row] as number
        const isLarge = offset >= LARGE_OFFSET
        view.setUint32(places + at * 4, isLarge ? LARGE_OFFSET + larges : offset)
        if (isLarge) view.setBigUint64(largePlaces + larges++ * 8, BigInt(offset))
      }
      let total = 0
      for (let first = 0; first < 256; first++) {
        total += fan[first] as number
        view.setUint32(8 + first * 4, total)
      }
      bytes.set(packHash, bytes.length - 40)
      bytes.set(sha1.hash(bytes.subarray(0, bytes.length - 20)), bytes.length - 20)
      return bytes
    },
  }
}

/** Rows in order. They are dealt out by a key of 16 bits first: names are spread evenly, so few are left to compare. */
function sorted(count: number, keyOf: (row: number) => number, compare: (a: number, b: number) => number): Uint32Array {
  const starts = new Uint32Array(65537)
  for (let row = 0; row < count; row++) starts[keyOf(row) + 1] = (starts[keyOf(row) + 1] as number) + 1
  for (let key = 0; key < 65536; key++) starts[key + 1] = (starts[key + 1] as number) + (starts[key] as number)
  const order = new Uint32Array(count)
  const next = starts.slice(0, 65536)
  for (let row = 0; row < count; row++) {
    const key = keyOf(row)
    const place = next[key] as number
    order[place] = row
    next[key] = place + 1
  }
  for (let key = 0; key < 65536; key++) {
    const [start, end] = [starts[key] as number, starts[key + 1] as number]
    if (end - start > 1) order.subarray(start, end).sort(compare)
  }
  return order
}
