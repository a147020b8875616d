/** The `memory` adapter: a tree in memory whose commits swap one root for another. The reference for all others. */
import { verifyPast } from '../core/adopt.ts'
import type { Change, RecordedChange, Version } from '../core/change.ts'
import { bareEntry } from '../core/entry.ts'
import { FilewrightError } from '../core/errors.ts'
import type { Entry, FileSystem, ScanOptions, Want } from '../core/file_system.ts'
import { type Hasher, platformHasher } from '../core/hash.ts'
import { createIds } from '../core/id.ts'
import { createNotes } from '../core/notes.ts'
import { nameOf, type Path, ROOT } from '../core/path.ts'
import { bytesReader, gatherBytes } from '../core/read.ts'
import { headAfter, type JournalRecord, sealRecord, selectRecords } from '../core/record.ts'
import { INLINE_BYTES, type Limits, TEXT_BYTES, type Traits, VIRTUAL_TRAITS } from '../core/traits.ts'
import { applyChange, type CommitParts } from './memory/apply.ts'
import { type ContentsEdit, createContents } from './memory/contents.ts'
import {
  type Child,
  childrenByName,
  childrenByPath,
  createFinder,
  type DirectoryNode,
  editTree,
  findNode,
  type TreeEdit,
  type TreeNode,
} from './memory/tree.ts'

/** Most entries in one page of a scan. */
const PAGE = 1024
/** Most contents in one page. */
const CONTENTS = 1024

const LIMITS: Limits = { fileBytes: 1024 * 1024 * 1024, textBytes: TEXT_BYTES, inlineBytes: INLINE_BYTES, changes: 100_000 }

/** Options of {@link createMemoryFs}. */
export interface MemoryFsOptions {
  /** Default: the platform's own ({@link platformHasher}). */
  readonly hasher?: Hasher
  readonly limits?: Partial<Limits>
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number
}

/**
 * An empty workspace in memory. Nothing outlives it. A commit replaces the whole tree in one synchronous step, so it is all or
 * nothing, and a scan goes on in the tree that it began with. Bytes that callers hand in are copied; `readEach` hands out the
 * stored bytes themselves, which a visitor must neither change nor keep. Permission bits are kept and shown, not enforced.
 */
