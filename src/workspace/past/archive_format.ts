/** What an archive of a workspace with its history consists of: a tar that a stranger can look into and check. */
import type { RecordedChange, Side } from '../../core/change.ts'
import type { Hash } from '../../core/hash.ts'
import type { Path } from '../../core/path.ts'

/**
 * The entries, in this order. `filewright.json` is an {@link ArchiveHeader}; `journal.jsonl` has a record a line, as stored;
 * `lost.jsonl` a hash a line: contents that records name and history gave up. Then come `objects/<sha256>`, the contents that
 * history holds, and `files/<path>`, whose paths are for people: `files.jsonl`, the last, has an {@link ArchivedEntry} a line, and
 * the lines of files are in the order of the entries.
 */
export const ENTRIES: {
  readonly header: string
  readonly journal: string
  readonly lost: string
  readonly objects: string
  readonly files: string
  readonly tree: string
} = {
  header: 'filewright.json',
  journal: 'journal.jsonl',
  lost: 'lost.jsonl',
  objects: 'objects/',
  files: 'files/',
  tree: 'files.jsonl',
}

/** What `filewright.json` holds. */
export interface ArchiveHeader {
  readonly format: 'filewright-archive'
  readonly version: 1
  /** How many records there are, and the hash of the last: who keeps it elsewhere can tell that none was cut off. */
  readonly records: number
  readonly head: Hash | null
  /** Folders that hold backups, which only backup tools see. */
  readonly backupFolders: readonly Path[]
}

/** The format and the version that are written and read. */
export const ARCHIVE_FORMAT: Pick<ArchiveHeader, 'format' | 'version'> = { format: 'filewright-archive', version: 1 }

/** One entry of the tree. */
export type ArchivedEntry = Side & { readonly path: Path; readonly mtimeMs: number | null }

/** The contents that a record's changes destroyed and history kept: without them, they cannot be taken back. */
export function contentsDestroyed(changes: readonly RecordedChange[]): Hash[] {
  return changes.flatMap(({ kind, before, kept }) => (kind !== 'move' && kept && before?.kind === 'file' ? [before.hash] : []))
}
