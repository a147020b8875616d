/** A directory that a call names, and that must be there. */
import { FilewrightError } from '../core/errors.ts'
import type { Resolved } from '../core/resolve.ts'
import type { View } from '../core/view.ts'

/** Resolves a directory. Throws `not_found`, `not_directory`, and what resolving throws. */
export async function requireDirectory(view: View, given: string, field: string): Promise<Resolved> {
  const target = await view.resolve(given, { field })
  if (!target.entry) throw new FilewrightError('not_found', `${given} does not exist.`, { field })
  if (target.entry.kind !== 'directory') throw new FilewrightError('not_directory', `${given} is not a directory.`, { field })
  return target
}
