/** The `memfs` adapter: a folder of any Node-shaped `fs`, a volume of `memfs` first of all, with its history in memory. */
import { verifyPast } from '../core/adopt.ts'
import type { Change, RecordedChange } from '../core/change.ts'
import { bareEntry } from '../core/entry.ts'
import { FilewrightError, toFilewrightError } from '../core/errors.ts'
import { type Cause, type FileSystem, type Origin, UNKNOWN_ORIGIN } from '../core/file_system.ts'
import { type Hash, type Hasher, platformHasher } from '../core/hash.ts'
import { createIds } from '../core/id.ts'
import { createKnown } from '../core/known.ts'
import { createNotes } from '../core/notes.ts'
import { type Path, ROOT } from '../core/path.ts'
import { bytesReader, gatherBytes } from '../core/read.ts'
import { headAfter, type JournalRecord, type RecordDraft, type SealedRecord, sealRecord, selectRecords } from '../core/record.ts'
import { type Limits, TEXT_BYTES, type Traits, VIRTUAL_TRAITS } from '../core/traits.ts'
import { createContents } from './memfs/contents.ts'
import { entryOf, targetOf } from './memfs/entries.ts'
import { openReader, readEach, readWhole } from './memfs/files.ts'
import { createMarks } from './memfs/marks.ts'
import type { NodeShapedFs } from './memfs/node_shaped_fs.ts'
import { createObserver } from './memfs/observe.ts'
import { inOrder, type Plan, type PlanParts, planCommit } from './memfs/plan.ts'
import { entriesOf, scanTree } from './memfs/scan.ts'
import { takeSteps } from './memfs/steps.ts'
import { childrenOf, createLook, createVolume } from './memfs/volume.ts'

export type { NodeShapedDirent, NodeShapedFs, NodeShapedStats } from './memfs/node_shaped_fs.ts'

/** Most contents in one page. */
const CONTENTS = 1024

/** What a tool has in memory anyway is written from there. */
const INLINE_BYTES = 16 * 1024 * 1024
const LIMITS: Limits = { fileBytes: 1024 * 1024 * 1024, textBytes: TEXT_BYTES, inlineBytes: INLINE_BYTES, changes: 100_000 }

/** What `stat` gives. */
const ALL = { stat: true, target: true } as const

/** Options of {@link createMemfsFs}. */
export interface MemfsFsOptions {
  /** The folder that is the workspace, as an absolute path of the `fs`. It must be there, and no link. Default: `/`. */
  readonly root?: string
  /** Default: the platform's own ({@link platformHasher}). */
  readonly hasher?: Hasher
  readonly limits?: Partial<Limits>
  /** Milliseconds since 1970, for ids and for sweeping what was staged; default `Date.now`. The `fs` has a clock of its own. */
  readonly now?: () => number
}

/**
 * A workspace in a volume of `memfs`, or in any other `fs` with the functions of {@link NodeShapedFs}. Files are in the volume, where
 * other code may read and change them at any time; journal, before-images and notes are in memory with the adapter and gone with it,
 * so that what is in the volume at the beginning is nobody's change.
 *
 * Paths mean what they mean on every storage: no link is followed, and nothing of the `fs` decides what may replace what. A commit
 * is planned first and then carried out within one turn. What fails on the way is taken back, so that files, modes and directories
 * are as before; a process that ends in between leaves its traces (a folder `.filewright-…` at the root). What other code changed is
 * recorded as `external` when a commit comes to it, or by `observe`; what it destroyed is not kept. Two workspaces on one volume do
 * not know of each other's history: each sees the other's changes as external.
 *
 * Whole files pass through memory. Throws `invalid_argument`, `not_found` or `not_directory` for the root.
 */
