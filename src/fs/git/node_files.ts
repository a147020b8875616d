/** A git directory on disk: a worktree's `.git`, a bare repository, or that of a linked worktree or submodule. */
import fs from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { errnoOf, failureAt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import { createTurns } from '../../git/file_turns.ts'
import type { GitFiles } from '../../git/files.ts'
import { checkGitPath, isOfWorktree, MAIN_WORKTREE, mayLeadOut } from '../../git/git_paths.ts'
import { createLockFiles } from './lock_files.ts'
import { namesIn, openFile, readWhole, removeEmpty, removeEmptyParents, symbolicRefAt, sync, syncDirectory, writeAll } from './node_disk.ts'
import { findPlaces, isMissing, makePlace, openRegular, type Places, placeOf } from './node_places.ts'

/** A git directory on disk. */
export interface NodeGitFiles extends GitFiles {
  /** Where the repository is on the host: of a linked worktree, what all worktrees share. */
  readonly place: string
}

/** Options of {@link openNodeGitFiles}. */
export interface NodeGitFilesOptions {
  /** What a finished write survives: a power cut (default), or the end of the process. */
  readonly durability?: 'power' | 'process'
  /** Makes the directory of a repository that is not there: `.git` in the folder, or the folder itself. */
  readonly create?: 'worktree' | 'bare'
  /** Longest wait for a file that another program has locked; default 2 seconds. */
  readonly lockWaitMs?: number
  /** For those who only read: what a crash left is not cleared away either. */
  readonly untouched?: boolean
}

const LOCK_WAIT_MS = 2000
/** Temporary files: git's own garbage collection removes old ones with this name among the objects, and we do elsewhere. */
const TEMPORARY = 'tmp_filewright_'
/** Files that are written at the same time. */
const AT_ONCE = 16
const STALE_MS = 24 * 3600_000
/** Files that changed so recently may change again without a new time. */
const RACY_MS = 50
const [OBJECT_MODE, FILE_MODE] = [0o444, 0o666]
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_APPEND } = fs.constants
const O_NOFOLLOW = fs.constants.O_NOFOLLOW ?? 0

/**
 * Opens the git directory of a folder: of a worktree, of a bare repository, or where the folder's `.git` file leads (a linked
 * worktree, a submodule). References are never followed out of the repository by symbolic links. Throws `not_found` when the folder
 * is no repository.
 */
export function openNodeGitFiles(dir: string, options: NodeGitFilesOptions = {}): NodeGitFiles {
  return openPlaces(options.create ? makePlace(dir, options.create) : findPlaces(dir), options)
}

/** Opens a directory of objects that a repository borrows from; null when there is none. Its paths are those within it. */
export function openNodeObjects(dir: string, options: Pick<NodeGitFilesOptions, 'untouched'> = {}): GitFiles | null {
  const found = placeOf(dir)
  return found === null ? null : openPlaces({ own: found, common: found }, { ...options, durability: 'process' })
}

