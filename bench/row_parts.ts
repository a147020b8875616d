/** What the groups of rows are made of. */
import type { Corpus } from './corpus.ts'

/** Parts that all groups share. */
export interface RowParts {
  readonly corpus: Corpus
  /** An empty folder on the same disk. */
  readonly scratch: string
  /** Called with what must be closed at the end. */
  readonly closing: (thing: { close(): Promise<void> }) => void
}
