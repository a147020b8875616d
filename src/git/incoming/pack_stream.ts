/** A pack as it comes in: every object is found, checked as far as it can be, and passed on. */
import { concatBytes } from '../../core/bytes.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { GitPlatform } from '../platform.ts'
import {
  corrupt,
  countInHead,
  type EntryHead,
  MOST_ENTRY_HEAD_BYTES,
  nameHead,
  OFS_DELTA,
  readEntryHead,
  typeOfKind,
} from './pack_format.ts'

/** Objects larger than this are never held whole. */
export const LARGE_BYTES: number = 1024 * 1024
const TRAILER_BYTES = 20

/** One object as it stands in the pack. */
export interface Entry {
  readonly offset: number
  readonly crc: number
  readonly head: EntryHead
  /** Inflated; null for one that is too large to hold, whose name is known all the same. */
  readonly bytes: Uint8Array | null
  /** Of a large object. */
  readonly oid: Uint8Array | null
  /** Name of the base, where it is named. */
  readonly base: Uint8Array | null
}

/** Asked after each object: lets others run, or null where there is nothing to wait for. */
export type Turn = () => Promise<void> | null

/** Who is told what was found. */
export interface PackListener {
  begin(count: number): void
  entry(entry: Entry): void
  readonly turn: Turn
}

/** Bounds of what is taken in. */
export interface PackLimits {
  readonly bytes: number
  readonly objects: number
  /** Largest object that must be held whole. */
  readonly heldBytes: number
}

/** How a pack ended. */
export interface PackEnd {
  readonly size: number
  readonly hash: Uint8Array
}

/**
 * Passes on the bytes of a pack, and tells the listener what is in it. Throws `corrupt` for a pack that is cut or damaged, or that
 * something follows, `too_large` beyond the limits. What it returns is the end of the pack.
 */
