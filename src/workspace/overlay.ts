/** The changes staged by one call, as a layer over what is stored. */
import type { Change, Content, Version } from '../core/change.ts'
import { FilewrightError } from '../core/errors.ts'
import type { Entry } from '../core/file_system.ts'
import { compareText, isWithin, nameOf, type Path, parentOf } from '../core/path.ts'

/** What a staged change leaves at a path; null where it removed something. */
type Layer = { readonly entry: Entry; readonly content: Content | null } | null

/** Staged changes and what they make of single paths. */
export interface Overlay {
  readonly changes: readonly Change[]
  add(change: Change): void
  /** What is staged at a path: undefined when nothing is. Throws `not_found` below something that was removed. */
  find(path: Path): Layer | undefined
  /** A directory's stored children with the staged ones laid over them. */
  children(dir: Path, stored: readonly Entry[]): Entry[]
}

/** An overlay without changes. */
export function createOverlay(now: () => number): Overlay {
  const changes: Change[] = []
  const layers = new Map<Path, Layer>()

  function put(path: Path, kind: Entry['kind'], mode: number, content: Content | null, target: string | null): void {
    const time = now()
    // With the hash in it, versions of two calls are equal only where the bytes are: what is known of a version outlives a call.
    const version = `staged:${changes.length}:${content?.hash ?? ''}` as Version
    const size = content?.size ?? null
    const hash = content?.hash ?? null
    const entry: Entry = {
      path,
      kind,
      size,
      mtimeMs: time,
      createdMs: time,
      mode,
      version,
      hash,
      target,
      access: { read: true, write: true },
    }
    layers.set(path, { entry, content })
  }

  return {
    changes,
    add(change) {
      changes.push(change)
      if (change.kind === 'write') put(change.path, 'file', change.mode ?? 0o644, change.content, null)
      else if (change.kind === 'link') put(change.path, 'link', 0o777, null, change.target)
      else if (change.kind === 'makeDirectory') put(change.path, 'directory', change.mode ?? 0o755, null, null)
      else if (change.kind === 'remove') layers.set(change.path, null)
      else throw new FilewrightError('unsupported', 'A move cannot be staged yet.')
    },
    find(path) {
      const own = layers.get(path)
      if (own !== undefined || layers.size === 0) return own
      for (let dir = parentOf(path); dir !== ''; dir = parentOf(dir)) {
        const above = layers.get(dir)
        if (above === null) throw new FilewrightError('not_found', `${path} does not exist.`)
        if (above && above.entry.kind !== 'directory') throw new FilewrightError('not_directory', `${dir} is not a directory.`)
      }
      return undefined
    },
    children(dir, stored) {
      const byName = new Map(stored.map((entry) => [nameOf(entry.path), entry]))
      for (const [path, layer] of layers) {
        if (path === dir || parentOf(path) !== dir || !isWithin(path, dir)) continue
        if (layer) byName.set(nameOf(path), layer.entry)
        else byName.delete(nameOf(path))
      }
      return [...byName.values()].sort((a, b) => compareText(nameOf(a.path), nameOf(b.path)))
    },
  }
}
