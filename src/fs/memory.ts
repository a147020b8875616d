/** The `memory` adapter: a tree in memory whose commits swap one root for another. The reference for all others. */
import { verifyPast } from '../core/adopt.ts'
import { attempt } from '../core/attempt.ts'
import type { Change, RecordedChange, Version } from '../core/change.ts'
import { bareEntry } from '../core/entry.ts'
import { FilewrightError } from '../core/errors.ts'
import type { Entry, FileSystem, Want } from '../core/file_system.ts'
import { type Hash, type Hasher, platformHasher } from '../core/hash.ts'
import { createIds } from '../core/id.ts'
import { createNotes } from '../core/notes.ts'
import { nameOf, type Path, ROOT } from '../core/path.ts'
import { bytesReader, gatherBytes } from '../core/read.ts'
import { headAfter, type JournalRecord, sealRecord, selectRecords } from '../core/record.ts'
import { checkSignal } from '../core/signal.ts'
import { INLINE_BYTES, type Limits, TEXT_BYTES, type Traits, VIRTUAL_TRAITS } from '../core/traits.ts'
import { applyChange, type CommitParts } from '../core/tree/apply.ts'
import { editTree } from '../core/tree/edit.ts'
import {
  type Child,
  childrenByName,
  childrenByPath,
  childrenOf,
  createFinder,
  type DirectoryNode,
  findNode,
  regular,
  type TreeNode,
} from '../core/tree/nodes.ts'
import { scanTree, type Walked } from '../core/tree/scan.ts'
import { type ContentsEdit, createContents } from './memory/contents.ts'

/** Most contents in one page. */
const CONTENTS = 1024

const LIMITS: Limits = { fileBytes: 1024 * 1024 * 1024, textBytes: TEXT_BYTES, inlineBytes: INLINE_BYTES, changes: 100_000 }

/** What nodes are here. A version is a number that is never used twice. */
interface Kinds {
  readonly file: { readonly hash: Hash; readonly size: number; readonly bytes: Uint8Array; readonly version: Version }
  readonly link: { readonly target: string; readonly version: Version }
  readonly special: never
  readonly directory: { readonly version: Version }
}
type Node = TreeNode<Kinds>
type Directory = DirectoryNode<Kinds>

/** Options of {@link createMemoryFs}. */
export interface MemoryFsOptions {
  /** Default: the platform's own ({@link platformHasher}). */
  readonly hasher?: Hasher
  readonly limits?: Partial<Limits>
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number
  /** Makes the ids of backups that a change does not name; default: from the clock and chance. */
  readonly newId?: () => string
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
  const newId = options.newId ?? createIds(now)
  const contents = createContents()
  const journal: JournalRecord[] = []
  let versions = 0
  const newVersion = () => `m:${++versions}` as Version
  let root: Directory = emptyRoot(now(), newVersion())
  let open = true

  const checkOpen = (): void => {
    if (!open) throw new FilewrightError('unsupported', 'The storage is closed.')
  }
  const directoryAt = (path: Path): Directory => {
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
  const prepare = (changes: readonly Change[]): { root: Directory; held: ContentsEdit; recorded: RecordedChange[] } => {
    if (changes.length > limits.changes) {
      throw new FilewrightError('too_large', `${changes.length} changes are more than the ${limits.changes} of one commit.`)
    }
    const time = now()
    const held = contents.begin()
    const tree = editTree<Kinds>(root, time, ({ byName: _, byPath: __, ...facts }, children) => ({ ...facts, children }))
    const file: CommitParts<Kinds>['file'] = (content, facts) => {
      const { hash, size } = content
      return { kind: 'file', hash, size, bytes: held.use(content), ...facts, version: newVersion() }
    }
    const parts: CommitParts<Kinds> = {
      tree,
      time,
      fileBytes: limits.fileBytes,
      newId,
      versionOf: ({ version }) => version,
      file,
      copy: ({ hash, size }, facts) => file({ hash, size }, facts),
      link: (target, facts) => ({ kind: 'link', target, ...facts, version: newVersion() }),
      directory: (facts) => ({ kind: 'directory', children: new Map(), ...facts, version: newVersion() }),
      keep: ({ hash, bytes }) => held.keep({ hash, size: bytes.length }),
      release: ({ hash }, kept) => held.release(hash, kept),
    }
    const recorded = changes.map((change) => applyChange(parts, change))
    return { root: tree.root(), held, recorded }
  }
  const checkEmpty = (): void => {
    if (childrenOf(root).size > 0 || journal.length > 0) {
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
      yield* scanTree(walked(scanOptions), dir, directoryAt(dir), scanOptions)
    },
    async open(path) {
      checkOpen()
      const node = regular(path, findNode(root, path))
      return bytesReader(entryOf(path, node, { stat: true }), node.bytes)
    },
    async readEach(paths, { maxBytes, signal }, visit) {
      checkOpen()
      const find = createFinder(root)
      for (const path of paths) {
        checkSignal(signal)
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
      const { root: next, held, recorded } = prepare(changes)
      const { record, object } = sealRecord(hasher, draft, recorded, headAfter(journal.at(-1)))
      if (object) held.keep({ hash: record.changesHash, size: object.length, bytes: object })
      // The swap. Nothing above had an effect, and nothing below can fail.
      held.apply()
      root = next
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
      const { root: next, held } = prepare(changes)
      for (const hash of [...named.files, ...named.changes]) {
        const bytes = contents.get(hash)
        if (bytes) held.keep({ hash, size: bytes.length })
      }
      held.apply()
      root = next
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

function emptyRoot(time: number, version: Version): Directory {
  return { kind: 'directory', children: new Map(), mode: 0o755, mtimeMs: time, createdMs: time, version }
}

function entryOf(path: Path, node: Node, want: Want): Entry {
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

function entriesOf(dir: Path, children: readonly Child<Kinds>[], want: Want): Entry[] {
  const prefix = dir === '' ? '' : `${dir}/`
  return children.map(([name, node]) => entryOf((prefix + name) as Path, node, want))
}

/** A tree as a scan walks it. */
function walked(want: Want): Walked<Directory> {
  return {
    entries: (path, directory) => entriesOf(path, childrenByPath(directory), want),
    enter: (directory, path) => childrenOf(directory).get(nameOf(path)) as Directory,
  }
}

function wholeFile(path: Path, node: Node, maxBytes: number): Uint8Array {
  const { bytes } = regular(path, node)
  if (bytes.length > maxBytes) throw new FilewrightError('too_large', `${path} has ${bytes.length} bytes; the limit is ${maxBytes}.`)
  return bytes
}
