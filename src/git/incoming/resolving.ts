/** Objects that a pack holds as differences are made whole, to learn their names. */
import type { MaybePromise } from '../../core/file_system.ts'
import type { Oid } from '../../core/repository.ts'
import { createByteCache } from '../byte_cache.ts'
import { applyDelta } from '../delta.ts'
import type { GitObject } from '../objects.ts'
import { oidAt } from '../oid.ts'
import type { GitPlatform } from '../platform.ts'
import { corrupt, kindOfType, nameHead, OFS_DELTA, readEntryHead, typeOfKind } from './pack_format.ts'
import type { PackRows } from './pack_rows.ts'
import type { Entry, Turn } from './pack_stream.ts'

/** Longest chain of differences; git makes none of more than 4095. */
const MOST_DEPTH = 5000
/** No base: the object is stored whole. */
const NONE = -1
/** The base is named, and not found yet. */
const NAMED = -2

/** Reads the bytes of a pack from one place to another. */
export type ReadRaw = (from: number, to: number) => MaybePromise<Uint8Array>

/** The objects of one pack, on their way to their names. */
export interface Resolver {
  /** Takes in an object in the order of the pack; its base is before it, unless it is named. */
  add(entry: Entry): void
  /** How many have no name yet. */
  readonly left: number
  /** Names all whose bases are in the pack. */
  finish(read: ReadRaw, end: number, turn: Turn): Promise<void>
  /** Bases that are not in the pack. */
  missing(): Oid[]
  /** Adds an object that will stand behind the others in the pack, and names what is based on it. `again` reads it once more. */
  supply(row: number, oid: Oid, object: GitObject, again: () => MaybePromise<GitObject>): Promise<void>
}

/** Most bytes that all objects made of differences come to, and that one of them comes to. */
export interface ResolverLimits {
  readonly heldBytes: number
  readonly inflatedBytes: number
  /** Objects that are kept because others may be based on them, bytes. */
  readonly cacheBytes: number
}

interface Frame {
  readonly row: number
  bytes: Uint8Array | null
  /** The next object that is based on this one. */
  next: number
}

