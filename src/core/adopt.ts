/** The check of another workspace's past before a storage takes it over. */
import type { RecordedChange } from './change.ts'
import { FilewrightError } from './errors.ts'
import type { FileSystem } from './file_system.ts'
import type { Hash, Hasher } from './hash.ts'
import { readAll } from './read.ts'
import { headAfter, type JournalRecord, verifyRecord } from './record.ts'

/** What records name by hash. */
export interface NamedContents {
  /** Contents of files, before and after. Not all of them need be held: some were not kept, or are forgotten. */
  readonly files: ReadonlySet<Hash>
  /** Changes that are stored apart. */
  readonly changes: ReadonlySet<Hash>
}

/**
 * Checks records as one chain from its beginning. Changes that are stored apart are read from what is staged.
 * Throws `corrupt` when the chain is not sound, `not_found` when changes are not there.
 */
export async function verifyPast(
  source: { readonly hasher: Hasher; readonly object: FileSystem['object'] },
  records: readonly JournalRecord[],
): Promise<NamedContents> {
  const files = new Set<Hash>()
  const apart = new Set<Hash>()
  let previous: JournalRecord | undefined
  for (const record of records) {
    const changes = record.changes ?? (await changesApart(source, record))
    verifyRecord(source.hasher, record, headAfter(previous), changes)
    if (record.changes === null) apart.add(record.changesHash)
    for (const { before, after } of changes) {
      for (const side of [before, after]) if (side?.kind === 'file') files.add(side.hash)
    }
    previous = record
  }
  return { files, changes: apart }
}

async function changesApart(source: Pick<FileSystem, 'object'>, record: JournalRecord): Promise<readonly RecordedChange[]> {
  const reader = await source.object(record.changesHash)
  try {
    const text = new TextDecoder().decode(await readAll(reader, Number.MAX_SAFE_INTEGER, 'The record'))
    const changes: unknown = JSON.parse(text)
    if (Array.isArray(changes)) return changes as readonly RecordedChange[]
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  } finally {
    await reader.close()
  }
  throw new FilewrightError('corrupt', `The changes of journal record ${record.sequence} are not what was recorded.`)
}
