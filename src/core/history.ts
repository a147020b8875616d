/** The past of a workspace, as tools read it. */
import type { RecordedChange } from './change.ts'
import type { Reader } from './file_system.ts'
import type { Hash } from './hash.ts'
import type { JournalRecord } from './record.ts'

/** What was done before this call. */
export interface History {
  /** All records, newest first, in pages. */
  records(): AsyncIterable<readonly JournalRecord[]>
  /** The changes of a record, also when they are many and stored apart. Throws `corrupt` when they do not match their hash. */
  changes(record: JournalRecord): Promise<readonly RecordedChange[]>
  /** Content that history holds. Throws `not_found`; `corrupt` when the bytes do not match the hash. */
  object(hash: Hash): Promise<Reader>
}
