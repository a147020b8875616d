/** What the journal last saw, as every storage that others share knows it. */
export { createKnown, type Known } from '../../core/known.ts'
