/** What a workspace tells of its past, and how it goes back. */
import type { RecordedChange, Side } from '../../core/change.ts'
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { differencesSince, inverseOf, missingParents } from '../../core/inverse.ts'
import type { Path } from '../../core/path.ts'
import { readAll } from '../../core/read.ts'
import type { JournalRecord, RecordDraft } from '../../core/record.ts'
import { basisBefore } from '../git/basis.ts'
import type { LogEntry, ShownChange, ShownRecord, ShowOptions } from '../workspace.ts'
import { allRecords, changesOf, createUndoneTracker, findRecord } from './journal.ts'
import { lossOf, requireHeld } from './losses.ts'
import { showChange } from './show.ts'

/** Most paths of a log entry. */
const LOG_PATHS = 3

/** Newest first. */
export async function logOf(fs: FileSystem, query: { readonly before?: number; readonly limit?: number }): Promise<LogEntry[]> {
  const undone = createUndoneTracker(fs)
  const entries: LogEntry[] = []
  for (const record of await fs.records(query)) {
    const paths = (record.changes ?? []).slice(0, LOG_PATHS).map((change) => change.path)
    entries.push({ record, undone: await undone(record), paths })
  }
  return entries
}

/** One record with its changes and, unless they are not wanted, their diffs. */
export async function showRecord(fs: FileSystem, which: string | number, options: ShowOptions): Promise<ShownRecord> {
  const record = await findRecord(fs, which)
  const { offset = 0, limit = record.count } = options
  const changes = (await changesOf(fs, record)).slice(offset, offset + limit)
  const shown: ShownChange[] = []
  for (const change of changes) {
    shown.push(options.diff === false ? { ...change, diff: null, note: null } : await showWithLoss(fs, change))
  }
  return { record, changes: shown, undone: await createUndoneTracker(fs)(record) }
}

/** The change with its diff; where history gave up its content, the note says why. */
async function showWithLoss(fs: FileSystem, change: RecordedChange): Promise<ShownChange> {
  let lost: Hash | null = null
  const shown = await showChange(change, async (path, side) => {
    const bytes = await contentOf(fs, path, side)
    if (!bytes) lost = side.hash
    return bytes
  })
  if (lost === null || !change.kept) return shown
  const side = change.before?.kind === 'file' && change.before.hash === lost ? 'before' : 'after'
  return { ...shown, note: `The content ${side} it ${await lossOf(fs, lost)}.` }
}

/** What the undo or redo of a record would commit. */
export interface TakeBack {
  readonly changes: ReturnType<typeof inverseOf>
  readonly draft: Pick<RecordDraft, 'kind' | 'target' | 'tool' | 'note' | 'basis'>
}

/** Plans the undo of a record. Throws `conflict` when files moved on or it is undone already, `unsupported` when nothing was kept. */
export async function planUndo(fs: FileSystem, which: string | number): Promise<TakeBack> {
  const record = await findRecord(fs, which)
  if (record.kind === 'undo') throw new FilewrightError('unsupported', `Change ${record.sequence} is an undo: use redo to take it back.`)
  if (record.kind === 'purge') throw new FilewrightError('unsupported', `Change ${record.sequence} is a purge, which is for good.`)
  if (record.kind === 'git') throw notTakenBack(record)
  if (await createUndoneTracker(fs)(record)) throw new FilewrightError('conflict', `Change ${record.sequence} is undone already.`)
  const changes = await inverseIfUnmoved(fs, record)
  const basis = await basisBefore(fs, [record])
  if (changes.length === 0 && !basis)
    throw new FilewrightError('unsupported', `Change ${record.sequence} only made backups: there is nothing to undo.`)
  return {
    changes,
    draft: { kind: 'undo', target: record.id, tool: 'undo', note: `Undo of change ${record.sequence}`, ...(basis && { basis }) },
  }
}

/** References of a repository may be in use elsewhere as soon as they are moved. */
function notTakenBack({ sequence, tool }: JournalRecord): FilewrightError {
  const advice =
    tool === 'git_commit'
      ? 'undo the changes that it took, and commit that'
      : 'make or delete the branch or tag by another call, or go on with another merge'
  return new FilewrightError('unsupported', `Change ${sequence} (${tool}) is in the repository, and no undo takes it back: ${advice}.`)
}

/** Plans the redo of the newest undo that still stands. Throws `not_found` when there is none. */
export async function planRedo(fs: FileSystem): Promise<TakeBack> {
  const undo = await newestUndo(fs)
  if (!undo) throw new FilewrightError('not_found', 'There is no undo to take back.')
  const changes = await inverseIfUnmoved(fs, undo)
  const basis = await basisBefore(fs, [undo])
  return {
    changes,
    draft: {
      kind: 'redo',
      tool: 'redo',
      note: `Redo of what change ${undo.sequence} took back`,
      ...(undo.target === undefined ? {} : { target: undo.target }),
      ...(basis && { basis }),
    },
  }
}

async function newestUndo(fs: FileSystem): Promise<JournalRecord | undefined> {
  const seen = new Set<string>()
  for await (const page of allRecords(fs)) {
    for (const record of page) {
      if (record.target === undefined || seen.has(record.target)) continue
      if (record.kind === 'undo') return record
      seen.add(record.target)
    }
  }
  return undefined
}

async function inverseIfUnmoved(fs: FileSystem, record: JournalRecord): Promise<ReturnType<typeof inverseOf>> {
  const changes = await changesOf(fs, record)
  const inverse = inverseOf(changes)
  await requireHeld(fs, inverse)
  const differing = await differencesSince(fs, changes)
  const first = differing[0]
  if (first) {
    const others = differing.length > 1 ? ` and ${differing.length - 1} more` : ''
    throw new FilewrightError('conflict', `${first.path}${others} changed since change ${record.sequence}; nothing was undone.`, {
      details: { differing },
    })
  }
  return [...(await missingParents(fs, inverse)), ...inverse]
}

/** A side's bytes, from history or from the file itself if it still holds them; null when nobody has them. */
async function contentOf(fs: FileSystem, path: Path, side: Extract<Side, { kind: 'file' }>): Promise<Uint8Array | null> {
  return (await objectBytes(fs, side.hash)) ?? (await fileBytes(fs, path, side.hash))
}

async function objectBytes(fs: FileSystem, hash: Hash): Promise<Uint8Array | null> {
  try {
    const reader = await fs.object(hash)
    return await readAll(reader, fs.traits.limits.textBytes, hash).finally(() => reader.close())
  } catch (error) {
    if (isFilewrightError(error, 'not_found')) return null
    throw error
  }
}

async function fileBytes(fs: FileSystem, path: Path, hash: Hash): Promise<Uint8Array | null> {
  try {
    const reader = await fs.open(path)
    const bytes = await readAll(reader, fs.traits.limits.textBytes, path).finally(() => reader.close())
    return fs.hasher.hash(bytes) === hash ? bytes : null
  } catch (error) {
    if (isFilewrightError(error)) return null
    throw error
  }
}
