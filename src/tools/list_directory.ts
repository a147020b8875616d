/** `list_directory`: the entries of a directory, in pages. */
import { z } from 'zod'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { Entry, EntryKind } from '../core/file_system.ts'
import { nameOf, type Path } from '../core/path.ts'
import type { View } from '../core/view.ts'
import { compileNameGlob } from '../text/glob/glob.ts'
import { BINARY_TEST_BYTES, isBinary } from '../text/utf8.ts'
import { readRange } from '../text/window/locate.ts'
import { boolean, integer, text } from './arguments.ts'
import { requireDirectory } from './existing_directory.ts'
import { defineTool, type Tool, type ToolContext } from './tool.ts'

const input = z.strictObject({
  directory_path: text('The directory, as a path in the workspace.'),
  pattern: text('List only names that match this glob: *, ?, [abc], {a,b}. Directories are still entered.').optional(),
  max_depth: integer('Levels below the directory; 0 is the directory itself.', { min: 0, max: 5 }).default(1),
  offset: integer('Entries to skip: the next_offset of the page before.', { min: 0 }).default(0),
  page_size: integer('Entries of one page; default 50.', { min: 1, max: 200 }).optional(),
  show_hidden: boolean('List names that begin with a dot, too.').default(false),
  verbose: boolean('Add absolute_path, modified and is_binary to each entry.').default(false),
})

const listedEntry = z.object({
  name: z.string(),
  relative_path: z.string().describe('Relative to the listed directory.'),
  entry_type: z.enum(['file', 'dir', 'symlink']),
  size_bytes: z.int().nullable(),
  depth: z.int(),
  absolute_path: z.string().optional(),
  modified: z.string().optional(),
  is_binary: z.boolean().optional(),
})

const output = z.object({
  directory_path: z.string(),
  entries: z.array(listedEntry),
  total_entries: z.int(),
  returned_entries: z.int(),
  offset: z.int(),
  page_size: z.int(),
  next_offset: z.int().nullable(),
  truncated: z.boolean(),
  elapsed_ms: z.int(),
})

type ListedEntry = z.output<typeof listedEntry>

/** Entries of a page when the call does not say. */
const PAGE_SIZE = 50

/** Lists a directory (P-120): depth first, directories first, links never entered, ignore files not consulted. */
export const listDirectory: Tool = defineTool({
  name: 'list_directory',
  title: 'List directory',
  description:
    'Lists what is in a directory, in pages: names, types and sizes, directories first. Use max_depth to see deeper levels and pattern to filter by name; follow next_offset for more. Ignored files are listed; for a picture of a whole tree use file_tree.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  targets: (args) => [{ path: args.directory_path, field: 'directory_path', use: 'read' }],
  failed: () => ({
    directory_path: '',
    entries: [],
    total_entries: 0,
    returned_entries: 0,
    offset: 0,
    page_size: 0,
    next_offset: null,
    truncated: false,
    elapsed_ms: 0,
  }),
  async run(context, args) {
    const { view } = context
    const start = context.now()
    const wanted = args.pattern === undefined ? () => true : compileNameGlob(args.pattern, 'pattern')
    const { path } = await requireDirectory(view, args.directory_path, 'directory_path')
    const listed = args.max_depth === 0 ? [await view.stat(path)] : await walk(context, path, args.max_depth, args.show_hidden)
    const matching = listed.filter((entry) => entry.path === path || wanted(nameOf(entry.path)))
    const pageSize = args.page_size ?? PAGE_SIZE
    const page = matching.slice(args.offset, args.offset + pageSize)
    const entries: ListedEntry[] = []
    for (const entry of page) entries.push(await describe(view, path, entry, args.verbose))
    const end = args.offset + entries.length
    const more = end < matching.length && entries.length > 0
    const result = {
      directory_path: view.display(path),
      entries,
      total_entries: matching.length,
      returned_entries: entries.length,
      offset: args.offset,
      page_size: pageSize,
      next_offset: more ? end : null,
      // A page of the size that was asked for is served in full; the default is a cap (settled detail 3).
      truncated: more && args.page_size === undefined,
      elapsed_ms: Math.round(context.now() - start),
    }
    return { result }
  },
  text: ({ directory_path, entries, total_entries, offset, next_offset }) => {
    const names = entries.map((entry) => `${entry.relative_path}${entry.entry_type === 'dir' ? '/' : ''}${sizeText(entry)}`)
    const more = next_offset === null ? '' : `\n… ${total_entries - next_offset} more: offset ${next_offset}`
    return `${directory_path}: ${total_entries} entries${offset > 0 ? `, from ${offset}` : ''}\n${names.join('\n')}${more}`
  },
})

/** Everything below a directory, its subdirectories first and followed by what is in them. */
async function walk(context: ToolContext, dir: Path, levels: number, hidden: boolean): Promise<Entry[]> {
  context.signal.throwIfAborted()
  const children = (await context.view.list(dir)).filter((entry) => hidden || !nameOf(entry.path).startsWith('.'))
  const found: Entry[] = []
  for (const entry of children) {
    if (entry.kind !== 'directory') continue
    found.push(entry)
    if (levels > 1) for (const deeper of await walkReadable(context, entry.path, levels - 1, hidden)) found.push(deeper)
  }
  for (const entry of children) if (entry.kind !== 'directory') found.push(entry)
  return found
}

/** A directory that may not be read is listed, and nothing below it. */
async function walkReadable(context: ToolContext, dir: Path, levels: number, hidden: boolean): Promise<Entry[]> {
  try {
    return await walk(context, dir, levels, hidden)
  } catch (error) {
    if (isFilewrightError(error, 'permission_denied') || isFilewrightError(error, 'not_found')) return []
    throw error
  }
}

const TYPES: { readonly [kind in EntryKind]: ListedEntry['entry_type'] } = {
  file: 'file',
  directory: 'dir',
  link: 'symlink',
  special: 'file',
}

async function describe(view: View, root: Path, listed: Entry, verbose: boolean): Promise<ListedEntry> {
  const relative = listed.path === root ? '.' : listed.path.slice(root === '' ? 0 : root.length + 1)
  const entry = await view.stat(listed.path)
  const file = entry.kind === 'link' ? await fileBehind(view, entry.path) : entry.kind === 'file' ? entry : null
  return {
    name: nameOf(listed.path) || '/',
    relative_path: relative,
    entry_type: TYPES[entry.kind],
    size_bytes: file?.size ?? null,
    depth: relative === '.' ? 0 : relative.split('/').length,
    ...(verbose && {
      absolute_path: view.display(entry.path),
      ...(entry.mtimeMs !== null && { modified: new Date(entry.mtimeMs).toISOString() }),
      is_binary: file !== null && (await beginsBinary(view, file.path)),
    }),
  }
}

/** The file that a link leads to; null when that is outside, missing, or no file. */
async function fileBehind(view: View, link: Path): Promise<Entry | null> {
  try {
    const { entry } = await view.resolve(view.display(link))
    return entry?.kind === 'file' ? entry : null
  } catch (error) {
    if (error instanceof FilewrightError) return null
    throw error
  }
}

async function beginsBinary(view: View, path: Path): Promise<boolean> {
  try {
    const reader = await view.open(path)
    try {
      return isBinary(await readRange(reader, 0, BINARY_TEST_BYTES))
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (isFilewrightError(error)) return false
    throw error
  }
}

function sizeText({ size_bytes }: ListedEntry): string {
  return size_bytes === null ? '' : ` (${size_bytes})`
}
