/** Texts found in the bytes of a file: many of them, or many times, by WebAssembly where the host allows it. */
import { indexOfBytes } from './bytes.ts'

/** A text to find, as bytes. */
export interface Needle {
  readonly bytes: Uint8Array
  /** Places of its two rarest bytes. */
  readonly rare: readonly [number, number]
}

/** The bytes of one file. */
export interface Haystack {
  /** First offset of a needle at or after `from`, or -1. An empty needle is found nowhere. */
  indexOf(needle: Needle, from: number): number
}

/** Bytes that are common in source text and prose, the most common first; all others are rarer. */
const COMMON = new TextEncoder().encode(' etaoinsrlcdupmfhgybvw.,()_=-\n"\'/;:{}01SCTIAEPDRMLFBNOxkqj')

export function needleOf(bytes: Uint8Array): Needle {
  const rank = (at: number): number => COMMON.indexOf(bytes[at] as number) >>> 0
  const places = [...bytes.subarray(0, LONGEST).keys()].sort((a, b) => rank(b) - rank(a))
  return { bytes, rare: [places[0] ?? 0, places[1] ?? 0] }
}

// haystack.wat, assembled: 230 bytes.
const WASM =
  'AGFzbQEAAAABCwFgBn9/f39/fwF/AwIBAAUDAQAFBxECBm1lbW9yeQIABGZpbmQAAAqyAQGvAQICewR/IAIgBGotAAD9DyEGIAIgBWotAAD9DyEHIAEgA2shCAJA' +
  'A0AgACAISg0BIAYgACAEav0ABAD9IyAHIAAgBWr9AAQA/SP9Tv1kIQkCQANAIAlFDQEgACAJaGohCiAJIAlBAWtxIQkgCiAISg0DQQAhCwNAIAsgA0YEQCAKDwsg' +
  'CiALai0AACACIAtqLQAARw0BIAtBAWohCwwACwsLIABBEGohAAwACwtBfws='

/** Larger files are searched where they are. */
const LARGEST = 256 * 1024
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
/** Whose bytes are in the finder's memory, and whose needle. */
let holder: Haystack | null = null
let held: Needle | null = null

/** The bytes of a file, to be searched. Quickest until the next call. */
export function haystackOf(bytes: Uint8Array): Haystack {
  if (finder === undefined) finder = createFinder()
  const plain: Haystack = { indexOf: (needle, from) => indexOfBytes(bytes, needle.bytes, from) }
  if (!finder || bytes.length > LARGEST) return plain
  const { memory, find } = finder
  memory.set(bytes)
  const haystack: Haystack = {
    indexOf(needle, from) {
      const { length } = needle.bytes
      if (holder !== haystack || length === 0 || length > LONGEST) return plain.indexOf(needle, from)
      if (held !== needle) {
        memory.set(needle.bytes, NEEDLE)
        held = needle
      }
      return find(from, bytes.length, NEEDLE, length, needle.rare[0], needle.rare[1])
    },
  }
  holder = haystack
  return haystack
}
