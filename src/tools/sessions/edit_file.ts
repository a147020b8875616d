/** `edit_file` of the `sessions` profile: replaces a text that occurs once. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { content } from '../arguments.ts'
import { missingHint } from '../edit_misfit.ts'
import { replaceText } from '../replace_text.ts'
import { defineTool, type Tool } from '../tool.ts'
import { resolveSession, sessionPath, sessionTarget, shownPath } from './area.ts'
import { spoken, spokenText } from './spoken.ts'

const input = z.object({
  path: sessionPath,
  old_text: content('Text in the file, copied exactly; it must occur once.').min(1, 'must not be empty'),
  new_text: content('Text to put in its place.'),
})

/** Edits a file in place (S-30, S-31). */
export const editFile: Tool = defineTool({
  name: 'edit_file',
  title: 'Edit file',
  description: 'Replaces a text in a file inside sessions/ by another. The text must match exactly and occur once.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output: spoken,
  targets: sessionTarget,
  risk: () => 'small',
  failed: () => ({}),
  async run({ view }, { path, old_text, new_text }) {
    const target = await resolveSession(view, path)
    const shown = shownPath(target)
    if (!target.entry) throw new FilewrightError('not_found', `file not found: ${shown}`, { field: 'path' })
    const { firstLine } = await replaceText(view, target, {
      oldText: old_text,
      newText: new_text,
      which: 'unique',
      misfit: (diagnostic) =>
        diagnostic.reason === 'ambiguous_match'
          ? new FilewrightError(
              'ambiguous_match',
              `found ${diagnostic.match_count} matches in ${shown}; include more surrounding text so that exactly one matches`,
              { field: 'old_text' },
            )
          : new FilewrightError('no_match', `text not found in ${shown}${missingHint(diagnostic)}`, { field: 'old_text' }),
    })
    return { result: { text: `Edited ${shown} (line ${firstLine})` } }
  },
  text: spokenText,
})
