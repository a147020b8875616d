/** `read_text_file`: a file's text, or some lines of its beginning or end. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { integer } from '../arguments.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool } from '../tool.ts'
import { reading } from './answer.ts'
import { filePath, resolveGiven } from './given_path.ts'
import { type Part, readText } from './read_text.ts'

const input = z.strictObject({
  path: filePath,
  tail: integer('Only so many lines of the end; 0 is as if it were not given.', { min: 0 }).optional(),
  head: integer('Only so many lines of the beginning; 0 is as if it were not given.', { min: 0 }).optional(),
})

/** Reads a text file. */
export const readTextFile: Tool = defineTool({
  name: 'read_text_file',
  title: 'Read Text File',
  description:
    'Reads a file as text: all of it, or with head or tail its first or last lines. Line ends and a byte order mark stay as they are. Binary files are refused; read_media_file reads them. Only in the allowed directories.',
  ...reading,
  input,
  targets: pathTarget('read'),
  async run({ view, signal }, { path, tail, head }) {
    const part = partOf(head, tail)
    return { result: { content: await readText(view, await resolveGiven(view, path), part, signal) } }
  },
})

function partOf(head: number | undefined, tail: number | undefined): Part {
  // Callers that fill in every argument send 0 for the one that they do not mean.
  if (head && tail) throw new FilewrightError('invalid_argument', 'Cannot specify both head and tail parameters simultaneously.')
  if (head) return { end: 'head', lines: head }
  return tail ? { end: 'tail', lines: tail } : { end: 'whole' }
}
