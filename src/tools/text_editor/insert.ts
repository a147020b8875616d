/** `insert`: lines after a line. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { MAX_SNIPPET_CHARS } from '../../text/edit/snippet.ts'
import { type Inserted, insertLines } from '../../text/insert_lines.ts'
import { countLines, lineEnd, skipLines, textEnd } from '../../text/lines.ts'
import { bomLength, countChars, decodeLossy } from '../../text/utf8.ts'
import { content, integer } from '../arguments.ts'
import { stageContent } from '../stage_content.ts'
import { defineTool, type Tool } from '../tool.ts'
import { readEdited } from './edited_file.ts'
import { numbered, TOO_LONG_TO_SHOW } from './numbered.ts'
import { changeTarget, editedPath, type Place, saying } from './place.ts'
import { SNIPPET_LINES } from './str_replace.ts'

const input = z.object({
  path: editedPath,
  insert_line: integer('The line after which the text is put; 0: before the first.'),
  insert_text: content('The lines to put in.'),
})

/** Inserts lines; the file's line ends stay what they are, and the new ones are like them. */
export function insertCommand(place: Place): Tool {
  return defineTool({
    name: 'insert',
    title: 'Insert lines',
    description: 'Puts text into a file after a line; 0 puts it at the beginning.',
    kind: 'write',
    idempotent: false,
    destructive: false,
    input,
    ...saying,
    targets: changeTarget(place),
    risk: () => 'small',
    async run({ view }, { path, insert_line, insert_text }) {
      const { target, file } = await readEdited(view, place, path)
      const lines = countLines(file.bytes)
      if (insert_line < 0 || insert_line > lines) {
        const message = `Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${lines}]`
        throw new FilewrightError('invalid_argument', message, { field: 'insert_line' })
      }
      const inserted = insertLines(file.bytes, insert_line, insert_text)
      const limit = view.traits.limits.textBytes
      if (inserted.bytes.length > limit) {
        throw new FilewrightError('too_large', `${path} would grow to ${inserted.bytes.length} bytes; the limit is ${limit}.`)
      }
      await stageContent(view, target, file, inserted.bytes)
      const edited = `The file ${path} has been edited.`
      return { result: { text: place.name === 'memories' ? edited : `${edited} ${editorText(inserted)}` } }
    },
  })
}

function editorText(inserted: Inserted): string {
  return [
    "Here's the result of running `cat -n` on a snippet of the edited file:",
    around(inserted),
    'Review the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary.',
  ].join('\n')
}

/** The lines that were put in, with some around them. */
function around({ bytes, firstLine, lastLine }: Inserted): string {
  const first = Math.max(1, firstLine - SNIPPET_LINES)
  const start = first === 1 ? bomLength(bytes) : skipLines(bytes, first - 1)
  let end = start
  for (let line = first; line <= lastLine + SNIPPET_LINES && end < bytes.length; line++) end = lineEnd(bytes, end)
  const shown = bytes.subarray(start, textEnd(bytes, start, end))
  return countChars(shown) > MAX_SNIPPET_CHARS ? TOO_LONG_TO_SHOW : numbered(decodeLossy(shown).text, first)
}
