/** A tree listed with all that is below it. */
import type { MaybePromise } from '../core/file_system.ts'
import type { GitMode, Oid } from '../core/repository.ts'
import type { ObjectDatabase } from './objects.ts'
import { run, type Steps, settled } from './steps.ts'
import { type TreeCursor, treeCursor } from './tree.ts'

/** Told of one entry; false ends the listing. */
export type VisitEntry = (path: string, mode: GitMode, oid: Oid) => boolean | undefined

/** Visits the entries of a tree, each directory before what is in it, as `git ls-tree -r -t` does. Submodules are not entered. */
export function listTree(objects: Pick<ObjectDatabase, 'readAs'>, tree: Oid, visit: VisitEntry): MaybePromise<void> {
  return run(steps(objects, tree, visit))
}

function* steps(objects: Pick<ObjectDatabase, 'readAs'>, tree: Oid, visit: VisitEntry): Steps<void> {
  const open: { readonly cursor: TreeCursor; readonly prefix: string }[] = []
  function* enter(oid: Oid, prefix: string): Steps<void> {
    open.push({ cursor: treeCursor(yield* settled(objects.readAs(oid, 'tree')), oid), prefix })
  }
  yield* enter(tree, '')
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const { cursor, prefix } = top
    if (!cursor.next()) {
      open.pop()
      continue
    }
    const { mode, oid } = cursor
    const path = prefix + cursor.name
    if (visit(path, mode, oid) === false) return
    if (mode === '040000') yield* enter(oid, `${path}/`)
  }
}
