/** `str_replace`: one text by another, where it occurs once. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { EditDiagnostic } from '../../text/edit/diagnostics.ts'
import { type EditPlan, planEdits } from '../../text/edit/edit.ts'
import { snippetsOf } from '../../text/edit/snippet.ts'
import { content } from '../arguments.ts'
import { missingHint } from '../edit_misfit.ts'
import { changeThatRemoved } from '../edit_past.ts'
import { stageContent } from '../stage_content.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { readEdited } from './edited_file.ts'
import { numbered, TOO_LONG_TO_SHOW } from './numbered.ts'
import { changeTarget, editedPath, type Place, saying } from './place.ts'

/** Lines shown around a change. */
export const SNIPPET_LINES = 4

const input = z.object({
  path: editedPath,
  old_str: content('Text in the file, copied exactly; it must occur once.').min(1, 'must not be empty'),
  new_str: content('Text to put in its place; default: none.').default(''),
})

/** Replaces a unique text, byte for byte. */
export function strReplaceCommand(place: Place): Tool {
  return defineTool({
    name: 'str_replace',
    title: 'Replace text',
    description: 'Replaces a text that occurs exactly once in the file; all else stays as it is, byte for byte.',
    kind: 'write',
    idempotent: false,
    destructive: true,
    input,
    ...saying,
    targets: changeTarget(place),
    risk: () => 'small',
    async run(context, { path, old_str, new_str }) {
      const { view } = context
      const { target, file } = await readEdited(view, place, path)
      const item = { oldText: old_str, newText: new_str, replaceAll: false, requireUnique: true }
      const plan = planEdits(file.bytes, [item], {
        ignoreWhitespace: false,
        confusables: false,
        maxCandidates: 1,
        maxBytes: view.traits.limits.textBytes,
      })
      if (!plan.ok) throw await misfit(context, target, file.hash, old_str, plan.diagnostic)
      await stageContent(view, target, file, plan.bytes)
      return { result: { text: place.name === 'memories' ? memoryText(plan) : editorText(path, plan) } }
    },
  })
}

function editorText(path: string, plan: EditPlan): string {
  if (!plan.changed) return `The file ${path} has been edited. It is as it was: old_str and new_str are the same.`
  return [
    `The file ${path} has been edited. Here's the result of running \`cat -n\` on a snippet of ${path}:`,
    snippet(plan),
    'Review the changes and make sure they are as expected. Edit the file again if necessary.',
  ].join('\n')
}

function memoryText(plan: EditPlan): string {
  if (!plan.changed) return 'The memory file has been edited. It is as it was: old_str and new_str are the same.'
  return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet(plan)}`
}

function snippet({ bytes, edits }: EditPlan): string {
  const parts = snippetsOf(bytes, edits, SNIPPET_LINES).map(({ start_line, content: lines }) => numbered(lines, start_line))
  if (parts.length > 0) return parts.join('\n')
  return bytes.length === 0 ? '[empty file]' : TOO_LONG_TO_SHOW
}

/** Longest part of a text that is repeated in an error. */
const MOST_QUOTED = 500

async function misfit(
  context: ToolContext,
  { given, path }: Resolved,
  hash: Parameters<typeof changeThatRemoved>[2],
  oldText: string,
  diagnostic: EditDiagnostic,
): Promise<FilewrightError> {
  const quoted = `\`${oldText.length > MOST_QUOTED ? `${oldText.slice(0, MOST_QUOTED).toWellFormed()}…` : oldText}\``
  const parts = { field: 'old_str', details: { diagnostics: [diagnostic] } }
  if (diagnostic.reason === 'ambiguous_match') {
    const cut = diagnostic.match_lines.length < diagnostic.match_count ? ', …' : ''
    const message = `No replacement was performed. Multiple occurrences of old_str ${quoted} in lines: ${[...new Set(diagnostic.match_lines)].join(', ')}${cut}. Please ensure it is unique`
    return new FilewrightError('ambiguous_match', message, parts)
  }
  const past = await changeThatRemoved(context, path, hash, oldText)
  const since = past === null ? '' : ` It was there before change ${past.sequence} (${past.tool} by ${past.subject}, ${past.time}).`
  const [nearest] = diagnostic.candidates
  const difference = nearest ? ` Difference: ${nearest.difference}.` : ''
  const message = `No replacement was performed, old_str ${quoted} did not appear verbatim in ${given}${missingHint(diagnostic)}${difference}${since}`
  return new FilewrightError('no_match', message, parts)
}
