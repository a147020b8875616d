/** `view_file`: a window of a text file, with a cursor to go on. */
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import type { Reader } from '../core/file_system.ts'
import type { Resolved } from '../core/resolve.ts'
import type { TextFacts } from '../text/window/text_facts.ts'
import { readWindow, type WindowRequest } from '../text/window/window.ts'
import { checkedTogether, integer, sha256, text } from './arguments.ts'
import { defineTool, type Tool, type ToolContext } from './tool.ts'

/** Files up to this size are hashed without being asked: it costs less than the call. */
const HASH_BYTES = 1024 * 1024

const input = checkedTogether(
  z.strictObject({
    file_path: text('The file, as a path in the workspace.'),
    start_line: integer('First line, from 1.', { min: 1 }).optional(),
    end_line: integer('Last line, included.', { min: 1 }).optional(),
    tail_lines: integer('The last lines instead.', { min: 1 }).optional(),
    offset_bytes: integer('First byte, from 0, for the raw text.', { min: 0 }).optional(),
    limit_bytes: integer('Most bytes.', { min: 1, max: 1024 * 1024 }).optional(),
    offset_chars: integer('First character, from 0, for the raw text.', { min: 0 }).optional(),
    limit_chars: integer('Most characters.', { min: 1 }).optional(),
    known_sha256: sha256('SHA-256 of what you know; when the file still has it, no content is sent.').optional(),
    known_size: integer('Size of what you know.', { min: 0 }).optional(),
    known_modified_at: text('Modification time of what you know (RFC 3339).')
      .refine((time) => RFC_3339.test(time) && !Number.isNaN(Date.parse(time)), 'must be a time such as 2025-01-31T10:45:00Z')
      .optional(),
  }),
  requireOneMode,
)

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

type Arguments = z.output<typeof input>

const output = z.object({
  file_path: z.string(),
  content: z.string().describe('In line mode each line has its number and a tab before it; else the raw text.'),
  encoding: z.literal('utf-8'),
  mode: z.enum(['line', 'byte', 'char']),
  start_line: z.int().optional(),
  end_line: z.int().optional(),
  requested_tail_lines: z.int().optional(),
  offset_bytes: z.int().optional(),
  offset_chars: z.int().optional(),
  shown_bytes: z.int().optional(),
  shown_chars: z.int().optional(),
  total_bytes: z.int(),
  total_lines: z.int(),
  total_chars: z.int().optional(),
  eof: z.boolean().describe('The window reaches the end of the file.'),
  truncated: z.boolean().describe('A limit cut the window.'),
  truncated_reason: z.enum(['max_lines', 'max_output_chars', 'byte_limit', 'char_limit', 'line_too_long', 'large_file_preview']).optional(),
  next_start_line: z.int().optional(),
  next_offset_bytes: z.int().optional(),
  next_offset_chars: z.int().optional(),
  sha256: z.string().optional(),
  file_unchanged: z.boolean().optional(),
  invalid_utf8: z.boolean().optional().describe('The file is not valid UTF-8; bad bytes are shown as U+FFFD.'),
})

type Result = z.output<typeof output>

/** Views a text file by lines, from its end, by bytes or by characters (P-20 to P-31). */
export const viewFile: Tool = defineTool({
  name: 'view_file',
  title: 'View file',
  description:
    'Reads a text file as numbered lines: all of it up to 500 lines, else a preview of 200. Ask for more by start_line and end_line (at most 500 lines and 50,000 characters a call) or tail_lines; for very long lines, by offset_chars or offset_bytes with a limit. Use one of these groups at a time. When more remains, pass the next_… value of the result in the next call. Binary files are refused; use list_directory for directories.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  targets: ({ file_path }) => [{ path: file_path, field: 'file_path', use: 'read' }],
  failed: (): Result => ({
    file_path: '',
    content: '',
    encoding: 'utf-8',
    mode: 'line',
    total_bytes: 0,
    total_lines: 0,
    eof: false,
    truncated: false,
  }),
  async run(context, args) {
    const { view } = context
    const target = await view.resolve(args.file_path, { field: 'file_path' })
    requireFile(target)
    const reader = await view.open(target.path)
    try {
      const facts = await factsOf(context, reader, args)
      if (facts.binary) throw binaryFile(target, reader)
      const hash = reader.entry.hash ?? facts.hash
      const named = { file_path: view.display(target.path), encoding: 'utf-8', ...(hash && { sha256: hash }) } as const
      if (args.known_sha256 !== undefined && args.known_sha256 === hash) return { result: { ...named, ...unchanged(facts, args) } }
      const window = await readWindow(reader, facts, requestOf(args))
      return { result: { ...named, ...window } }
    } finally {
      await reader.close()
    }
  },
  text: (result) => [...(result.content === '' ? [] : [result.content]), ...notesOf(result)].join('\n'),
})

