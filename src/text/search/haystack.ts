/** Texts found in the bytes of a file: many of them, or many times, by WebAssembly where the host allows it. */
import { indexOfBytes } from '../bytes.ts'

/** A text to find, as bytes. */
export interface Needle {
  readonly bytes: Uint8Array
  /** Places of its two rarest bytes. */
  readonly rare: readonly [number, number]
  /** It begins with a rare byte: then the host's own search is as quick, and needs no copy of the text. */
  readonly isPlain: boolean
}

/** The bytes of one file. */
export interface Haystack {
  /** First offset of a needle at or after `from`, or -1. An empty needle is found nowhere. */
  indexOf(needle: Needle, from: number): number
}

/** Bytes that are common in source text and prose, the most common first; all others are rarer. */
const COMMON = new TextEncoder().encode(' etaoinsrlcdupmfhgybvw.,()_=-\n"\'/;:{}01SCTIAEPDRMLFBNOxkqj')

/** How many of them are so common that looking for one leads to many places in vain. */
const OFTEN = 24

export function needleOf(bytes: Uint8Array): Needle {
  const rank = (at: number): number => COMMON.indexOf(bytes[at] as number) >>> 0
  const places = [...bytes.subarray(0, LONGEST).keys()].sort((a, b) => rank(b) - rank(a))
  return { bytes, rare: [places[0] ?? 0, places[1] ?? 0], isPlain: rank(0) >= OFTEN || bytes.length > LONGEST }
}

// haystack.wat, assembled: 230 bytes.
const WASM =
  'AGFzbQEAAAABCwFgBn9/f39/fwF/AwIBAAUDAQAFBxECBm1lbW9yeQIABGZpbmQAAAqyAQGvAQICewR/IAIgBGotAAD9DyEGIAIgBWotAAD9DyEHIAEgA2shCAJA' +
  'A0AgACAISg0BIAYgACAEav0ABAD9IyAHIAAgBWr9AAQA/SP9Tv1kIQkCQANAIAlFDQEgACAJaGohCiAJIAlBAWtxIQkgCiAISg0DQQAhCwNAIAsgA0YEQCAKDwsg' +
  'CiALai0AACACIAtqLQAARw0BIAtBAWohCwwACwsLIABBEGohAAwACwtBfws='

/** What is larger is searched in parts: small ones first, since the next match may be near. */
const LARGEST = 256 * 1024
const FIRST_PART = 4096
/** Longer needles are left to searches whose time does not grow with their length. */
const LONGEST = 64
/** Where the needle lies in memory. */
const NEEDLE = LARGEST + 128

interface Finder {
  readonly memory: Uint8Array
  find(at: number, end: number, needle: number, length: number, first: number, second: number): number
}

// Types of the edge runtime leave this constructor out, since it throws there.
const { Module } = WebAssembly as unknown as { Module: new (code: Uint8Array) => WebAssembly.Module }

function createFinder(): Finder | null {
  try {
    const code = Uint8Array.from(atob(WASM), (char) => char.charCodeAt(0))
    const { memory, find } = new WebAssembly.Instance(new Module(code)).exports as { memory: WebAssembly.Memory; find: Finder['find'] }
    return { memory: new Uint8Array(memory.buffer), find }
  } catch {
    return null // The edge runtime compiles no WebAssembly at run time; an old browser may lack SIMD.
  }
}

let finder: Finder | null | undefined
/** Whose bytes are in the finder's memory, and which needle. */
let holder: Haystack | null = null
let held: Needle | null = null

/** The bytes of a file, to be searched. */
export function haystackOf(bytes: Uint8Array): Haystack {
  if (finder === undefined) finder = createFinder()
  const memory = finder?.memory
  const haystack: Haystack = {
    indexOf(needle, from) {
      if (!memory || needle.isPlain || needle.bytes.length === 0) return indexOfBytes(bytes, needle.bytes, from)
      if (bytes.length > LARGEST) return findInParts(bytes, needle, from)
      if (holder !== haystack) {
        memory.set(bytes)
        holder = haystack
      }
      return findHeld(needle, from, bytes.length)
    },
  }
  return haystack
}

/** Finds a needle in the first bytes of the finder's memory. */
function findHeld(needle: Needle, from: number, end: number): number {
  const { memory, find } = finder as Finder
  if (held !== needle) {
    memory.set(needle.bytes, NEEDLE)
    held = needle
  }
  return find(from, end, NEEDLE, needle.bytes.length, needle.rare[0], needle.rare[1])
}

function findInParts(bytes: Uint8Array, needle: Needle, from: number): number {
  holder = null
  let size = FIRST_PART
  for (let at = from; at + needle.bytes.length <= bytes.length; ) {
    const part = bytes.subarray(at, at + size)
    finder?.memory.set(part)
    const found = findHeld(needle, 0, part.length)
    if (found >= 0) return at + found
    // The next part begins where a match may have been cut.
    at += size - needle.bytes.length + 1
    size = Math.min(size * 4, LARGEST)
  }
  return -1
}
