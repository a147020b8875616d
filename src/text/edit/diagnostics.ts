/** Why a text was not found, or was found too often, as data: the places, the nearest regions and the smallest difference (P-56). */
import { countLineFeeds } from '../window/block_counts.ts'
import { type Cause, findCause } from './cause.ts'
import { type Places, type Range, SHOWN_PLACES } from './match.ts'
import { type Candidate, nearestRegions } from './nearest.ts'

/** What is wrong with an item, in the names of the contract. */
export type EditFailureReason = 'no_match' | 'ambiguous_match' | 'ambiguous_whitespace_match' | 'empty_old_content' | 'invalid_item'

/** One item that does not fit. */
export interface EditDiagnostic {
  /** The item, from 0. */
  readonly index: number
  readonly reason: EditFailureReason
  readonly match_count: number
  /** Lines of the first matches, at most {@link SHOWN_PLACES}. */
  readonly match_lines: readonly number[]
  /** Regions that nearly match, the best first. */
  readonly candidates: readonly Candidate[]
  /** Why nothing matched; null for the other reasons. */
  readonly cause: Cause | null
}

/** The diagnostic of a text that was found too often. */
export function explainAmbiguous(
  bytes: Uint8Array,
  index: number,
  places: Places,
  reason: 'ambiguous_match' | 'ambiguous_whitespace_match',
): EditDiagnostic {
  return { index, reason, match_count: places.count, match_lines: linesOfPlaces(bytes, places), candidates: [], cause: null }
}

/** The diagnostic of a text that was not found in `range`. `bytes` is the text as the items before left it. */
export function explainMissing(bytes: Uint8Array, index: number, texts: SoughtTexts, range: Range, maxCandidates: number): EditDiagnostic {
  const firstLine = 1 + countLineFeeds(bytes.subarray(0, range.start))
  const regions = nearestRegions(bytes, texts.oldText, range, firstLine, Math.max(1, maxCandidates))
  const cause = findCause(bytes, texts.oldText, texts.newText, range, regions[0])
  const candidates = regions.slice(0, maxCandidates).map((region) => region.candidate)
  return { index, reason: 'no_match', match_count: 0, match_lines: [], candidates, cause }
}

/** The texts of an item. */
export interface SoughtTexts {
  readonly oldText: string
  readonly newText: string
}

/** The diagnostic of an item that cannot be tried. */
export function explainInvalid(index: number, reason: 'empty_old_content' | 'invalid_item'): EditDiagnostic {
  return { index, reason, match_count: 0, match_lines: [], candidates: [], cause: null }
}

function linesOfPlaces(bytes: Uint8Array, places: Places): number[] {
  const lines: number[] = []
  let [line, counted] = [1, 0]
  for (const start of places.starts.subarray(0, SHOWN_PLACES)) {
    line += countLineFeeds(bytes.subarray(counted, start))
    counted = start
    lines.push(line)
  }
  return lines
}
