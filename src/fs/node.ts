/** The `node` adapter: a folder on disk, walked by directory handles, changed by commits that survive crashes. */
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Change } from '../core/change.ts'
import { attempt, failureAt } from '../core/errno.ts'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'
import { type Hasher, platformHasher } from '../core/hash.ts'
import { createIds } from '../core/id.ts'
import { checkSignal } from '../core/signal.ts'
import { type Limits, TEXT_BYTES, type Traits } from '../core/traits.ts'
import { adoptPast } from './node/adoption.ts'
import type { CommitParts } from './node/commit_parts.ts'
import { type Committer, createCommitter } from './node/committer.ts'
import { openRoot, type Root, statDir } from './node/handles.ts'
import { createHashCache } from './node/hash_cache.ts'
import { createHeld } from './node/held.ts'
import { forgetContents, keptContents } from './node/kept.ts'
import { createSocketLock, type Lock } from './node/lock.ts'
import { createFileLock } from './node/lock_file.ts'
import { createNotes } from './node/notes.ts'
import { createObserver, looksKnown } from './node/observing.ts'
import { createFileReader } from './node/read_each.ts'
import { createReads } from './node/reads.ts'
import { scanTree } from './node/scan.ts'
import { createStagedFiles, hasLeftovers } from './node/staged_files.ts'
import { createStore, openStore, type Store } from './node/store.ts'
import { nodeSys, type Sys } from './node/syscalls.ts'
import { watchTree } from './node/watching.ts'

export { createUnconfinedReads } from './node/outside.ts'

/** What a tool has in memory anyway is written from there: staging it first would hash it and rename it once more. */
const INLINE_BYTES = 16 * 1024 * 1024
const LIMITS: Limits = { fileBytes: 2 ** 44, textBytes: TEXT_BYTES, inlineBytes: INLINE_BYTES, changes: 100_000 }
const LOCK_WAIT_MS = 30_000

/** Options of {@link openNodeFs}. */
export interface NodeFsOptions {
  /** The folder. It must exist; links in its path are resolved once. */
  readonly root: string
  /** What a success survives: a power cut (default), or a killed process, which is several times faster. */
  readonly durability?: 'power' | 'process'
  /** Default: the platform's own. */
  readonly hasher?: Hasher
  readonly limits?: Partial<Limits>
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number
  /** Longest wait for another process that changes the same folder; default 30 seconds. */
  readonly lockWaitMs?: number
}

/**
 * Opens a folder on disk. A commit that a crash interrupted is completed, or forgotten when it had not been decided; nothing
 * else is written before the first commit, which makes `.filewright/` at the root (private, ignored by git, not there for any
 * method). Commits of all processes take turns. Other programs are not held up: a path is looked at again just before it is
 * renamed over, and what comes between these two moments is lost.
 *
 * On Linux no path can be led out of the folder by anybody who renames things meanwhile; mounts inside the folder are followed.
 * Elsewhere every part of a path is checked, which somebody who is fast enough gets past (`traits.confinement` says which); the
 * adapter is tested on Linux only, that way too.
 *
 * Throws `not_found`, `not_directory`, `permission_denied`, and `unsupported` on a Linux without `/proc`.
 */
export async function openNodeFs(options: NodeFsOptions): Promise<FileSystem> {
  return openNodeFsOn(nodeSys, options)
}

/** As {@link openNodeFs}, on given system calls and as if on another platform: for tests. */
export async function openNodeFsOn(sys: Sys, options: NodeFsOptions, platform: NodeJS.Platform = process.platform): Promise<FileSystem> {
  const given = resolve(options.root)
  const shown = options.root
  const realRoot = attempt(shown, () => realpathSync(given))
  let root: Root
  try {
    root = openRoot(sys, realRoot, platform)
  } catch (error) {
    throw failureAt(shown, error)
  }
  try {
    return await openOn(root, realRoot, given, options, platform)
  } catch (error) {
    root.close()
    throw error
  }
}

