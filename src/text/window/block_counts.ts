/** Line feeds, characters and controls of a block of bytes, counted by WebAssembly where the host allows it, else by a loop. */

/** Size of a counter's block. */
export const BLOCK_BYTES: number = 256 * 1024

/** Counts over one block of bytes, which the caller fills from its start. */
export interface BlockCounter {
  readonly block: Uint8Array
  /** Line feeds in the first `length` bytes, and whether all of them are ASCII. Bytes up to 63 places after them are overwritten. */
  lines(length: number): { readonly count: number; readonly ascii: boolean }
  /** Bytes 0x80 to 0xbf, which continue a character, in the first `length` bytes. */
  continuations(length: number): number
  /** Control characters but tab, line feed and carriage return in the first `length` bytes, and whether one of them is NUL. */
  controls(length: number): { readonly count: number; readonly nul: boolean }
}

// block_counts.wat, assembled: 656 bytes.
const WASM =
  'AGFzbQEAAAABDAJgAn9/AX9gAXsBfwMFBAAAAAEFAwEABActBAZtZW1vcnkCAAVsaW5lcwAADWNvbnRpbnVhdGlvbnMAAQhjb250cm9scwACCrwEBMoBAgN/' +
  'B3sgACABaiECQQr9DyEFAkADQCAAIAJPDQEgAEHAH2ohAyADIAJLBEAgAiEDC/0MAAAAAAAAAAAAAAAAAAAAACEHA0AgAP0ABAAhCCAA/QAEECEJIAD9AAQg' +
  'IQogAP0ABDAhCyAGIAggCf1QIAogC/1Q/VD9UCEGIAcgCCAF/SMgCSAF/SP9biAKIAX9IyALIAX9I/1u/W79cSEHIABBwABqIQAgACADSQ0ACyAEIAcQA2oh' +
  'BAwACwsgBCAG/WRBAEdBH3RyC5sBAgN/AnsgACABaiECQUD9DyEFAkADQCAAIAJPDQEgAEHAH2ohAyADIAJLBEAgAiEDC/0MAAAAAAAAAAAAAAAAAAAAACEG' +
  'A0AgBiAA/QAEACAF/SUgAP0ABBAgBf0l/W4gAP0ABCAgBf0lIAD9AAQwIAX9Jf1u/W79cSEGIABBwABqIQAgACADSQ0ACyAEIAYQA2ohBAwACwsgBAusAQID' +
  'fwN7IAAgAWohAkF//Q8hBQJAA0AgACACTw0BIABBwB9qIQMgAyACSwRAIAIhAwv9DAAAAAAAAAAAAAAAAAAAAAAhBgNAIAD9AAQAIQcgBSAH/XchBSAG/Qz/' +
  '//////////8AAP//AP//IAf9DiAHQfAB/Q/9TkEQ/Q/9I/1Q/XEhBiAAQRBqIQAgACADSQ0ACyAEIAYQA2ohBAwACwsgBCAF/WNFQR90cgsjAQF7IAD9ff1/' +
  'IQEgAf0bACAB/RsBaiAB/RsCIAH9GwNqags='

type Export = (at: number, length: number) => number

// Types of the edge runtime leave this constructor out, since it throws there.
const { Module } = WebAssembly as unknown as { Module: new (code: Uint8Array) => WebAssembly.Module }

function compile(): WebAssembly.Module | null {
  try {
    return new Module(Uint8Array.from(atob(WASM), (char) => char.charCodeAt(0)))
  } catch {
    return null // The edge runtime compiles no WebAssembly at run time; an old browser may lack SIMD.
  }
}

let compiled: WebAssembly.Module | null | undefined

function createCounter(): BlockCounter {
  if (compiled === undefined) compiled = compile()
  return compiled ? wasmCounter(new WebAssembly.Instance(compiled)) : plainCounter()
}

function wasmCounter(instance: WebAssembly.Instance): BlockCounter {
  const { memory, lines, continuations, controls } = instance.exports as {
    memory: WebAssembly.Memory
    lines: Export
    continuations: Export
    controls: Export
  }
  const block = new Uint8Array(memory.buffer, 0, BLOCK_BYTES)
  // Spaces are counted by no one.
  const padded = (length: number) => {
    const end = (length + 63) & ~63
    block.fill(0x20, length, end)
    return end
  }
  return {
    block,
    lines(length) {
      const packed = lines(0, padded(length))
      return { count: packed & 0x7fffffff, ascii: packed >= 0 }
    },
    continuations: (length) => continuations(0, padded(length)),
    controls(length) {
      const packed = controls(0, padded(length))
      return { count: packed & 0x7fffffff, nul: packed < 0 }
    },
  }
}

/** The same without WebAssembly. */
export function plainCounter(): BlockCounter {
  const block = new Uint8Array(BLOCK_BYTES)
  return {
    block,
    lines(length) {
      let count = 0
      let all = 0
      for (let i = 0; i < length; i++) {
        const byte = block[i] as number
        all |= byte
        if (byte === 10) count++
      }
      return { count, ascii: all < 0x80 }
    },
    controls(length) {
      let count = 0
      let nul = false
      for (let i = 0; i < length; i++) {
        const byte = block[i] as number
        if (byte >= 0x20 || byte === 9 || byte === 10 || byte === 13) continue
        count++
        nul ||= byte === 0
      }
      return { count, nul }
    },
    continuations(length) {
      let count = 0
      for (let i = 0; i < length; i++) if (((block[i] as number) & 0xc0) === 0x80) count++
      return count
    },
  }
}

// A counter's block must not be shared by two passes that wait in between, so each pass takes one and gives it back.
const idle: BlockCounter[] = []

/** A counter for the caller alone, until it is given back. */
export function takeCounter(): BlockCounter {
  return idle.pop() ?? createCounter()
}

/** Gives a counter back for the next pass. */
export function giveCounter(counter: BlockCounter): void {
  if (idle.length < 4) idle.push(counter)
}

/** Line feeds in bytes that are in memory. */
export function countLineFeeds(bytes: Uint8Array): number {
  if (bytes.length > 256) return countBlocks(bytes, (counter, length) => counter.lines(length).count)
  let count = 0
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 10) count++
  return count
}

/** Bytes 0x80 to 0xbf in bytes that are in memory. */
export function countContinuations(bytes: Uint8Array): number {
  return countBlocks(bytes, (counter, length) => counter.continuations(length))
}

function countBlocks(bytes: Uint8Array, countBlock: (counter: BlockCounter, length: number) => number): number {
  const counter = takeCounter()
  let count = 0
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const part = bytes.subarray(at, at + BLOCK_BYTES)
    counter.block.set(part)
    count += countBlock(counter, part.length)
  }
  giveCounter(counter)
  return count
}
