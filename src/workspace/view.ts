/** The workspace as one call sees it: what is stored, under what the call has staged so far. */
import { FilewrightError, isFilewrightError, toFilewrightError } from '../core/errors.ts'
import type { Entry, FileSystem, FileVisitor, ReadEachOptions, Reader, ScanOptions, Want } from '../core/file_system.ts'
import { checkNewName, compareText, isWithin, joinPath, nameOf, type Path } from '../core/path.ts'
import { bytesReader, readAll } from '../core/read.ts'
import { type Resolved, type ResolveSource, resolvePath } from '../core/resolve.ts'
import type { View, WholeFile } from '../core/view.ts'
import { checkPortableName } from '../policy/portable.ts'
import { createOverlay } from './overlay.ts'

/** Options of {@link createView}. */
export interface ViewOptions {
  readonly now: () => number
  /** Refuse new names that some platform cannot hold. */
  readonly portableNames?: boolean
  /** Folders of backups: only backup tools see them. */
  readonly hidden?: ReadonlySet<Path>
}

/** A view of `fs` with nothing staged. */
export function createView(fs: FileSystem, options: ViewOptions = { now: Date.now }): View {
  const overlay = createOverlay(options.now)
  const hidden = new Set(options.hidden)
  /** Folders that the call itself hides, with how many changes were staged before. */
  const claimed: { readonly dir: Path; readonly at: number }[] = []
  const { traits, hasher } = fs

  async function stat(path: Path, want?: Want): Promise<Entry> {
    const at = overlay.locate(path)
    if ('layer' in at) return at.layer.entry
    return at.stored === path ? fs.stat(path, want) : elsewhere(await fs.stat(at.stored, want), path)
  }

  async function list(dir: Path, want?: Want): Promise<Entry[]> {
    const children = overlay.changes.length === 0 ? await fs.list(dir, want) : await listStaged(dir, want)
    return shown(dir, children)
  }

  async function listStaged(dir: Path, want?: Want): Promise<Entry[]> {
    const at = overlay.locate(dir)
    if ('layer' in at && at.layer.entry.kind !== 'directory') throw new FilewrightError('not_directory', `${dir} is not a directory.`)
    const stored = 'layer' in at ? at.layer.stored : at.stored
    const children = stored === null ? [] : await fs.list(stored, want)
    return overlay.children(dir, stored === dir ? children : children.map((entry) => elsewhere(entry, joinPath(dir, nameOf(entry.path)))))
  }

  /** Children without the folders of backups, unless the directory is in one itself. */
  function shown(dir: Path, children: Entry[]): Entry[] {
    if (hidden.size === 0 || isHidden(dir)) return children
    return children.filter((entry) => !hidden.has(entry.path))
  }

  function isHidden(path: Path): boolean {
    for (const folder of hidden) if (isWithin(path, folder)) return true
    return false
  }

  async function readLink(path: Path): Promise<string> {
    const at = overlay.locate(path)
    if (!('layer' in at)) return fs.readLink(at.stored)
    return at.layer.stored === null && at.layer.entry.kind === 'link' ? (at.layer.entry.target ?? '') : fs.readLink(at.layer.stored ?? path)
  }

  async function open(path: Path): Promise<Reader> {
    const at = overlay.locate(path)
    if (!('layer' in at)) return fs.open(at.stored)
    const { entry, content, stored } = at.layer
    if (entry.kind !== 'file') throw kindError(entry, path)
    if (content) return content.bytes ? bytesReader(entry, content.bytes) : fs.object(content.hash)
    return fs.open(stored as Path)
  }

  /** A walk by listings, in the same order as the storage's own; used only once something is staged. */
  async function* walk(dir: Path, scan: ScanOptions, depth: number): AsyncGenerator<Entry[]> {
    const listed = (await list(dir, scan)).sort((a, b) => compareText(scanKey(a), scanKey(b)))
    const kept = scan.filter ? await scan.filter(dir, listed) : listed
    for (const entry of kept) {
      scan.signal?.throwIfAborted()
      yield [entry]
      if (entry.kind === 'directory' && depth < (scan.maxDepth ?? Number.POSITIVE_INFINITY)) yield* walk(entry.path, scan, depth + 1)
    }
  }

  function scan(dir: Path, scanning: ScanOptions = {}): AsyncIterable<Entry[]> {
    if (overlay.changes.length > 0) return walk(dir, scanning, 1)
    if (hidden.size === 0 || isHidden(dir)) return fs.scan(dir, scanning)
    const { filter } = scanning
    return fs.scan(dir, {
      ...scanning,
      filter: (at, children) => (filter ? filter(at, shown(at, children)) : shown(at, children)),
    })
  }

  async function readEach(paths: readonly Path[], limits: ReadEachOptions, visit: FileVisitor): Promise<void> {
    if (overlay.changes.length === 0) return fs.readEach(paths, limits, visit)
    for (const path of paths) {
      limits.signal?.throwIfAborted()
      const read = await tryRead(path, limits.maxBytes)
      if (visit(path, read.bytes, read.problem) === false) return
    }
  }

  async function tryRead(path: Path, maxBytes: number): Promise<{ bytes: Uint8Array | null; problem: FilewrightError | null }> {
    try {
      return { bytes: await using(await open(path), (reader) => readAll(reader, maxBytes, path)), problem: null }
    } catch (error) {
      return { bytes: null, problem: toFilewrightError(error) }
    }
  }

  /** What a path is resolved against: folders of backups are not there. */
  const visible: ResolveSource = {
    traits,
    readLink,
    async stat(path) {
      if (hidden.size > 0 && isHidden(path)) throw new FilewrightError('not_found', `${path} does not exist.`)
      return stat(path)
    },
  }

  async function readWhole(resolved: Resolved): Promise<WholeFile> {
    if (!resolved.entry) throw new FilewrightError('not_found', `${resolved.given} does not exist.`)
    if (resolved.entry.kind !== 'file') throw kindError(resolved.entry, resolved.given)
    return using(await open(resolved.path), async (reader) => {
      const bytes = await readAll(reader, traits.limits.textBytes, resolved.given)
      return { bytes, entry: reader.entry, hash: reader.entry.hash ?? hasher.hash(bytes) }
    })
  }

  function checkName(path: Path, given: string): void {
    checkNewName(nameOf(path), given)
    if (options.portableNames) checkPortableName(nameOf(path), given)
  }

  /** A file of the same call may have made the directory since the path was resolved. */
  function isStaged(dir: Path): boolean {
    try {
      return 'layer' in overlay.locate(dir)
    } catch (error) {
      if (isFilewrightError(error, 'not_found')) return false
      throw error
    }
  }

  function makeParents(target: Resolved): void {
    requireBelowRoot(target)
    for (const dir of target.missingParents) {
      if (isStaged(dir)) continue
      checkName(dir, target.given)
      overlay.add({ kind: 'makeDirectory', path: dir })
    }
    if (!target.entry) checkName(target.path, target.given)
  }

  function makePlace(target: Resolved): void {
    if (target.directory) throw new FilewrightError('is_directory', `${target.given} names a directory: leave the final slash out.`)
    makeParents(target)
  }

  function requireBelowRoot(target: Resolved): void {
    if (target.path === '') throw new FilewrightError('invalid_argument', `${target.given} is the root of the workspace.`)
  }

  return {
    traits,
    hasher,
    stat,
    list,
    open,
    readEach,
    readWhole,
    readLink,
    scan,
    resolve: (given, { hidden: through = false, ...how } = {}) =>
      resolvePath(through ? { stat, readLink, traits } : visible, given, { last: 'follow', ...how }),
    display: (path) => (traits.root === '/' || traits.root === '' ? `/${path}` : path === '' ? traits.root : `${traits.root}/${path}`),
    content: async (bytes) => ({ hash: hasher.hash(bytes), size: bytes.length, bytes }),
    write(target, content, write) {
      makePlace(target)
      overlay.add({ kind: 'write', path: target.path, content, ...write })
    },
    remove(target, removal) {
      requireBelowRoot(target)
      overlay.add({ kind: 'remove', path: target.path, ...removal })
    },
    makeDirectory(target, { mode } = {}) {
      makeParents(target)
      overlay.add({ kind: 'makeDirectory', path: target.path, ...(mode !== undefined && { mode }) })
    },
    link(target, text, linking) {
      makePlace(target)
      overlay.add({ kind: 'link', path: target.path, target: text, ...linking })
    },
    move(source, target, { expect }) {
      requireBelowRoot(source)
      makeParents(target)
      overlay.add({ kind: 'move', path: source.path, to: target.path, expect }, source.entry as Entry)
    },
    copy(source, target, copying) {
      makePlace(target)
      overlay.add({ kind: 'copy', path: target.path, from: source.path, ...copying }, source.entry as Entry)
    },
    snapshot(target, { expect, keep }) {
      overlay.add({ kind: 'snapshot', path: target.path, expect, keep })
    },
    hide(dir) {
      if (hidden.has(dir)) return
      hidden.add(dir)
      claimed.push({ dir, at: overlay.changes.length })
    },
    isHidden,
    holdsHidden: (dir) => [...hidden].some((folder) => folder !== dir && isWithin(folder, dir)),
    changes: () => overlay.changes,
    rewind(count) {
      while ((claimed.at(-1)?.at ?? -1) >= count) hidden.delete((claimed.pop() as { readonly dir: Path }).dir)
      overlay.rewind(count)
    },
  }
}

/** A stored entry under the path that a staged move or copy gives it; a storage may give it another version there. */
function elsewhere(entry: Entry, path: Path): Entry {
  return { ...entry, path, version: null }
}

/** In a scan a directory compares as if its name ended in `/`. */
function scanKey({ kind, path }: Entry): string {
  return kind === 'directory' ? `${path}/` : path
}

function kindError(entry: Entry, given: string): FilewrightError {
  return entry.kind === 'directory'
    ? new FilewrightError('is_directory', `${given} is a directory, not a file: list it instead.`)
    : new FilewrightError('not_regular', `${given} is not a regular file.`)
}

async function using<T>(reader: Reader, work: (reader: Reader) => Promise<T>): Promise<T> {
  try {
    return await work(reader)
  } finally {
    await reader.close()
  }
}