export async function* readPack(
  body: AsyncIterable<Uint8Array>,
  platform: GitPlatform,
  limits: PackLimits,
  listener: PackListener,
): AsyncGenerator<Uint8Array, PackEnd> {
  const { zlib, sha1 } = platform
  const source = body[Symbol.asyncIterator]()
  const window = createWindow()
  const whole = sha1.stream()
  let tail = new Uint8Array(0)
  let received = 0
  let ended = false
  /** Bytes that were taken from the source and not yet passed on. */
  let pending: Uint8Array[] = []

  const pull = async (): Promise<Uint8Array | null> => {
    const { value, done } = ended ? { value: undefined, done: true } : await source.next()
    if (done || !value) {
      ended = true
      return null
    }
    received += value.length
    if (received > limits.bytes) throw new FilewrightError('too_large', `The pack is larger than ${limits.bytes} bytes.`)
    // The last 20 bytes are the hash of all others.
    const joined = value.length < TRAILER_BYTES ? concatBytes([tail, value]) : null
    if (joined) whole.update(joined.subarray(0, Math.max(0, joined.length - TRAILER_BYTES)))
    else {
      whole.update(tail)
      whole.update(value.subarray(0, value.length - TRAILER_BYTES))
    }
    tail = (joined ?? value).slice(-TRAILER_BYTES)
    pending.push(value)
    return value
  }

  const passOn = (): Uint8Array[] => {
    const passed = pending
    pending = []
    return passed
  }

  /** Takes in more; false at the end. */
  const more = async (): Promise<boolean> => {
    const part = await pull()
    if (part) window.add(part)
    return part !== null
  }

  /** One object, when enough of it is here; a number: how many bytes must be here first. */
  const take = (least: number): Entry | number => {
    const available = window.length
    if (available < MOST_ENTRY_HEAD_BYTES && !ended) return MOST_ENTRY_HEAD_BYTES
    const head = readEntryHead(window.bytes, window.start)
    if (head.size > LARGE_BYTES && head.kind < OFS_DELTA) return 0
    if (head.size > limits.heldBytes) {
      throw new FilewrightError('too_large', `A difference in the pack has ${head.size} bytes; the most are ${limits.heldBytes}.`)
    }
    // What cannot be compressed grows a little.
    const wanted = Math.max(least, head.length + head.size + (head.size >> 10) + 64)
    if (available < wanted && !ended) return wanted
    const start = window.start + head.length
    let inflated: { readonly bytes: Uint8Array; readonly used: number }
    try {
      inflated = zlib.inflate(window.bytes.subarray(start, window.end), head.size)
    } catch (error) {
      // Badly compressed data can be longer than what it stands for.
      if (!ended && available < 2 * head.size + 0x10000) return available * 2
      throw corrupt('an object cannot be inflated', error)
    }
    const length = head.length + inflated.used
    const raw = window.bytes.subarray(window.start, window.start + length)
    const entry: Entry = {
      offset: received - available,
      crc: zlib.crc32(raw),
      head,
      bytes: inflated.bytes,
      oid: null,
      base: head.kind > OFS_DELTA ? raw.slice(head.length - 20, head.length) : null,
    }
    window.start += length
    return entry
  }

  /** An object that is too large to hold, as a stream; its bytes are passed on meanwhile. */
  async function* takeLarge(): AsyncGenerator<Uint8Array> {
    const offset = received - window.length
    const head = readEntryHead(window.bytes, window.start)
    let crc = zlib.crc32(window.bytes.subarray(window.start, window.start + head.length))
    window.start += head.length
    let last = window.takeAll()
    let unused = 0
    async function* compressed(): AsyncGenerator<Uint8Array> {
      for (;;) {
        yield last
        const next = await pull()
        if (!next) return
        crc = zlib.crc32(last, crc)
        last = next
      }
    }
    const name = sha1.stream()
    name.update(nameHead(typeOfKind(head.kind), head.size))
    let size = 0
    const inflated = zlib.inflateStream(compressed(), (count) => {
      unused = count
    })
    for await (const part of inflated) {
      size += part.length
      if (size > head.size) break
      name.update(part)
      yield* passOn()
    }
    if (size !== head.size) throw corrupt('an object is not as large as it says')
    crc = zlib.crc32(last.subarray(0, last.length - unused), crc)
    window.add(last.subarray(last.length - unused))
    listener.entry({ offset, crc, head, bytes: null, oid: name.digest(), base: null })
  }

  try {
    while (window.length < 12 && (await more())) yield* passOn()
    const count = countInHead(window.bytes.subarray(window.start, window.end))
    if (count > limits.objects) throw new FilewrightError('too_large', `The pack has ${count} objects; the most are ${limits.objects}.`)
    window.start += 12
    listener.begin(count)
    for (let done = 0, least = 0; done < count; ) {
      const found = take(least)
      if (typeof found !== 'number') listener.entry(found)
      else if (found === 0) yield* takeLarge()
      else {
        while (window.length < found && (await more())) yield* passOn()
        least = found
        continue
      }
      done++
      least = 0
      const pause = listener.turn()
      if (pause) await pause
    }
    while (await more()) yield* passOn()
    yield* passOn()
    if (window.length < TRAILER_BYTES) throw corrupt('its end is missing')
    if (window.length > TRAILER_BYTES) throw corrupt('something follows its objects')
    const hash = whole.digest()
    if (hash.some((byte, at) => byte !== tail[at])) throw corrupt('it does not match its hash')
    return { size: received, hash }
  } finally {
    if (!ended) await source.return?.()
  }
}

/** Bytes that came in and are not used up. */
interface Window {
  readonly bytes: Uint8Array
  start: number
  readonly end: number
  readonly length: number
  add(bytes: Uint8Array): void
  /** Gives all that is left, and is empty then. */
  takeAll(): Uint8Array
}

function createWindow(): Window {
  let bytes = new Uint8Array(256 * 1024)
  let end = 0
  return {
    start: 0,
    get bytes() {
      return bytes
    },
    get end() {
      return end
    },
    get length() {
      return end - this.start
    },
    add(more) {
      const length = end - this.start
      if (end + more.length > bytes.length) {
        const room = Math.max(length + more.length, length * 2)
        const target = room > bytes.length ? new Uint8Array(Math.max(room, bytes.length * 2)) : bytes
        target.set(bytes.subarray(this.start, end))
        bytes = target
        this.start = 0
        end = length
      }
      bytes.set(more, end)
      end += more.length
    },
    takeAll() {
      const rest = bytes.slice(this.start, end)
      this.start = 0
      end = 0
      return rest
    },
  }
}
