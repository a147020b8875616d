/** `read_file` of the `fsproc` profile: a text file as numbered lines. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { bomLength, decodeStrict, isBinary } from '../../text/utf8.ts'
import { checkedTogether, integer } from '../arguments.ts'
import { counted } from '../counted.ts'
import { defineTool, type Tool } from '../tool.ts'
import { fileTarget, projectFile, projectPath, projectRoot } from './project_root.ts'

/** Lines shown when no range is asked for (F-11). */
const MAX_LINES = 2000

const input = checkedTogether(
  z.object({
    path: projectPath,
    file: projectFile,
    start_line: integer('First line, from 1.', { min: 1 }).optional(),
    end_line: integer('Last line, included.', { min: 1 }).optional(),
  }),
  requireRange,
)

const output = z.object({
  content: z.string().describe('Each line with its number and ": " before it.'),
  file: z.string(),
  total_lines: z.int(),
  truncated: z.boolean().describe('Only the first lines are shown.'),
  showing: z.object({ start: z.int(), end: z.int(), count: z.int() }),
})

/** Reads a file whole and shows a part of it (F-10 to F-18). */
export const readFile: Tool = defineTool({
  name: 'read_file',
  title: 'Read file',
  description: `Reads a UTF-8 text file as numbered lines: the first ${MAX_LINES}, or all of the lines from start_line to end_line. Binary files are refused.`,
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  root: projectRoot,
  targets: (args) => fileTarget(args, 'read'),
  failed: () => ({}),
  async run({ view }, { file, start_line, end_line }) {
    const { bytes } = await view.readWhole(await view.resolve(file, { field: 'file' }))
    if (isBinary(bytes)) throw new FilewrightError('binary_file', `${file} is a binary file (${counted(bytes.length, 'byte')}).`)
    const lines = linesOf(decodeStrict(bytes.subarray(bomLength(bytes)), file))
    const total = lines.length
    const truncated = start_line === undefined && end_line === undefined && total > MAX_LINES
    const start = Math.min(start_line ?? 1, total + 1)
    const end = truncated ? MAX_LINES : Math.min(end_line ?? total, total)
    const shown = lines.slice(start - 1, end).map((line, i) => `${String(start + i).padStart(4)}: ${line}`)
    const count = shown.length
    if (truncated) shown.push(`[truncated: ${total} lines total, showing first ${MAX_LINES}; use start_line/end_line for more]`)
    const showing = { start, end: Math.max(end, start - 1), count }
    return { result: { content: shown.join('\n'), file, total_lines: total, truncated, showing } }
  },
  text: ({ content, total_lines, showing }) => {
    if (showing.count === 0) return `[no lines: the file has ${total_lines}]`
    return showing.count === total_lines ? content : `${content}\n[lines ${showing.start}-${showing.end} of ${total_lines}]`
  },
})

function requireRange<Args extends { readonly start_line?: number | undefined; readonly end_line?: number | undefined }>(args: Args): Args {
  const { start_line, end_line } = args
  if (start_line === undefined || end_line === undefined || start_line <= end_line) return args
  throw new FilewrightError('invalid_argument', `invalid range: start_line ${start_line} is after end_line ${end_line}.`, {
    field: 'end_line',
  })
}

/** Lines without their terminators, LF or CRLF. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  const last = lines.pop() as string
  const ended = lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  return last === '' ? ended : [...ended, last]
}
