/** Paths as a tree of names, so that a walk of directories asks each name once. */
import { namesOf, type Path } from '../../core/path.ts'

/** What of a directory is meant: everything, or only some names. */
export type PathTree = 'all' | ReadonlyMap<string, PathTree>

/** The tree of these paths: each means itself and all below. Undefined: everything. */
export function pathTree(paths: readonly Path[] | undefined): PathTree {
  if (paths === undefined) return 'all'
  const root = new Map<string, PathTree>()
  for (const path of paths) {
    const names = namesOf(path)
    const last = names.pop()
    if (last === undefined) return 'all'
    let at: Map<string, PathTree> | null = root
    for (const name of names) {
      const next: PathTree | undefined = at.get(name)
      if (next === 'all') {
        at = null
        break
      }
      const below: Map<string, PathTree> = (next as Map<string, PathTree> | undefined) ?? new Map()
      at.set(name, below)
      at = below
    }
    at?.set(last, 'all')
  }
  return root
}

/** What is meant of an entry in a directory; undefined: nothing. */
export function belowName(tree: PathTree, name: string): PathTree | undefined {
  return tree === 'all' ? 'all' : tree.get(name)
}
