/** A hash of every line of a text, by WebAssembly where the host allows it, else by a loop. */
import { LF } from '../bytes.ts'

/** What hashes depend on. Chosen anew each time, so that nobody can write lines that all get one hash. */
export interface HashKey {
  readonly seed: bigint
  /** Odd. */
  readonly factor: bigint
}

export function createHashKey(): HashKey {
  const any = (): bigint => BigInt(Math.floor(Math.random() * 2 ** 53)) << 11n
  return { seed: any(), factor: (any() ^ BigInt(Math.floor(Math.random() * 2 ** 11))) | 1n }
}

// line_hashes.wat, assembled: 290 bytes.
const WASM =
  'AGFzbQEAAAABCwFgBn9/fn5/fwF/AwIBAAUDAQAHBxMCBm1lbW9yeQIABmhhc2hlcwAACuwBAekBAwN/An4Be0EK/Q8hCwJAA0AgByAFTw0BIAAhBgJAA0AgACABTw0D' +
  'IAsgAP0ABAD9I/1kIQggCA0BIABBEGohAAwACwsgACAIaGohACAAIAFPDQEgACAGa60hCiACIAqFIAN+Qh2JIQkCQANAIApCCFQNASAJIAYpAACFIAN+Qh2JIQkgBkEI' +
  'aiEGIApCCH0hCgwACwsgCSAGKQAAQgEgCkIDhoZCAX2DhSADfiEJIAkgCUIgiIUgA34hCSAAQQFqIQAgBCAJQiCIpzYCACAEIAA2AgQgBEEIaiEEIAdBAWohBwwACwsg' +
  'Bws='

const BLOCK_BYTES = 256 * 1024
/** Where the results lie in memory, and most lines of one turn. */
const RESULTS = BLOCK_BYTES + 64
const MOST_LINES = 16_384

interface LineHasher {
  readonly block: Uint8Array
  readonly results: Int32Array
  hashes(at: number, end: number, seed: bigint, factor: bigint, out: number, most: number): number
}

// Types of the edge runtime leave this constructor out, since it throws there.
const { Module } = WebAssembly as unknown as { Module: new (code: Uint8Array) => WebAssembly.Module }

function createLineHasher(): LineHasher | null {
  try {
    const { exports } = new WebAssembly.Instance(new Module(Uint8Array.from(atob(WASM), (char) => char.charCodeAt(0))))
    const { memory, hashes } = exports as { memory: WebAssembly.Memory; hashes: LineHasher['hashes'] }
    return { block: new Uint8Array(memory.buffer, 0, BLOCK_BYTES), results: new Int32Array(memory.buffer, RESULTS, 2 * MOST_LINES), hashes }
  } catch {
    return null // The edge runtime compiles no WebAssembly at run time; an old browser may lack SIMD.
  }
}

let hasher: LineHasher | null | undefined

/**
 * Fills `offsets` with the places where the lines between `start` and `end` begin, and `hashes` with a hash of each. Equal lines have
 * equal hashes in every text that is hashed with the same key. Both are as long as there are lines.
 */
export function hashLines(text: Uint8Array, start: number, end: number, key: HashKey, offsets: Int32Array, hashes: Int32Array): void {
  if (hasher === undefined) hasher = createLineHasher()
  const loop = { seed: Number(BigInt.asIntN(32, key.seed)), factor: Number(BigInt.asIntN(32, key.factor)) }
  let count = 0
  for (let at = start; at < end; ) {
    const from = at
    if (hasher) {
      const { block, results } = hasher
      const part = text.subarray(at, Math.min(at + BLOCK_BYTES, end))
      block.set(part)
      const found = hasher.hashes(0, part.length, key.seed, key.factor, RESULTS, MOST_LINES)
      for (let i = 0; i < found; i++) {
        offsets[count] = at
        hashes[count++] = results[2 * i] as number
        at = from + (results[2 * i + 1] as number)
      }
      if (found > 0) continue
    }
    // The last line without an end, a line that is larger than a block, or no WebAssembly.
    const feed = text.indexOf(LF, at)
    const stop = feed < 0 || feed >= end ? end : feed + 1
    let hash = loop.seed
    for (; at < stop; at++) hash = Math.imul(hash ^ (text[at] as number), loop.factor)
    offsets[count] = from
    hashes[count++] = hash
  }
}
