/** `file_tree`: a picture of a directory and what is below it, honouring ignore files. */
import { z } from 'zod'
import { nameOf, type Path } from '../core/path.ts'
import type { View } from '../core/view.ts'
import { compileExcludes, compilePathGlobs } from '../text/glob/glob.ts'
import { boolean, integer, text, textList } from './arguments.ts'
import { requireDirectory } from './existing_directory.ts'
import { defineTool, type Tool } from './tool.ts'
import { escapeName, fingerprintOf, lineOf, type PictureEntry, pictureOf, statsOf } from './tree_picture.ts'
import { scanTree } from './tree_scan.ts'

const input = z.strictObject({
  root_path: text('The directory to draw, as a path in the workspace.'),
  max_depth: integer('Levels to draw; 1 is the direct entries, 0 only the root.', { min: 0, max: 256 }).default(64),
  max_chars: integer('Characters of the picture.', { min: 1, max: 200_000 }).default(20_000),
  max_scan_ms: integer('Milliseconds to scan for.', { min: 1, max: 60_000 }).default(5000),
  max_scanned_files: integer('Files to scan.', { min: 1 }).default(20_000),
  max_file_size: integer('Leave larger files out of the picture, in bytes.', { min: 0 }).optional(),
  offset: integer('Entries to skip: the next_offset of the page before.', { min: 0 }).default(0),
  show_hidden: boolean('Show names that begin with a dot, too.').default(false),
  include_patterns: textList('Gitignore-style globs of what to show; */ shows directories only. They win over ignore files.').optional(),
  exclude_patterns: textList('Gitignore-style globs of what to leave out.').optional(),
  include_stats: boolean('Count files by extension and by directory.').default(false),
  stats_scope: z.enum(['rendered', 'scanned']).default('rendered').describe('What is counted: the picture, or everything below it.'),
})

const output = z.object({
  root_path: z.string(),
  tree: z.string(),
  rendered_files: z.int(),
  rendered_dirs: z.int().describe('With the root.'),
  scanned_files: z.int(),
  scanned_dirs: z.int().describe('With the root.'),
  omitted_entries: z.int(),
  next_offset: z.int().optional(),
  truncated: z.boolean(),
  truncated_reason: z.string().optional(),
  scan_truncated: z.boolean(),
  scan_cancelled: z.boolean(),
  stats_scope: z.enum(['rendered', 'scanned']),
  stats_complete: z.boolean(),
  extension_stats: z.array(z.object({ extension: z.string(), files: z.int(), bytes: z.int() })).optional(),
  largest_dirs: z.array(z.object({ path: z.string(), files: z.int() })).optional(),
  snapshot_fingerprint: z.string(),
  elapsed_ms: z.int(),
})

type Result = z.output<typeof output>

/** Draws a tree (P-110 to P-115). */
export const fileTree: Tool = defineTool({
  name: 'file_tree',
  title: 'File tree',
  description:
    'Draws a directory and everything below it as an indented tree, leaving out what .gitignore and .ignore exclude. Use it to find your way in a project; narrow it with max_depth, include_patterns and exclude_patterns, and follow next_offset when it is cut. snapshot_fingerprint changes exactly when the drawn structure does.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  targets: (args) => [{ path: args.root_path, field: 'root_path', use: 'read' }],
  failed: () => FAILED,
  async run(context, args) {
    const { view } = context
    const start = context.now()
    const include = args.include_patterns?.length ? compilePathGlobs(args.include_patterns, 'include_patterns') : null
    const exclude = args.exclude_patterns?.length ? compileExcludes(args.exclude_patterns, 'exclude_patterns') : null
    const { path: root } = await requireDirectory(view, args.root_path, 'root_path')
    const wholeDepth = args.include_stats && args.stats_scope === 'scanned'
    const scan = await scanTree(context, {
      root,
      // One level more than is drawn, to know whether the picture is cut.
      depth: wholeDepth ? Number.POSITIVE_INFINITY : args.max_depth + 1,
      hidden: args.show_hidden,
      include,
      exclude,
      sizes: args.include_stats || args.max_file_size !== undefined,
      mostFiles: args.max_scanned_files,
      mostMs: args.max_scan_ms,
    })
    const picture = pictureOf(scan, { root, depth: args.max_depth, include, maxFileSize: args.max_file_size ?? null })
    const page = pageOf(rootLine(view, root), picture.entries, args.offset, args.max_chars)
    const reason = scan.stopped ?? (page.cut ? 'max_chars' : picture.cut ? 'max_depth' : null)
    const drawnFiles = page.entries.filter(({ entry }) => entry.kind !== 'directory').length
    const drawnDirectories = page.entries.length - drawnFiles + 1
    const counted = wholeDepth ? [...scan.children.values()].flat() : picture.entries.map(({ entry }) => entry)
    const result: Result = {
      root_path: view.display(root),
      tree: page.text,
      rendered_files: drawnFiles,
      rendered_dirs: drawnDirectories,
      scanned_files: scan.files,
      scanned_dirs: scan.directories,
      omitted_entries: Math.max(0, scan.files + scan.directories - drawnFiles - drawnDirectories),
      ...(page.next !== null && { next_offset: page.next }),
      truncated: reason !== null,
      ...(reason !== null && { truncated_reason: reason }),
      scan_truncated: scan.stopped !== null,
      scan_cancelled: scan.stopped === 'cancelled',
      stats_scope: args.stats_scope,
      stats_complete: scan.stopped === null,
      ...(args.include_stats && statsOf(root, counted)),
      snapshot_fingerprint: fingerprintOf(view.hasher, root, picture.entries),
      elapsed_ms: Math.round(context.now() - start),
    }
    return { result }
  },
  text: ({ tree, truncated_reason, next_offset }) => {
    const more = next_offset === undefined ? '' : `, go on with offset ${next_offset}`
    return truncated_reason === undefined ? tree : `${tree}\n… cut by ${truncated_reason}${more}`
  },
})

const FAILED: Result = {
  root_path: '',
  tree: '',
  rendered_files: 0,
  rendered_dirs: 0,
  scanned_files: 0,
  scanned_dirs: 0,
  omitted_entries: 0,
  truncated: false,
  scan_truncated: false,
  scan_cancelled: false,
  stats_scope: 'rendered',
  stats_complete: false,
  snapshot_fingerprint: '',
  elapsed_ms: 0,
}

/** A virtual root is drawn as `/`; any other directory by its name. */
function rootLine(view: View, root: Path): string {
  const shown = view.display(root)
  return shown === '/' ? '/' : `${escapeName(nameOf(shown as Path))}/`
}

interface Page {
  readonly text: string
  readonly entries: readonly PictureEntry[]
  /** Where the next page begins; null at the end, or when not even one entry fits. */
  readonly next: number | null
  readonly cut: boolean
}

/** As many whole lines from `offset` on as fit, below the root's line. */
function pageOf(root: string, entries: readonly PictureEntry[], offset: number, maxChars: number): Page {
  const lines = [root]
  let left = maxChars - charsOf(root)
  let at = Math.min(offset, entries.length)
  const first = at
  for (; at < entries.length; at++) {
    const line = lineOf(entries[at] as PictureEntry)
    left -= charsOf(line) + 1
    if (left < 0) break
    lines.push(line)
  }
  const cut = at < entries.length
  return { text: lines.join('\n'), entries: entries.slice(first, at), next: cut && at > first ? at : null, cut }
}

function charsOf(text: string): number {
  let chars = text.length
  for (let at = 1; at < text.length; at++) if (isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))) chars--
  return chars
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000
