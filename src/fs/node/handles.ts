/** The way into a folder: every path is walked by directory handles, so that no link is followed whoever renames what meanwhile. */

import { errnoOf, failureAt, unless } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import { isWithin, type Path, parentOf, ROOT } from '../../core/path.ts'
import { hostPath } from './names.ts'
import { closeQuietly, type HostPath, OPEN, type Stats, type Sys } from './syscalls.ts'

/** An open directory. Names below it are reached without walking its path again. */
export interface Dir {
  /** -1 where there are no handles and `prefix` is a path. */
  readonly fd: number
  /** The directory itself, for `list` and `open`. */
  readonly self: string
  /** What goes before a name in it. */
  readonly prefix: string
}

/** The open root of a workspace. */
export interface Root {
  readonly sys: Sys
  readonly dir: Dir
  readonly confinement: 'race-free' | 'check-after-open'
  /** The directory that a handle of this process stands for. Only where there are handles. */
  dirOf(fd: number): Dir
  /** A child directory. Throws the system's error: ENOTDIR for a link. */
  enter(parent: Dir, name: string): Dir
  /** Called when something in a directory was opened: throws when the way to it has a link now. */
  recheck(dir: Dir): void
  leave(dir: Dir): void
  close(): void
}

/** The path of `name` in `dir`. */
export function inDir(dir: Dir, name: string): HostPath {
  return hostPath(dir.prefix, name)
}

/** Opens the root by its real path. Throws the system's error, and `unsupported` on a Linux without `/proc`. */
export function openRoot(sys: Sys, realPath: string, platform: NodeJS.Platform): Root {
  return platform === 'linux' ? handleRoot(sys, realPath) : pathRoot(sys, realPath)
}

/** Linux: `/proc/PID/fd/N/name` is `name` in the directory that the handle N stands for, wherever that was moved. */
function handleRoot(sys: Sys, realPath: string): Root {
  // What `/proc/self` says, and not `process.pid`: in a container the two may differ. It saves the system a link at every path.
  const self = unless('ENOENT', () => sys.readLink('/proc/self').toString())
  const dirOf = (fd: number): Dir => ({ fd, self: `/proc/${self}/fd/${fd}`, prefix: `/proc/${self}/fd/${fd}/` })
  const dir = dirOf(sys.open(realPath, OPEN.handle))
  if (self === undefined || !sys.lstat(dir.self)) {
    closeQuietly(sys, dir.fd)
    throw new FilewrightError('unsupported', 'A folder can only be opened safely on Linux while /proc is mounted.')
  }
  return {
    sys,
    dir,
    confinement: 'race-free',
    dirOf,
    enter: (parent, name) => dirOf(sys.open(hostPath(parent.prefix, name), OPEN.handle)),
    recheck() {},
    leave: (child) => sys.close(child.fd),
    close: () => sys.close(dir.fd),
  }
}

/** Elsewhere: paths, with every part checked not to be a link. Somebody who renames at the right moment can get past this. */
function pathRoot(sys: Sys, realPath: string): Root {
  const dirOf = (path: string): Dir => ({ fd: -1, self: path, prefix: path.endsWith('/') ? path : `${path}/` })
  const check = (path: string): void => {
    const stats = sys.lstat(path)
    if (!stats?.isDirectory()) throw Object.assign(new Error('not a directory'), { code: stats ? 'ENOTDIR' : 'ENOENT' })
  }
  check(realPath)
  const dir = dirOf(realPath)
  return {
    sys,
    dir,
    confinement: 'check-after-open',
    dirOf: () => dir,
    enter(parent, name) {
      const path = `${parent.prefix}${name}`
      check(path)
      return dirOf(path)
    },
    recheck(opened) {
      for (let at = opened.self; at.length > dir.self.length; at = at.slice(0, at.lastIndexOf('/'))) check(at)
    },
    leave() {},
    close() {},
  }
}

/** Facts of an open directory. */
export function statDir(root: Root, dir: Dir): Stats {
  if (dir.fd >= 0) return root.sys.fstat(dir.fd)
  const stats = root.sys.lstat(dir.self)
  if (!stats) throw Object.assign(new Error('gone'), { code: 'ENOENT' })
  return stats
}

/**
 * A way to directories that keeps the handles of the last one's ancestors: neighbours cost one step each.
 * One operation has one; it must be closed, and reset when directories were renamed.
 */
export interface Cursor {
  /** The directory at `path`. Valid until the next `enter`. Throws `not_found`, `not_directory`, `permission_denied`. */
  enter(path: Path): Dir
  /** Lets go of a directory and what is below it, when it was renamed. */
  forget(path: Path): void
  reset(): void
}

/** Name of the product's store at the root, which no path leads into. */
export const STORE_NAME = '.filewright'

export function createCursor(root: Root): Cursor {
  const names: string[] = []
  const dirs: Dir[] = []
  let at: Path = ROOT
  const shorten = (length: number): void => {
    while (dirs.length > length) root.leave(dirs.pop() as Dir)
    names.length = length
  }
  return {
    enter(path) {
      if (path === at) return dirs.at(-1) ?? root.dir
      const wanted = path === '' ? [] : path.split('/')
      let shared = 0
      while (shared < names.length && names[shared] === wanted[shared]) shared++
      shorten(shared)
      try {
        for (let i = shared; i < wanted.length; i++) {
          const name = wanted[i] as string
          checkName(name, i === 0, path)
          dirs.push(root.enter(dirs.at(-1) ?? root.dir, name))
          names.push(name)
        }
        at = path
      } catch (error) {
        at = names.join('/') as Path
        throw failureAt(path, error)
      }
      return dirs.at(-1) ?? root.dir
    },
    forget(path) {
      if (!isWithin(at, path)) return
      shorten(path.split('/').length - 1)
      at = parentOf(path)
    },
    reset() {
      shorten(0)
      at = ROOT
    },
  }
}

/** Paths come parsed; this is the last door, so it is locked once more. The store is not there for anybody. */
export function checkName(name: string, first: boolean, path: Path): void {
  if (name === '' || name === '.' || name === '..' || name.includes('\0')) {
    throw new FilewrightError('invalid_argument', `${JSON.stringify(path)} is not a canonical path.`)
  }
  if (first && name === STORE_NAME) throw new FilewrightError('not_found', `${path} does not exist.`)
}

/** True when an error of the product or the system says that nothing is there. */
export function isMissing(error: unknown): boolean {
  const code = error instanceof FilewrightError ? error.code : errnoOf(error)
  return code === 'not_found' || code === 'not_directory' || code === 'ENOENT' || code === 'ENOTDIR'
}
