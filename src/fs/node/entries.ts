/** From inodes to entries. */
import type { Version } from '../../core/change.ts'
import type { Entry, EntryKind, Want } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import type { Path } from '../../core/path.ts'
import { type Dir, inDir, type Root } from './handles.ts'
import { textOfBytes } from './names.ts'
import { ACCESS, closeQuietly, type Dirent, type HostPath, OPEN, type Stats } from './syscalls.ts'

/** What `stat` gives. */
export const ALL: Want = { stat: true, target: true }

export function kindOf(stats: Stats | Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  return stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : stats.isSymbolicLink() ? 'link' : 'special'
}

/**
 * The mark of one state, by the time of its last change of any kind. Weak for files: two changes within one tick of an old
 * kernel look alike.
 * A directory is its identity: what is in it does not count.
 */
export function versionOf(stats: Stats): Version {
  const state = stats.isDirectory() ? `d:${stats.dev}:${stats.ino}` : `w:${stats.dev}:${stats.ino}:${stats.size}:${stats.ctimeMs}`
  return `${state}:${stats.mode}` as Version
}

/** An entry with every fact that an inode tells. */
export function entryOf(path: Path, stats: Stats, hash: Hash | null = null, target: string | null = null): Entry {
  const kind = kindOf(stats)
  return {
    path,
    kind,
    size: kind === 'file' ? stats.size : null,
    mtimeMs: stats.mtimeMs,
    createdMs: stats.birthtimeMs > 0 ? stats.birthtimeMs : null,
    mode: stats.mode & 0o777,
    version: versionOf(stats),
    hash,
    target,
    access: null,
    ...(kind === 'file' && stats.nlink > 1 && { identity: `${stats.dev}:${stats.ino}` }),
  }
}

/** Text of the link `name`. */
export function targetOf(root: Root, dir: Dir, name: string): string {
  return textOfBytes(root.sys.readLink(inDir(dir, name)))
}

/** Whether this process may read and write an entry; asked of the entry itself, never of what a link leads to. */
export function accessTo(root: Root, dir: Dir, name: string): { read: boolean; write: boolean } {
  if (dir.fd < 0) return { read: mayUse(root, inDir(dir, name), ACCESS.read), write: mayUse(root, inDir(dir, name), ACCESS.write) }
  const fd = name === '' ? dir.fd : root.sys.open(inDir(dir, name), OPEN.entry)
  try {
    const { self } = root.dirOf(fd)
    return { read: mayUse(root, self, ACCESS.read), write: mayUse(root, self, ACCESS.write) }
  } finally {
    if (fd !== dir.fd) closeQuietly(root.sys, fd)
  }
}

/** Whether this process may do with an entry what `mode` says. */
export function mayUse(root: Root, path: HostPath, mode: number): boolean {
  try {
    root.sys.access(path, mode)
    return true
  } catch {
    return false
  }
}
