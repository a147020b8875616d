/** The file system interface of Node, as far as a workspace can have it. */
import type { NODE_FS_CONSTANTS } from './constants.ts'
import type { NodeFsHandle } from './handle.ts'
import type { NodeFsPath } from './paths.ts'
import type { NodeFsDirent, NodeFsStats } from './stats.ts'
import type { NodeFsData } from './text.ts'

/** How a file is read. */
export interface NodeFsReadFlags {
  readonly encoding?: string | null
  readonly flag?: string | number
  readonly signal?: AbortSignal
}

/** An encoding, or options that name one. `utf8`, `utf16le`, `latin1`, `ascii`, `base64`, `base64url` and `hex`; without one: bytes. */
export type NodeFsEncoding = string | NodeFsReadFlags | null

/** How a file is written. */
export type NodeFsWriteOptions = string | null | NodeFsWriteFlags

export interface NodeFsWriteFlags {
  readonly encoding?: string | null
  /** Of a new file; permission bits without 022. */
  readonly mode?: number | string
  readonly flag?: string | number
  /** Nothing is written once it is aborted; what was begun goes on. */
  readonly signal?: AbortSignal
}

/**
 * `fs.promises` on a workspace. It fails with Node's codes; `cause` is the product's own error. Times of access, owners, inodes and
 * hard links do not exist; times and modes of directories cannot be changed.
 */
export interface NodeFsPromises {
  /** Bytes are a `Uint8Array` of the caller's own, never a `Buffer`. */
  readFile(path: NodeFsPath, options?: (NodeFsReadFlags & { readonly encoding?: null }) | null): Promise<Uint8Array>
  readFile(path: NodeFsPath, options?: string | (NodeFsReadFlags & { readonly encoding: string })): Promise<string>
  readFile(path: NodeFsPath, options?: NodeFsEncoding): Promise<Uint8Array | string>
  /** A file that holds the same already is left alone. */
  writeFile(path: NodeFsPath, data: NodeFsData, options?: NodeFsWriteOptions): Promise<void>
  appendFile(path: NodeFsPath, data: NodeFsData, options?: NodeFsWriteOptions): Promise<void>
  truncate(path: NodeFsPath, length?: number): Promise<void>
  /** With `recursive`, answers the first directory that it made. */
  mkdir(path: NodeFsPath, options: { readonly recursive: true; readonly mode?: number | string }): Promise<string | undefined>
  mkdir(
    path: NodeFsPath,
    options?: number | string | { readonly recursive?: boolean; readonly mode?: number | string } | null,
  ): Promise<void>
  /** A new directory whose name begins with the prefix. */
  mkdtemp(prefix: string): Promise<string>
  readdir(path: NodeFsPath, options: { readonly withFileTypes: true; readonly recursive?: boolean }): Promise<NodeFsDirent[]>
  readdir(path: NodeFsPath, options?: string | { readonly withFileTypes?: false; readonly recursive?: boolean } | null): Promise<string[]>
  stat(path: NodeFsPath): Promise<NodeFsStats>
  lstat(path: NodeFsPath): Promise<NodeFsStats>
  readlink(path: NodeFsPath): Promise<string>
  /** Links that would lead out of the workspace are `EACCES`. */
  symlink(target: string, path: NodeFsPath, type?: string | null): Promise<void>
  realpath(path: NodeFsPath): Promise<string>
  access(path: NodeFsPath, mode?: number): Promise<void>
  /** Not in Node's promises, but wanted often. */
  exists(path: NodeFsPath): Promise<boolean>
  unlink(path: NodeFsPath): Promise<void>
  rmdir(path: NodeFsPath): Promise<void>
  rm(path: NodeFsPath, options?: { readonly recursive?: boolean; readonly force?: boolean } | null): Promise<void>
  rename(from: NodeFsPath, to: NodeFsPath): Promise<void>
  /** With {@link NODE_FS_CONSTANTS}.COPYFILE_EXCL, nothing is replaced. */
  copyFile(from: NodeFsPath, to: NodeFsPath, mode?: number): Promise<void>
  chmod(path: NodeFsPath, mode: number | string): Promise<void>
  /** The time of modification of a file is kept; that of access, and those of directories and links, are not. */
  utimes(path: NodeFsPath, atime: number | string | Date, mtime: number | string | Date): Promise<void>
  lutimes(path: NodeFsPath, atime: number | string | Date, mtime: number | string | Date): Promise<void>
  open(path: NodeFsPath, flags?: string | number, mode?: number | string): Promise<NodeFsHandle>
  readonly constants: typeof NODE_FS_CONSTANTS
}

/** A call of Node's older style: the last argument is told how it ended. */
export type NodeFsCallback = (...args: [...unknown[], (error: Error | null, result?: never) => void]) => void

/** What libraries take as `fs`: each function answers with a promise, or takes a callback as its last argument. */
export type NodeFs = {
  readonly [Name in Exclude<keyof NodeFsPromises, 'constants'>]: NodeFsPromises[Name] & NodeFsCallback
} & { readonly promises: NodeFsPromises; readonly constants: typeof NODE_FS_CONSTANTS }
