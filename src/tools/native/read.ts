/** `read` of the `native` profile: files as plain text, bounded, with a way to go on; images; bytes; directories as listings. */
import { z } from 'zod'
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { Reader } from '../../core/file_system.ts'
import { nameOf } from '../../core/path.ts'
import type { Resolved } from '../../core/resolve.ts'
import { toBase64 } from '../../text/base64.ts'
import { mimeType } from '../../text/mime.ts'
import { readRange } from '../../text/window/locate.ts'
import { readPlainLines } from '../../text/window/plain_lines.ts'
import type { TextFacts } from '../../text/window/text_facts.ts'
import { boolean, checkedTogether, integer, sha256, text, textList } from '../arguments.ts'
import { counted } from '../counted.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { requireEntry } from './existing.ts'
import { showBytes } from './show_bytes.ts'

/** Most lines of one answer. */
const MAX_LINES = 2000
/** Most characters of one answer, notes aside. */
const MAX_CHARS = 50_000
/** Longer lines are cut. */
const MAX_LINE_CHARS = 2000
/** Files up to this size are hashed without being asked: it costs less than the call. */
const HASH_BYTES = 1024 * 1024
/** Largest image that is shown. */
const IMAGE_BYTES = 1024 * 1024
/** Entries of a directory that was taken for a file. */
const MAX_ENTRIES = 200
/** Most files of one call. */
const MAX_FILES = 50

/** Pictures that models can look at. */
const PICTURES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

const input = checkedTogether(
  z.strictObject({
    path: text('File; a directory is listed.').optional(),
    paths: textList('Several files instead.').optional(),
    offset: integer('First line, from 1; negative: from the end.').optional(),
    limit: integer('Lines.', { min: 1, max: MAX_LINES }).optional(),
    line_numbers: boolean('').default(false),
    as: z
      .enum(['lines', 'bytes', 'hex', 'base64'])
      .describe('bytes: raw text; for all but lines, offset and limit count bytes, from 0.')
      .default('lines'),
    sha256: sha256('Of the version you have: unchanged content is not sent again.').optional(),
  }),
  requirePath,
)

type Arguments = z.output<typeof input>

const fileFacts = {
  path: z.string(),
  sha256: z.string().optional(),
  bytes: z.int().optional(),
  lines: z.int().optional().describe('Of the whole file.'),
  first: z.int().optional(),
  last: z.int().optional(),
  next_offset: z.int().optional(),
  unchanged: z.boolean().optional(),
  mime: z.string().optional(),
  entries: z.int().optional(),
  error: z.string().optional(),
  code: z.string().optional(),
}

const output = z.object({
  ...fileFacts,
  path: z.string().optional(),
  files: z.array(z.object(fileFacts)).optional(),
  content: z.string(),
  pictures: z.array(z.object({ mime: z.string(), data: z.string() })).optional(),
})

type FileFacts = z.output<typeof output>

/** One file as it is shown. */
interface Shown {
  readonly facts: Omit<FileFacts, 'content' | 'pictures' | 'files'> & { readonly path: string }
  /** What a model should read, notes included. */
  readonly content: string
  readonly picture?: { readonly mime: string; readonly data: string }
  readonly failure?: FilewrightError
}

/** Reads files (W-1); what it cannot show it describes. */
export const read: Tool = defineTool({
  name: 'read',
  title: 'Read',
  description: `Reads text files (${MAX_LINES} lines at once; the answer tells the offset to go on), images and bytes.`,
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  targets: ({ path, paths }) =>
    paths?.map((one, index) => ({ path: one, field: `paths[${index}]`, use: 'read' })) ?? [{ path, field: 'path', use: 'read' }],
  failed: () => ({}),
  async run(context, args) {
    if (args.paths === undefined) {
      const { facts, content, picture } = await readOne(context, args.path as string, 'path', args, MAX_CHARS)
      return { result: { ...facts, content, ...(picture && { pictures: [picture] }) } }
    }
    const shown: Shown[] = []
    let left = MAX_CHARS
    for (const [index, path] of args.paths.entries()) {
      const one = await readAmong(context, path, `paths[${index}]`, args, left)
      left = Math.max(0, left - one.content.length)
      shown.push(one)
    }
    const [failure, ...others] = shown.map((one) => one.failure)
    if (failure && others.every((other) => other)) throw failure
    const pictures = shown.flatMap(({ picture }) => picture ?? [])
    const content = shown.map((one) => `==> ${one.facts.path} <==\n${one.content}${one.content.endsWith('\n') ? '' : '\n'}`).join('\n')
    return { result: { files: shown.map(({ facts }) => facts), content, ...(pictures.length > 0 && { pictures }) } }
  },
  text: ({ content }) => content,
})

function requirePath<Args extends { readonly path?: string | undefined; readonly paths?: readonly string[] | undefined }>(
  args: Args,
): Args {
  const { path, paths } = args
  if (path !== undefined && paths !== undefined) {
    throw new FilewrightError('invalid_argument', 'path and paths are both given: use one of them.', { field: 'paths' })
  }
  if (path === undefined && paths === undefined) throw new FilewrightError('missing_argument', 'path is required.', { field: 'path' })
  if (paths && (paths.length === 0 || paths.length > MAX_FILES)) {
    throw new FilewrightError('invalid_argument', `paths must hold 1 to ${MAX_FILES} paths.`, { field: 'paths' })
  }
  return args
}

