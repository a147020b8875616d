/** A folder of a Node-shaped `fs`, looked at by canonical paths: no link is ever followed. */

import { errnoOf, failureAt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { EntryKind } from '../../core/file_system.ts'
import { compareText, nameOf, type Path, parentOf, ROOT } from '../../core/path.ts'
import type { NodeShapedDirent, NodeShapedFs, NodeShapedStats } from './node_shaped_fs.ts'

const QUIET = { throwIfNoEntry: false } as const
const WITH_TYPES = { withFileTypes: true } as const
/** What does not sort as the engine sorts: surrogates, and all that comes after them. */
const HIGH = /[\ud800-\uffff]/

/** The folder that is the workspace. */
export interface Volume {
  readonly fs: NodeShapedFs
  /** A path as the `fs` takes it. */
  at(path: Path): string
  /** Names at the root that are not the workspace's: what a commit put aside and could not take away yet. */
  readonly hidden: Set<string>
}

export function createVolume(fs: NodeShapedFs, root: string): Volume {
  const prefix = root === '/' ? '/' : `${root}/`
  return { fs, at: (path) => (path === ROOT ? root : prefix + path), hidden: new Set() }
}

/**
 * One look, good for as long as nobody else gets a turn: a directory that was found to be one is one until then. All that it throws
 * are errors of the product.
 */
export interface Look {
  /** The directory in the terms of the `fs`. Throws `not_found` or `not_directory` unless it, and all above it, are directories. */
  enter(dir: Path): string
  /** Takes for a directory what was listed as one within this look. */
  trust(dir: Path): void
  /** What is at a path; null when nothing is. Throws as `enter` for what is above it. */
  peek(path: Path): NodeShapedStats | null
  /** As `peek`. Throws `not_found` when nothing is there. */
  stats(path: Path): NodeShapedStats
}

export function createLook({ fs, at, hidden }: Volume): Look {
  const entered = new Map<Path, string>()

  const look = (path: Path): NodeShapedStats | null => {
    if (hidden.has(path)) return null
    try {
      // An `fs` that keeps names as UTF-8 would take another name for one that is not.
      if (!path.isWellFormed() && !hasName(fs, at(parentOf(path)), nameOf(path))) return null
      return fs.lstatSync(at(path), QUIET) ?? null
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return null
      throw failureAt(path, error)
    }
  }
  const enter = (dir: Path): string => {
    const known = entered.get(dir)
    if (known !== undefined) return known
    if (dir !== ROOT) enter(parentOf(dir))
    const stats = look(dir)
    if (!stats) throw new FilewrightError('not_found', `${dir || 'The root of the workspace'} does not exist.`)
    if (!stats.isDirectory()) throw new FilewrightError('not_directory', `${dir || 'The root of the workspace'} is not a directory.`)
    entered.set(dir, at(dir))
    return at(dir)
  }
  let last: Path | null = null
  const peek = (path: Path): NodeShapedStats | null => {
    // Paths mostly come in runs of neighbours.
    const isNeighbour = last !== null && path.lastIndexOf('/') === last.length && path.startsWith(last)
    if (!isNeighbour && path !== ROOT) {
      const parent = parentOf(path)
      enter(parent)
      last = parent
    }
    return look(path)
  }
  return {
    enter,
    trust: (dir) => void entered.set(dir, at(dir)),
    peek,
    stats(path) {
      const stats = peek(path)
      if (!stats) throw new FilewrightError('not_found', `${path || 'The root of the workspace'} does not exist.`)
      return stats
    },
  }
}

function hasName(fs: NodeShapedFs, dir: string, name: string): boolean {
  return direntsOf(fs, dir).some((entry) => entry.name === name)
}

/** What is in a directory, in no particular order. Throws the errors of the `fs`. */
export function direntsOf(fs: NodeShapedFs, dir: string): readonly NodeShapedDirent[] {
  return fs.readdirSync(dir, WITH_TYPES) as readonly NodeShapedDirent[]
}

/** A child of a directory. */
export interface Child {
  readonly path: Path
  readonly kind: EntryKind
  /** What it is sorted by. */
  readonly key: string
}

/** Children of a directory: by their names, or in the order of full paths, where a directory's name ends in `/`. */
export function childrenOf({ fs, hidden }: Volume, look: Look, dir: Path, order: 'name' | 'path'): Child[] {
  const inside = look.enter(dir)
  let found: readonly NodeShapedDirent[]
  try {
    found = direntsOf(fs, inside)
  } catch (error) {
    throw failureAt(dir, error)
  }
  const prefix = dir === ROOT ? '' : `${dir}/`
  const children: Child[] = []
  let [last, sorted, high] = ['', true, false]
  for (const entry of found) {
    const name = entry.name as string
    if (dir === ROOT && hidden.has(name)) continue
    const path = (prefix + name) as Path
    const kind = kindOf(entry)
    if (kind === 'directory') look.trust(path)
    const key = order === 'path' && kind === 'directory' ? `${name}/` : name
    high ||= HIGH.test(name)
    sorted &&= last <= key
    last = key
    children.push({ path, kind, key })
  }
  // Mostly they come in order.
  if (high) children.sort((a, b) => compareText(a.key, b.key))
  else if (!sorted) children.sort((a, b) => (a.key < b.key ? -1 : 1))
  return children
}

export function kindOf(entry: Pick<NodeShapedStats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  return entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'link' : 'special'
}
