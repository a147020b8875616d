/** Walking a tree of nodes, as `FileSystem.scan` says. */
import type { Entry, MaybePromise, ScanOptions } from '../file_system.ts'
import type { Path } from '../path.ts'
import { checkSignal } from '../signal.ts'

/** Most entries in one page. */
const PAGE = 1024

interface Level<Directory> {
  readonly directory: Directory
  readonly entries: readonly Entry[]
  /** The next entry. */
  at: number
}

/** What a walk asks of a storage. */
export interface Walked<Directory> {
  /** The children of a directory, in the order of a scan. */
  entries(path: Path, directory: Directory): MaybePromise<Entry[]>
  /** The directory that is a child of another one; null when it cannot be read, so that it is told and not entered. */
  enter(directory: Directory, path: Path): MaybePromise<Directory | null>
}

/** Everything below a directory, in pages, in the order of full paths. It is walked as it is found: take a snapshot's. */
export async function* scanTree<Directory>(
  walked: Walked<Directory>,
  start: Path,
  startDirectory: Directory,
  { filter, signal, maxDepth = Number.POSITIVE_INFINITY }: ScanOptions,
): AsyncGenerator<Entry[]> {
  const filtered = async (path: Path, directory: Directory, found: MaybePromise<Entry[]>): Promise<Level<Directory>> => {
    const children = await found
    return { directory, entries: filter ? await filter(path, children) : children, at: 0 }
  }
  // Waits for what takes time alone: there are many directories.
  const enter = (path: Path, directory: Directory): MaybePromise<Level<Directory>> => {
    checkSignal(signal)
    const found = walked.entries(path, directory)
    return filter || found instanceof Promise ? filtered(path, directory, found) : { directory, entries: found, at: 0 }
  }
  const levels = maxDepth < 1 ? [] : [await enter(start, startDirectory)]
  let page: Entry[] = []
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const entry = level.entries[level.at++]
    if (!entry) {
      levels.pop()
      continue
    }
    page.push(entry)
    if (entry.kind === 'directory' && levels.length < maxDepth) {
      const entered = walked.enter(level.directory, entry.path)
      const directory = entered instanceof Promise ? await entered : entered
      const next = directory === null ? null : enter(entry.path, directory)
      if (next !== null) levels.push(next instanceof Promise ? await next : next)
    }
    if (page.length === PAGE) {
      yield page
      checkSignal(signal)
      page = []
    }
  }
  if (page.length > 0) yield page
}