function openPlaces(places: Places, options: NodeGitFilesOptions): NodeGitFiles {
  const durability = options.durability ?? 'power'
  const syncs = durability === 'power'
  const turns = createTurns()
  const locks = createLockFiles(fs, hostname())
  const roots = [...new Set([places.own, places.common])]
  let lastNumber = 0
  if (!options.untouched) sweep(places.common)

  /** Where a path is on the host. */
  const host = (path: string): string => {
    checkGitPath(path)
    if (path.startsWith(MAIN_WORKTREE)) return join(places.common, path.slice(MAIN_WORKTREE.length))
    return join(isOfWorktree(path) ? places.own : places.common, path)
  }

  /** Throws `outside_root` when a directory of a path is a link that leads out. */
  const confine = (path: string, at: string): void => {
    if (mayLeadOut(path)) return
    let dir = dirname(at)
    while (!roots.includes(dir)) {
      try {
        const real = fs.realpathSync.native(dir)
        if (roots.some((root) => real === root || real.startsWith(root + sep))) return
        throw new FilewrightError('outside_root', `${path} leads out of the repository by a symbolic link.`)
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'ENOTDIR') throw error
        dir = dirname(dir)
      }
    }
  }

  /** Runs `action` on the place of a path; null when nothing is there. */
  const reading = <T>(path: string, action: (at: string) => T): T | null => {
    try {
      const at = host(path)
      confine(path, at)
      return action(at)
    } catch (error) {
      if (isMissing(error)) return null
      throw failureAt(path, error)
    }
  }

  /** Opens for reading. A link in the last place is followed where it stays inside. */
  const openForReading = (path: string, at: string): number => {
    if (mayLeadOut(path)) return openRegular(path, at, O_RDONLY)
    try {
      return openRegular(path, at, O_RDONLY | O_NOFOLLOW)
    } catch (error) {
      if (errnoOf(error) !== 'ELOOP') throw error
      const real = fs.realpathSync.native(at)
      confine(path, real)
      if (!roots.some((root) => real.startsWith(root + sep))) {
        throw new FilewrightError('outside_root', `${path} is a symbolic link that leads out of the repository.`)
      }
      return openRegular(path, real, O_RDONLY | O_NOFOLLOW)
    }
  }

  const readAt = (path: string, at: string): Uint8Array => {
    const symbolic = mayLeadOut(path) ? null : symbolicRefAt(at)
    if (symbolic) return symbolic
    const fd = openForReading(path, at)
    try {
      return readWhole(fd)
    } finally {
      fs.closeSync(fd)
    }
  }

  /** Runs an action that needs the directories of a path, which others may remove while they are empty. */
  const inDirectory = <T>(path: string, at: string, action: () => T): T => {
    confine(path, at)
    for (let attempt = 0; ; attempt++) {
      try {
        return action()
      } catch (error) {
        const errno = errnoOf(error)
        if (errno === 'ENOTDIR') throw clash(path, error)
        if (errno !== 'ENOENT' || attempt >= 10) throw error
        try {
          fs.mkdirSync(dirname(at), { recursive: true })
        } catch (failure) {
          if (errnoOf(failure) === 'EEXIST' || errnoOf(failure) === 'ENOTDIR') throw clash(path, failure)
          if (errnoOf(failure) !== 'ENOENT') throw failure
        }
      }
    }
  }

  /** Writes a temporary file on the device of its target; its place. Removed again when the body fails. */
  const writeTemporary = async (path: string, body: Uint8Array | AsyncIterable<Uint8Array>): Promise<string> => {
    const isObject = path.startsWith('objects/')
    // With the time in front, as the sweep of what a crash left reads it: another process that opens the repository spares it.
    const name = `${TEMPORARY}${Date.now().toString(36)}_${process.pid}_${lastNumber++}_${Math.random().toString(36).slice(2)}`
    const temporary = join(places.common, isObject ? 'objects' : '', name)
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    const mode = isObject ? OBJECT_MODE : FILE_MODE
    const fd = inDirectory('objects', temporary, () => fs.openSync(temporary, flags, mode))
    try {
      try {
        if (body instanceof Uint8Array) writeAll(fd, body)
        else for await (const part of body) writeAll(fd, part)
        if (syncs) await sync(fd)
      } finally {
        fs.closeSync(fd)
      }
    } catch (error) {
      fs.rmSync(temporary, { force: true })
      throw error
    }
    return temporary
  }

  /** Renames a file to its place, in the way of empty directories too; notes the directories that change. */
  const moveTo = (from: string, path: string, at: string, changed: Set<string>): void => {
    changed.add(dirname(at))
    if (syncs && !fs.existsSync(dirname(at))) changed.add(dirname(dirname(at)))
    inDirectory(path, at, () => {
      try {
        fs.renameSync(from, at)
      } catch (error) {
        const inTheWay = ['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')
        if (!inTheWay) throw error
        if (!removeEmpty(at)) throw clash(path, error)
        fs.renameSync(from, at)
      }
    })
  }

  const place = async (from: string, path: string, at: string): Promise<void> => {
    const changed = new Set<string>()
    moveTo(from, path, at, changed)
    if (syncs) for (const dir of changed) await syncDirectory(dir)
  }

  const write = async (path: string, body: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> => {
    const at = host(path)
    confine(path, at)
    const temporary = await writeTemporary(path, body)
    try {
      await place(temporary, path, at)
    } catch (error) {
      fs.rmSync(temporary, { force: true })
      throw error
    }
  }

  const writeMany = async (many: readonly { readonly path: string; readonly bytes: Uint8Array }[]): Promise<void> => {
    const left: string[] = []
    try {
      // The device takes in many files at once faster than one after another. Then they come to their places, in order.
      for (let from = 0; from < many.length; from += AT_ONCE) {
        const batch = many.slice(from, from + AT_ONCE).map(({ path, bytes }) => writeTemporary(path, bytes))
        for (const result of await Promise.allSettled(batch)) if (result.status === 'fulfilled') left.push(result.value)
        await Promise.all(batch)
      }
      const changed = new Set<string>()
      for (const { path } of many) {
        moveTo(left[0] as string, path, host(path), changed)
        left.shift()
      }
      if (syncs) await Promise.all([...changed].map(syncDirectory))
    } finally {
      for (const temporary of left) fs.rmSync(temporary, { force: true })
    }
  }

  const remove = async (path: string): Promise<boolean> => {
    const at = host(path)
    confine(path, at)
    try {
      fs.unlinkSync(at)
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
    if (/^(?:logs\/)?refs\//.test(path)) removeEmptyParents(at, path)
    if (syncs && fs.existsSync(dirname(at))) await syncDirectory(dirname(at))
    return true
  }

  /** Failures of an asynchronous act, told about its path. */
  const acting = async <T>(path: string, action: () => Promise<T>): Promise<T> => {
    try {
      return await action()
    } catch (error) {
      throw failureAt(path, error)
    }
  }

  return {
    place: places.common,
    durability,
    shared: true,
    read: (path) => reading(path, (at) => readAt(path, at)),
    open: (path) => reading(path, (at) => openFile(path, openForReading(path, at))),
    list: (dir) => {
      const path = dir.replace(/\/$/, '')
      // These two hold what is shared and what is of one worktree.
      if (path !== '' && path !== 'refs') return reading(path, (at) => namesIn(at, path)) ?? []
      const names = roots.map((root) => reading('refs', () => namesIn(join(root, path), path)) ?? [])
      return [...new Set(names.flat())]
    },
    stamp: (path) =>
      reading(path, (at) => {
        const { ino, size, mtimeMs, mtimeNs, ctimeNs } = fs.statSync(at, { bigint: true })
        const age = Date.now() - Number(mtimeMs)
        return `${ino}:${size}:${mtimeNs}:${ctimeNs}${age > RACY_MS ? '' : `:${lastNumber++}`}`
      }),
    write: (path, body) => acting(path, () => write(path, body)),
    writeMany: (many) => acting(many[0]?.path ?? '', () => writeMany(many)),
    append: (path, bytes) =>
      acting(path, async () => {
        const at = host(path)
        // A log can be where a directory of logs was.
        if (fs.statSync(at, { throwIfNoEntry: false })?.isDirectory()) removeEmpty(at)
        const fd = inDirectory(path, at, () => openRegular(path, at, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, FILE_MODE))
        try {
          writeAll(fd, bytes)
          if (syncs) await sync(fd)
        } finally {
          fs.closeSync(fd)
        }
      }),
    touch: (path) =>
      reading(path, (at) => {
        const time = Date.now() / 1000
        fs.utimesSync(at, time, time)
        return true
      }) ?? false,
    remove: (path) => acting(path, () => remove(path)),
    rename: (from, to) => acting(to, () => place(host(from), to, host(to))),
    update: (path, change) =>
      turns(path, () =>
        acting(path, async () => {
          const at = host(path)
          const unlock = await locks.take(path, at, options.lockWaitMs ?? LOCK_WAIT_MS, (action) => inDirectory(path, at, action))
          try {
            const wanted = await change(reading(path, () => readAt(path, at)))
            if (wanted === null) await remove(path)
            else if (wanted !== undefined) await write(path, wanted)
          } finally {
            unlock()
          }
        }),
      ),
    makeDirectories: (dirs) => {
      for (const dir of dirs) reading(dir, (at) => fs.mkdirSync(at, { recursive: true }))
    },
    close() {},
  }
}

/** Removes what a process that died was about to write. */
function sweep(root: string): void {
  for (const dir of [root, join(root, 'objects'), join(root, 'objects', 'pack')]) {
    try {
      for (const name of fs.readdirSync(dir)) {
        if (!name.startsWith(TEMPORARY)) continue
        const path = join(dir, name)
        if (Date.now() - fs.lstatSync(path).mtimeMs > STALE_MS) fs.unlinkSync(path)
      }
    } catch {
      // It is not there, or somebody else removes the same, or it may not be changed: all the same for a reader.
    }
  }
}

function clash(path: string, cause: unknown): FilewrightError {
  return new FilewrightError('conflict', `${path} cannot be made: a part of it is a file in the repository, or it is a directory.`, {
    cause,
  })
}
