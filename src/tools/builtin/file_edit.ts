/** `builtin/file-edit`: replaces the first occurrence of a text, or all. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { boolean, content } from '../arguments.ts'
import { counted } from '../counted.ts'
import { missingHint } from '../edit_misfit.ts'
import { replaceText } from '../replace_text.ts'
import { defineTool, type Tool } from '../tool.ts'
import { filePath, sandboxOf, sandboxRoot, targetsOf } from './sandbox.ts'

const input = z.object({
  path: filePath,
  old_text: content('Text in the file, copied exactly.').min(1, 'must not be empty'),
  new_text: content('Text to put in its place.'),
  replace_all: boolean('Replace every occurrence; else the first.').default(false),
  sandbox_root: sandboxRoot,
})

const output = z.object({ path: z.string().describe('Absolute.'), replacements: z.int() })

/** Edits a UTF-8 file in place (B-30). */
export const fileEdit: Tool = defineTool({
  name: 'builtin/file-edit',
  title: 'Edit file',
  description: 'Replaces a text in a UTF-8 file by another: its first occurrence, or with replace_all every one. It must match exactly.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output,
  root: sandboxOf,
  targets: targetsOf('change'),
  risk: () => 'small',
  failed: () => ({}),
  async run({ view }, { path, old_text, new_text, replace_all }) {
    const target = await view.resolve(path)
    const { replacements, unchanged } = await replaceText(view, target, {
      oldText: old_text,
      newText: new_text,
      which: replace_all ? 'all' : 1,
      strict: true,
      misfit: (diagnostic) =>
        new FilewrightError('no_match', `old_text was not found in ${path}${missingHint(diagnostic)} Nothing was changed.`, {
          field: 'old_text',
        }),
    })
    return { result: { path: view.display(target.path), replacements }, ...(unchanged && { unchanged: [unchanged] }) }
  },
  text: ({ path, replacements }) => `Edited ${path}: ${counted(replacements, 'replacement')}.`,
})
