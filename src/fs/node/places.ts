/** Where entries are: in the tree, or staged for a commit. */

import { unless } from '../../core/errno.ts'
import { nameOf, type Path, parentOf } from '../../core/path.ts'
import { type Cursor, checkName, inDir, type Root, STORE_NAME } from './handles.ts'
import type { StagedRef } from './plan.ts'
import type { Store } from './store.ts'
import { closeQuietly, type HostPath, OPEN } from './syscalls.ts'

/** What finding places needs. */
export interface PlaceParts {
  readonly root: Root
  readonly cursor: Cursor
  readonly store: Store
}

/** A staged entry beside its target. */
export function besideTarget(dir: Path, name: string): StagedRef {
  return `${dir}/${STORE_NAME}-${name}`
}

/** An entry by its path, or by its staged name. */
export type Spot = { readonly path: Path } | { readonly staged: StagedRef }

/** Where an entry is, through the handle of its directory. Valid until the cursor moves. Throws `not_found`, `not_directory`. */
export function locate({ root, cursor, store }: PlaceParts, spot: Spot): HostPath {
  if ('staged' in spot && !spot.staged.includes('/')) return inDir(store.staged, spot.staged)
  const path = pathOf(spot)
  const dir = cursor.enter(parentOf(path))
  checkName(nameOf(path), dir === root.dir, path)
  return inDir(dir, nameOf(path))
}

/** Runs `act` on two places at once: the way to the second must not close the way to the first. */
export function withTwo(parts: PlaceParts, from: Spot, to: Spot, act: (from: HostPath, to: HostPath) => void): void {
  const { sys, dir } = parts.root
  const [first, second] = [pathOf(from), pathOf(to)]
  // The handles of the store and the root stay open; those on the way to a directory do not.
  const stays = !first.includes('/') || ('staged' in to && !second.includes('/')) || parentOf(first) === parentOf(second)
  if (stays || dir.fd < 0) {
    act(locate(parts, from), locate(parts, to))
    return
  }
  const held = parts.root.dirOf(sys.open(parts.cursor.enter(parentOf(first)).self, OPEN.again))
  try {
    act(inDir(held, nameOf(first)), locate(parts, to))
  } finally {
    closeQuietly(sys, held.fd)
  }
}

/** Renames an entry. A directory has to be reached by its new path from then on. */
export function renameEntry(parts: PlaceParts, from: Spot, to: Spot): void {
  withTwo(parts, from, to, parts.root.sys.rename)
  if ('path' in from) parts.cursor.forget(from.path)
}

function pathOf(spot: Spot): Path {
  return 'path' in spot ? spot.path : (spot.staged as Path)
}

/** Where a saved entry stands for the moment before it takes its old place again. */
export function backOf(saved: StagedRef): StagedRef {
  return `${saved}b`
}

/** Removes a staged entry, if it is there. A directory that is not empty is somebody else's by now, and stays. */
export function removeEntry({ sys }: Root, at: HostPath): void {
  const stats = sys.lstat(at)
  if (stats?.isDirectory()) unless('ENOTEMPTY', () => sys.removeDirectory(at))
  else if (stats) sys.unlink(at)
}
