/** Watching a folder: a watcher for every directory, by its handle, so that none follows a link to anywhere else. */

import { errnoOf, failureAt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import { compareText, isWithin, joinPath, nameOf, type Path, parentOf, ROOT } from '../../core/path.ts'
import { type Baseline, isSkipped } from './baseline.ts'
import { createCursor, inDir, isMissing, type Root, STORE_NAME, statDir } from './handles.ts'
import { childrenOf } from './listing.ts'
import { textOfBytes } from './names.ts'
import type { Stats } from './syscalls.ts'
import { createTurns } from './turns.ts'

/** Changes are told once nothing has happened for this long, */
const QUIET_MS = 50
/** and after this long in any case. */
const LONGEST_MS = 500

const SELF = '.'

/** What watching needs. */
export interface WatchParts {
  readonly root: Root
  baseline(): Promise<Baseline>
  /** Whether an entry is as the journal last saw it, as far as that can be told without reading it. */
  looksKnown(path: Path, stats: Stats | undefined): boolean
}

interface Watched {
  readonly ino: number
  close(): void
}

/**
 * See `FileSystem.watch`. `.git` is left out, and so is what looks as the journal last saw it. When more happens at once than the
 * system's queue holds, some of it is not told: `observe` without paths finds all. Throws `io_error` where there are more
 * directories than the system lets a process watch.
 */
export async function* watchTree(parts: WatchParts, signal: AbortSignal): AsyncGenerator<readonly Path[]> {
  const { root } = parts
  const watched = new Map<Path, Watched>()
  const dirty = new Set<Path>()
  /** Ends the pause of the loop below. */
  let wake: () => void = () => {}
  let last = 0
  const touch = (path: Path): void => {
    if (isSkipped(path) || path === STORE_NAME) return
    dirty.add(path)
    last = performance.now()
    wake()
  }

  /** Watches a directory and those below it. What is in them is told when `isNew`. */
  const begin = async (start: Path, isNew: boolean, baseline: Baseline | null): Promise<void> => {
    const turns = createTurns()
    const cursor = createCursor(root)
    const queue: Path[] = [start]
    try {
      for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
        if (signal.aborted) return
        try {
          const dir = cursor.enter(path)
          const { ino } = statDir(root, dir)
          if (watched.get(path)?.ino === ino) continue
          if (watched.has(path)) end(path)
          const here = path
          // The system calls the directory itself by the last name of this path.
          const handle = root.sys.watch(inDir(dir, SELF), (name) => touch(placeOf(here, name)))
          watched.set(path, { ino, close: handle.close })
          // Only now: what comes from here on is told by the watcher.
          for (const child of childrenOf(root, dir, path, { stat: true }, 'name')) {
            if (isSkipped(child.path)) continue
            if (isNew || (baseline && baseline.get(child.path) !== child.version && !baseline.full)) touch(child.path)
            if (child.kind === 'directory') queue.push(child.path)
          }
        } catch (error) {
          if (errnoOf(error) === 'ENOSPC' || errnoOf(error) === 'EMFILE') throw tooMany(error)
          const failure = failureAt(path, error)
          // Gone again, or not for this process to look into.
          if (!isMissing(failure) && failure.code !== 'permission_denied') throw failure
        }
        if (turns.due()) await turns.next()
      }
    } finally {
      cursor.reset()
    }
  }
  /** Ends watching a directory and those below it. */
  const end = (path: Path): void => {
    for (const [one, { close }] of watched) {
      if (!isWithin(one, path)) continue
      close()
      watched.delete(one)
    }
  }
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  /** What of the touched paths is news; directories that came or went are watched from now on, or no more. */
  const settle = async (): Promise<Path[]> => {
    const news: Path[] = []
    const cursor = createCursor(root)
    try {
      for (const path of [...dirty].sort(compareText)) {
        dirty.delete(path)
        const stats = path === ROOT ? statDir(root, root.dir) : lookAt(root, cursor, path)
        if (stats?.isDirectory()) await begin(path, true, null)
        else if (watched.has(path)) end(path)
        if (!parts.looksKnown(path, stats)) news.push(path)
      }
    } finally {
      cursor.reset()
    }
    return news
  }

  const stop = (): void => wake()
  signal.addEventListener('abort', stop)
  try {
    await begin(ROOT, false, await parts.baseline())
    while (!signal.aborted) {
      if (dirty.size === 0) {
        await pause(2 ** 30)
        continue
      }
      const until = performance.now() + LONGEST_MS
      while (!signal.aborted && performance.now() < until && performance.now() - last < QUIET_MS) await rest(QUIET_MS)
      const news = await settle()
      if (news.length > 0 && !signal.aborted) yield news
    }
  } finally {
    signal.removeEventListener('abort', stop)
    end(ROOT)
  }
}

function placeOf(dir: Path, name: Uint8Array | null): Path {
  const text = name === null ? SELF : textOfBytes(name)
  return text === SELF ? dir : joinPath(dir, text)
}

function lookAt(root: Root, cursor: ReturnType<typeof createCursor>, path: Path): Stats | undefined {
  try {
    return root.sys.lstat(inDir(cursor.enter(parentOf(path)), nameOf(path)))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw failureAt(path, error)
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function tooMany(cause: unknown): FilewrightError {
  return new FilewrightError('io_error', 'There are more directories than the system lets this process watch.', { cause })
}