/** One of several: what is wrong with it is told in its place. */
async function readAmong(context: ToolContext, path: string, field: string, args: Arguments, left: number): Promise<Shown> {
  if (left === 0) {
    const next_offset = args.offset ?? (args.as === 'lines' ? 1 : 0)
    return { facts: { path, next_offset }, content: '[not read: the answer is full; read it in another call]' }
  }
  try {
    return await readOne(context, path, field, args, left)
  } catch (error) {
    if (!isFilewrightError(error) || error.code === 'canceled') throw error
    return { facts: { path, error: error.message, code: error.code }, content: `[${error.code}: ${error.message}]`, failure: error }
  }
}

async function readOne(context: ToolContext, path: string, field: string, args: Arguments, maxChars: number): Promise<Shown> {
  const { view } = context
  const target = await view.resolve(path, { field })
  const entry = await requireEntry(view, target)
  if (entry.kind === 'directory') return readDirectory(context, target)
  if (entry.kind !== 'file') throw new FilewrightError('not_regular', `${path} is not a regular file.`, { field })
  const reader = await view.open(target.path)
  try {
    return await readFile(context, target, reader, args, maxChars)
  } finally {
    await reader.close()
  }
}

async function readFile(
  { facts: cache, view, signal }: ToolContext,
  target: Resolved,
  reader: Reader,
  args: Arguments,
  maxChars: number,
): Promise<Shown> {
  const { path } = target
  const hashes = reader.entry.hash === null && (args.sha256 !== undefined || reader.size <= HASH_BYTES)
  const facts = await cache.facts(reader, { signal, hasher: hashes ? view.hasher : undefined })
  const hash = reader.entry.hash ?? facts.hash ?? (hashes ? view.hasher.hash(await readRange(reader, 0, reader.size)) : null)
  const known = { path: view.display(path), bytes: reader.size, ...(hash !== null && { sha256: hash }) }
  const mime = mimeType(nameOf(path), facts.binary)
  if (args.sha256 !== undefined && args.sha256 === hash) return { facts: { ...known, unchanged: true }, content: '[unchanged]' }
  if (args.as === 'hex' || args.as === 'base64' || (args.as === 'bytes' && !facts.binary)) {
    const { content, ...window } = await showBytes(reader, facts, args.as, { ...args, maxChars })
    return { facts: { ...known, ...window }, content }
  }
  if (!facts.binary) {
    const { content, ...window } = await showLines(reader, facts, args, maxChars)
    return { facts: { ...known, lines: facts.totalLines, ...window }, content }
  }
  const size = counted(reader.size, 'byte')
  if (PICTURES.includes(mime) && reader.size <= IMAGE_BYTES) {
    const picture = { mime, data: toBase64(await readRange(reader, 0, reader.size)) }
    return { facts: { ...known, mime }, content: `[${mime}, ${size}]`, picture }
  }
  return { facts: { ...known, mime }, content: `[binary file, ${mime}, ${size}: as hex or base64 shows its bytes]` }
}

interface ShownLines {
  readonly content: string
  readonly first?: number
  readonly last?: number
  readonly next_offset?: number
}

async function showLines(reader: Reader, facts: TextFacts, args: Arguments, maxChars: number): Promise<ShownLines> {
  const total = facts.totalLines
  const offset = args.offset ?? 1
  const first = offset < 0 ? Math.max(1, total + 1 + offset) : Math.max(1, offset)
  if (total === 0) return { content: '[empty file]' }
  if (first > total) return { content: `[nothing from line ${first} on: the file has ${counted(total, 'line')}]` }
  const count = Math.min(args.limit ?? MAX_LINES, total - first + 1)
  const { lines, closed, cut } = await readPlainLines(reader, facts, { first, count, maxChars, maxLineChars: MAX_LINE_CHARS })
  const last = first + lines.length - 1
  const shown = args.line_numbers ? lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`) : lines
  const notes = [
    ...(cut ? [`line ${cut.line} is cut at ${MAX_LINE_CHARS} characters: as bytes with offset ${cut.offset} goes on`] : []),
    ...(cut && cut.others.length > 0 ? [`lines that are cut too: ${cut.others.join(', ')}`] : []),
    ...(facts.validUtf8 ? [] : ['not valid UTF-8: bad bytes are shown as U+FFFD']),
    ...(last < total ? [`lines ${first}-${last} of ${total}: go on with offset ${last + 1}`] : []),
  ]
  const content = shown.join('\n') + (closed || notes.length > 0 ? '\n' : '') + notes.map((note) => `[${note}]`).join('\n')
  return { content, first, last, ...(last < total && { next_offset: last + 1 }) }
}

async function readDirectory({ view }: ToolContext, { path, given }: Resolved): Promise<Shown> {
  const entries = await view.list(path)
  const names = entries.slice(0, MAX_ENTRIES).map((entry) => nameOf(entry.path) + (entry.kind === 'directory' ? '/' : ''))
  const more = entries.length > MAX_ENTRIES ? [`[${entries.length - MAX_ENTRIES} more: use list]`] : []
  const content = [`[${given} is a directory of ${counted(entries.length, 'entry', 'entries')}]`, ...names, ...more].join('\n')
  return { facts: { path: view.display(path), entries: entries.length }, content }
}
