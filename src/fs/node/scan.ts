/** Walks of whole trees. */

import { attempt, failureAt } from '../../core/errno.ts'
import type { Entry, ScanOptions } from '../../core/file_system.ts'
import { MAX_PATH_NAMES, nameOf, namesOf, type Path } from '../../core/path.ts'
import { checkSignal } from '../../core/signal.ts'
import { createCursor, type Dir, type Root } from './handles.ts'
import { childrenOf } from './listing.ts'
import { createTurns } from './turns.ts'

const PAGE = 1024
interface Level {
  readonly dir: Dir
  readonly entries: readonly Entry[]
  at: number
}

/** See `FileSystem.scan`. */
export async function* scanTree(root: Root, start: Path, options: ScanOptions): AsyncGenerator<Entry[]> {
  const { filter, signal } = options
  // What is deeper has no path: it is reported where it begins, and not entered.
  const maxDepth = Math.min(options.maxDepth ?? MAX_PATH_NAMES, MAX_PATH_NAMES - namesOf(start).length)
  checkSignal(signal)
  const cursor = createCursor(root)
  const levels: Level[] = []
  const turns = createTurns()
  let page: Entry[] = []
  try {
    const first = attempt(start, () => {
      const dir = cursor.enter(start)
      return { dir, children: childrenOf(root, dir, start, options, 'path') }
    })
    if (maxDepth < 1) return
    levels.push({ dir: first.dir, entries: filter ? await filter(start, first.children) : first.children, at: 0 })
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const entry = level.entries[level.at++]
      if (!entry) {
        if (levels.length > 1) root.leave(level.dir)
        levels.pop()
        continue
      }
      page.push(entry)
      if (entry.kind === 'directory' && levels.length < maxDepth) {
        checkSignal(signal)
        const dir = openBelow(root, level.dir, entry.path)
        const children = dir && childrenBelow(root, dir, entry.path, options)
        if (dir && children) {
          const next: Level = { dir, entries: children, at: 0 }
          // On the stack before anything can throw, so that its handle is closed.
          levels.push(next)
          if (filter) {
            const kept = filter(entry.path, children)
            levels[levels.length - 1] = { ...next, entries: kept instanceof Promise ? await kept : kept }
          }
        }
        if (turns.due()) await turns.next(signal)
      }
      if (page.length >= PAGE) {
        yield page
        page = []
      }
    }
    if (page.length > 0) yield page
  } finally {
    for (const level of levels.splice(1)) root.leave(level.dir)
    cursor.reset()
  }
}

/** A directory that was just listed; null when it may not be entered, or is none any more. It stays reported. */
function openBelow(root: Root, parent: Dir, path: Path): Dir | null {
  return unlessUnreadable(path, () => root.enter(parent, nameOf(path)))
}

function childrenBelow(root: Root, dir: Dir, path: Path, options: ScanOptions): Entry[] | null {
  let children: Entry[] | null = null
  try {
    children = unlessUnreadable(path, () => childrenOf(root, dir, path, options, 'path'))
    return children
  } finally {
    if (!children) root.leave(dir)
  }
}

function unlessUnreadable<T>(path: Path, action: () => T): T | null {
  try {
    return action()
  } catch (error) {
    const failure = failureAt(path, error)
    if (failure.code === 'not_found' || failure.code === 'not_directory' || failure.code === 'permission_denied') return null
    throw failure
  }
}
