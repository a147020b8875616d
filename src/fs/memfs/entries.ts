/** From an `fs`'s stats to entries. */

import { bareEntry } from '../../core/entry.ts'
import { attempt } from '../../core/errno.ts'
import type { Entry, EntryKind, Want } from '../../core/file_system.ts'
import type { Path } from '../../core/path.ts'
import { type Marks, versionOfOther } from './marks.ts'
import type { NodeShapedFs, NodeShapedStats } from './node_shaped_fs.ts'
import { kindOf, type Volume } from './volume.ts'

const ACCESS = { read: 4, write: 2 } as const

/** An entry with the facts that are wanted. Its directory was entered. Hashes are never among them: that would take reading. */
export function entryOf(volume: Volume, marks: Marks, path: Path, stats: NodeShapedStats, want: Want): Entry {
  const kind = kindOf(stats)
  const text = kind === 'link' ? targetOf(volume, path) : null
  const target = want.target ? text : null
  const access = want.access ? accessTo(volume, path, kind) : null
  if (!want.stat) return { ...bareEntry(path, kind), target, access }
  const entry: Entry = {
    path,
    kind,
    size: kind === 'file' ? stats.size : null,
    mtimeMs: stats.mtimeMs,
    createdMs: stats.birthtimeMs > 0 ? stats.birthtimeMs : null,
    mode: stats.mode & 0o777,
    version: kind === 'file' ? marks.versionOf(path, stats) : versionOfOther(stats, text),
    hash: null,
    target,
    access,
  }
  return kind === 'file' && stats.nlink > 1 ? { ...entry, identity: `${stats.dev}:${stats.ino}` } : entry
}

/** Text of the link at a path. */
export function targetOf({ fs, at }: Volume, path: Path): string {
  return attempt(path, () => fs.readlinkSync(at(path)) as string)
}

/** Whether this process may read and write an entry. Nobody is kept from a link itself. */
function accessTo({ fs, at }: Volume, path: Path, kind: EntryKind): { readonly read: boolean; readonly write: boolean } {
  if (kind === 'link') return { read: true, write: true }
  return { read: may(fs, at(path), ACCESS.read), write: may(fs, at(path), ACCESS.write) }
}

function may(fs: NodeShapedFs, path: string, mode: number): boolean {
  try {
    fs.accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
