/** Reading the journal back: whole records, the chain, and the changes that take a record back. */
import type { Change, Expect, RecordedChange, Side } from '../core/change.ts'
import type { FileSystem } from '../core/file_system.ts'
import { headAfter, type JournalRecord, verifyRecord } from '../core/record.ts'
import { allRecords, bytesOf } from './setup.ts'

/** A record's changes, wherever they are stored. */
export async function changesOf(fs: FileSystem, record: JournalRecord): Promise<readonly RecordedChange[]> {
  if (record.changes) return record.changes
  return JSON.parse(new TextDecoder().decode(await bytesOf(await fs.object(record.changesHash)))) as RecordedChange[]
}

/** Checks the whole chain. Throws `corrupt`. */
export async function verifyChain(fs: FileSystem): Promise<number> {
  const records = await allRecords(fs)
  for (const [index, record] of records.entries())
    verifyRecord(fs.hasher, record, headAfter(records[index - 1]), await changesOf(fs, record))
  return records.length
}

/** The changes that take recorded ones back, last first. Contents are named by hash: the storage has kept them. */
export function inverseOf(changes: readonly RecordedChange[]): Change[] {
  const lasting = changes.filter(({ kind }) => kind !== 'snapshot')
  return lasting.toReversed().map((change) => {
    const { path, before, after } = change
    if (change.kind === 'move') return { kind: 'move', path: change.to ?? path, to: path, expect: expectOf(after) }
    if (before === null) return { kind: 'remove', path, expect: expectOf(after) }
    if (before.kind === 'directory') return { kind: 'makeDirectory', path, mode: before.mode }
    if (before.kind === 'link') return { kind: 'link', path, target: before.target, expect: expectOf(after) }
    return { kind: 'write', path, content: { hash: before.hash, size: before.size }, mode: before.mode, expect: expectOf(after) }
  })
}

function expectOf(side: Side | null): Expect {
  if (side === null) return 'absent'
  if (side.kind === 'directory') return 'directory'
  return side.kind === 'file' ? { hash: side.hash } : { link: side.target }
}
