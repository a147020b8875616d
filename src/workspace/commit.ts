/** From staged changes to a receipt: large content is stored first, then one commit, then every path is read again. */
import type { Change, RecordedChange } from '../core/change.ts'
import { isFilewrightError } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'
import { comparedPath, type Path, parentOf } from '../core/path.ts'
import { hashReader, readBlocks } from '../core/read.ts'
import type { JournalRecord, RecordDraft } from '../core/record.ts'
import { equalBytes } from '../text/bytes.ts'
import type { PathReceipt, Receipt } from '../tools/tool.ts'
import { changesOf } from './past/journal.ts'

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
  return { record, receipt: { changeId: record.id, sequence: record.sequence, paths: await verifyAll(fs, recorded, changes) } }
}

/**
 * One receipt for each change, in order. What a later change of the same commit did to a path, or to a directory above it, is what
 * can be seen there now: an earlier change is as sound as the last one. That holds for both ends of a move.
 */
async function verifyAll(fs: FileSystem, recorded: readonly RecordedChange[], staged: readonly Change[]): Promise<PathReceipt[]> {
  const problems = new Map<Path, string | null>()
  const receipts: PathReceipt[] = []
  for (const [index, change] of [...recorded.entries()].reverse()) {
    const path = change.to ?? change.path
    const later = lastWord(problems, path)
    // Where case does not count, a change of case leaves the old name leading to the new one.
    const leaves = change.to !== undefined && comparedPath(change.path, fs.traits) !== comparedPath(change.to, fs.traits)
    const leftBehind = leaves && lastWord(problems, change.path) === undefined
    const problem =
      (later === undefined ? await problemAt(fs, change, path, bytesOf(staged[index])) : later) ??
      (leftBehind ? await problemLeftBehind(fs, change.path) : null)
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

/** The bytes that a change meant to write, where they are at hand. */
function bytesOf(change: Change | undefined): Uint8Array | undefined {
  return change?.kind === 'write' ? change.content.bytes : undefined
}

async function storeLargeContent(fs: FileSystem, change: Change): Promise<Change> {
  if (change.kind !== 'write' || !change.content.bytes || change.content.size <= fs.traits.limits.inlineBytes) return change
  return { ...change, content: await fs.stage(change.content.bytes) }
}

async function problemAt(fs: FileSystem, change: RecordedChange, path: Path, intended: Uint8Array | undefined): Promise<string | null> {
  const { after } = change
  try {
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

/** Nothing may stand where a moved entry was. */
async function problemLeftBehind(fs: FileSystem, from: Path): Promise<string | null> {
  try {
    await fs.stat(from)
    return 'It is still at its old place.'
  } catch (error) {
    if (isFilewrightError(error, 'not_found') || isFilewrightError(error, 'not_directory')) return null
    return 'Its old place could not be read again.'
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
