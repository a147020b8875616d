/** The file that a call is about to replace or change, as it is now. */
import { FilewrightError } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import type { Resolved } from '../core/resolve.ts'
import type { View } from '../core/view.ts'
import { hashOf } from './stored_state.ts'

/** A regular file's state. */
export interface ExistingFile {
  readonly hash: Hash
  readonly size: number
  /** Null when the file is larger than what is read whole (C-37). */
  readonly bytes: Uint8Array | null
}

/** What is at the target; null when nothing is. Throws `is_directory`, `not_regular`, `permission_denied`. */
export async function readExisting(view: View, target: Resolved): Promise<ExistingFile | null> {
  const { entry, given } = target
  if (!entry) {
    if (target.directory) throw new FilewrightError('is_directory', `${given} names a directory: leave the final slash out.`)
    return null
  }
  if (entry.kind === 'directory') throw new FilewrightError('is_directory', `${given} is a directory.`)
  if (entry.kind !== 'file') throw new FilewrightError('not_regular', `${given} is not a regular file.`)
  const size = entry.size ?? 0
  if (size > view.traits.limits.textBytes) return { hash: await hashOf(view, entry), size, bytes: null }
  const { bytes, hash } = await view.readWhole(target)
  return { hash, size: bytes.length, bytes }
}

/** The bytes of a file that must be read whole. Throws `too_large`. */
export function wholeBytes(view: View, target: Resolved, existing: ExistingFile): Uint8Array {
  if (existing.bytes) return existing.bytes
  const limit = view.traits.limits.textBytes
  throw new FilewrightError('too_large', `${target.given} has ${existing.size} bytes; the limit for this is ${limit}.`, {
    details: { size: existing.size, limit },
  })
}
