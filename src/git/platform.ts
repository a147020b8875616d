/** What the git layer asks of its host: SHA-1 and zlib, both synchronous. */

/** Zlib and CRC-32. */
export interface Zlib {
  /**
   * Inflates the zlib stream at the beginning of `bytes`, which comes to `size` bytes; what follows it is left alone. `used` is the
   * length of the stream. Throws `corrupt` for anything else, and for more than `size` bytes.
   */
  inflate(bytes: Uint8Array, size: number): { readonly bytes: Uint8Array; readonly used: number }
  /**
   * Inflates the one zlib stream that `bytes` is, of a size that is not known. Throws `corrupt` for anything else, and `too_large` for more
   * than `maxBytes`.
   */
  inflateAll(bytes: Uint8Array, maxBytes: number): Uint8Array
  /**
   * Inflates one stream that is too large to hold. `ended` is told, before the end, how many of the bytes taken from `source` come after
   * the stream. Throws as `inflate`.
   */
  inflateStream(source: AsyncIterable<Uint8Array>, ended?: (unused: number) => void): AsyncIterable<Uint8Array>
  /** `fast`: at zlib's level 1, as git deflates what it writes object by object; else at its default. */
  deflate(bytes: Uint8Array, fast?: boolean): Uint8Array
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
