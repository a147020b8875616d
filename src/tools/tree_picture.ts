/** The picture that `file_tree` draws of a scan: which entries are in it, how they look, and what identifies it. */
import type { Entry } from '../core/file_system.ts'
import type { Hash, Hasher } from '../core/hash.ts'
import { nameOf, type Path } from '../core/path.ts'
import type { PathGlobs } from '../text/glob/glob.ts'
import { relativeTo, type TreeScan } from './tree_scan.ts'

/** One line of the picture. */
export interface PictureEntry {
  readonly entry: Entry
  /** Levels below the root, from 1. */
  readonly depth: number
}

/** What of a scan is drawn. */
export interface PictureOptions {
  readonly root: Path
  readonly depth: number
  readonly include: PathGlobs | null
  /** Larger files are left out; null for no limit. */
  readonly maxFileSize: number | null
}

/** The lines in their order, and whether entries below `depth` were cut. */
export function pictureOf(scan: TreeScan, options: PictureOptions): { readonly entries: readonly PictureEntry[]; readonly cut: boolean } {
  const entries: PictureEntry[] = []
  let cut = false

  /** Draws what is below a directory; answers whether anything of it was wanted. */
  function draw(dir: Path, depth: number): boolean {
    let any = false
    for (const entry of scan.children.get(dir) ?? []) {
      if (entry.kind === 'directory') {
        const at = entries.length
        entries.push({ entry, depth })
        const below = draw(entry.path, depth + 1)
        if (below || isDirectoryWanted(entry, options)) any = true
        else entries.length = at
      } else if (isFileWanted(entry, options)) {
        entries.push({ entry, depth })
        any = true
      }
    }
    if (depth <= options.depth || !any) return any
    // Deeper than is drawn: it only tells that the picture is cut.
    entries.length = entries.findLastIndex((drawn) => drawn.depth <= options.depth) + 1
    cut = true
    return any
  }

  draw(options.root, 1)
  return { entries, cut }
}

function isFileWanted(entry: Entry, { root, include, maxFileSize }: PictureOptions): boolean {
  if (maxFileSize !== null && entry.kind === 'file' && (entry.size ?? 0) > maxFileSize) return false
  return include === null || (!include.directoriesOnly && include.covers(relativeTo(root, entry.path), false))
}

/** Whether a directory is drawn although nothing in it is: without a whitelist always, else when it is meant itself. */
function isDirectoryWanted(entry: Entry, { root, include }: PictureOptions): boolean {
  return include === null || include.covers(relativeTo(root, entry.path), true)
}

/** A line of the picture, without its end. */
export function lineOf({ entry, depth }: PictureEntry): string {
  const name = escapeName(nameOf(entry.path))
  const tail = entry.kind === 'directory' ? '/' : entry.kind === 'link' ? ` -> ${escapeName(entry.target ?? '')}` : ''
  return `${'  '.repeat(depth)}${name}${tail}`
}

/** A name whose control characters and lone surrogates are written as escapes (P-112). */
export function escapeName(name: string): string {
  return name.replace(/[\p{Cc}\p{Cs}]/gu, (char) => {
    const code = char.codePointAt(0) as number
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`
  })
}

/** Characters that are hashed at once: line by line would take several times as long. */
const HASHED_CHARS = 16 * 1024

/** Equal for equal structure: paths, kinds and texts of links, whatever page of it was asked for (P-114). */
export function fingerprintOf(hasher: Hasher, root: Path, entries: readonly PictureEntry[]): Hash {
  const stream = hasher.stream()
  const encoder = new TextEncoder()
  let text = ''
  for (const { entry } of entries) {
    text += `${entry.kind}\0${relativeTo(root, entry.path)}\0${entry.target ?? ''}\n`
    if (text.length < HASHED_CHARS) continue
    stream.update(encoder.encode(text))
    text = ''
  }
  stream.update(encoder.encode(text))
  return stream.digest()
}

/** Files by the ending of their names, and directories by the files in them; the ten largest of each (P-115). */
export function statsOf(
  root: Path,
  entries: Iterable<Entry>,
): {
  readonly extension_stats: { readonly extension: string; readonly files: number; readonly bytes: number }[]
  readonly largest_dirs: { readonly path: string; readonly files: number }[]
} {
  const extensions = new Map<string, { files: number; bytes: number }>()
  const directories = new Map<string, number>()
  for (const { kind, path, size } of entries) {
    if (kind === 'directory') continue
    const name = nameOf(path)
    const dot = name.lastIndexOf('.')
    const extension = dot > 0 ? name.slice(dot + 1) : ''
    const sum = extensions.get(extension) ?? { files: 0, bytes: 0 }
    extensions.set(extension, { files: sum.files + 1, bytes: sum.bytes + (size ?? 0) })
    const relative = relativeTo(root, path)
    const dir = relative.includes('/') ? relative.slice(0, relative.lastIndexOf('/')) : '.'
    directories.set(dir, (directories.get(dir) ?? 0) + 1)
  }
  const extension_stats = [...extensions].map(([extension, sum]) => ({ extension, ...sum }))
  const largest_dirs = [...directories].map(([path, files]) => ({ path, files }))
  return {
    extension_stats: extension_stats.sort((a, b) => b.files - a.files || (a.extension < b.extension ? -1 : 1)).slice(0, 10),
    largest_dirs: largest_dirs.sort((a, b) => b.files - a.files || (a.path < b.path ? -1 : 1)).slice(0, 10),
  }
}
