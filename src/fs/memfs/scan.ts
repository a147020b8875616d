/** Walks of whole trees. */

import { bareEntry } from '../../core/entry.ts'
import { failureAt } from '../../core/errno.ts'
import type { Entry, ScanOptions, Want } from '../../core/file_system.ts'
import { MAX_PATH_NAMES, namesOf, type Path } from '../../core/path.ts'
import { checkSignal } from '../../core/signal.ts'
import { entryOf } from './entries.ts'
import type { Marks } from './marks.ts'
import { childrenOf, createLook, type Look, type Volume } from './volume.ts'

/** Most entries in one page. */
const PAGE = 1024

/** Children of a directory, with what is wanted of them. */
export function entriesOf(volume: Volume, marks: Marks, look: Look, dir: Path, want: Want, order: 'name' | 'path'): Entry[] {
  const entries: Entry[] = []
  for (const { path, kind } of childrenOf(volume, look, dir, order)) {
    if (!want.stat && !want.access && !(want.target && kind === 'link')) {
      entries.push(bareEntry(path, kind))
      continue
    }
    const stats = look.peek(path)
    // Gone since it was listed.
    if (stats) entries.push(entryOf(volume, marks, path, stats, want))
  }
  return entries
}

interface Level {
  readonly entries: readonly Entry[]
  /** The next entry. */
  at: number
}

/** See `FileSystem.scan`. */
export async function* scanTree(volume: Volume, marks: Marks, start: Path, options: ScanOptions): AsyncGenerator<Entry[]> {
  const { filter, signal } = options
  // What is deeper has no path: it is reported where it begins, and not entered.
  const maxDepth = Math.min(options.maxDepth ?? MAX_PATH_NAMES, MAX_PATH_NAMES - namesOf(start).length)
  // Others get a turn at every await, and may put links in the place of directories.
  let look = createLook(volume)
  checkSignal(signal)
  const first = entriesOf(volume, marks, look, start, options, 'path')
  if (maxDepth < 1) return
  const levels: Level[] = []
  let entered: { readonly path: Path; readonly children: Entry[] } | null = { path: start, children: first }
  let page: Entry[] = []
  for (;;) {
    if (entered) {
      let entries = filter ? filter(entered.path, entered.children) : entered.children
      if (entries instanceof Promise) {
        entries = await entries
        look = createLook(volume)
      }
      levels.push({ entries, at: 0 })
      entered = null
    }
    const level = levels.at(-1)
    if (!level) break
    const entry = level.entries[level.at++]
    if (!entry) {
      levels.pop()
      continue
    }
    page.push(entry)
    if (entry.kind === 'directory' && levels.length < maxDepth) {
      checkSignal(signal)
      const children = childrenUnlessUnreadable(volume, marks, look, entry.path, options)
      if (children) entered = { path: entry.path, children }
    }
    if (page.length >= PAGE) {
      yield page
      look = createLook(volume)
      page = []
    }
  }
  if (page.length > 0) yield page
}

/** A directory that was just listed; null when it may not be read, or is none any more. It stays reported. */
function childrenUnlessUnreadable(volume: Volume, marks: Marks, look: Look, path: Path, want: Want): Entry[] | null {
  try {
    return entriesOf(volume, marks, look, path, want, 'path')
  } catch (error) {
    const { code } = failureAt(path, error)
    if (code === 'not_found' || code === 'not_directory' || code === 'permission_denied') return null
    throw error
  }
}
