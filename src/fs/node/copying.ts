/** Copies of files: by the kernel where it can, and hashed in the same pass where the hash is not known. */

import { attempt, failureAt } from '../../core/errno.ts'
import type { Hash, Hasher } from '../../core/hash.ts'
import { nameOf, type Path, parentOf } from '../../core/path.ts'
import { copyInto, hashLargeFile, type OpenFile, openRegular } from './contents.ts'
import { versionOf } from './entries.ts'
import { inDir, type Root } from './handles.ts'
import type { HashCache } from './hash_cache.ts'
import { changing, type SideParts } from './sides.ts'
import type { Store } from './store.ts'
import { closeQuietly, OPEN } from './syscalls.ts'

/** Smaller files are read and written at once: asking the kernel costs more. */
const KERNEL_BYTES = 1024 * 1024
/** Bits that a copy must not have while it is being made. */
const SPECIAL = 0o7000
const PRIVATE_FILE = 0o600

/** What copying needs. */
export interface CopyParts {
  readonly root: Root
  readonly hasher: Hasher
  readonly hashes: HashCache
}

/**
 * Copies an open file into an empty one, letting other work run in between; returns the hash of what was copied. A large file is
 * cloned or copied by the kernel while this thread hashes it, which is left out when its hash is `known`. Throws `conflict` when
 * the file changes meanwhile.
 */
export async function copyFile(
  { root, hasher, hashes }: CopyParts,
  from: OpenFile,
  to: number,
  known: Hash | null,
  shown: Path | '',
): Promise<Hash> {
  const { sys } = root
  const { stats } = from
  // The kernel gives the copy the mode of the original for as long as it takes.
  const byKernel = root.dir.fd >= 0 && stats.size >= KERNEL_BYTES && (stats.mode & SPECIAL) === 0
  if (!byKernel || !hashes.tellsApart(stats)) return copyInto(sys, hasher, from, to)
  const copied = sys.copy(root.dirOf(from.fd).self, root.dirOf(to).self)
  const isKnown = known !== null && hashes.get(stats) === known
  const [hash, done] = await Promise.allSettled([isKnown ? known : hashLargeFile(sys, hasher, from), copied])
  if (hash.status === 'rejected') throw hash.reason
  if (done.status === 'rejected') throw done.reason
  if (versionOf(sys.fstat(from.fd)) !== versionOf(stats)) throw changing(shown as Path)
  return hash.value
}

/** What was copied ahead of its commit: the versions of the originals, by staged name. */
export type CopiedAhead = Map<string, ReturnType<typeof versionOf>>

/** Copies a large file into the store, and so gets its hash for the judgement that follows. */
export async function copyAhead(parts: SideParts, store: Store, copied: CopiedAhead, path: Path, name: string): Promise<void> {
  const { root, cursor } = parts
  const { sys } = root
  const at = inDir(store.staged, name)
  // What was copied once already has changed since.
  if (copied.delete(name)) attempt(path, () => sys.unlink(at))
  const from = attempt(path, () => openRegular(root, cursor.enter(parentOf(path)), nameOf(path), path))
  try {
    const to = sys.open(at, OPEN.create, PRIVATE_FILE)
    try {
      copied.set(name, versionOf(from.stats))
      const hash = await copyFile(parts, from, to, null, path)
      parts.large.set(versionOf(from.stats), hash)
      parts.hashes.learn(from.stats, hash)
    } finally {
      closeQuietly(sys, to)
    }
  } catch (error) {
    throw failureAt(path, error)
  } finally {
    closeQuietly(sys, from.fd)
  }
}
