/** An entry of which little is known. */
import type { Entry, EntryKind } from './file_system.ts'
import type { Path } from './path.ts'

/** An entry of which only the kind is known. */
export function bareEntry(path: Path, kind: EntryKind): Entry {
  return {
    path,
    kind,
    size: null,
    mtimeMs: null,
    createdMs: null,
    mode: null,
    version: null,
    hash: null,
    target: null,
    access: null,
  }
}
