/** The changes staged by one call, as a layer over what is stored. */
import type { Change, Content, Version } from '../core/change.ts'
import { FilewrightError } from '../core/errors.ts'
import type { Entry } from '../core/file_system.ts'
import { compareText, isWithin, nameOf, type Path, parentOf } from '../core/path.ts'

/** What a staged change leaves at a path. */
export interface Layer {
  readonly entry: Entry
  /** What a staged file holds; null where the storage has it, at `stored`. */
  readonly content: Content | null
  /** Where the storage has what stands here now: a moved entry, or what a copy was made of. Null for what is new. */
  readonly stored: Path | null
}

/** Where to find what is at a path: in a layer, or in the storage (elsewhere, below something that was moved). */
export type Located = { readonly layer: Layer } | { readonly stored: Path }

/** Staged changes and what they make of single paths. */
export interface Overlay {
  readonly changes: readonly Change[]
  /** `entry` is what a move or a copy takes, as the overlay showed it. */
  add(change: Change, entry?: Entry): void
  /** Throws `not_found` for what was removed and below it, `not_directory` below a staged file. */
  locate(path: Path): Located
  /** A directory's stored children, under their new paths, with the staged ones laid over them. */
  children(dir: Path, stored: readonly Entry[]): Entry[]
  /** Forgets what was added after the first `count` changes. */
  rewind(count: number): void
}

/** An overlay without changes. */
export function createOverlay(now: () => number): Overlay {
  const changes: Change[] = []
  const entries: (Entry | undefined)[] = []
  // Null stands for what was removed. The children of a directory are looked up often, so there is an index of them.
  const layers = new Map<Path, Layer | null>()
  const byParent = new Map<Path, Set<Path>>()

  function put(path: Path, layer: Layer | null): void {
    layers.set(path, layer)
    const parent = parentOf(path)
    const siblings = byParent.get(parent)
    if (siblings) siblings.add(path)
    else byParent.set(parent, new Set([path]))
  }

  function fresh(path: Path, kind: Entry['kind'], mode: number, content: Content | null, target: string | null, time = now()): Layer {
    // With the hash in it, versions of two calls are equal only where the bytes are: what is known of a version outlives a call.
    const version = `staged:${changes.length}:${content?.hash ?? ''}` as Version
    const access = { read: true, write: true }
    const facts = { size: content?.size ?? null, hash: content?.hash ?? null, mtimeMs: time, createdMs: time }
    return { entry: { path, kind, mode, version, target, access, ...facts }, content, stored: null }
  }

  /** What a move or copy brings to a path. */
  function brought(from: Path, to: Path, entry: Entry): Layer {
    const located = locate(from)
    if ('layer' in located) return { ...located.layer, entry: { ...located.layer.entry, path: to } }
    // A storage may give it another version in its new place.
    return { entry: { ...entry, path: to, version: null }, content: null, stored: located.stored }
  }

  function move(from: Path, to: Path, entry: Entry): void {
    const layer = brought(from, to, entry)
    const below = [...layers].filter(([path]) => path !== from && isWithin(path, from))
    for (const [path] of below) {
      layers.delete(path)
      byParent.get(parentOf(path))?.delete(path)
    }
    put(from, null)
    put(to, layer)
    for (const [path, moved] of below) {
      const there = (to + path.slice(from.length)) as Path
      put(there, moved && { ...moved, entry: { ...moved.entry, path: there } })
    }
  }

  /** What a change leaves at its path. */
  function layerAfter(change: Exclude<Change, { kind: 'move' | 'snapshot' }>, entry: Entry | undefined): Layer | null {
    const { path } = change
    switch (change.kind) {
      case 'write':
        return fresh(path, 'file', change.mode ?? 0o644, change.content, null, change.mtimeMs)
      case 'link':
        return fresh(path, 'link', 0o777, null, change.target)
      case 'makeDirectory':
        return fresh(path, 'directory', change.mode ?? 0o755, null, null)
      case 'remove':
        return null
      case 'copy': {
        const { entry: same, ...layer } = brought(change.from, path, entry as Entry)
        const { identity: _, ...own } = same
        return { ...layer, entry: { ...own, version: null, mtimeMs: now() } }
      }
    }
  }

  function add(change: Change, entry?: Entry): void {
    changes.push(change)
    entries.push(entry)
    if (change.kind === 'move') move(change.path, change.to, entry as Entry)
    else if (change.kind !== 'snapshot') put(change.path, layerAfter(change, entry))
  }

  function locate(path: Path): Located {
    for (let at = path; layers.size > 0; at = parentOf(at)) {
      const layer = layers.get(at)
      if (layer === null) throw new FilewrightError('not_found', `${path} does not exist.`)
      if (layer) {
        if (at === path) return { layer }
        if (layer.entry.kind !== 'directory') throw new FilewrightError('not_directory', `${at} is not a directory.`)
        if (layer.stored === null) throw new FilewrightError('not_found', `${path} does not exist.`)
        return { stored: (layer.stored + path.slice(at.length)) as Path }
      }
      if (at === '') break
    }
    return { stored: path }
  }

  return {
    changes,
    add,
    locate,
    children(dir, stored) {
      const byName = new Map(stored.map((entry) => [nameOf(entry.path), entry]))
      for (const path of byParent.get(dir) ?? []) {
        if (path === dir) continue
        const layer = layers.get(path)
        if (layer) byName.set(nameOf(path), layer.entry)
        else if (layer === null) byName.delete(nameOf(path))
      }
      return [...byName.values()].sort((a, b) => compareText(nameOf(a.path), nameOf(b.path)))
    },
    rewind(count) {
      if (count === changes.length) return
      const kept = changes.slice(0, count).map((change, at) => [change, entries[at]] as const)
      changes.length = 0
      entries.length = 0
      layers.clear()
      byParent.clear()
      for (const [change, entry] of kept) add(change, entry)
    },
  }
}
