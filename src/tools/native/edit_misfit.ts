/** What a model is told when an edit does not fit: why, what to do, and the nearest text. */
import { FilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { Cause } from '../../text/edit/cause.ts'
import type { EditDiagnostic } from '../../text/edit/diagnostics.ts'
import { CAUSES, placesOf } from '../edit_misfit.ts'
import { changeThatRemoved } from '../edit_past.ts'
import type { ToolContext } from '../tool.ts'
import type { PlacedEdit } from './read_edits.ts'

/** The version that was edited. */
export interface Edited {
  readonly target: Resolved
  readonly hash: Hash
}

/** The error of an edit that does not fit. Its details are `reason`, `next`, `nearest` or `match_lines`, and `removed_by`. */
export async function misfit(
  context: ToolContext,
  { target, hash }: Edited,
  items: readonly PlacedEdit[],
  diagnostic: EditDiagnostic,
): Promise<FilewrightError> {
  const { index, reason, cause, candidates, match_count } = diagnostic
  const item = items[index] as PlacedEdit
  const field = item.at
  const where = `${target.given}: ${field}`
  if (reason !== 'no_match') {
    const code = reason === 'ambiguous_match' || reason === 'ambiguous_whitespace_match' ? reason : 'invalid_argument'
    const next = 'Add the lines around it until it is unique, or pass all.'
    const details = { reason, match_count, match_lines: diagnostic.match_lines, next }
    return new FilewrightError(code, `${where} occurs ${match_count} times (${placesOf(diagnostic)}).`, { field, details })
  }
  const past = cause === 'outside_lines' ? null : await changeThatRemoved(context, target.path, hash, item.oldText)
  const why = cause === null ? '' : `: ${CAUSES[cause].what}`
  const since = past === null ? '' : ` It was there before change ${past.sequence} (${past.tool} by ${past.subject}).`
  return new FilewrightError('no_match', `${where} was not found${why}.${since}`, {
    field,
    details: { reason: cause, nearest: candidates, next: nextAfter(cause, candidates.length > 0), ...(past && { removed_by: past }) },
  })
}

function nextAfter(cause: Cause | null, hasNearest: boolean): string {
  if (cause === 'already_applied') return 'If that is what you wanted, there is nothing left to do.'
  if (cause === 'outside_lines') return 'Correct the lines, or leave them out.'
  const loose = cause === 'indentation' || cause === 'white_space' || cause === 'look_alikes'
  if (loose) return 'Copy the text below exactly, or pass loose.'
  return hasNearest ? 'Copy the text below exactly.' : 'Read the file again.'
}
