/** Searching lines below a directory without ignore rules: what the plain searches of several profiles share. */
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { Entry, FileSystem } from '../core/file_system.ts'
import { nameOf, type Path } from '../core/path.ts'
import type { View } from '../core/view.ts'
import type { LineMatch, Wanted } from '../text/search/match.ts'
import { compileQuery } from '../text/search/query.ts'
import { searchFiles } from '../text/search/search.ts'
import { behindLink } from './linked_entry.ts'
import type { ToolContext } from './tool.ts'

/** Longest time of one search, in milliseconds (C-30). */
const TIMEOUT_MS = 5000

/** What is searched for, and where. */
export interface LineQuery {
  readonly pattern: string
  readonly isRegex: boolean
  /** Which names are looked at; links count by their own names. */
  readonly entersDirectory: (name: string) => boolean
  readonly readsFile: (name: string) => boolean
  readonly maxResults: number
  readonly show: NonNullable<Wanted['show']>
}

/** The first matching lines. */
export interface LineSearchResult {
  readonly matches: readonly LineMatch[]
  /** There are more than `maxResults`. */
  readonly truncated: boolean
}

/**
 * Searches the files below a directory: those of a directory before its subdirectories, both by name (F-44). Binary, undecodable
 * and unreadable files are passed over; links to files are read, links to directories not entered. Throws `invalid_argument` and
 * `invalid_regex` on `pattern`, `unsupported` for a pattern that no engine can take, `timeout`, `canceled`.
 */
export async function searchLines(context: ToolContext, dir: Path, query: LineQuery): Promise<LineSearchResult> {
  const { view, signal } = context
  const search = compileQuery({ text: query.pattern, isRegex: query.isRegex, fold: false, multiline: false, field: 'pattern' })
  const links = new Map<Path, Path>()
  const { matches, limits, passedOver } = await searchFiles(throughLinks(view, links), walk(context, dir, query, links), {
    search,
    mode: 'content',
    context: 0,
    show: query.show,
    budget: {
      maxResults: query.maxResults,
      maxFiles: Number.POSITIVE_INFINITY,
      maxScannedFiles: Number.POSITIVE_INFINITY,
      maxScannedBytes: Number.POSITIVE_INFINITY,
      timeout: TIMEOUT_MS,
      maxFileBytes: view.traits.limits.textBytes,
    },
    signal,
    progress: (files) => context.progress(files, null),
  })
  if (limits.includes('timeout')) throw new FilewrightError('timeout', `The search took longer than ${TIMEOUT_MS} ms: narrow it.`)
  if (passedOver) {
    const cause = passedOver.lacking === null ? 'this pattern' : `a pattern with ${passedOver.lacking}`
    throw new FilewrightError('unsupported', `${passedOver.path} has lines that are too long for ${cause}.`, { field: 'pattern' })
  }
  return { matches, truncated: limits.includes('maxResults') }
}

/** Reads what links lead to in their place. */
function throughLinks(view: View, links: ReadonlyMap<Path, Path>): Pick<FileSystem, 'readEach'> {
  return {
    readEach(paths, options, visit) {
      let at = 0
      const real = paths.map((path) => links.get(path) ?? path)
      return view.readEach(real, options, (_, bytes, problem) => visit(paths[at++] as Path, bytes, problem))
    },
  }
}

/** The files to read, by directory; notes where links lead. */
async function* walk(context: ToolContext, dir: Path, query: LineQuery, links: Map<Path, Path>): AsyncGenerator<readonly Entry[]> {
  const { view, signal } = context
  signal.throwIfAborted()
  const files: Entry[] = []
  const directories: Path[] = []
  for (const entry of await listReadable(view, dir)) {
    const name = nameOf(entry.path)
    if (entry.kind === 'directory') {
      if (query.entersDirectory(name)) directories.push(entry.path)
      continue
    }
    if (!query.readsFile(name)) continue
    const file = await behindLink(view, entry)
    if (file?.kind !== 'file') continue
    if (file !== entry) links.set(entry.path, file.path)
    files.push({ ...file, path: entry.path })
  }
  if (files.length > 0) yield files
  for (const directory of directories) yield* walk(context, directory, query, links)
}

async function listReadable(view: View, dir: Path): Promise<readonly Entry[]> {
  try {
    return await view.list(dir)
  } catch (error) {
    if (isFilewrightError(error, 'permission_denied') || isFilewrightError(error, 'not_found')) return []
    throw error
  }
}
