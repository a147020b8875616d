/** The tree as it will be after the changes judged so far: what is on disk, under what the commit is about to do. */
import type { Side } from '../../core/change.ts'
import { attempt, failureAt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import { joinPath, moveBelow, nameOf, type Path, parentOf, ROOT } from '../../core/path.ts'
import { kindOf } from './entries.ts'
import { type Cursor, checkName, type Dir, inDir, isMissing, type Root, STORE_NAME, statDir } from './handles.ts'
import { childrenOf } from './listing.ts'
import type { StagedRef } from './plan.ts'
import type { Stats } from './syscalls.ts'

/** An entry of the forecast. */
export interface Found {
  readonly kind: 'file' | 'directory' | 'link' | 'special'
  /** Where it is on disk now; null for what this commit brings. */
  readonly disk: Path | null
  /** Facts of what is on disk. */
  readonly stats: Stats | null
  /** For what this commit brings: its staged name, what it is, and the directory on disk that it goes into or below. */
  readonly staged?: StagedRef
  readonly side?: Side
  readonly near?: { readonly path: Path; readonly device: number }
}

/** The directory on disk that a found directory is or will be below, and its device. */
export function diskBelow({ disk, stats, near }: Found): { readonly path: Path; readonly device: number } {
  return disk !== null && stats ? { path: disk, device: stats.dev } : (near ?? { path: ROOT, device: 0 })
}

/** The forecast of one commit. */
export interface Forecast {
  /** What will be at a path; null also where the path passes through something that is not there or is no directory. */
  peek(path: Path): Found | null
  /** Where a path is on disk before the commit; null when an earlier change of it decides what is there. */
  diskOf(path: Path): Path | null
  /** The directory that will hold `path`. Throws `not_found`, `not_directory`. */
  parent(path: Path): Found
  /** Names of what will be in a directory. */
  children(path: Path): string[]
  put(path: Path, found: Found): void
  drop(path: Path): void
  move(path: Path, to: Path): void
}

export function createForecast(root: Root, cursor: Cursor): Forecast {
  const layer = new Map<Path, Found | null>()

  const onDisk = (path: Path): Found | null => {
    if (path === ROOT) return { kind: 'directory', disk: ROOT, stats: statDir(root, root.dir) }
    let dir: Dir
    try {
      dir = cursor.enter(parentOf(path))
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
    checkName(nameOf(path), dir === root.dir, path)
    const stats = attempt(path, () => root.sys.lstat(inDir(dir, nameOf(path))))
    return stats ? { kind: kindOf(stats), disk: path, stats } : null
  }

  const peek = (path: Path): Found | null => {
    const layered = layer.get(path)
    if (layered !== undefined) return layered
    const disk = diskPathOf(path)
    return disk === null ? null : onDisk(disk)
  }

  /** Where a path that no change names is on disk, given what became of the directories above it. */
  const diskPathOf = (path: Path): Path | null => {
    if (layer.size === 0) return path
    for (let above = path; above !== ROOT; ) {
      above = parentOf(above)
      const found = layer.get(above)
      if (found === undefined) continue
      if (found?.kind !== 'directory' || found.disk === null) return null
      return (above === ROOT ? path : joinPath(found.disk, path.slice(above.length + 1))) as Path
    }
    return path
  }

  return {
    peek,
    diskOf: (path) => (layer.has(path) ? null : diskPathOf(path)),
    parent(path) {
      const above = parentOf(path)
      // The usual case first, by the handle that is open for the path itself.
      const disk = layer.has(above) ? null : diskPathOf(above)
      if (disk !== null) {
        try {
          return { kind: 'directory', disk, stats: statDir(root, cursor.enter(disk)) }
        } catch (error) {
          if (!isMissing(error)) throw failureAt(disk, error)
        }
      }
      const found = peek(above)
      if (found?.kind === 'directory') return found
      // Which part is wrong decides the code.
      for (let higher = above; ; higher = parentOf(higher)) {
        const there = peek(higher)
        if (there?.kind === 'directory') throw new FilewrightError('not_found', `${path} has no parent directory.`)
        if (there) throw new FilewrightError('not_directory', `${path} passes through something that is not a directory.`)
      }
    },
    children(path) {
      const disk = peek(path)?.disk ?? null
      const names = new Set<string>()
      if (disk !== null) {
        const children = attempt(path, () => childrenOf(root, cursor.enter(disk), disk, {}, 'name'))
        for (const child of children) if (layer.get(joinPath(path, nameOf(child.path))) !== null) names.add(nameOf(child.path))
      }
      for (const [other, here] of layer) if (here && other !== ROOT && parentOf(other) === path) names.add(nameOf(other))
      return [...names]
    },
    put: (path, found) => void layer.set(path, found),
    drop(path) {
      layer.set(path, null)
    },
    move(path, to) {
      const found = peek(path)
      moveBelow(layer, path, to)
      layer.set(path, null)
      layer.set(to, found)
    },
  }
}

/** Refuses the product's own folder as a place to change. */
export function checkNotStore(path: Path): void {
  if (path === STORE_NAME || path.startsWith(`${STORE_NAME}/`)) {
    throw new FilewrightError('protected_path', `${path} belongs to Filewright itself.`)
  }
}
