/** Where an adapter is known, and allowed, to differ from the interface. Data: the suite holds it true in both directions. */

/** One allowed difference. */
export interface AllowedDifference {
  /** The adapter's name, as the suite is run for it. */
  readonly adapter: string
  /** The case that fails. */
  readonly case: string
  /** A part of the message it fails with, so that no other failure hides behind it. */
  readonly failure: string
  /** Why it is allowed. */
  readonly reason: string
}

/** The differences of this package's own adapters. */
export const LEDGER: readonly AllowedDifference[] = [
  {
    adapter: 'memfs on node:fs',
    case: 'names: the longest name, the deepest path, the longest path',
    failure: 'invalid_name',
    reason: 'Linux takes no path above 4096 bytes, and through a Node-shaped fs a path is given whole, with that of the root before it.',
  },
  {
    adapter: 'memfs on node:fs',
    case: 'names: one that is not UTF-8 comes back byte for byte',
    failure: 'invalid_name',
    reason: 'Node turns names into texts and back as UTF-8; what that would alter is refused.',
  },
]
