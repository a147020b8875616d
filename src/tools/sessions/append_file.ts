/** `append_file` of the `sessions` profile: adds text on a new line at the end of a file. */
import { z } from 'zod'
import { concatBytes } from '../../core/bytes.ts'
import { FilewrightError } from '../../core/errors.ts'
import { countLines, eolStyle } from '../../text/lines.ts'
import { decodeStrict, encodeText, isBinary } from '../../text/utf8.ts'
import { content } from '../arguments.ts'
import { counted } from '../counted.ts'
import { readExisting, wholeBytes } from '../existing_file.ts'
import { stageContent } from '../stage_content.ts'
import { defineTool, type Tool } from '../tool.ts'
import { resolveSession, sessionPath, sessionTarget, shownPath } from './area.ts'
import { spoken, spokenText } from './spoken.ts'

const input = z.object({
  path: sessionPath,
  content: content('Text to add. Unless it begins with a line break, one is put before it.'),
})

/** Appends to a file, or creates it (S-40 to S-42). */
export const appendFile: Tool = defineTool({
  name: 'append_file',
  title: 'Append to file',
  description: 'Adds text at the end of a file inside sessions/, after a line break; a missing file is created with the text alone.',
  kind: 'write',
  idempotent: false,
  destructive: false,
  input,
  output: spoken,
  targets: sessionTarget,
  risk: () => 'small',
  failed: () => ({}),
  async run({ view }, args) {
    const target = await resolveSession(view, args.path)
    const shown = shownPath(target)
    const added = encodeText(args.content)
    const lines = counted(countLines(added), 'line')
    const existing = await readExisting(view, target)
    if (!existing) {
      await stageContent(view, target, null, added)
      return { result: { text: `Created ${shown} (${lines})` } }
    }
    const bytes = wholeBytes(view, target, existing)
    if (isBinary(bytes)) throw new FilewrightError('binary_file', `${shown} is a binary file; only text can be appended to.`)
    decodeStrict(bytes, shown)
    const separator = /^\r?\n/.test(args.content) || added.length === 0 ? '' : eolStyle(bytes)
    await stageContent(view, target, existing, concatBytes([bytes, encodeText(separator), added]))
    return { result: { text: `Appended ${lines} to ${shown}` } }
  },
  text: spokenText,
})