/** The arguments that choose a part of the file, by the mode they stand for (P-20). */
const MODES = [['start_line', 'end_line'], ['tail_lines'], ['offset_bytes', 'limit_bytes'], ['offset_chars', 'limit_chars']] as const

type ModeArguments = { readonly [name in (typeof MODES)[number][number]]?: number | undefined }

function requireOneMode<Args extends ModeArguments>(args: Args): Args {
  const given = MODES.flatMap((mode) => mode.find((name) => args[name] !== undefined) ?? [])
  const [first, second] = given
  if (second === undefined) return args
  throw new FilewrightError('invalid_argument', `${first} and ${second} choose different parts of the file: pass one of them.`, {
    field: second,
  })
}

function requestOf(args: Arguments): WindowRequest {
  if (args.tail_lines !== undefined) return { kind: 'tail', lines: args.tail_lines }
  if (args.offset_bytes !== undefined || args.limit_bytes !== undefined)
    return { kind: 'bytes', offset: args.offset_bytes, limit: args.limit_bytes }
  if (args.offset_chars !== undefined || args.limit_chars !== undefined)
    return { kind: 'chars', offset: args.offset_chars, limit: args.limit_chars }
  return { kind: 'lines', start: args.start_line, end: args.end_line }
}

function requireFile({ entry, given }: Resolved): void {
  if (!entry) throw new FilewrightError('not_found', `${given} does not exist.`)
  if (entry.kind === 'directory') throw new FilewrightError('is_directory', `${given} is a directory; use list_directory.`)
  if (entry.kind !== 'file') throw new FilewrightError('not_regular', `${given} is not a regular file.`)
}

function binaryFile({ given }: Resolved, reader: Reader): FilewrightError {
  return new FilewrightError('binary_file', `${given} is a binary file (${reader.size} bytes) and cannot be shown as text.`)
}

/** The file's totals, with its hash when the caller compares (P-30) or it costs nothing. */
function factsOf({ facts, view, signal }: ToolContext, reader: Reader, args: Arguments): Promise<TextFacts> {
  const compares = args.known_sha256 !== undefined || args.known_size !== undefined || args.known_modified_at !== undefined
  const hashes = reader.entry.hash === null && (compares || reader.size <= HASH_BYTES)
  return facts.facts(reader, { signal, hasher: hashes ? view.hasher : undefined })
}

function unchanged(facts: TextFacts, args: Arguments): Omit<Result, 'file_path' | 'encoding'> {
  const { kind } = requestOf(args)
  return {
    content: '',
    mode: kind === 'bytes' ? 'byte' : kind === 'chars' ? 'char' : 'line',
    total_bytes: facts.totalBytes,
    total_lines: facts.totalLines,
    ...(kind === 'chars' && { total_chars: facts.totalChars }),
    eof: true,
    truncated: false,
    file_unchanged: true,
  }
}

/** What a reader of the text alone must know: what part of the file it is, and how to go on. */
function notesOf(result: Result): string[] {
  if (result.file_unchanged) return ['[unchanged]']
  if (result.total_bytes === 0) return ['[empty file]']
  const cursor = (['next_start_line', 'next_offset_bytes', 'next_offset_chars'] as const).find((name) => result[name] !== undefined)
  const notes: string[] = []
  if (cursor) notes.push(`[${partOf(result)}; go on with ${cursor.slice('next_'.length)} ${result[cursor]}]`)
  else if (result.truncated || result.content === '') notes.push(`[${partOf(result)}]`)
  if (result.invalid_utf8) notes.push('[not valid UTF-8: bad bytes are shown as U+FFFD]')
  return notes
}

function partOf(result: Result): string {
  if (result.mode === 'line') return `lines ${result.start_line}-${result.end_line} of ${result.total_lines}`
  if (result.mode === 'byte') return `${result.shown_bytes} of ${result.total_bytes} bytes`
  return `${result.shown_chars} of ${result.total_chars} characters`
}
