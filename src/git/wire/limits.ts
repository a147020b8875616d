/** What is taken from a server that may be hostile, and not more. */

/** Bounds of one clone, fetch or push. */
export interface WireLimits {
  /** Bytes of one answer; default 8 GiB. */
  readonly bytes: number
  /** References of one advertisement; default 200,000. */
  readonly refs: number
  /** Bytes of one advertisement or list of references; default 64 MiB. */
  readonly listBytes: number
  /** Longest silence of a server, in milliseconds; default two minutes. */
  readonly idleMs: number
  /** Bytes of a path in a tree; default 4,096. */
  readonly pathBytes: number
  /** Directories within one another; default 512. */
  readonly depth: number
}

/** The limits where nothing else is said. */
export const WIRE_LIMITS: WireLimits = {
  bytes: 8 * 1024 ** 3,
  refs: 200_000,
  listBytes: 64 * 1024 ** 2,
  idleMs: 120_000,
  pathBytes: 4096,
  depth: 512,
}
