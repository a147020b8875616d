/** The tree as it will be after the changes that were planned so far: the volume as it is, under what the commit will do. */
import type { Side } from '../../core/change.ts'
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { EntryKind } from '../../core/file_system.ts'
import { joinPath, moveBelow, nameOf, type Path, parentOf, ROOT } from '../../core/path.ts'
import type { NodeShapedStats } from './node_shaped_fs.ts'
import { childrenOf, createLook, kindOf, type Volume } from './volume.ts'

/** What is in the volume already, wherever the commit moves it. */
export interface Stored {
  readonly kind: EntryKind
  /** Where it is before the commit. */
  readonly stored: Path
  readonly stats: NodeShapedStats
}

/** What the commit brings. */
export interface Brought {
  readonly kind: Side['kind']
  readonly stored: null
  readonly side: Side
  /** The content of a file. */
  readonly bytes: Uint8Array | null
}

export type Found = Stored | Brought

/** The forecast of one commit. */
export interface Forecast {
  /** What will be at a path; null also where the path passes through something that is not there or is no directory. */
  peek(path: Path): Found | null
  /** Where a path is in the volume; null when an earlier change of the commit decides what is there. */
  storedAt(path: Path): Path | null
  /** Throws `not_found` or `not_directory` unless the parent of a path will be a directory. */
  checkParent(path: Path): void
  isEmpty(dir: Path): boolean
  put(path: Path, found: Brought): void
  drop(path: Path): void
  move(path: Path, to: Path): void
}

export function createForecast(volume: Volume): Forecast {
  const look = createLook(volume)
  const layer = new Map<Path, Found | null>()

  const peekStored = (path: Path): Stored | null => {
    try {
      const stats = look.peek(path)
      return stats && { kind: kindOf(stats), stored: path, stats }
    } catch (error) {
      if (isFilewrightError(error, 'not_found') || isFilewrightError(error, 'not_directory')) return null
      throw error
    }
  }
  /** Where a path that no change names is, given what became of the directories above it. */
  const placeOf = (path: Path): Path | null => {
    for (let above = path; layer.size > 0 && above !== ROOT; ) {
      above = parentOf(above)
      const found = layer.get(above)
      if (found === undefined) continue
      return found?.kind === 'directory' && found.stored !== null ? joinPath(found.stored, path.slice(above.length + 1)) : null
    }
    return path
  }
  const peek = (path: Path): Found | null => {
    const layered = layer.get(path)
    if (layered !== undefined) return layered
    const place = placeOf(path)
    return place === null ? null : peekStored(place)
  }

  return {
    peek,
    storedAt: (path) => (layer.has(path) ? null : placeOf(path)),
    checkParent(path) {
      // Which part is wrong decides the code.
      for (let above = path; above !== ROOT; ) {
        above = parentOf(above)
        const found = peek(above)
        if (found?.kind === 'directory' && above === parentOf(path)) return
        if (found?.kind === 'directory') throw new FilewrightError('not_found', `${path} has no parent directory.`)
        if (found) throw new FilewrightError('not_directory', `${path} passes through something that is not a directory.`)
      }
    },
    isEmpty(dir) {
      for (const [path, found] of layer) if (found && path !== ROOT && parentOf(path) === dir) return false
      const stored = peek(dir)?.stored ?? null
      return (
        stored === null || childrenOf(volume, look, stored, 'name').every((child) => layer.get(joinPath(dir, nameOf(child.path))) === null)
      )
    },
    put: (path, found) => void layer.set(path, found),
    drop: (path) => void layer.set(path, null),
    move(path, to) {
      const found = peek(path)
      moveBelow(layer, path, to)
      layer.set(path, null)
      layer.set(to, found)
    },
  }
}
