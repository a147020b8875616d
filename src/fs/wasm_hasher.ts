/** SHA-256 in WebAssembly, for browsers: synchronous and streaming, which WebCrypto is not. */
import { createSHA256 } from 'hash-wasm'
import type { Hash, Hasher, HashStream } from '../core/hash.ts'

/** A stream's place in the one engine that all streams share. */
interface Turn {
  /** The engine's state when another stream took over; null before the first bytes. */
  saved: Uint8Array | null
}

/**
 * Loads the engine; what it gives is synchronous from then on. Any number of streams can be open at once: they take turns in one
 * engine. A page with a content security policy needs `'wasm-unsafe-eval'`.
 */
export async function createWasmHasher(): Promise<Hasher> {
  const engine = await createSHA256()
  let current: Turn | null = null

  function park(): void {
    if (current) current.saved = engine.save()
    current = null
  }

  function take(turn: Turn): void {
    if (current === turn) return
    park()
    if (turn.saved) engine.load(turn.saved)
    else engine.init()
    current = turn
  }

  return {
    hash(bytes) {
      park()
      return engine.init().update(bytes).digest('hex') as Hash
    },
    stream(): HashStream {
      const turn: Turn = { saved: null }
      return {
        update(bytes) {
          take(turn)
          engine.update(bytes)
        },
        digest() {
          take(turn)
          current = null
          return engine.digest('hex') as Hash
        },
      }
    },
  }
}
