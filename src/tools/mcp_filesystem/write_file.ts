/** `write_file`: creates a file or replaces all of it. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { encodeText, isUtf8, REPLACEMENT } from '../../text/utf8.ts'
import { content } from '../arguments.ts'
import { readExisting } from '../existing_file.ts'
import { stageContent } from '../stage_content.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool } from '../tool.ts'
import { answering } from './answer.ts'
import { filePath, resolveGiven } from './given_path.ts'

const input = z.strictObject({ path: filePath, content: content('The whole new content, stored exactly as given.') })

/** Writes a file, whatever was there; its parents are made. */
export const writeFile: Tool = defineTool({
  name: 'write_file',
  title: 'Write File',
  description:
    'Creates a file with its missing directories, or replaces all of an existing one without asking. To change a part of a file use edit_file. Only in the allowed directories.',
  kind: 'write',
  idempotent: true,
  destructive: true,
  input,
  ...answering,
  targets: pathTarget('change'),
  async run({ view }, { path, content: written }) {
    const target = await resolveGiven(view, path)
    const existing = await readExisting(view, target)
    if (existing?.bytes && written.includes(REPLACEMENT) && !isUtf8(existing.bytes)) {
      throw new FilewrightError(
        'invalid_utf8',
        `${path} is not valid UTF-8, and the content has U+FFFD where its bytes could not be read: they would be lost. Use edit_file on the text around them.`,
      )
    }
    await stageContent(view, target, existing, encodeText(written))
    return { result: { content: `Successfully wrote to ${path}` } }
  },
})
