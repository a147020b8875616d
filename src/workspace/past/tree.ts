/** The tree as it was: what is stored now, with changes of the journal taken back, and nothing read that they do not touch. */
import type { RecordedChange, Side } from '../../core/change.ts'
import { isFilewrightError } from '../../core/errors.ts'
import type { Entry, FileSystem } from '../../core/file_system.ts'
import { joinPath, nameOf, namesOf, type Path, ROOT } from '../../core/path.ts'

/** A file or link: as a record tells, or as it stands in the storage. */
export type PastLeaf =
  | { readonly kind: 'recorded'; readonly side: Exclude<Side, { kind: 'directory' }> }
  | { readonly kind: 'stored'; readonly origin: Path; readonly entry: Entry }

/** A directory. What its `names` do not tell is what the storage has at `origin`; without one there is no more in it. */
export interface PastDirectory {
  readonly kind: 'directory'
  readonly origin: Path | null
  /** Null where nothing was recorded. */
  readonly mode: number | null
  readonly names: Map<string, PastNode | null>
  /** The tree that may change it. */
  readonly owner: object
}

export type PastNode = PastLeaf | PastDirectory

/** A tree that can be changed without any effect on the storage. */
export interface PastTree {
  readonly root: PastDirectory
  /** What is at a path; null for nothing. */
  node(path: Path): Promise<PastNode | null>
  /** Takes changes back, the last first. */
  takeBack(changes: readonly RecordedChange[]): Promise<void>
  /** Makes changes, the first first. */
  apply(changes: readonly RecordedChange[]): Promise<void>
  /** The same tree, apart from this one from now on. */
  fork(): PastTree
}

/** The tree as it is now. */
export function presentTree(fs: FileSystem): PastTree {
  return createTree(fs, { kind: 'directory', origin: ROOT, mode: null, names: new Map(), owner: {} })
}

function createTree(fs: FileSystem, start: PastDirectory): PastTree {
  let owner = {}
  let root = start

  const own = (dir: PastDirectory): PastDirectory => (dir.owner === owner ? dir : { ...dir, names: new Map(dir.names), owner })

  async function node(path: Path): Promise<PastNode | null> {
    let at: PastNode | null = root
    for (const name of namesOf(path)) {
      if (at?.kind !== 'directory') return null
      at = await childOf(fs, at, name)
    }
    return at
  }

  /** Directories on the way that no record tells of are made. */
  async function put(path: Path, child: PastNode | null): Promise<void> {
    root = own(root)
    let dir = root
    const names = namesOf(path)
    for (const name of names.slice(0, -1)) {
      const next = await childOf(fs, dir, name)
      const owned: PastDirectory = next?.kind === 'directory' ? own(next) : newDirectory(null)
      dir.names.set(name, owned)
      dir = owned
    }
    dir.names.set(nameOf(path), child)
  }

  async function move(from: Path, to: Path): Promise<void> {
    const moved = await node(from)
    await put(from, null)
    await put(to, moved)
  }

  const newDirectory = (mode: number | null): PastDirectory => ({ kind: 'directory', origin: null, mode, names: new Map(), owner })
  const nodeOf = (side: Side | null): PastNode | null =>
    side?.kind === 'directory' ? newDirectory(side.mode) : side && { kind: 'recorded', side }

  return {
    get root() {
      return root
    },
    node,
    async takeBack(changes) {
      for (const { kind, path, to, before } of changes.toReversed()) {
        if (kind === 'move' && to !== undefined) await move(to, path)
        else if (kind !== 'snapshot') await put(path, nodeOf(before))
      }
    },
    async apply(changes) {
      for (const { kind, path, to, after } of changes) {
        if (kind === 'move' && to !== undefined) await move(path, to)
        else if (kind !== 'snapshot') await put(path, nodeOf(after))
      }
    },
    fork() {
      // Neither of the two may change what both hold.
      owner = {}
      return createTree(fs, root)
    },
  }
}

/** One child of a directory. */
export async function childOf(fs: FileSystem, dir: PastDirectory, name: string): Promise<PastNode | null> {
  const known = dir.names.get(name)
  if (known !== undefined) return known
  if (dir.origin === null) return null
  try {
    return storedNode(await fs.stat(joinPath(dir.origin, name)))
  } catch (error) {
    if (isFilewrightError(error, 'not_found') || isFilewrightError(error, 'not_directory')) return null
    throw error
  }
}

/** All children of a directory that are there. */
export async function childrenOf(fs: FileSystem, dir: PastDirectory): Promise<Map<string, PastNode>> {
  const children = new Map<string, PastNode>()
  const stored = dir.origin === null ? [] : await fs.list(dir.origin, { stat: true, target: true })
  for (const entry of stored) children.set(nameOf(entry.path), storedNode(entry))
  for (const [name, node] of dir.names) {
    if (node) children.set(name, node)
    else children.delete(name)
  }
  return children
}

function storedNode(entry: Entry): PastNode {
  const { path: origin, mode } = entry
  return entry.kind === 'directory'
    ? { kind: 'directory', origin, mode, names: new Map(), owner: STORED }
    : { kind: 'stored', origin, entry }
}

/** Owns what no tree may change. */
const STORED: object = {}
