/** The scan behind `file_tree`: what is there, what is left out, and when to stop. */
import type { Entry } from '../core/file_system.ts'
import { compareText, nameOf, type Path, parentOf } from '../core/path.ts'
import type { PathGlobs } from '../text/glob/glob.ts'
import type { IgnoreTest } from '../text/glob/ignore.ts'
import type { ToolContext } from './tool.ts'

/** What is scanned. Globs are relative to the root of the picture. */
export interface TreeScanOptions {
  readonly root: Path
  /** Levels below the root. */
  readonly depth: number
  readonly hidden: boolean
  readonly include: PathGlobs | null
  readonly exclude: PathGlobs | null
  /** Sizes are wanted. */
  readonly sizes: boolean
  readonly mostFiles: number
  readonly mostMs: number
}

/** A scanned tree. */
export interface TreeScan {
  /** Children by directory, directories first, in code-point order. */
  readonly children: ReadonlyMap<Path, readonly Entry[]>
  readonly files: number
  /** With the root. */
  readonly directories: number
  /** Why the scan ended early; null when it is whole. */
  readonly stopped: 'max_scanned_files' | 'max_scan_ms' | 'cancelled' | null
}

/** Walks the tree below the root: links are not followed, ignored and hidden entries are not scanned (P-110, P-111). */
export async function scanTree(context: ToolContext, options: TreeScanOptions): Promise<TreeScan> {
  const { view, signal } = context
  const { root, depth, mostFiles } = options
  const rules = await context.ignore.walk(root)
  const end = context.now() + options.mostMs
  const children = new Map<Path, Entry[]>()
  let files = 0
  let directories = 1
  let stopped: TreeScan['stopped'] = null
  // The directory of the last entry, which mostly is that of the next one.
  let [dir, siblings] = [null as Path | null, [] as Entry[]]

  const filter = (dir: Path, entries: Entry[]): Entry[] | Promise<Entry[]> => {
    const keep = (ignored: IgnoreTest): Entry[] => {
      const kept: Entry[] = []
      for (const entry of entries) if (isWanted(entry, ignored, options)) kept.push(entry)
      return kept
    }
    const test = rules.enter(dir, entries)
    return test instanceof Promise ? test.then(keep) : keep(test)
  }

  if (depth > 0) {
    scan: for await (const page of view.scan(root, { filter, maxDepth: depth, stat: options.sizes, target: true })) {
      for (const entry of page) {
        if (entry.kind === 'directory') directories++
        else if (files === mostFiles) {
          stopped = 'max_scanned_files'
          break scan
        } else files++
        const slash = entry.path.lastIndexOf('/')
        if (dir === null || slash !== dir.length || !entry.path.startsWith(dir)) {
          dir = parentOf(entry.path)
          siblings = children.get(dir) ?? []
          if (siblings.length === 0) children.set(dir, siblings)
        }
        siblings.push(entry)
      }
      if (signal.aborted) stopped = 'cancelled'
      else if (context.now() > end) stopped = 'max_scan_ms'
      if (stopped !== null) break
    }
  }
  for (const [path, entries] of children) children.set(path, directoriesFirst(entries))
  return { children, files, directories, stopped }
}

/** A path relative to the root of the picture. */
export function relativeTo(root: Path, path: Path): string {
  return root === '' ? path : path.slice(root.length + 1)
}

function isWanted(entry: Entry, ignored: IgnoreTest, { root, hidden, include, exclude }: TreeScanOptions): boolean {
  const name = nameOf(entry.path)
  if (name === '.git' || (!hidden && name.startsWith('.'))) return false
  const directory = entry.kind === 'directory'
  const relative = include || exclude ? relativeTo(root, entry.path) : ''
  if (exclude?.covers(relative, directory)) return false
  if (!ignored(entry)) return true
  // An include that means this very entry wins over the ignore rules.
  return include !== null && (directory ? include.leadsThrough(relative) : include.covers(relative, false))
}

/** Entries in the order of a scan, in which a directory's name ends in `/`, with the directories first. */
function directoriesFirst(entries: Entry[]): Entry[] {
  const directories = entries.filter(({ kind }) => kind === 'directory')
  if (directories.length === 0) return entries
  directories.sort((a, b) => compareText(a.path, b.path))
  return directories.concat(entries.filter(({ kind }) => kind !== 'directory'))
}