async function openOn(root: Root, realRoot: string, given: string, options: NodeFsOptions, platform: NodeJS.Platform): Promise<FileSystem> {
  const hasher = options.hasher ?? platformHasher()
  const limits = { ...LIMITS, ...options.limits }
  const durability = options.durability ?? 'power'
  const traits: Traits = {
    adapter: 'node',
    root: realRoot,
    aliases: given === realRoot ? [] : [given],
    symlinks: true,
    modes: platform === 'win32' ? 'none' : 'posix',
    caseSensitive: platform !== 'darwin' && platform !== 'win32',
    confinement: root.confinement,
    durability,
    atomic: true,
    shared: true,
    limits,
  }
  const hashes = createHashCache()
  const staged = createStagedFiles(root, hasher)
  let store: Store | null = openIfAllowed(root)
  const currentStore = (): Store | null => {
    if (store?.isGone()) {
      store.close()
      store = null
    }
    store ??= openStore(root)
    return store
  }
  const makeStore = (): Store => {
    store = currentStore() ?? createStore(root)
    return store
  }
  const held = createHeld({ root, hasher, hashes, staged, store: () => store })
  const reads = createReads(root, hashes)
  const files = createFileReader(root)
  const stats = statDir(root, root.dir)
  const parts: CommitParts = {
    root,
    hasher,
    hashes,
    durable: durability === 'power',
    fileBytes: limits.fileBytes,
    umask: process.umask(),
    device: stats.dev,
    lock: createLock(root.sys, `filewright-${stats.dev}-${stats.ino}`, options.lockWaitMs ?? LOCK_WAIT_MS, platform),
    newId: createIds(options.now ?? Date.now),
    store: currentStore,
    makeStore,
    source: held.source,
    stagedName: staged.nameOf,
    taken: staged.taken,
  }
  const committer = createCommitter(parts)
  const observer = createObserver(parts, committer, options.now ?? Date.now)
  const closing = new AbortController()
  try {
    await completeInterrupted(root, store, committer)
  } catch (error) {
    store?.close()
    parts.lock.close()
    throw error
  }

  let open = true
  const checkOpen = (): void => {
    if (!open) throw new FilewrightError('unsupported', 'The storage is closed.')
  }
  const checkCount = (changes: readonly Change[]): void => {
    if (changes.length <= limits.changes) return
    throw new FilewrightError('too_large', `${changes.length} changes are more than the ${limits.changes} of one commit.`)
  }
  return {
    traits,
    hasher,
    async stat(path, want) {
      checkOpen()
      return reads.stat(path, want ?? {})
    },
    async statMany(paths) {
      checkOpen()
      return reads.statMany(paths)
    },
    async list(dir, want) {
      checkOpen()
      return reads.list(dir, want ?? {})
    },
    async *scan(dir, scanOptions) {
      checkOpen()
      yield* scanTree(root, dir, scanOptions ?? {})
    },
    async open(path) {
      checkOpen()
      return reads.open(path)
    },
    async readEach(paths, readOptions, visit) {
      checkOpen()
      checkSignal(readOptions.signal)
      return files.readEach(paths, readOptions, visit)
    },
    async readLink(path) {
      checkOpen()
      return reads.readLink(path)
    },
    async stage(body) {
      checkOpen()
      return staged.stage(makeStore(), body, limits.fileBytes)
    },
    async commit(changes: readonly Change[], draft) {
      checkOpen()
      checkCount(changes)
      return committer.commit(changes, draft)
    },
    async records(query) {
      checkOpen()
      return attempt('The journal', () => parts.store()?.journal.records(query ?? {}) ?? [])
    },
    async object(hash) {
      checkOpen()
      return held.open(hash)
    },
    async *contents() {
      checkOpen()
      yield* keptContents(parts)
    },
    async forget(hashes) {
      checkOpen()
      return forgetContents(parts, committer, hashes)
    },
    async adopt(changes, records) {
      checkOpen()
      checkCount(changes)
      return adoptPast({ ...parts, object: held.open }, committer, changes, records)
    },
    async observe(paths, cause) {
      checkOpen()
      return observer.observe(paths, cause)
    },
    async *watch(signal) {
      checkOpen()
      const ended = AbortSignal.any([signal, closing.signal])
      yield* watchTree({ root, baseline: observer.baseline, looksKnown: (path, stats) => looksKnown(parts, path, stats) }, ended)
    },
    notes: createNotes(parts, committer, checkOpen),
    async close() {
      if (!open) return
      open = false
      closing.abort()
      await committer.idle()
      if (store) staged.clear(store)
      store?.close()
      parts.lock.close()
      root.close()
    },
  }
}

/** The store, unless it is somebody else's: then the files can be read all the same, but nothing of history. */
function openIfAllowed(root: Root): Store | null {
  try {
    return openStore(root)
  } catch (error) {
    if (isFilewrightError(error, 'permission_denied')) return null
    throw error
  }
}

function createLock(sys: Sys, name: string, waitMs: number, platform: NodeJS.Platform): Lock {
  if (platform === 'linux') return createSocketLock(`\0${name}`, waitMs)
  if (platform === 'win32') return createSocketLock(`\\\\.\\pipe\\${name}`, waitMs)
  return createFileLock(sys, join(tmpdir(), `${name}.lock`), waitMs)
}

/** Finishes or forgets what a crash left, if anything; the lock is not touched when there is nothing. */
async function completeInterrupted(root: Root, store: Store | null, committer: Committer): Promise<void> {
  if (!store) return
  const plan = attempt('The plan', () => store.readPlan())
  if (!plan && !attempt('The store', () => hasLeftovers(root, store, Date.now()))) return
  try {
    await committer.complete(store)
  } catch (error) {
    // What is only untidy need not keep anybody from reading.
    if (plan || !(isFilewrightError(error, 'read_only') || isFilewrightError(error, 'permission_denied'))) throw error
  }
}