export function createResolver(platform: GitPlatform, rows: PackRows, limits: ResolverLimits): Resolver {
  const { zlib, sha1 } = platform
  /** By row: 1 to 4, 0 while the type is not known. */
  const kinds: number[] = []
  const bases: number[] = []
  const depths: number[] = []
  /** Rows by the name of their base, while it is not found. */
  const waiting = new Map<Oid, number[]>()
  const held = createByteCache<Uint8Array>(limits.cacheBytes).part()
  /** Objects that are not in the pack yet, by row. */
  const supplied = new Map<number, () => MaybePromise<GitObject>>()
  let left = 0
  let produced = 0
  let read: ReadRaw = () => new Uint8Array(0)
  let end = 0
  let turn: Turn = () => null
  // Chains of rows with the same base: the first for each base, and the next for each row.
  let first: Int32Array = new Int32Array(0)
  let after: Int32Array = new Int32Array(0)

  const setName = (row: number, kind: number, bytes: Uint8Array): void => {
    kinds[row] = kind
    rows.setOid(row, sha1.hash(nameHead(typeOfKind(kind), bytes.length), bytes))
  }

  const produce = (row: number, base: number, baseBytes: Uint8Array, delta: Uint8Array): Uint8Array => {
    const depth = (depths[base] as number) + 1
    if (depth > MOST_DEPTH) throw corrupt('an object is based on too long a chain of others')
    const bytes = applyDelta(baseBytes, delta, limits.heldBytes)
    produced += bytes.length
    if (produced > limits.inflatedBytes) throw corrupt('its objects come to more than is allowed')
    depths[row] = depth
    setName(row, kinds[base] as number, bytes)
    left--
    return bytes
  }

  /** The row at an offset. */
  const rowAt = (offset: number): number => {
    let low = 0
    let high = rows.count - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const found = rows.offset(middle)
      if (found === offset) return middle
      if (found < offset) low = middle + 1
      else high = middle - 1
    }
    throw corrupt('an object is based on what is none')
  }

  /** What stands in the pack for a row, inflated. */
  const inflated = async (row: number): Promise<Uint8Array> => {
    const from = rows.offset(row)
    const raw = await read(from, row + 1 < rows.count ? rows.offset(row + 1) : end)
    const head = readEntryHead(raw, 0)
    return zlib.inflate(raw.subarray(head.length), head.size).bytes
  }

  /** An object whole, made again. */
  const load = async (row: number): Promise<Uint8Array> => {
    const chain: number[] = []
    let base = row
    let bytes = held.get(base)
    while (!bytes && bases[base] !== NONE) {
      chain.push(base)
      base = bases[base] as number
      bytes = held.get(base)
    }
    bytes ??= (await supplied.get(base)?.())?.bytes ?? (await inflated(base))
    for (const step of chain.reverse()) {
      await turn()
      bytes = applyDelta(bytes, await inflated(step), limits.heldBytes)
    }
    return bytes
  }

  /** Links rows whose base now has a name behind it. */
  const adopt = (row: number): void => {
    if (waiting.size === 0) return
    const name = oidAt(rows.oid(row))
    const children = waiting.get(name)
    if (!children) return
    waiting.delete(name)
    for (const child of children.reverse()) {
      bases[child] = row
      after[child] = first[row] as number
      first[row] = child
    }
  }

  /** Names everything that is based on a row, however long the chains: without recursion, and in bounded memory. */
  const descend = async (row: number, bytes: Uint8Array | null): Promise<void> => {
    adopt(row)
    const stack: Frame[] = [{ row, bytes, next: first[row] as number }]
    let holding = bytes?.length ?? 0
    for (;;) {
      const frame = stack.at(-1)
      if (!frame) return
      const child = frame.next
      if (child < 0) {
        stack.pop()
        holding -= frame.bytes?.length ?? 0
        continue
      }
      await turn()
      if (!frame.bytes) {
        frame.bytes = await load(frame.row)
        holding += frame.bytes.length
      }
      const base = frame.bytes
      frame.next = after[child] as number
      // The last one may need the room.
      if (frame.next < 0) {
        stack.pop()
        holding -= base.length
      }
      const made = produce(child, frame.row, base, await inflated(child))
      adopt(child)
      if ((first[child] as number) < 0) continue
      stack.push({ row: child, bytes: made, next: first[child] as number })
      holding += made.length
      for (let at = 0; holding > limits.cacheBytes && at < stack.length - 1; at++) {
        const lower = stack[at] as Frame
        holding -= lower.bytes?.length ?? 0
        lower.bytes = null
      }
    }
  }

  return {
    get left() {
      return left
    },
    add({ offset, crc, head, bytes, oid, base }) {
      const row = rows.add(offset, crc)
      kinds[row] = head.kind < OFS_DELTA ? head.kind : 0
      depths[row] = 0
      bases[row] = NONE
      if (head.kind < OFS_DELTA) {
        if (oid) rows.setOid(row, oid)
        else if (bytes) {
          setName(row, head.kind, bytes)
          held.set(row, bytes, bytes.length)
        }
        return
      }
      left++
      if (base) {
        const name = oidAt(base)
        bases[row] = NAMED
        const others = waiting.get(name)
        if (others) others.push(row)
        else waiting.set(name, [row])
        return
      }
      const at = rowAt(offset - head.distance)
      bases[row] = at
      const baseBytes = held.get(at)
      if (!baseBytes || !bytes) return
      const made = produce(row, at, baseBytes, bytes)
      held.set(row, made, made.length)
    },
    async finish(...given) {
      ;[read, end, turn] = given
      const { count } = rows
      first = new Int32Array(count).fill(NONE)
      after = new Int32Array(count).fill(NONE)
      for (let row = count - 1; row >= 0; row--) {
        const base = bases[row] as number
        if (base < 0 || kinds[row] !== 0) continue
        after[row] = first[base] as number
        first[base] = row
      }
      for (let row = 0; row < count && left > 0; row++) {
        // One that others are waiting for is found by its name; all others are reached from their base.
        if (kinds[row] === 0) continue
        adopt(row)
        if ((first[row] as number) >= 0 && kinds[first[row] as number] === 0) await descend(row, held.get(row) ?? null)
      }
    },
    missing: () => [...waiting.keys()],
    async supply(row, oid, object, again) {
      if (!waiting.has(oid)) return
      kinds[row] = kindOfType(object.type)
      bases[row] = NONE
      depths[row] = 0
      if (row >= first.length) {
        first = longer(first)
        after = longer(after)
      }
      supplied.set(row, again)
      await descend(row, object.bytes)
    },
  }
}

function longer(links: Int32Array): Int32Array {
  const grown = new Int32Array(links.length * 2 + 1).fill(NONE)
  grown.set(links)
  return grown
}
