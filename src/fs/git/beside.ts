/** What a commit cannot hold of a workspace. */
import { isWithin, joinPath, type Path, ROOT } from '../../core/path.ts'
import type { PathFilter } from '../../core/repository.ts'
import { childrenByPath } from '../../core/tree/nodes.ts'
import type { ObjectDatabase } from '../../git/objects.ts'
import { loadDirectory } from './load.ts'
import { DIRECTORY_MODE, EXECUTABLE_MODE, type GitDirectoryNode, type GitKinds, type GitNode, LINK_MODE, PLAIN_MODE } from './nodes.ts'
import { isRefused } from './refused.ts'

/**
 * Paths of empty directories, of what git refuses, and of what has a mode that git does not keep. Only directories in which there is
 * something of the kind are looked at.
 */
export async function besideIn(objects: ObjectDatabase, root: GitDirectoryNode, { paths, signal }: PathFilter): Promise<Path[]> {
  const found: Path[] = []
  const isMeant = (path: Path): boolean => paths === undefined || paths.some((wanted) => isWithin(path, wanted))
  const mayHold = (dir: Path): boolean => paths === undefined || paths.some((wanted) => isWithin(dir, wanted) || isWithin(wanted, dir))
  await visit(root, ROOT, false)
  return found

  async function visit(directory: GitDirectoryNode, dir: Path, refusedAbove: boolean): Promise<void> {
    if ((directory.stored.facts === null && directory.recent === null) || !mayHold(dir)) return
    signal?.throwIfAborted()
    const loading = loadDirectory(objects, directory)
    if (loading) await loading
    for (const [name, node] of childrenByPath<GitKinds>(directory)) {
      const path = joinPath(dir, name)
      const refused = refusedAbove || isRefused(name, node.kind)
      if (node.kind === 'directory') await visit(node, path, refused)
      if (isMeant(path) && isBeside(node, refused)) found.push(path)
    }
  }
}

function isBeside(node: GitNode, refused: boolean): boolean {
  const { kind, mode } = node
  if (kind === 'directory') return node.children?.size === 0 || mode !== DIRECTORY_MODE
  if (kind === 'link') return refused || mode !== LINK_MODE
  return refused || (mode !== PLAIN_MODE && mode !== EXECUTABLE_MODE)
}
