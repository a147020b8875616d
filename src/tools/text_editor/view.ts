/** `view`: a file as numbered lines, or what is in a directory. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { Reader } from '../../core/file_system.ts'
import type { Resolved } from '../../core/resolve.ts'
import { LF } from '../../text/bytes.ts'
import { countLines, lineStart, skipLines, textEnd } from '../../text/lines.ts'
import { bomLength, cutChars, decodeLossy } from '../../text/utf8.ts'
import { offsetOfLine, readRange } from '../../text/window/locate.ts'
import type { TextFacts } from '../../text/window/text_facts.ts'
import { integer } from '../arguments.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { listing } from './listing.ts'
import { numbered } from './numbered.ts'
import { editedPath, isMemoriesRoot, type Place, saying } from './place.ts'

/** Most characters of lines in one answer; the next lines are asked for by `view_range`. */
const MAX_CHARS = 100_000
/** More than that, in bytes: no character has more than four. */
const MOST_READ: number = 4 * MAX_CHARS + 4
/** Longest file that is shown from `/memories`. */
const MAX_MEMORY_LINES = 999_999

/** The range argument, the end included; -1 stands for the last line. */
export const viewRange: z.ZodOptional<z.ZodArray<z.ZodNumber>> = z
  .array(integer('A line.'), 'must be a list of two integers')
  .length(2, 'must be a list of two integers')
  .describe('First and last line to show of a file; -1 as the last: to the end.')
  .optional()

const input = z.object({ path: editedPath, view_range: viewRange })

/** Shows a file or directory. */
export function viewCommand(place: Place): Tool {
  return defineTool({
    name: 'view',
    title: 'View',
    description: 'Shows a text file as numbered lines, or lists a directory two levels deep.',
    kind: 'read',
    idempotent: true,
    destructive: false,
    input,
    ...saying,
    targets: ({ path }) => [{ path: place.pathOf(path, 'path'), field: 'path', use: 'read' }],
    async run(context, { path, view_range }) {
      const target = await place.resolve(context.view, path, { field: 'path' })
      if (target.entry?.kind === 'file') return { result: { text: await fileText(context, place, target, view_range) } }
      if (target.entry?.kind === 'directory' || (!target.entry && place.name === 'memories' && isMemoriesRoot(target))) {
        if (view_range === undefined) return { result: { text: await listing(context, place, target) } }
        throw invalidRange('The `view_range` parameter is not allowed when `path` points to a directory.')
      }
      throw target.entry ? new FilewrightError('not_regular', `${path} is not a regular file.`, { field: 'path' }) : missing(path)
    },
  })
}

/** The error of a path where nothing is. */
export function missing(path: string): FilewrightError {
  return new FilewrightError('not_found', `The path ${path} does not exist. Please provide a valid path.`, { field: 'path' })
}

async function fileText(context: ToolContext, place: Place, target: Resolved, range: readonly number[] | undefined): Promise<string> {
  const { given, path } = target
  const reader = await context.view.open(path)
  try {
    const facts = await context.facts.facts(reader, { signal: context.signal })
    if (facts.binary) {
      throw new FilewrightError('binary_file', `${given} is a binary file (${reader.size} bytes) and cannot be shown as text.`, {
        field: 'path',
      })
    }
    if (place.name === 'memories' && facts.totalLines > MAX_MEMORY_LINES) {
      throw new FilewrightError('too_large', `File ${given} exceeds maximum line limit of 999,999 lines.`, { field: 'path' })
    }
    const header =
      place.name === 'memories'
        ? `Here's the content of ${given} with line numbers:`
        : `Here's the result of running \`cat -n\` on ${given}:`
    const [first, last] = boundsOf(range, facts.totalLines, place)
    return [header, ...(await shown(reader, facts, first, last))].join('\n')
  } finally {
    await reader.close()
  }
}

function boundsOf(range: readonly number[] | undefined, total: number, place: Place): readonly [first: number, last: number] {
  if (range === undefined) return [1, total]
  const [first, end] = range as [number, number]
  const told = `Invalid \`view_range\`: [${first}, ${end}].`
  if (first < 1 || first > total) {
    throw invalidRange(`${told} Its first element \`${first}\` should be within the range of lines of the file: [1, ${total}]`)
  }
  if (end > total && place.name === 'workspace') {
    throw invalidRange(`${told} Its second element \`${end}\` should be smaller than the number of lines in the file: \`${total}\``)
  }
  if (end !== -1 && end < first) {
    throw invalidRange(`${told} Its second element \`${end}\` should be larger or equal than its first \`${first}\``)
  }
  return [first, end === -1 ? total : Math.min(end, total)]
}

function invalidRange(message: string): FilewrightError {
  return new FilewrightError('invalid_argument', message, { field: 'view_range' })
}

/** The lines asked for, as many as one answer holds, and what is to be known of the rest. */
async function shown(reader: Reader, facts: TextFacts, first: number, last: number): Promise<string[]> {
  if (facts.totalLines === 0) return ['[empty file]']
  const offset = await offsetOfLine(reader, facts, first)
  const read = await readRange(reader, offset, offset + MOST_READ)
  const bytes = read.subarray(offset === 0 ? bomLength(read) : 0)
  const after = skipLines(bytes, last - first + 1)
  const wanted = after < 0 ? bytes.length : after
  const end = cut(bytes, wanted)
  const { text, replaced } = decodeLossy(bytes.subarray(0, textEnd(bytes, 0, end)))
  const through = first + Math.max(1, countLines(bytes.subarray(0, end))) - 1
  return [
    numbered(text, first),
    ...(end === wanted ? [] : [clipped(bytes[end - 1] === LF, through, facts.totalLines)]),
    ...(replaced ? ['[not valid UTF-8: bad bytes are shown as U+FFFD]'] : []),
  ]
}

/** Where the lines end that fit into one answer; within a line only when that one alone does not. */
function cut(bytes: Uint8Array, end: number): number {
  const most = cutChars(bytes.subarray(0, end), MAX_CHARS)
  if (most === end) return end
  const whole = lineStart(bytes, most)
  return whole > 0 ? whole : most
}

function clipped(wholeLines: boolean, through: number, total: number): string {
  if (!wholeLines) return `[line ${through} is cut after ${MAX_CHARS} characters]`
  return `[lines up to ${through} of ${total}; go on with view_range [${through + 1}, -1]]`
}
