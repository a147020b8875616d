/** Names of objects as a compact set: some 40 bytes each, for repositories of millions of objects. */
import type { Oid } from '../core/repository.ts'
import { OID_BYTES, oidBytes } from './oid.ts'

/** A set that only grows. */
export interface OidSet {
  readonly size: number
  /** False when it was there already. */
  add(oid: Oid): boolean
  has(oid: Oid): boolean
}

const FIRST_SLOTS = 1024

export function createOidSet(): OidSet {
  let slots = FIRST_SLOTS
  let names = new Uint8Array(slots * OID_BYTES)
  let isUsed = new Uint8Array(slots)
  let size = 0
  const key = new Uint8Array(OID_BYTES)

  /** Where a name is, or the free slot where it belongs. Names are evenly spread already. */
  function slotOf(name: Uint8Array): number {
    const [a, b, c, d] = name as unknown as readonly [number, number, number, number]
    for (let slot = (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      if (!isUsed[slot]) return slot
      const at = slot * OID_BYTES
      let same = 0
      while (same < OID_BYTES && names[at + same] === name[same]) same++
      if (same === OID_BYTES) return slot
    }
  }

  function put(name: Uint8Array, slot: number): void {
    names.set(name, slot * OID_BYTES)
    isUsed[slot] = 1
  }

  function grow(): void {
    const [oldNames, oldUsed] = [names, isUsed]
    slots *= 2
    names = new Uint8Array(slots * OID_BYTES)
    isUsed = new Uint8Array(slots)
    for (let slot = 0; slot < oldUsed.length; slot++) {
      if (!oldUsed[slot]) continue
      const name = oldNames.subarray(slot * OID_BYTES, (slot + 1) * OID_BYTES)
      put(name, slotOf(name))
    }
  }

  return {
    get size() {
      return size
    },
    add(oid) {
      const slot = slotOf(oidBytes(oid, key))
      if (isUsed[slot]) return false
      put(key, slot)
      if (++size * 2 > slots) grow()
      return true
    },
    has: (oid) => isUsed[slotOf(oidBytes(oid, key))] === 1,
  }
}
