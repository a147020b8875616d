/** What a caller is told when a replacement does not fit: the reason, where, and what to do. */
import { type ErrorCode, FilewrightError } from '../core/errors.ts'
import type { Cause } from '../text/edit/cause.ts'
import type { EditDiagnostic, EditFailureReason } from '../text/edit/diagnostics.ts'
import type { PastChange } from './edit_past.ts'

/**
 * The error of a replacement that does not fit, with its diagnostic in the details (P-56). `at` is where the caller wrote it;
 * `past` is the change that took the text away, where one is known.
 */
export function misfitError(given: string, at: string, diagnostic: EditDiagnostic, past: PastChange | null): FilewrightError {
  const field = `${at}.old_content`
  const history = past === null ? '' : ` It was there before change ${past.sequence} (${past.tool} by ${past.subject}, ${past.time}).`
  return new FilewrightError(CODES[diagnostic.reason], `${given}: ${field} ${explain(diagnostic)}${history} Nothing was changed.`, {
    field,
    details: { diagnostics: [past === null ? diagnostic : { ...diagnostic, removed_by: past }] },
  })
}

const CODES: { readonly [reason in EditFailureReason]: ErrorCode } = {
  no_match: 'no_match',
  ambiguous_match: 'ambiguous_match',
  ambiguous_whitespace_match: 'ambiguous_whitespace_match',
  empty_old_content: 'invalid_argument',
  invalid_item: 'invalid_argument',
}

/** Why a text was not found, to stand after those words: what made the difference, and where something similar is. */
export function missingHint({ cause, candidates }: EditDiagnostic): string {
  return `${causeOf(cause)}.${nearestOf(candidates)}`
}

function causeOf(cause: Cause | null): string {
  return cause === null ? '' : `: ${CAUSES[cause].what}`
}

function nearestOf([nearest]: EditDiagnostic['candidates']): string {
  return nearest ? ` The nearest text is at lines ${nearest.start_line}-${nearest.end_line}.` : ''
}

/** Where a text occurs, as far as it is told: `lines 3, 5, …`. A line that holds it twice is told once. */
export function placesOf({ match_count, match_lines }: EditDiagnostic): string {
  const lines = [...new Set(match_lines)]
  const cut = match_lines.length < match_count
  return `${lines.length === 1 && !cut ? 'line' : 'lines'} ${lines.join(', ')}${cut ? ', …' : ''}`
}

function explain(diagnostic: EditDiagnostic): string {
  const { reason, match_count, candidates, cause } = diagnostic
  const lines = placesOf(diagnostic)
  switch (reason) {
    case 'ambiguous_match':
      return `occurs ${match_count} times (${lines}): add the lines around it, or pass replace_all.`
    case 'ambiguous_whitespace_match':
      return `matches ${match_count} places when white space is left aside (${lines}): copy the text exactly.`
    case 'empty_old_content':
      return 'must not be empty.'
    case 'invalid_item':
      return 'is not valid.'
    case 'no_match': {
      const remedy = cause === null ? undefined : CAUSES[cause].remedy
      return `was not found${causeOf(cause)}${remedy === undefined ? '' : `; ${remedy}`}.${nearestOf(candidates)}`
    }
  }
}

/** What made the difference, in words, and what `edit_file` can do about it. */
export const CAUSES: { readonly [cause in Cause]: { readonly what: string; readonly remedy?: string } } = {
  outside_lines: { what: 'it is in the file, but not within the lines given' },
  already_applied: { what: 'the new text is there already' },
  line_endings: { what: 'only line endings differ' },
  trailing_blanks: { what: 'only blanks at the ends of lines differ' },
  indentation: { what: 'only the indentation differs', remedy: 'copy it exactly or pass ignore_whitespace' },
  white_space: { what: 'only white space differs', remedy: 'copy it exactly or pass ignore_whitespace' },
  look_alikes: {
    what: 'it has plain quotes, dashes or spaces for typographic ones, or the reverse',
    remedy: 'copy it exactly or pass confusable_fallback',
  },
  case: { what: 'only upper and lower case differ' },
  escapes: { what: 'it has escapes such as \\n for the characters themselves, or the reverse' },
  typo: { what: 'a few characters differ' },
  stale: { what: 'the file does not hold it (any more)', remedy: 'view it again' },
}
