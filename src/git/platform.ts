/** What the git layer asks of its host: SHA-1 and zlib, both synchronous. */

/** One zlib stream that is inflated as it comes in. Not usable after its end. */
export interface Inflater {
  /** Inflates the next part; what comes out is valid until the next call. Throws `corrupt`. */
  push(bytes: Uint8Array): Uint8Array
  /** After the end of the stream: how many bytes of the last part came after it. Null before. */
  readonly unused: number | null
}

/** Zlib and CRC-32. */
export interface Zlib {
  /**
   * Inflates the zlib stream at the beginning of `bytes`, which comes to `size` bytes; what follows it is left alone. `used` is the
   * length of the stream. Throws `corrupt` for anything else, and for more than `size` bytes.
   */
  inflate(bytes: Uint8Array, size: number): { readonly bytes: Uint8Array; readonly used: number }
  /** Inflates one stream that is too large to hold. Throws as `inflate`. */
  inflateStream(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  /** For a stream that is too large to hold, whose end is not known. */
  inflater(): Inflater
  deflate(bytes: Uint8Array): Uint8Array
  deflateStream(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  /** Continues `seed`, the checksum of what came before. */
  crc32(bytes: Uint8Array, seed?: number): number
}

/** A SHA-1 in progress. Not usable after `digest`. */
export interface Sha1Stream {
  update(bytes: Uint8Array): void
  /** 20 bytes. */
  digest(): Uint8Array
}

/** Git's hash: it names objects; what a workspace proves is proved by SHA-256. */
export interface Sha1 {
  /** 20 bytes, over the parts one after another. */
  hash(...parts: readonly Uint8Array[]): Uint8Array
  stream(): Sha1Stream
}

/** One host's. */
export interface GitPlatform {
  readonly zlib: Zlib
  readonly sha1: Sha1
}
