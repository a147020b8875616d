/** `edit_file`: replaces texts in a file by others, all of them or none. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { EditDiagnostic } from '../../text/edit/diagnostics.ts'
import { planEditsInTurns } from '../../text/edit/edit.ts'
import { isBinary } from '../../text/utf8.ts'
import { boolean, content } from '../arguments.ts'
import { missingHint, placesOf } from '../edit_misfit.ts'
import { stageContent } from '../stage_content.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool } from '../tool.ts'
import { answering } from './answer.ts'
import { editDiff } from './edit_diff.ts'
import { filePath, resolveGiven } from './given_path.ts'

/** Most characters of a text that is told back. */
const MOST_TOLD = 2000

const edit = z.strictObject({
  oldText: content('Text in the file, copied exactly, with enough of it to be the only such place.').min(1, 'must not be empty'),
  newText: content('Text to put in its place.'),
})

const input = z.strictObject({
  path: filePath,
  edits: z
    .array(edit, 'must be a list')
    .min(1, 'must hold at least one edit')
    .describe('Each is made in the result of the one before. All are made, or none.'),
  dryRun: boolean('Only show the difference; nothing is changed.').default(false),
})

/** Edits a file in place. */
export const editFile: Tool = defineTool({
  name: 'edit_file',
  title: 'Edit File',
  description:
    'Replaces texts in a file by others and returns the difference. Each oldText must match exactly, white space included, and occur once: add the lines around it until it does. All else stays as it is, byte for byte. Only in the allowed directories.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  ...answering,
  targets: pathTarget('change'),
  risk: () => 'small',
  async run({ view, signal }, { path, edits, dryRun }) {
    const target = await resolveGiven(view, path)
    const { bytes, hash } = await view.readWhole(target)
    if (isBinary(bytes)) throw new FilewrightError('binary_file', `${path} is a binary file; only text can be edited.`)
    const items = edits.map((one) => ({ ...one, replaceAll: false, requireUnique: true }))
    const plan = await planEditsInTurns(
      bytes,
      items,
      { ignoreWhitespace: false, confusables: false, maxCandidates: 1, maxBytes: view.traits.limits.textBytes },
      signal,
    )
    if (!plan.ok) throw misfit(path, plan.diagnostic, edits[plan.diagnostic.index]?.oldText ?? '')
    const diff = editDiff(bytes, plan.bytes, plan.edits, view.display(target.path))
    if (!plan.changed) return { result: { content: `${diff}Nothing changed: the new texts are the old ones.` } }
    await stageContent(view, target, { hash }, plan.bytes)
    return { result: { content: diff }, dryRun }
  },
})

/** Why an edit does not fit. White space is never guessed at: where only that differs, the answer shows what stands in the file. */
function misfit(path: string, diagnostic: EditDiagnostic, oldText: string): FilewrightError {
  const { index, reason } = diagnostic
  const field = `edits[${index}].oldText`
  if (reason !== 'no_match') {
    return new FilewrightError(
      'ambiguous_match',
      `${field} has ${diagnostic.match_count} occurrences in ${path} (${placesOf(diagnostic)}): add the lines around it until it is the only one. Nothing was changed.`,
      { field },
    )
  }
  const [nearest] = diagnostic.candidates
  const remedy = nearest
    ? `It reads:\n${nearest.text}\nCopy it exactly, white space included. Nothing was changed.`
    : 'Read the file again and copy the text exactly. Nothing was changed.'
  return new FilewrightError(
    'no_match',
    `Could not find exact match for edit:\n${cut(oldText)}\n\n${field} was not found in ${path}${missingHint(diagnostic)} ${remedy}`,
    { field },
  )
}

function cut(text: string): string {
  return text.length > MOST_TOLD ? `${text.slice(0, MOST_TOLD).toWellFormed()}…` : text
}
