/** What a caller is told when a replacement does not fit: the reason, where, and what to do. */
import { type ErrorCode, FilewrightError } from '../core/errors.ts'
import type { Cause } from '../text/cause.ts'
import type { EditDiagnostic, EditFailureReason } from '../text/diagnostics.ts'

/** The error of a replacement that does not fit, with its diagnostic in the details (P-56). `at` is where the caller wrote it. */
export function misfitError(given: string, at: string, diagnostic: EditDiagnostic): FilewrightError {
  const field = `${at}.old_content`
  return new FilewrightError(CODES[diagnostic.reason], `${given}: ${field} ${explain(diagnostic)} Nothing was changed.`, {
    field,
    details: { diagnostics: [diagnostic] },
  })
}

const CODES: { readonly [reason in EditFailureReason]: ErrorCode } = {
  no_match: 'no_match',
  ambiguous_match: 'ambiguous_match',
  ambiguous_whitespace_match: 'ambiguous_whitespace_match',
  empty_old_content: 'invalid_argument',
  invalid_item: 'invalid_argument',
}

function explain({ reason, match_count, match_lines, candidates, cause }: EditDiagnostic): string {
  const lines = `${match_lines.length === 1 ? 'line' : 'lines'} ${match_lines.join(', ')}${match_lines.length < match_count ? ', …' : ''}`
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
      const nearest = candidates[0]
      const where = nearest ? ` The nearest text is at lines ${nearest.start_line}-${nearest.end_line}.` : ''
      return `was not found${cause === null ? '' : `: ${CAUSES[cause]}`}.${where}`
    }
  }
}

/** What made the difference, in words. */
export const CAUSES: { readonly [cause in Cause]: string } = {
  outside_lines: 'it is in the file, but not within the lines given',
  already_applied: 'new_content is there already',
  line_endings: 'only line endings differ',
  trailing_blanks: 'only blanks at the ends of lines differ',
  indentation: 'only the indentation differs; copy it exactly or pass ignore_whitespace',
  white_space: 'only white space differs; copy it exactly or pass ignore_whitespace',
  look_alikes: 'it has plain quotes, dashes or spaces for typographic ones, or the reverse; copy it exactly or pass confusable_fallback',
  case: 'only upper and lower case differ',
  escapes: 'it has escapes such as \\n for the characters themselves, or the reverse',
  typo: 'a few characters differ',
  stale: 'the file does not hold it (any more); view it again',
}
