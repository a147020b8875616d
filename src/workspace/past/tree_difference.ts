/** Where two trees of one workspace differ. */
import type { FileSystem } from '../../core/file_system.ts'
import { joinPath, type Path, ROOT } from '../../core/path.ts'
import { childOf, childrenOf, type PastDirectory, type PastNode, type PastTree } from './tree.ts'

/** A path at which the trees differ. What differs below two directories is told on its own. */
export interface TreeDifference {
  readonly path: Path
  readonly before: PastNode | null
  readonly after: PastNode | null
}

/** Every difference from one tree to the other: a directory before what is in it, names in the order of their code points. */
export async function* treeDifferences(fs: FileSystem, before: PastTree, after: PastTree): AsyncGenerator<TreeDifference> {
  yield* differencesBelow(fs, ROOT, before.root, after.root)
}

/** The differences below a path at which there are these two directories, or only one. */
export async function* differencesBelow(
  fs: FileSystem,
  dir: Path,
  before: PastDirectory | null,
  after: PastDirectory | null,
): AsyncGenerator<TreeDifference> {
  if (before === after) return
  for (const [name, was, is] of await pairs(fs, before, after)) {
    if (sameNode(was, is)) continue
    const path = joinPath(dir, name)
    const [from, to] = [asDirectory(was), asDirectory(is)]
    if (!from || !to) yield { path, before: was, after: is }
    yield* differencesBelow(fs, path, from, to)
  }
}

const asDirectory = (node: PastNode | null): PastDirectory | null => (node?.kind === 'directory' ? node : null)

/** The children of two directories by name. Of two that stand for one stored directory, only what their changes tell of. */
async function pairs(
  fs: FileSystem,
  before: PastDirectory | null,
  after: PastDirectory | null,
): Promise<[string, PastNode | null, PastNode | null][]> {
  if (before && after && before.origin === after.origin) {
    const names = [...new Set([...before.names.keys(), ...after.names.keys()])].sort()
    return Promise.all(names.map(async (name) => [name, await childOf(fs, before, name), await childOf(fs, after, name)]))
  }
  const [was, is] = [before ? await childrenOf(fs, before) : new Map(), after ? await childrenOf(fs, after) : new Map()]
  return [...new Set([...was.keys(), ...is.keys()])].sort().map((name) => [name, was.get(name) ?? null, is.get(name) ?? null])
}

/** Whether the nodes are known to be the same without reading. */
function sameNode(a: PastNode | null, b: PastNode | null): boolean {
  if (a === b) return true
  if (!a || !b || a.kind === 'directory' || b.kind === 'directory') return false
  if (a.kind === 'stored' || b.kind === 'stored') return a.kind === b.kind && 'origin' in b && 'origin' in a && a.origin === b.origin
  if (a.side.kind === 'link' || b.side.kind === 'link') {
    return a.side.kind === 'link' && b.side.kind === 'link' && a.side.target === b.side.target
  }
  return a.side.hash === b.side.hash && a.side.mode === b.side.mode
}
