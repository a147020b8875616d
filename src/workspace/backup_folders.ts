/** Folders that calls named as `backup_root`: remembered with the workspace, and as invisible as its store (settled detail 31). */
import type { Change } from '../core/change.ts'
import type { FileSystem } from '../core/file_system.ts'
import { type Path, parentOf } from '../core/path.ts'
import type { View } from '../core/view.ts'

/** The notes that name them. */
export const BACKUP_FOLDERS: string = 'backup-folder/'

/** The folders of one workspace. */
export interface BackupFolders {
  /** Those that are known; read once. */
  known(): Promise<ReadonlySet<Path>>
  /** Remembers the folders that a call is about to make, before they can be seen. */
  add(view: View, changes: readonly Change[]): Promise<void>
}

export function createBackupFolders({ notes, hasher }: FileSystem): BackupFolders {
  let loaded: Promise<Set<Path>> | null = null
  const load = (): Promise<Set<Path>> => {
    loaded ??= notes.list(BACKUP_FOLDERS).then((found) => new Set(found.map(({ value }) => value as Path)))
    return loaded
  }
  return {
    known: load,
    async add(view, changes) {
      const known = await load()
      for (const { kind, path } of changes) {
        const folder = parentOf(path)
        if (kind !== 'write' || known.has(folder) || !view.isHidden(path)) continue
        await notes.swap(BACKUP_FOLDERS + hasher.hash(new TextEncoder().encode(folder)), null, folder)
        known.add(folder)
      }
    },
  }
}
