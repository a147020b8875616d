/** Entries as Node's `fs` tells them. */
import type { Entry, EntryKind } from '../../core/file_system.ts'
import { nameOf, utf8Length } from '../../core/path.ts'

/** What an entry is. */
export interface NodeFsKind {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
  isFIFO(): boolean
  isSocket(): boolean
  isBlockDevice(): boolean
  isCharacterDevice(): boolean
}

/** Facts of one entry. What a workspace does not know (owner, inode, device) is 0; the time of access is that of modification. */
export interface NodeFsStats extends NodeFsKind {
  readonly dev: number
  readonly ino: number
  /** With the bits of the kind. */
  readonly mode: number
  readonly nlink: number
  readonly uid: number
  readonly gid: number
  readonly rdev: number
  /** Bytes; of a link those of its text, of a directory 0. */
  readonly size: number
  readonly blksize: number
  readonly blocks: number
  readonly atimeMs: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly birthtimeMs: number
  readonly atime: Date
  readonly mtime: Date
  readonly ctime: Date
  readonly birthtime: Date
}

/** One child of a directory. */
export interface NodeFsDirent extends NodeFsKind {
  readonly name: string
  /** The directory, as the caller wrote it. */
  readonly parentPath: string
}

const KIND_BITS: { readonly [kind in EntryKind]: number } = { file: 0o100000, directory: 0o040000, link: 0o120000, special: 0 }
/** Permission bits where a storage keeps none. */
const PLAIN_MODE: { readonly [kind in EntryKind]: number } = { file: 0o644, directory: 0o755, link: 0o777, special: 0o644 }
const BLOCK = 512

function kindOf(kind: EntryKind): NodeFsKind {
  const no = (): boolean => false
  return {
    isFile: () => kind === 'file',
    isDirectory: () => kind === 'directory',
    isSymbolicLink: () => kind === 'link',
    isFIFO: no,
    isSocket: no,
    isBlockDevice: no,
    isCharacterDevice: no,
  }
}

/** The facts of an entry; `target` is the text of a link. */
export function statsOf(entry: Entry): NodeFsStats {
  const { kind } = entry
  const size = kind === 'link' ? utf8Length(entry.target ?? '') : (entry.size ?? 0)
  const mtimeMs = entry.mtimeMs ?? 0
  const birthtimeMs = entry.createdMs ?? mtimeMs
  return {
    ...kindOf(kind),
    dev: 0,
    ino: 0,
    // Those of a link mean nothing, and differ between systems.
    mode: KIND_BITS[kind] | (kind === 'link' ? PLAIN_MODE.link : (entry.mode ?? PLAIN_MODE[kind])),
    nlink: 1,
    uid: 0,
    gid: 0,
    rdev: 0,
    size,
    blksize: 4096,
    blocks: Math.ceil(size / BLOCK),
    atimeMs: mtimeMs,
    mtimeMs,
    ctimeMs: mtimeMs,
    birthtimeMs,
    atime: new Date(mtimeMs),
    mtime: new Date(mtimeMs),
    ctime: new Date(mtimeMs),
    birthtime: new Date(birthtimeMs),
  }
}

export function direntOf({ path, kind }: Entry, parentPath: string): NodeFsDirent {
  return { ...kindOf(kind), name: nameOf(path), parentPath }
}
