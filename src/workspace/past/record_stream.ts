/** Records with their changes and contents as lines of JSON, for programs and for a replay elsewhere. */
import type { RecordedChange } from '../../core/change.ts'
import { isFilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { readBlocks } from '../../core/read.ts'
import type { JournalRecord } from '../../core/record.ts'
import { toBase64 } from '../../text/base64.ts'
import { changesOf, recordsInOrder } from './journal.ts'
import { findRun, type RecordRange } from './range.ts'

/** The first line. */
export interface RecordsHeader {
  readonly format: 'filewright-records'
  readonly version: 1
  /** Numbers of the first and the last record. */
  readonly first: number
  readonly last: number
}

/** The lines after the first: contents come before the first record that needs them, in parts, and once. */
export type RecordsLine =
  | { readonly record: Omit<JournalRecord, 'changes'>; readonly changes: readonly RecordedChange[] }
  /** A content begins; parts follow until its size is reached. Size null: it is not held any more. */
  | { readonly object: Hash; readonly size: number | null }
  | { readonly base64: string }

/** The format and the version that are read. */
export const RECORDS_FORMAT: Pick<RecordsHeader, 'format' | 'version'> = { format: 'filewright-records', version: 1 }

/**
 * The lines of a run of records, first to last, each ending in a line feed. Of contents, those that the changes put in place.
 * Throws what finding the records throws.
 */
export async function* recordLines(fs: FileSystem, range: RecordRange): AsyncGenerator<string> {
  const { first, last } = await findRun(fs, range)
  const header: RecordsHeader = { ...RECORDS_FORMAT, first, last }
  yield line(header)
  const told = new Set<Hash>()
  for await (const page of recordsInOrder(fs, first, last)) {
    for (const whole of page) {
      const changes = await changesOf(fs, whole)
      for (const hash of contentsPut(changes)) {
        if (told.has(hash)) continue
        told.add(hash)
        yield* objectLines(fs, hash)
      }
      const { changes: _, ...record } = whole
      yield line({ record, changes })
    }
  }
}

/** The contents that must be at hand before changes can be made again. */
function contentsPut(changes: readonly RecordedChange[]): Hash[] {
  return changes.flatMap(({ kind, after }) => (kind === 'write' && after?.kind === 'file' ? [after.hash] : []))
}

async function* objectLines(fs: FileSystem, hash: Hash): AsyncGenerator<string> {
  const reader = await openOrNull(fs, hash)
  yield line({ object: hash, size: reader?.size ?? null })
  if (!reader) return
  try {
    for await (const block of readBlocks(reader)) yield line({ base64: toBase64(block) })
  } finally {
    await reader.close()
  }
}

async function openOrNull(fs: FileSystem, hash: Hash): Promise<Awaited<ReturnType<FileSystem['object']>> | null> {
  try {
    return await fs.object(hash)
  } catch (error) {
    if (isFilewrightError(error, 'not_found')) return null
    throw error
  }
}

function line(value: RecordsHeader | RecordsLine): string {
  return `${JSON.stringify(value)}\n`
}
