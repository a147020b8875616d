/** What a path leads to; when it leads nowhere, what may have been meant. */

import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { Entry, FileSystem } from '../../core/file_system.ts'
import { nameOf, type Path, parentOf } from '../../core/path.ts'
import type { Resolved } from '../../core/resolve.ts'
import { isNearName, nearestName } from '../nearest_name.ts'

/** The entry at a path. Throws `not_found`, with the nearest name that is there (`details.nearest`). */
export async function requireEntry(view: Pick<FileSystem, 'list'>, target: Resolved): Promise<Entry> {
  if (target.entry) return target.entry
  const near = await nearestTo(view, target.missingParents[0] ?? target.path)
  const hint = near === null ? '' : ` Did you mean ${near}?`
  throw new FilewrightError('not_found', `${target.given} does not exist.${hint}`, {
    field: 'path',
    ...(near !== null && { details: { nearest: near } }),
  })
}

/** A name like that of the first entry that is missing, in the directory in which it would be. */
async function nearestTo(view: Pick<FileSystem, 'list'>, missing: Path): Promise<Path | null> {
  const parent = parentOf(missing)
  try {
    const names = (await view.list(parent)).map(({ path }) => nameOf(path))
    const near = nearestName(nameOf(missing), names)
    return near !== '' && isNearName(nameOf(missing), near) ? ((parent === '' ? near : `${parent}/${near}`) as Path) : null
  } catch (error) {
    if (isFilewrightError(error)) return null
    throw error
  }
}
