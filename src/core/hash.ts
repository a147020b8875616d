/** SHA-256 content hashes, and the hasher that a host supplies. */
import { FilewrightError } from './errors.ts'
import { lazily } from './lazy.ts'

/** A SHA-256 as 64 lower-case hex digits. */
export type Hash = string & { readonly __brand: 'Hash' }

/** A hash in progress. Not usable after `digest`. */
export interface HashStream {
  update(bytes: Uint8Array): void
  digest(): Hash
}

/** SHA-256, synchronous: `node:crypto` on Node and workerd, WebAssembly in the browser (WebCrypto cannot stream). */
export interface Hasher {
  hash(bytes: Uint8Array): Hash
  stream(): HashStream
}

/** The hash of no bytes. */
export const EMPTY_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' as Hash

/** Parses a hash as a caller writes it: 64 hex digits of either case (contract P-7). Throws `invalid_argument` on `field`. */
export function parseHash(text: string, field: string): Hash {
  if (!/^[0-9a-fA-F]{64}$/.test(text)) {
    throw new FilewrightError('invalid_argument', `${field} must be a SHA-256 of 64 hex digits.`, { field })
  }
  return text.toLowerCase() as Hash
}

interface NodeCrypto {
  hash(algorithm: 'sha256', data: Uint8Array, encoding: 'hex'): string
  createHash(algorithm: 'sha256'): { update(bytes: Uint8Array): unknown; digest(encoding: 'hex'): string }
}

/**
 * The platform's own synchronous SHA-256 (Node, and workerd with `nodejs_compat`), loaded with the first hash.
 * Throws `unsupported` in a browser: pass the hasher of `filewright/wasm-hasher` there.
 */
export function platformHasher(): Hasher {
  // Not an import: this module is bundled for browsers too, where it must load without a polyfill.
  const host = globalThis as { process?: { getBuiltinModule?(name: string): unknown } }
  if (!host.process?.getBuiltinModule) throw new FilewrightError('unsupported', 'This platform has no synchronous SHA-256: pass a hasher.')
  const crypto = lazily(() => host.process?.getBuiltinModule?.('node:crypto') as NodeCrypto)
  return {
    hash: (bytes) => crypto().hash('sha256', bytes, 'hex') as Hash,
    stream() {
      const state = crypto().createHash('sha256')
      return { update: (bytes) => void state.update(bytes), digest: () => state.digest('hex') as Hash }
    },
  }
}