export function createMemfsFs(fs: NodeShapedFs, options: MemfsFsOptions = {}): FileSystem {
  const root = checkRoot(options.root ?? '/')
  const hasher = options.hasher ?? platformHasher()
  const now = options.now ?? Date.now
  const limits = { ...LIMITS, ...options.limits }
  const traits: Traits = {
    ...VIRTUAL_TRAITS,
    adapter: 'memfs',
    root: root === '/' ? '' : root,
    // Paths are checked just before they are used: nothing comes between in memory, but on a disk something may.
    confinement: 'check-after-open',
    durability: 'memory',
    atomic: false,
    shared: true,
    limits,
  }
  const volume = createVolume(fs, root)
  createLook(volume).enter(ROOT)
  const marks = createMarks(volume, hasher)
  const contents = createContents()
  const known = createKnown()
  const journal: JournalRecord[] = []
  let open = true

  const checkOpen = (): void => {
    if (!open) throw new FilewrightError('unsupported', 'The storage is closed.')
  }
  const checkEmpty = (): void => {
    if (journal.length > 0 || childrenOf(volume, createLook(volume), ROOT, 'name').length > 0) {
      throw new FilewrightError('already_exists', 'Only an empty workspace can take over another one.')
    }
  }
  const liveBytes = (hash: Hash): Uint8Array | null => {
    const path = known.holderOf(hash)
    if (path === undefined) return null
    try {
      const stats = createLook(volume).stats(path)
      const bytes = stats.isFile() ? readWhole(volume, path, stats, limits.fileBytes) : null
      return bytes && hasher.hash(bytes) === hash ? bytes : null
    } catch (error) {
      if (GONE.has(toFilewrightError(error).code)) return null
      throw error
    }
  }
  const object: FileSystem['object'] = async (hash) => {
    checkOpen()
    const bytes = contents.get(hash) ?? liveBytes(hash)
    if (!bytes) throw new FilewrightError('not_found', `No content ${hash} is kept.`)
    return bytesReader({ ...bareEntry(ROOT, 'file'), size: bytes.length, hash }, bytes)
  }
  const parts: PlanParts = {
    volume,
    marks,
    hasher,
    contents,
    known,
    liveBytes,
    fileBytes: limits.fileBytes,
    newId: createIds(now),
  }
  const observer = createObserver(parts)
  const plan = (changes: readonly Change[]): Plan => {
    if (changes.length > limits.changes) {
      throw new FilewrightError('too_large', `${changes.length} changes are more than the ${limits.changes} of one commit.`)
    }
    return planCommit(parts, changes)
  }
  /** From a plan to its effect on the volume and on what is held; the journal is the caller's. */
  const carryOut = ({ steps, keeps, used, external, recorded }: Plan): void => {
    takeSteps(volume, marks, steps)
    // The commit point: nothing below can fail.
    for (const hash of used) contents.unstage(hash)
    for (const [hash, bytes] of keeps) contents.keep(hash, bytes)
    for (const change of [...external.values(), ...recorded]) known.learn(change)
  }
  const sealAfter = (previous: JournalRecord | undefined, draft: RecordDraft, changes: readonly RecordedChange[]): SealedRecord =>
    sealRecord(hasher, draft, changes, headAfter(previous))
  /** What other programs did, as a record; null when they did nothing. */
  const sealExternal = (time: string, changes: readonly RecordedChange[], origin?: Origin): SealedRecord | null => {
    const draft: RecordDraft = { id: parts.newId(), time, ...(origin ?? UNKNOWN_ORIGIN) }
    return changes.length > 0 ? sealAfter(journal.at(-1), draft, changes) : null
  }
  const append = ({ record, object: long }: SealedRecord): JournalRecord => {
    if (long) contents.keep(record.changesHash, long)
    journal.push(record)
    return record
  }

  return {
    traits,
    hasher,
    async stat(path, want) {
      checkOpen()
      return entryOf(volume, marks, path, createLook(volume).stats(path), { ...want, ...ALL })
    },
    async statMany(paths) {
      checkOpen()
      const look = createLook(volume)
      return paths.map((path) => {
        try {
          return entryOf(volume, marks, path, look.stats(path), ALL)
        } catch (error) {
          return toFilewrightError(error)
        }
      })
    },
    async list(dir, want = {}) {
      checkOpen()
      return entriesOf(volume, marks, createLook(volume), dir, want, 'name')
    },
    async *scan(dir, scanOptions = {}) {
      checkOpen()
      yield* scanTree(volume, marks, dir, scanOptions)
    },
    async open(path) {
      checkOpen()
      const stats = createLook(volume).stats(path)
      return openReader(volume, entryOf(volume, marks, path, stats, ALL), stats)
    },
    async readEach(paths, readOptions, visit) {
      checkOpen()
      readEach(volume, paths, readOptions, visit)
    },
    async readLink(path) {
      checkOpen()
      const stats = createLook(volume).stats(path)
      if (!stats.isSymbolicLink()) throw new FilewrightError('invalid_argument', `${path || 'The root'} is not a link.`)
      return targetOf(volume, path)
    },
    async stage(body) {
      checkOpen()
      const bytes = await gatherBytes(body, limits.fileBytes)
      const hash = hasher.hash(bytes)
      contents.stage(hash, bytes, now())
      return { hash, size: bytes.length }
    },
    // All of it within one turn: that is the lock.
    async commit(changes, draft) {
      checkOpen()
      const planned = plan(changes)
      const external = sealExternal(draft.time, inOrder(planned.external.values()))
      const sealed = sealAfter(external?.record ?? journal.at(-1), draft, planned.recorded)
      carryOut(planned)
      if (external) append(external)
      return append(sealed)
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
      checkOpen()
      // Something may have come in the meantime.
      checkEmpty()
      const planned = plan(changes)
      for (const hash of [...named.files, ...named.changes]) {
        const bytes = contents.get(hash)
        if (bytes) planned.keeps.set(hash, bytes)
        planned.used.add(hash)
      }
      carryOut(planned)
      for (const record of records) journal.push(record)
    },
    notes: createNotes(checkOpen),
    async observe(paths?: readonly Path[], cause?: Cause) {
      checkOpen()
      const changes = observer.observe(paths)
      const sealed = sealExternal(new Date(now()).toISOString(), changes, cause?.origin)
      if (!sealed) return null
      for (const change of changes) known.learn(change)
      return append(sealed)
    },
    async close() {
      open = false
      contents.clear()
      journal.length = 0
    },
  }
}

/** Codes that mean that a content is not where it was. */
const GONE: ReadonlySet<string> = new Set(['not_found', 'not_directory', 'permission_denied', 'conflict', 'too_large'])

/** The root without a slash at its end. */
function checkRoot(given: string): string {
  const names = given.split('/').filter((name) => name !== '')
  if (!given.startsWith('/') || names.some((name) => name === '.' || name === '..')) {
    throw new FilewrightError('invalid_argument', `The root must be an absolute path without . and .., not ${given}.`, { field: 'root' })
  }
  return `/${names.join('/')}`
}
