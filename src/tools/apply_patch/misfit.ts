/** What a caller is told when a hunk does not fit: which, where, why, and what to do. */
import { FilewrightError } from '../../core/errors.ts'
import type { HunkMisfit } from '../../text/patch/hunks.ts'
import type { MisfitReason } from '../../text/patch/place.ts'
import { missingHint } from '../edit_misfit.ts'

/** The error of a hunk that does not fit, with the facts in the details. */
export function hunkError(given: string, misfit: HunkMisfit): FilewrightError {
  const { hunk, patch_line, reason, candidates } = misfit
  const code = reason === 'lines_ambiguous' || reason === 'header_ambiguous' ? 'ambiguous_match' : 'no_match'
  const difference = candidates[0] ? ` Difference: ${candidates[0].difference}.` : ''
  const message = `${given}: hunk ${hunk} (line ${patch_line} of the patch) ${EXPLAIN[reason](misfit)}${difference} Nothing was changed.`
  return new FilewrightError(code, message, { field: 'input', details: { misfit: { file: given, ...misfit } } })
}

const EXPLAIN: { readonly [reason in MisfitReason]: (misfit: HunkMisfit) => string } = {
  lines_not_found: (misfit) => `was not found; its first line that is not there is ${shown(misfit)}${hint(misfit)}`,
  header_not_found: (misfit) => `begins with a header that is no line of the file below the hunk before: ${shown(misfit)}${hint(misfit)}`,
  lines_ambiguous: (misfit) =>
    `fits in several places (${places(misfit)}): add lines around it, or a header (@@ LINE) that stands above the right one.`,
  header_ambiguous: (misfit) =>
    `only puts lines in, and its header occurs several times (${places(misfit)}): add lines of the file around them.`,
  not_at_end: (misfit) => `is said to be at the end of the file, but is at ${places(misfit)}: leave *** End of File out.`,
  not_below_header: (misfit) => `is not below its header, but at ${places(misfit)}: correct the header, or leave it out.`,
  out_of_order: (misfit) => `is at ${places(misfit)}, before the end of the hunk above it: put the hunks in the order of the file.`,
}

function shown({ missing }: HunkMisfit): string {
  const line = missing ?? ''
  return JSON.stringify(line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN).toWellFormed()}…` : line)
}

const MOST_SHOWN = 120

/** `edit_file` words the same causes. */
function hint({ hunk, cause, candidates, match_lines }: HunkMisfit): string {
  return missingHint({ index: hunk - 1, reason: 'no_match', match_count: 0, match_lines, candidates, cause })
}

function places({ match_lines }: HunkMisfit): string {
  return `${match_lines.length === 1 ? 'line' : 'lines'} ${match_lines.join(', ')}`
}
