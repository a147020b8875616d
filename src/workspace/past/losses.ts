/** Contents that history once held and does not hold any more, and why. */
import type { Change, RecordedChange } from '../../core/change.ts'
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { allRecords } from './journal.ts'

/** The contents that a record names, those of the files themselves included. */
export function contentsNamed(changes: readonly RecordedChange[]): Hash[] {
  return changes.flatMap(({ before, after }) => [before, after].flatMap((side) => (side?.kind === 'file' ? [side.hash] : [])))
}

/** Whether content can be had: from history, from what is staged, or from a file that still holds it. */
export async function isHeld(fs: FileSystem, hash: Hash): Promise<boolean> {
  try {
    await (await fs.object(hash)).close()
    return true
  } catch (error) {
    if (isFilewrightError(error, 'not_found')) return false
    throw error
  }
}

/** Why history does not hold a content: the end of a sentence that begins with what it was. */
export async function lossOf(fs: FileSystem, hash: Hash): Promise<string> {
  for await (const page of allRecords(fs)) {
    const purge = page.find(({ purged }) => purged?.includes(hash))
    if (purge) return `was purged from history by change ${purge.sequence}`
  }
  return 'is no longer kept in history'
}

/** Throws `unsupported`, with the reason, when changes would put back content that nobody holds any more; `sure` are known to be held. */
export async function requireHeld(fs: FileSystem, changes: readonly Change[], sure: Iterable<Hash> = []): Promise<void> {
  const seen = new Set<Hash>(sure)
  for (const change of changes) {
    if (change.kind !== 'write' || change.content.bytes || seen.has(change.content.hash)) continue
    const { hash } = change.content
    seen.add(hash)
    if (await isHeld(fs, hash)) continue
    throw new FilewrightError('unsupported', `What ${change.path} held before ${await lossOf(fs, hash)}, so it cannot be put back.`, {
      details: { path: change.path, sha256: hash },
    })
  }
}
