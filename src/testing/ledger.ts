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
export const LEDGER: readonly AllowedDifference[] = []
