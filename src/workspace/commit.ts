/** From staged changes to a receipt: large content is stored first, then one commit, then every path is read again. */
import type { Change, RecordedChange } from '../core/change.ts'
import { isFilewrightError } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'
import { type Path, parentOf } from '../core/path.ts'
import { hashReader, readBlocks } from '../core/read.ts'
import type { JournalRecord, RecordDraft } from '../core/record.ts'
import { equalBytes } from '../text/bytes.ts'
import type { PathReceipt, Receipt } from '../tools/tool.ts'
import { changesOf } from './journal.ts'

/** What a commit came to. */
export interface Committed {
  readonly record: JournalRecord
  readonly receipt: Receipt
}

/** Commits the changes and verifies each path. Throws what `FileSystem.commit` throws. */
export async function commitAndVerify(fs: FileSystem, changes: readonly Change[], draft: RecordDraft): Promise<Committed> {
  const stored = await Promise.all(changes.map((change) => storeLargeContent(fs, change)))
  const record = await fs.commit(stored, draft)
  const recorded = await changesOf(fs, record)
  const intended = new Map<Path, Uint8Array>()
  for (const change of changes) {
    if (change.kind === 'write' && change.content.bytes) intended.set(change.path, change.content.bytes)
  }
  return { record, receipt: { changeId: record.id, sequence: record.sequence, paths: await verifyAll(fs, recorded, intended) } }
}

/**
 * One receipt for each change, in order. What a later change of the same commit did to a path, or to a directory above it, is what
 * can be seen there now: an earlier change is as sound as the last one.
 */
async function verifyAll(
  fs: FileSystem,
  recorded: readonly RecordedChange[],
  intended: ReadonlyMap<Path, Uint8Array>,
): Promise<PathReceipt[]> {
  const problems = new Map<Path, string | null>()
  const receipts: PathReceipt[] = []
  for (const change of recorded.toReversed()) {
    const path = change.to ?? change.path
    const later = lastWord(problems, path)
    const problem = later === undefined ? await problemAt(fs, change, path, intended.get(path)) : later
    const { before, after } = change
    receipts.push({
      kind: change.kind,
      path,
      from: change.kind === 'move' ? change.path : (change.from ?? null),
      before,
      after,
      backupId: change.backup?.id ?? null,
      verified: problem === null,
      problem,
    })
    problems.set(path, problem)
    if (change.to !== undefined) problems.set(change.path, problem)
  }
  return receipts.reverse()
}

/** What was found at the path, or at the nearest directory above it, that a later change touched. */
function lastWord(problems: ReadonlyMap<Path, string | null>, path: Path): string | null | undefined {
  for (let at = path; problems.size > 0; at = parentOf(at)) {
    const problem = problems.get(at)
    if (problem !== undefined || at === '') return problem
  }
  return undefined
}

async function storeLargeContent(fs: FileSystem, change: Change): Promise<Change> {
  if (change.kind !== 'write' || !change.content.bytes || change.content.size <= fs.traits.limits.inlineBytes) return change
  return { ...change, content: await fs.stage(change.content.bytes) }
}

async function problemAt(fs: FileSystem, change: RecordedChange, path: Path, intended: Uint8Array | undefined): Promise<string | null> {
  const { after } = change
  try {
    if (change.to !== undefined && (await isThere(fs, change.path))) return 'It is still at its old place.'
    if (after?.kind !== 'file') {
      const { kind } = await fs.stat(path)
      if (!after) return 'It is still there after its removal.'
      return kind === after.kind ? null : `It is a ${kind} now.`
    }
    const reader = await fs.open(path)
    try {
      // What was moved, copied or kept went through no hands but the storage's, which tells by its version what a file holds.
      const told = change.kind === 'write' ? null : reader.entry.hash
      const sound = intended ? await holds(reader, intended) : (told ?? (await hashReader(fs.hasher, reader))) === after.hash
      return sound ? null : 'It holds other bytes than were written.'
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (isFilewrightError(error, 'not_found')) return after ? 'It is not there after the write.' : null
    if (isFilewrightError(error, 'is_directory') || isFilewrightError(error, 'not_regular')) return 'It is not a file any more.'
    return 'It could not be read again.'
  }
}

async function isThere(fs: FileSystem, path: Path): Promise<boolean> {
  try {
    await fs.stat(path)
    return true
  } catch (error) {
    if (isFilewrightError(error, 'not_found') || isFilewrightError(error, 'not_directory')) return false
    throw error
  }
}

/** Compares block by block: for content at hand that is several times cheaper than hashing it again. */
async function holds(reader: Parameters<typeof readBlocks>[0], intended: Uint8Array): Promise<boolean> {
  if (reader.size !== intended.length) return false
  let at = 0
  for await (const block of readBlocks(reader)) {
    if (!equalBytes(block, intended.subarray(at, at + block.length))) return false
    at += block.length
  }
  return at === intended.length
}
