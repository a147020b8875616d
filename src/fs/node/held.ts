/** Finding content by its hash: kept, staged, or still in the file where a record put it. */

import { failureAt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Reader } from '../../core/file_system.ts'
import type { Hash, Hasher } from '../../core/hash.ts'
import { nameOf, parentOf, ROOT } from '../../core/path.ts'
import { hashFile, hashLargeFile, type OpenFile, openFile, openRegular, readerOf } from './contents.ts'
import { type Cursor, createCursor, inDir, isMissing, type Root } from './handles.ts'
import type { HashCache } from './hash_cache.ts'
import type { StagedFiles } from './staged_files.ts'
import type { Source } from './staging.ts'
import type { Store } from './store.ts'
import { closeQuietly, type HostPath } from './syscalls.ts'

/** What a hash looks like. */
export const HASH: RegExp = /^[0-9a-f]{64}$/

/** Content by hash. */
export interface Held {
  /** Where it is; null when it is nowhere. A path below `cursor` is valid until the cursor moves. */
  source(hash: Hash, cursor: Cursor): Source | null
  /** See `FileSystem.object`. */
  open(hash: Hash): Promise<Reader>
}

interface HeldParts {
  readonly root: Root
  readonly hasher: Hasher
  readonly hashes: HashCache
  readonly staged: StagedFiles
  store(): Store | null
}

export function createHeld({ root, hasher, hashes, staged, store }: HeldParts): Held {
  const { sys } = root

  /** Whether an open file still holds what its place promises. */
  const isSound = (file: OpenFile, hash: Hash): boolean => {
    const known = hashes.get(file.stats)
    if (known) return known === hash
    const found = hashFile(sys, hasher, file)
    hashes.learn(file.stats, found)
    return found === hash
  }

  /** The file that held the content when the journal last saw it, if it still does. */
  const livePlace = (hash: Hash, cursor: Cursor): HostPath | null => {
    const path = store()?.journal.known.holderOf(hash)
    if (path === undefined) return null
    try {
      const dir = cursor.enter(parentOf(path))
      const file = openRegular(root, dir, nameOf(path), path)
      try {
        return isSound(file, hash) ? inDir(dir, nameOf(path)) : null
      } finally {
        closeQuietly(sys, file.fd)
      }
    } catch (error) {
      const { code } = failureAt(path, error)
      if (isMissing(error) || code === 'not_regular' || code === 'is_directory' || code === 'permission_denied') return null
      throw error
    }
  }

  const source = (hash: Hash, cursor: Cursor): Source | null => {
    const open = store()
    // It becomes a file's name, and a journal that came from elsewhere may hold anything in its place.
    if (!open || !HASH.test(hash)) return null
    const place = staged.find(open, hash)
    if (place) return { path: place, mayTake: true }
    const kept = inDir(open.objects, hash)
    if (sys.lstat(kept)) return { path: kept, mayTake: false }
    const live = livePlace(hash, cursor)
    return live ? { path: live, mayTake: false } : null
  }

  return {
    source,
    async open(hash) {
      if (!HASH.test(hash)) throw new FilewrightError('invalid_argument', 'A hash has 64 hex digits.')
      const shown = `The content ${hash}`
      const cursor = createCursor(root)
      try {
        store()?.journal.refresh()
        const found = source(hash, cursor)
        if (!found) throw new FilewrightError('not_found', `${shown} is not kept.`)
        const file = openFile(sys, found.path, shown)
        try {
          const found = hashes.get(file.stats) ?? (await hashLargeFile(sys, hasher, file))
          hashes.learn(file.stats, found)
          if (found !== hash) throw new FilewrightError('corrupt', `${shown} does not match its hash any more.`)
          return readerOf(sys, ROOT, file, hash)
        } catch (error) {
          closeQuietly(sys, file.fd)
          throw error
        }
      } catch (error) {
        throw failureAt(shown, error)
      } finally {
        cursor.reset()
      }
    },
  }
}
