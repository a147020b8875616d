/** `file_info`: what is at a path, without its content. */
import { z } from 'zod'
import { isFilewrightError } from '../core/errors.ts'
import type { Entry } from '../core/file_system.ts'
import { nameOf, parsePath } from '../core/path.ts'
import type { Resolved } from '../core/resolve.ts'
import { TEXT_BYTES } from '../core/traits.ts'
import type { View } from '../core/view.ts'
import { mimeType } from '../text/mime.ts'
import { BINARY_TEST_BYTES, isBinary } from '../text/utf8.ts'
import { readRange } from '../text/window/locate.ts'
import { text } from './arguments.ts'
import { counted } from './counted.ts'
import { pathTarget } from './targets.ts'
import { defineTool, type Tool, type ToolContext } from './tool.ts'

const input = z.strictObject({ path: text('A file, directory or link in the workspace.') })

const output = z.object({
  path: z.string(),
  exists: z.boolean(),
  entry_type: z.enum(['file', 'dir', 'symlink']).optional(),
  size_bytes: z.int().nullable().describe('Of a link: of the file that it leads to.'),
  total_lines: z.int().nullable(),
  is_binary: z.boolean(),
  is_readable: z.boolean(),
  is_writable: z.boolean(),
  mime_type: z.string(),
  created: z.string().nullable(),
  modified: z.string().nullable(),
  metadata: z.string().describe('The same in words.'),
})

type Result = z.output<typeof output>

/** Tells what is at a path (P-105). Nothing there is an answer, not an error. */
export const fileInfo: Tool = defineTool({
  name: 'file_info',
  title: 'File info',
  description:
    'Tells what is at a path: whether it exists, its type, size, number of lines, MIME type, times and permissions. Returns no content. A link is described with the size and lines of the file it leads to.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  targets: pathTarget('read'),
  failed: () => absent(''),
  async run(context, args) {
    const { view } = context
    const target = await resolveOrNull(view, args.path)
    if (!target?.entry) return { result: absent(target ? view.display(target.path) : unresolvedPath(view, args.path)) }
    const entry = await view.stat(target.path, { access: true })
    const subject = entry.kind === 'link' ? await leadsTo(view, args.path) : entry
    const inside = subject?.kind === 'file' ? await lookInside(context, subject) : UNSEEN
    const facts = { ...permissionsOf(subject, inside), ...timesOf(entry), ...inside.facts }
    const type = entry.kind === 'directory' ? 'dir' : entry.kind === 'link' ? 'symlink' : entry.kind === 'file' ? 'file' : undefined
    const result: Result = {
      path: view.display(target.path),
      exists: true,
      ...(type && { entry_type: type }),
      size_bytes: subject?.kind === 'file' ? subject.size : null,
      ...facts,
      mime_type: mimeOf(subject, facts.is_binary),
      metadata: '',
    }
    return { result: { ...result, metadata: describe(result, entry, subject !== null) } }
  },
  text: (result) => `${result.path}: ${result.metadata}`,
})

function absent(path: string): Result {
  return {
    path,
    exists: false,
    size_bytes: null,
    total_lines: null,
    is_binary: false,
    is_readable: false,
    is_writable: false,
    mime_type: '',
    created: null,
    modified: null,
    metadata: path === '' ? '' : 'does not exist',
  }
}

/** Null where a path leads through something missing, or through a file (settled detail 17). */
async function resolveOrNull(view: View, path: string): Promise<Resolved | null> {
  try {
    return await view.resolve(path, { last: 'keep', field: 'path' })
  } catch (error) {
    if (isFilewrightError(error, 'not_found') || isFilewrightError(error, 'not_directory')) return null
    throw error
  }
}

/** The path of something that is not there, as far as names alone can tell. */
function unresolvedPath(view: View, path: string): string {
  const { given, parts } = parsePath(path, view.traits, 'path')
  return parts.includes('..') ? given : view.display(parts.join('/') as Resolved['path'])
}

/** What a link leads to; null when that is outside, missing or a circle. */
async function leadsTo(view: View, path: string): Promise<Entry | null> {
  try {
    const target = await view.resolve(path, { last: 'follow', field: 'path' })
    return target.entry && (await view.stat(target.path, { access: true }))
  } catch (error) {
    if (isFilewrightError(error)) return null
    throw error
  }
}

/** What only the content tells. `readable` is false when it could not be read. */
interface Inside {
  readonly facts: Pick<Result, 'total_lines' | 'is_binary'>
  readonly readable: boolean
}

const UNSEEN: Inside = { facts: { total_lines: null, is_binary: false }, readable: true }

/** Reads a file once for its lines; of a very large one only the beginning, to see whether it is binary. */
async function lookInside({ view, facts, signal }: ToolContext, { path }: Entry): Promise<Inside> {
  try {
    const reader = await view.open(path)
    try {
      if (reader.size > TEXT_BYTES) {
        const head = await readRange(reader, 0, BINARY_TEST_BYTES)
        return { facts: { total_lines: null, is_binary: isBinary(head) }, readable: true }
      }
      const { binary, totalLines } = await facts.facts(reader, { signal })
      return { facts: { total_lines: binary ? null : totalLines, is_binary: binary }, readable: true }
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (isFilewrightError(error, 'permission_denied')) return { ...UNSEEN, readable: false }
    throw error
  }
}

function permissionsOf(subject: Entry | null, inside: Inside): Pick<Result, 'is_readable' | 'is_writable'> {
  const { read, write } = subject?.access ?? { read: subject !== null, write: subject !== null }
  return { is_readable: read && inside.readable, is_writable: write }
}

function timesOf({ createdMs, mtimeMs }: Entry): Pick<Result, 'created' | 'modified'> {
  return { created: isoTime(createdMs), modified: isoTime(mtimeMs) }
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

function mimeOf(subject: Entry | null, binary: boolean): string {
  if (subject === null) return 'inode/symlink'
  if (subject.kind === 'directory') return 'inode/directory'
  return subject.kind === 'file' ? mimeType(nameOf(subject.path), binary) : 'application/octet-stream'
}

const KINDS: { readonly [kind in Entry['kind']]: string } = {
  file: 'file',
  directory: 'directory',
  link: 'link',
  special: 'neither file, directory nor link',
}

function describe(result: Result, { kind, mode }: Entry, leadsInside: boolean): string {
  const lines = result.total_lines
  return [
    kind === 'link' && !leadsInside ? 'link that leads outside the workspace or to nothing' : KINDS[kind],
    ...(result.size_bytes === null ? [] : [counted(result.size_bytes, 'byte')]),
    ...(lines === null ? [] : [counted(lines, 'line')]),
    result.mime_type,
    ...(mode === null ? [] : [`mode ${mode.toString(8).padStart(4, '0')}`]),
    ...(result.modified === null ? [] : [`modified ${result.modified}`]),
  ].join(', ')
}
