/** Looking at single paths. */

import { attempt, errnoOf, failureAt } from '../../core/errno.ts'
import { FilewrightError, toFilewrightError } from '../../core/errors.ts'
import type { Entry, Reader, Want } from '../../core/file_system.ts'
import { nameOf, type Path, parentOf, ROOT } from '../../core/path.ts'
import { openRegular, readerOf } from './contents.ts'
import { accessTo, entryOf, kindOf, targetOf } from './entries.ts'
import { type Cursor, checkName, createCursor, type Dir, inDir, type Root, statDir } from './handles.ts'
import type { HashCache } from './hash_cache.ts'
import { childrenOf } from './listing.ts'
import { createTurns } from './turns.ts'

/** Paths between two looks at the clock. */
const LOOK = 64

/** The reads of a `FileSystem` that concern one path at a time. */
export interface Reads {
  stat(path: Path, want: Want): Entry
  statMany(paths: readonly Path[]): Promise<(Entry | FilewrightError)[]>
  list(dir: Path, want: Want): Entry[]
  open(path: Path): Reader
  readLink(path: Path): string
}

export function createReads(root: Root, hashes: HashCache): Reads {
  const { sys } = root

  /** Runs `use` with the directory of a path and its name in it; `''` for the root. */
  const at = <T>(path: Path, cursor: Cursor | null, use: (dir: Dir, name: string) => T): T => {
    const own = cursor ?? createCursor(root)
    try {
      const dir = own.enter(parentOf(path))
      const name = nameOf(path)
      if (path !== ROOT) checkName(name, dir === root.dir, path)
      return use(dir, name)
    } catch (error) {
      throw failureAt(path, error)
    } finally {
      if (!cursor) own.reset()
    }
  }

  const stat = (path: Path, want: Want, cursor: Cursor | null): Entry =>
    at(path, cursor, (dir, name) => {
      const stats = name === '' ? statDir(root, dir) : sys.lstat(inDir(dir, name))
      if (!stats) throw new FilewrightError('not_found', `${path} does not exist.`)
      const target = stats.isSymbolicLink() ? targetOf(root, dir, name) : null
      const entry = entryOf(path, stats, stats.isFile() ? hashes.get(stats) : null, target)
      return want.access ? { ...entry, access: accessTo(root, dir, name) } : entry
    })

  return {
    stat: (path, want) => stat(path, want, null),
    async statMany(paths) {
      const cursor = createCursor(root)
      const turns = createTurns()
      const found: (Entry | FilewrightError)[] = []
      try {
        for (const path of paths) {
          try {
            found.push(stat(path, {}, cursor))
          } catch (error) {
            found.push(toFilewrightError(error))
          }
          if (found.length % LOOK === 0 && turns.due()) await turns.next()
        }
        return found
      } finally {
        cursor.reset()
      }
    },
    list(path, want) {
      const cursor = createCursor(root)
      try {
        return attempt(path, () => childrenOf(root, cursor.enter(path), path, want, 'name'))
      } finally {
        cursor.reset()
      }
    },
    open: (path) =>
      at(path, null, (dir, name) => {
        if (name === '') throw new FilewrightError('is_directory', 'The root of the workspace is a directory.')
        const seen = sys.lstat(inDir(dir, name))
        if (!seen) throw new FilewrightError('not_found', `${path} does not exist.`)
        const kind = kindOf(seen)
        if (kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory.`)
        // Known before it is opened: opening a FIFO or a device would do something.
        if (kind !== 'file') throw new FilewrightError('not_regular', `${path} is not a regular file.`)
        const file = openRegular(root, dir, name, path)
        return readerOf(sys, path, file, hashes.get(file.stats))
      }),
    readLink: (path) =>
      at(path, null, (dir, name) => {
        if (name === '') throw new FilewrightError('invalid_argument', 'The root of the workspace is not a link.')
        try {
          return targetOf(root, dir, name)
        } catch (error) {
          if (errnoOf(error) === 'EINVAL') throw new FilewrightError('invalid_argument', `${path} is not a link.`)
          throw error
        }
      }),
  }
}