export function createMemoryFs(options: MemoryFsOptions = {}): FileSystem {
  const hasher = options.hasher ?? platformHasher()
  const now = options.now ?? Date.now
  const limits = { ...LIMITS, ...options.limits }
  const traits: Traits = { ...VIRTUAL_TRAITS, adapter: 'memory', durability: 'memory', shared: false, limits }
  const newId = createIds(now)
  const contents = createContents()
  const journal: JournalRecord[] = []
  let versions = 0
  const newVersion = () => `m:${++versions}` as Version
  let root: DirectoryNode = emptyRoot(now(), newVersion())
  let open = true

  const checkOpen = (): void => {
    if (!open) throw new FilewrightError('unsupported', 'The storage is closed.')
  }
  const directoryAt = (path: Path): DirectoryNode => {
    const node = findNode(root, path)
    if (node.kind !== 'directory') throw new FilewrightError('not_directory', `${path} is not a directory.`)
    return node
  }

  const object: FileSystem['object'] = async (hash) => {
    checkOpen()
    const bytes = contents.get(hash)
    if (!bytes) throw new FilewrightError('not_found', `No content ${hash} is kept.`)
    return bytesReader({ ...bareEntry(ROOT, 'file'), size: bytes.length, hash }, bytes)
  }
  /** What a commit would make of the tree and the contents. Nothing counts before both are taken over. */
  const prepare = (changes: readonly Change[]): { tree: TreeEdit; held: ContentsEdit; recorded: RecordedChange[] } => {
    if (changes.length > limits.changes) {
      throw new FilewrightError('too_large', `${changes.length} changes are more than the ${limits.changes} of one commit.`)
    }
    const time = now()
    const tree = editTree(root, time)
    const held = contents.begin()
    const parts: CommitParts = { tree, contents: held, time, fileBytes: limits.fileBytes, newId, newVersion }
    return { tree, held, recorded: changes.map((change) => applyChange(parts, change)) }
  }
  const checkEmpty = (): void => {
    if (root.children.size > 0 || journal.length > 0) {
      throw new FilewrightError('already_exists', 'Only an empty workspace can take over another one.')
    }
  }

  return {
    traits,
    hasher,
    async stat(path, want) {
      checkOpen()
      return entryOf(path, findNode(root, path), { ...want, stat: true, target: true })
    },
    async statMany(paths) {
      checkOpen()
      const find = createFinder(root)
      return paths.map((path) => attempt(() => entryOf(path, find(path), { stat: true, target: true })))
    },
    async list(dir, want = {}) {
      checkOpen()
      return entriesOf(dir, childrenByName(directoryAt(dir)), want)
    },
    async *scan(dir, scanOptions = {}) {
      checkOpen()
      yield* scanTree(dir, directoryAt(dir), scanOptions)
    },
    async open(path) {
      checkOpen()
      const node = findNode(root, path)
      if (node.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory.`)
      if (node.kind === 'link') throw new FilewrightError('not_regular', `${path} is a link, not a regular file.`)
      return bytesReader(entryOf(path, node, { stat: true }), node.bytes)
    },
    async readEach(paths, { maxBytes, signal }, visit) {
      checkOpen()
      const find = createFinder(root)
      for (const path of paths) {
        if (signal?.aborted) throw canceled()
        const bytes = attempt(() => wholeFile(path, find(path), maxBytes))
        const goOn = bytes instanceof FilewrightError ? visit(path, null, bytes) : visit(path, bytes, null)
        if (goOn === false) return
      }
    },
    async readLink(path) {
      checkOpen()
      const node = findNode(root, path)
      if (node.kind !== 'link') throw new FilewrightError('invalid_argument', `${path} is not a link.`)
      return node.target
    },
    async stage(body) {
      checkOpen()
      const bytes = await gatherBytes(body, limits.fileBytes)
      const hash = hasher.hash(bytes)
      contents.stage(hash, bytes, now())
      return { hash, size: bytes.length }
    },
    async commit(changes, draft) {
      checkOpen()
      const { tree, held, recorded } = prepare(changes)
      const { record, object } = sealRecord(hasher, draft, recorded, headAfter(journal.at(-1)))
      if (object) held.keep({ hash: record.changesHash, size: object.length, bytes: object })
      // The swap. Nothing above had an effect, and nothing below can fail.
      held.apply()
      root = tree.root()
      journal.push(record)
      return record
    },
    async records(query) {
      checkOpen()
      return selectRecords(journal, query)
    },
    object,
    async *contents() {
      checkOpen()
      const kept = contents.kept()
      for (let at = 0; at < kept.length; at += CONTENTS) yield kept.slice(at, at + CONTENTS)
    },
    async forget(hashes) {
      checkOpen()
      return hashes.reduce((freed, hash) => freed + contents.forget(hash), 0)
    },
    async adopt(changes, records) {
      checkOpen()
      checkEmpty()
      const named = await verifyPast({ hasher, object }, records)
      // Something may have been committed in the meantime.
      checkEmpty()
      const { tree, held } = prepare(changes)
      for (const hash of [...named.files, ...named.changes]) {
        const bytes = contents.get(hash)
        if (bytes) held.keep({ hash, size: bytes.length })
      }
      held.apply()
      root = tree.root()
      for (const record of records) journal.push(record)
    },
    notes: createNotes(checkOpen),
    async close() {
      open = false
      root = emptyRoot(0, newVersion())
      journal.length = 0
      contents.clear()
    },
  }
}

function emptyRoot(time: number, version: Version): DirectoryNode {
  return { kind: 'directory', children: new Map(), mode: 0o755, mtimeMs: time, createdMs: time, version }
}

function entryOf(path: Path, node: TreeNode, want: Want): Entry {
  const { stat } = want
  return {
    path,
    kind: node.kind,
    size: stat && node.kind === 'file' ? node.bytes.length : null,
    mtimeMs: stat ? node.mtimeMs : null,
    createdMs: stat ? node.createdMs : null,
    mode: stat ? node.mode : null,
    version: stat ? node.version : null,
    hash: node.kind === 'file' ? node.hash : null,
    target: want.target && node.kind === 'link' ? node.target : null,
    access: want.access ? { read: (node.mode & 0o400) !== 0, write: (node.mode & 0o200) !== 0 } : null,
  }
}

function entriesOf(dir: Path, children: readonly Child[], want: Want): Entry[] {
  const prefix = dir === '' ? '' : `${dir}/`
  return children.map(([name, node]) => entryOf((prefix + name) as Path, node, want))
}

interface Level {
  readonly directory: DirectoryNode
  readonly entries: readonly Entry[]
  /** The next entry. */
  at: number
}

async function* scanTree(start: Path, startNode: DirectoryNode, options: ScanOptions): AsyncGenerator<Entry[]> {
  const { filter, signal, maxDepth = Number.POSITIVE_INFINITY } = options
  const enter = async (path: Path, directory: DirectoryNode): Promise<Level> => {
    if (signal?.aborted) throw canceled()
    const children = entriesOf(path, childrenByPath(directory), options)
    return { directory, entries: filter ? await filter(path, children) : children, at: 0 }
  }
  const levels = maxDepth < 1 ? [] : [await enter(start, startNode)]
  let page: Entry[] = []
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const entry = level.entries[level.at++]
    if (!entry) {
      levels.pop()
      continue
    }
    page.push(entry)
    if (entry.kind === 'directory' && levels.length < maxDepth) {
      levels.push(await enter(entry.path, level.directory.children.get(nameOf(entry.path)) as DirectoryNode))
    }
    if (page.length === PAGE) {
      yield page
      if (signal?.aborted) throw canceled()
      page = []
    }
  }
  if (page.length > 0) yield page
}

function wholeFile(path: Path, node: TreeNode, maxBytes: number): Uint8Array {
  if (node.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory.`)
  if (node.kind === 'link') throw new FilewrightError('not_regular', `${path} is a link, not a regular file.`)
  if (node.bytes.length > maxBytes) {
    throw new FilewrightError('too_large', `${path} has ${node.bytes.length} bytes; the limit is ${maxBytes}.`)
  }
  return node.bytes
}

/** A value, or the error of the product that was thrown instead. */
function attempt<T>(action: () => T): T | FilewrightError {
  try {
    return action()
  } catch (error) {
    if (error instanceof FilewrightError) return error
    throw error
  }
}

function canceled(): FilewrightError {
  return new FilewrightError('canceled', 'The call was canceled.')
}
