/** `edit_file` of the `fsproc` profile: replaces a text, once, some times or everywhere. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { content, integer } from '../arguments.ts'
import { counted } from '../counted.ts'
import { missingHint, placesOf } from '../edit_misfit.ts'
import { replaceText } from '../replace_text.ts'
import { defineTool, type Tool } from '../tool.ts'
import { fileTarget, projectFile, projectPath, projectRoot } from './project_root.ts'

const input = z.object({
  path: projectPath,
  file: projectFile,
  old: content('Text in the file, copied exactly, without line numbers.').min(1, 'must not be empty'),
  new: content('Text to put in its place.'),
  count: integer('1: the text must be unique; more: at most so many occurrences, the first ones; -1: all.', { min: -1 })
    .refine((count) => count !== 0, 'must be -1 or at least 1')
    .default(1),
})

const output = z.object({
  path: z.string().describe('Absolute.'),
  replacements: z.int(),
  first_line: z.int().describe('Line of the first occurrence, before the edit.'),
})

/** Edits a file in place (F-30 to F-35). */
export const editFile: Tool = defineTool({
  name: 'edit_file',
  title: 'Edit file',
  description:
    'Replaces a text in a file by another, exactly and case-sensitively. By default the text must occur once: add lines around it until it does, or pass count. Everything else stays as it is, byte for byte.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output,
  root: projectRoot,
  targets: (args) => fileTarget(args, 'change'),
  risk: () => 'small',
  failed: () => ({}),
  async run({ view }, args) {
    const { file, count } = args
    const target = await view.resolve(file, { field: 'file' })
    const { replacements, firstLine } = await replaceText(view, target, {
      oldText: args.old,
      newText: args.new,
      which: count === 1 ? 'unique' : count === -1 ? 'all' : count,
      misfit: (diagnostic) =>
        diagnostic.reason === 'ambiguous_match'
          ? new FilewrightError(
              'ambiguous_match',
              `old has ${diagnostic.match_count} occurrences in ${file} (${placesOf(diagnostic)}): add the lines around it, or pass count. Nothing was changed.`,
              { field: 'old' },
            )
          : new FilewrightError('no_match', `old was not found in ${file}${missingHint(diagnostic)} Nothing was changed.`, {
              field: 'old',
            }),
    })
    return { result: { path: view.display(target.path), replacements, first_line: firstLine } }
  },
  text: ({ path, replacements, first_line }) => `Edited ${path}: ${counted(replacements, 'replacement')}, the first in line ${first_line}.`,
})
