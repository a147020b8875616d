/** The system calls that the adapter makes, as one small table: tests put a faulty one in its place. */
import fs from 'node:fs'
import { processStart } from '../../host/process_start.ts'

/** A path in host notation; bytes where a name is not UTF-8. */
export type HostPath = string | Buffer

/** Facts of one inode. */
export type Stats = fs.Stats

/** What a directory holds, by name and type. */
export type Dirent = fs.Dirent

/** Everything that the adapter asks of the operating system. Synchronous but for flushes and copies, which wait for the device. */
export interface Sys {
  open(path: HostPath, flags: number, mode?: number): number
  close(fd: number): void
  read(fd: number, into: Uint8Array, position: number): number
  /** One write, which may be short. */
  write(fd: number, bytes: Uint8Array, position: number): number
  truncate(fd: number, size: number): void
  fstat(fd: number): Stats
  /** Undefined when nothing is there. */
  lstat(path: HostPath): Stats | undefined
  list(path: HostPath): Dirent[]
  /** As `list`, with names as bytes. */
  listBytes(path: HostPath): fs.Dirent<Buffer>[]
  readLink(path: HostPath): Buffer
  /** Throws when the process may not do what `mode` says. */
  access(path: HostPath, mode: number): void
  makeDirectory(path: HostPath, mode: number): void
  removeDirectory(path: HostPath): void
  link(from: HostPath, to: HostPath): void
  symlink(target: HostPath, path: HostPath): void
  rename(from: HostPath, to: HostPath): void
  unlink(path: HostPath): void
  /** Puts what a file holds, and its mode, into another that is there; by reference where the file system can. */
  copy(from: HostPath, to: HostPath): Promise<void>
  setMode(fd: number, mode: number): void
  setOwner(fd: number, uid: number, gid: number): void
  setTimes(fd: number, atime: number, mtime: number): void
  /** Waits until a file or directory is on the device. */
  sync(fd: number): Promise<void>
  /** As `sync`, for the bytes of a file and its size alone. */
  syncData(fd: number): Promise<void>
  /** Tells the names of what changes in a directory, null when the system does not say; until it is closed. */
  watch(path: HostPath, listener: (name: Uint8Array | null) => void): { close(): void }
  readonly pid: number
  /** When a process began, in ticks since the system started (0 where that cannot be known); undefined when it does not run. */
  startOf(pid: number): number | undefined
}

const { constants } = fs

/** Not exported by Node: a handle that names a file without opening it. */
const O_PATH = 0o10000000

const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0
const O_DIRECTORY = constants.O_DIRECTORY ?? 0
// A FIFO must not block, and a terminal must not become ours.
const SAFE = O_NOFOLLOW | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

type OpenKind = 'handle' | 'entry' | 'again' | 'directory' | 'read' | 'update' | 'create' | 'store'

/** Flag sets for `open`. None but those for an open directory's `self` follows a link in the last place. Node adds close-on-exec itself. */
export const OPEN: { readonly [flags in OpenKind]: number } = {
  handle: O_PATH | O_DIRECTORY | O_NOFOLLOW,
  entry: O_PATH | O_NOFOLLOW,
  /** A second handle of an open directory, by its `self`. */
  again: O_PATH | O_DIRECTORY,
  directory: constants.O_RDONLY | O_DIRECTORY,
  read: constants.O_RDONLY | SAFE,
  update: constants.O_RDWR | SAFE,
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | SAFE,
  store: constants.O_RDWR | constants.O_CREAT | SAFE,
}

/** Bits for `access`. */
export const ACCESS: { readonly read: number; readonly write: number } = { read: constants.R_OK, write: constants.W_OK }

/** The operating system's own. */
export const nodeSys: Sys = {
  open: fs.openSync,
  close: fs.closeSync,
  read: (fd, into, position) => fs.readSync(fd, into, 0, into.length, position),
  write: (fd, bytes, position) => fs.writeSync(fd, bytes, 0, bytes.length, position),
  truncate: fs.ftruncateSync,
  fstat: (fd) => fs.fstatSync(fd),
  lstat: (path) => fs.lstatSync(path, { throwIfNoEntry: false }),
  list: (path) => fs.readdirSync(path, { withFileTypes: true }),
  listBytes: (path) => fs.readdirSync(path, { withFileTypes: true, encoding: 'buffer' }),
  readLink: (path) => fs.readlinkSync(path, { encoding: 'buffer' }),
  access: fs.accessSync,
  makeDirectory: (path, mode) => void fs.mkdirSync(path, { mode }),
  removeDirectory: (path) => fs.rmdirSync(path),
  link: fs.linkSync,
  symlink: (target, path) => fs.symlinkSync(target, path),
  rename: fs.renameSync,
  unlink: fs.unlinkSync,
  copy: (from, to) => promised((done) => fs.copyFile(from, to, constants.COPYFILE_FICLONE, done)),
  setMode: fs.fchmodSync,
  setOwner: fs.fchownSync,
  setTimes: fs.futimesSync,
  sync: (fd) => promised((done) => fs.fsync(fd, done)),
  syncData: (fd) => promised((done) => fs.fdatasync(fd, done)),
  watch(path, listener) {
    const watcher = fs.watch(path, { persistent: false, encoding: 'buffer' }, (_, name) => listener(name))
    // The directory is gone, which those who watch its parent are told.
    watcher.on('error', () => listener(null))
    return { close: () => watcher.close() }
  },
  pid: process.pid,
  startOf: processStart,
}

function promised(act: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => act((error) => (error ? reject(error) : resolve())))
}

/** Writes all bytes at `position`, however many calls it takes. */
export function writeAll(sys: Sys, fd: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    const count = sys.write(fd, at === 0 ? bytes : bytes.subarray(at), position + at)
    if (count <= 0) throw Object.assign(new Error('A write wrote nothing.'), { code: 'EIO' })
    at += count
  }
}

/** Closes a handle whose state no longer matters. */
export function closeQuietly(sys: Sys, fd: number): void {
  try {
    sys.close(fd)
  } catch {
    // The failure that led here is the one to report.
  }
}
