/** SHA-256 in WebAssembly, for browsers: synchronous and streaming, which WebCrypto is not. */
import { createSHA256 } from 'hash-wasm'
import type { Hash, Hasher } from '../core/hash.ts'
import { createStreamTurns } from '../core/stream_turns.ts'

/**
 * Loads the engine; what it gives is synchronous from then on. Any number of streams can be open at once: they take turns in one
 * engine. A page with a content security policy needs `'wasm-unsafe-eval'`.
 */
export async function createWasmHasher(): Promise<Hasher> {
  const engine = await createSHA256()
  const turns = createStreamTurns(engine)
  return {
    hash: (bytes) => turns.alone(() => engine.init().update(bytes).digest('hex') as Hash),
    stream() {
      const turn = turns.stream()
      return { update: turn.update, digest: () => turn.finish(() => engine.digest('hex') as Hash) }
    },
  }
}
