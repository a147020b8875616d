/** What the next commit begins with, as records moved it, and how going back moves it back. */
import type { FileSystem } from '../../core/file_system.ts'
import type { Basis, JournalRecord, RecordDraft } from '../../core/record.ts'
import type { Repository } from '../../core/repository.ts'

/** What the next commit begins with now. */
export async function basisOf(repository: Repository): Promise<Basis> {
  const { base, merging } = await repository.status({ paths: [] })
  return { base, merging }
}

/**
 * How the taking back of records, newest first, moves what the next commit begins with: to where each of them found it, as long as it is
 * where that one left it. What a commit has moved since stays. Undefined when nothing is to be moved.
 */
export async function basisBefore(
  fs: FileSystem,
  records: Iterable<JournalRecord> | AsyncIterable<JournalRecord>,
): Promise<RecordDraft['basis'] | undefined> {
  if (!fs.repository) return undefined
  let before: Basis | null = null
  let after: Basis | null = null
  for await (const { basis } of records) {
    if (!basis) continue
    before ??= await basisOf(fs.repository)
    if (sameBasis(basis.after, after ?? before)) after = basis.before
  }
  return before && after ? { before, after } : undefined
}

function sameBasis(one: Basis, other: Basis): boolean {
  return one.base === other.base && one.merging === other.merging
}
