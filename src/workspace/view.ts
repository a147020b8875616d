/** The workspace as one call sees it: what is stored, under what the call has staged so far. */
import { FilewrightError, toFilewrightError } from '../core/errors.ts'
import type { Entry, FileSystem, FileVisitor, ReadEachOptions, Reader, ScanOptions } from '../core/file_system.ts'
import { checkNewName, compareText, nameOf, type Path } from '../core/path.ts'
import { bytesReader, readAll } from '../core/read.ts'
import { type Resolved, resolvePath } from '../core/resolve.ts'
import type { View, WholeFile } from '../core/view.ts'
import { checkPortableName } from '../policy/portable.ts'
import { createOverlay } from './overlay.ts'

/** Options of {@link createView}. */
export interface ViewOptions {
  readonly now: () => number
  /** Refuse new names that some platform cannot hold. */
  readonly portableNames?: boolean
}

/** A view of `fs` with nothing staged. */
export function createView(fs: FileSystem, options: ViewOptions = { now: Date.now }): View {
  const overlay = createOverlay(options.now)
  const { traits, hasher } = fs

  async function stat(path: Path, want?: Parameters<View['stat']>[1]): Promise<Entry> {
    const layer = overlay.find(path)
    if (layer === null) throw new FilewrightError('not_found', `${path} does not exist.`)
    return layer ? layer.entry : fs.stat(path, want)
  }

  async function list(dir: Path, want?: Parameters<View['list']>[1]): Promise<Entry[]> {
    if (overlay.changes.length === 0) return fs.list(dir, want)
    const staged = overlay.find(dir)
    const stored = staged ? [] : await fs.list(dir, want)
    return overlay.children(dir, stored)
  }

  async function readLink(path: Path): Promise<string> {
    return overlay.find(path)?.entry.target ?? fs.readLink(path)
  }

  async function open(path: Path): Promise<Reader> {
    const layer = overlay.find(path)
    if (layer === undefined) return fs.open(path)
    if (layer === null) throw new FilewrightError('not_found', `${path} does not exist.`)
    if (!layer.content) throw kindError(layer.entry, path)
    return layer.content.bytes ? bytesReader(layer.entry, layer.content.bytes) : fs.object(layer.content.hash)
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

  function makeParents(target: Resolved): void {
    if (target.path === '') throw new FilewrightError('invalid_argument', `${target.given} is the root of the workspace.`)
    for (const dir of target.missingParents) {
      if (overlay.find(dir)) continue
      checkName(dir, target.given)
      overlay.add({ kind: 'makeDirectory', path: dir })
    }
    if (!target.entry) checkName(target.path, target.given)
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
    scan: (dir, scan = {}) => (overlay.changes.length === 0 ? fs.scan(dir, scan) : walk(dir, scan, 1)),
    resolve: (given, how = {}) => resolvePath({ stat, readLink, traits }, given, { last: 'follow', ...how }),
    display: (path) => (traits.root === '/' || traits.root === '' ? `/${path}` : path === '' ? traits.root : `${traits.root}/${path}`),
    content: async (bytes) => ({ hash: hasher.hash(bytes), size: bytes.length, bytes }),
    write(target, content, write) {
      if (target.directory) throw new FilewrightError('is_directory', `${target.given} names a directory: leave the final slash out.`)
      makeParents(target)
      overlay.add({ kind: 'write', path: target.path, content, ...write })
    },
    remove(target, removal) {
      if (target.path === '') throw new FilewrightError('invalid_argument', `${target.given} is the root of the workspace.`)
      overlay.add({ kind: 'remove', path: target.path, ...removal })
    },
    makeDirectory(target) {
      makeParents(target)
      overlay.add({ kind: 'makeDirectory', path: target.path })
    },
    changes: () => overlay.changes,
  }
}

/** In a scan a directory compares as if its name ended in `/`. */
function scanKey({ kind, path }: Entry): string {
  return kind === 'directory' ? `${path}/` : path
}

function kindError(entry: Entry, given: string): FilewrightError {
  return entry.kind === 'directory'
    ? new FilewrightError('is_directory', `${given} is a directory: use list_directory.`)
    : new FilewrightError('not_regular', `${given} is not a regular file.`)
}

async function using<T>(reader: Reader, work: (reader: Reader) => Promise<T>): Promise<T> {
  try {
    return await work(reader)
  } finally {
    await reader.close()
  }
}
