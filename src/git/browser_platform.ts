/** Zlib and SHA-1 for browsers, which have no synchronous ones: JavaScript and WebAssembly. */
import { createSHA1 } from 'hash-wasm'
import * as pako from 'pako'
import { concatBytes } from '../core/bytes.ts'
import { FilewrightError } from '../core/errors.ts'
import { createStreamTurns } from '../core/stream_turns.ts'
import type { GitPlatform, Zlib } from './platform.ts'

/** How much an engine puts out at a time. */
const CHUNK = 64 * 1024

/** Loads what it needs; it is synchronous from then on. A page with a content security policy needs `'wasm-unsafe-eval'`. */
export async function createBrowserGitPlatform(): Promise<GitPlatform> {
  const engine = await createSHA1()
  const turns = createStreamTurns(engine)
  return {
    zlib: createPakoZlib(),
    sha1: {
      hash: (...parts) =>
        turns.alone(() => {
          engine.init()
          for (const part of parts) engine.update(part)
          return engine.digest('binary')
        }),
      stream() {
        const turn = turns.stream()
        return { update: turn.update, digest: () => turn.finish(() => engine.digest('binary')) }
      },
    },
  }
}

function createPakoZlib(): Zlib {
  const table = crcTable()
  // One engine for all objects: a new one costs more than most objects do.
  const shared = new pako.ZStream()
  pako.zlibInflateInit(shared)
  return {
    inflate(bytes, size) {
      pako.zlibInflateReset(shared)
      feed(shared, bytes)
      // Room for one byte more than there should be: the end of the stream is then seen in the same step.
      makeRoom(shared, size + 1)
      const { output } = shared
      const status = pako.zlibInflate(shared, pako.Z_FINISH)
      const used = bytes.length - shared.avail_in
      feed(shared, NOTHING)
      makeRoom(shared, 0)
      if (status !== pako.Z_STREAM_END || shared.total_out !== size) throw damaged()
      return { bytes: output.subarray(0, size), used }
    },
    inflateAll(bytes, maxBytes) {
      pako.zlibInflateReset(shared)
      feed(shared, bytes)
      const parts: Uint8Array[] = []
      let status: pako.Z_CallStatus
      do {
        makeRoom(shared, Math.min(CHUNK, maxBytes + 1 - shared.total_out))
        parts.push(shared.output)
        status = pako.zlibInflate(shared, pako.Z_NO_FLUSH)
        if (shared.total_out > maxBytes) throw new FilewrightError('too_large', `Compressed data comes to more than ${maxBytes} bytes.`)
      } while (status === pako.Z_OK && shared.avail_out === 0)
      if (status !== pako.Z_STREAM_END || shared.avail_in > 0) throw damaged()
      return concatBytes(parts).subarray(0, shared.total_out)
    },
    inflateStream(source, ended) {
      const stream = new pako.ZStream()
      pako.zlibInflateInit(stream)
      return through(stream, source, (flush) => pako.zlibInflate(stream, flush), ended)
    },
    deflate: (bytes, fast = false) => pako.deflate(bytes, { level: fast ? 1 : 6 }),
    deflateStream(source) {
      const stream = new pako.ZStream()
      pako.zlibDeflateInit(stream, -1)
      return through(stream, source, (flush) => pako.zlibDeflate(stream, flush))
    },
    crc32(bytes, seed = 0) {
      let crc = ~seed
      for (let at = 0; at < bytes.length; at++) crc = (crc >>> 8) ^ (table[(crc ^ (bytes[at] as number)) & 0xff] as number)
      return ~crc >>> 0
    },
  }
}

const NOTHING = new Uint8Array(0)

function feed(stream: pako.ZStream, bytes: Uint8Array): void {
  stream.input = bytes
  stream.next_in = 0
  stream.avail_in = bytes.length
}

function makeRoom(stream: pako.ZStream, size: number): void {
  stream.output = new Uint8Array(size)
  stream.next_out = 0
  stream.avail_out = size
}

function damaged(): FilewrightError {
  return new FilewrightError('corrupt', 'Compressed data is damaged.')
}

async function* through(
  stream: pako.ZStream,
  source: AsyncIterable<Uint8Array>,
  step: (flush: pako.Z_FlushMode) => pako.Z_CallStatus,
  ended?: (unused: number) => void,
): AsyncGenerator<Uint8Array> {
  /** What the bytes that were fed come to; true at the end of the stream. */
  function* run(flush: pako.Z_FlushMode): Generator<Uint8Array, boolean> {
    for (;;) {
      makeRoom(stream, CHUNK)
      const { output } = stream
      const status = step(flush)
      if (status !== pako.Z_OK && status !== pako.Z_STREAM_END && status !== pako.Z_BUF_ERROR) throw damaged()
      const full = stream.avail_out === 0
      if (stream.next_out > 0) yield output.subarray(0, stream.next_out)
      if (status === pako.Z_STREAM_END) {
        ended?.(stream.avail_in)
        return true
      }
      if (!full) return false
    }
  }
  for await (const bytes of source) {
    feed(stream, bytes)
    if (yield* run(pako.Z_NO_FLUSH)) {
      ended?.(stream.avail_in)
      return
    }
  }
  feed(stream, NOTHING)
  if (!(yield* run(pako.Z_FINISH))) throw damaged()
  ended?.(0)
}

function crcTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, value) => {
    let crc = value
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
    return crc
  })
}
