/** A folder of a Node-shaped `fs`, looked at by canonical paths: no link is ever followed. */

import { errnoOf, failureAt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { EntryKind } from '../../core/file_system.ts'
import { compareText, joinPath, nameOf, type Path, parentOf, ROOT } from '../../core/path.ts'
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
  /** What is at a path; null when nothing is. Throws as `enter` for what is above it. */
  peek(path: Path): NodeShapedStats | null
  /** As `peek`. Throws `not_found` when nothing is there. */
  stats(path: Path): NodeShapedStats
}

export function createLook({ fs, at, hidden }: Volume): Look {
  const entered = new Map<Path, string>()

  const look = (path: Path): NodeShapedStats | null => {
    const name = nameOf(path)
    if (path === name && hidden.has(name)) return null
    try {
      // An `fs` that keeps names as UTF-8 would take another name for one that is not.
      if (!name.isWellFormed() && !hasName(fs, at(parentOf(path)), name)) return null
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
  const peek = (path: Path): NodeShapedStats | null => {
    if (path !== ROOT) enter(parentOf(path))
    return look(path)
  }
  return {
    enter,
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
  const keys: string[] = []
  const children = new Map<string, Child>()
  let high = false
  for (const entry of found) {
    const name = entry.name as string
    if (dir === ROOT && hidden.has(name)) continue
    const kind = kindOf(entry)
    const key = order === 'path' && kind === 'directory' ? `${name}/` : name
    high ||= HIGH.test(name)
    keys.push(key)
    children.set(key, { path: joinPath(dir, name), kind })
  }
  // The engine's own order is several times faster.
  return (high ? keys.sort(compareText) : keys.sort()).map((key) => children.get(key) as Child)
}

export function kindOf(entry: Pick<NodeShapedStats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  return entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'link' : 'special'
}
