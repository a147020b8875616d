/**
 * `filewright/node-fs`: a workspace as an object that libraries take for Node's `fs`. What they write is changes like all others,
 * guarded, recorded and undone.
 *
 * @example
 * ```ts
 * import { createMemoryFs, openWorkspace } from 'filewright'
 * import { asNodeFs, withNodeFs } from 'filewright/node-fs'
 *
 * const workspace = await openWorkspace({ fs: createMemoryFs() })
 * await withNodeFs(workspace, async ({ promises: fs }) => {
 *   await fs.mkdir('/src')
 *   await fs.writeFile('/src/a.txt', 'one')
 * })
 * console.log(await asNodeFs(workspace).promises.readFile('/src/a.txt', 'utf8'))
 * console.log((await workspace.log()).length)
 * ```
 *
 * @module
 */

import type { Workspace } from '../workspace/workspace.ts'
import { NODE_FS_CONSTANTS } from './node_fs/constants.ts'
import { type Door, gatheringDoor, type NodeFsOptions, singleDoor } from './node_fs/door.ts'
import { type CallName, nodeFsError, wholeNumber, wrongType, wrongValue } from './node_fs/errors.ts'
import type { NodeFsHandle } from './node_fs/handle.ts'
import { millisecondsOf, openHandle, sizeOf } from './node_fs/handle.ts'
import { copyFile, rename, rm, rmdir, unlink } from './node_fs/moves.ts'
import { exists, pathText } from './node_fs/paths.ts'
import { access, isThere, type ListOptions, readBytes, readdir, readlink, realpath, stat } from './node_fs/reads.ts'
import { bytesOf, encodingOf, told } from './node_fs/text.ts'
import type { NodeFs, NodeFsPromises, NodeFsReadFlags, NodeFsWriteFlags } from './node_fs/types.ts'
import { chmod, mkdir, openMode, symlink, truncate, utimes, writeFile } from './node_fs/writes.ts'

export { NODE_FS_CONSTANTS } from './node_fs/constants.ts'
export type { NodeFsOptions } from './node_fs/door.ts'
export type { NodeFsError } from './node_fs/errors.ts'
export type { NodeFsHandle } from './node_fs/handle.ts'
export type { NodeFsPath } from './node_fs/paths.ts'
export type { NodeFsDirent, NodeFsKind, NodeFsStats } from './node_fs/stats.ts'
export type { NodeFsData } from './node_fs/text.ts'
export type { NodeFs, NodeFsCallback, NodeFsEncoding, NodeFsPromises, NodeFsWriteFlags, NodeFsWriteOptions } from './node_fs/types.ts'

/**
 * An `fs` on a workspace, for libraries that take one (isomorphic-git, bundlers, formatters). Each write is one change with a record
 * of its own, made under the guards and settings of the workspace: what they refuse is `EPERM`, a read-only workspace `EROFS`. Paths
 * are absolute in the workspace's notation, or relative to its root; what is outside is `EACCES`.
 */
export function asNodeFs(workspace: Workspace, options: NodeFsOptions = {}): NodeFs {
  return nodeFs(singleDoor(workspace, options))
}

/**
 * Runs `work` with an `fs` whose writes become one change with one record, committed when `work` is done; nothing is written when it
 * throws. It sees what it wrote; nobody else does before the end, after which its `fs` writes nothing more (`ECANCELED`). Throws an error with the code `EBUSY` when somebody else changed
 * meanwhile what it replaces, and what the guards refuse (`EPERM`); nothing of it is written then either.
 */
export async function withNodeFs<Result>(
  workspace: Workspace,
  work: (fs: NodeFs) => Promise<Result>,
  options: NodeFsOptions = {},
): Promise<Result> {
  const door = await gatheringDoor(workspace, options)
  let result: Result
  try {
    result = await work(nodeFs(door))
  } catch (error) {
    door.abandon()
    throw error
  }
  try {
    await door.commit()
  } catch (error) {
    throw nodeFsError(error, { syscall: 'commit' })
  }
  return result
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
/** How often another name is tried for a temporary directory. */
const MOST_TRIES = 20

function promisesOn(door: Door): NodeFsPromises {
  /** Runs one call; what it throws is told as Node would. */
  async function call<Result>(name: CallName, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      throw nodeFsError(error, name)
    }
  }
  /** As {@link call}, for a call about one path. */
  async function at<Result>(syscall: string, path: unknown, work: (path: string) => Promise<Result>): Promise<Result> {
    const text = pathText(path)
    return call({ syscall, path: text }, () => work(text))
  }

  async function write(path: unknown, data: unknown, options: unknown, flag: string): Promise<void> {
    const flags = optionsOf<NodeFsWriteFlags>(options)
    requireNotAborted(flags)
    const [how, mode] = [openMode(flags.flag ?? flag), modeOf(flags.mode)]
    return at('open', path, async (text) => {
      const bytes = await bytesOf(data, encodingOf(options))
      return writeFile(door, text, bytes, how, mode === undefined ? {} : { mode })
    })
  }

  async function readFile(path: unknown, options?: unknown): Promise<never> {
    const encoding = encodingOf(options)
    const { flag, signal } = optionsOf<NodeFsReadFlags>(options)
    requireNotAborted({ signal })
    const how = openMode(flag ?? 'r')
    return at('open', path, async (text) => {
      if (how.read && !how.create) return told(await readBytes(await door.view(), text), encoding) as never
      const handle = await openHandle(door, text, how, undefined)
      try {
        return (await handle.readFile(options)) as never
      } finally {
        await handle.close()
      }
    })
  }

  return {
    readFile,
    writeFile: (path, data, options) => write(path, data, options, 'w'),
    appendFile: (path, data, options) => write(path, data, options, 'a'),
    truncate: async (path, length) => {
      const size = sizeOf(length)
      return at('open', path, (text) => truncate(door, text, size))
    },
    async mkdir(path: unknown, options?: unknown): Promise<never> {
      const { recursive, mode: given } = optionsOf<{ recursive: unknown; mode: unknown }>(options)
      const mode = modeOf(given ?? (typeof options === 'object' ? undefined : options))
      const how = { recursive: recursive === true, ...(mode !== undefined && { mode }) }
      return at('mkdir', path, async (text) => (await mkdir(door, text, how)) as never)
    },
    async mkdtemp(prefix) {
      return at('mkdtemp', prefix, async (text) => {
        for (let tries = 0; tries < MOST_TRIES; tries++) {
          const path = text + randomLetters(6)
          if (await isThere(await door.view(), path)) continue
          await mkdir(door, path, { mode: 0o700 })
          return path
        }
        throw exists(text)
      })
    },
    async readdir(path: unknown, options?: unknown): Promise<never> {
      const how = optionsOf<ListOptions>(options)
      return at('scandir', path, async (text) => (await readdir(await door.view(), text, how)) as never)
    },
    stat: async (path) => at('stat', path, async (text) => stat(await door.view(), text, 'follow')),
    lstat: async (path) => at('lstat', path, async (text) => stat(await door.view(), text, 'keep')),
    readlink: async (path) => at('readlink', path, async (text) => readlink(await door.view(), text)),
    async symlink(target, path) {
      const [text, place] = [pathText(target, 'target'), pathText(path)]
      return call({ syscall: 'symlink', path: text, dest: place }, () => symlink(door, text, place))
    },
    realpath: async (path) => at('realpath', path, async (text) => realpath(await door.view(), text)),
    access: async (path, mode = NODE_FS_CONSTANTS.F_OK) => at('access', path, async (text) => access(await door.view(), text, mode)),
    exists: async (path) => isThere(await door.view(), pathText(path)),
    unlink: async (path) => at('unlink', path, (text) => unlink(door, text)),
    rmdir: async (path) => at('rmdir', path, (text) => rmdir(door, text)),
    rm: async (path, options) => at('rm', path, (text) => rm(door, text, options ?? {})),
    async rename(from, to) {
      const [path, dest] = [pathText(from, 'oldPath'), pathText(to, 'newPath')]
      return call({ syscall: 'rename', path, dest }, () => rename(door, path, dest))
    },
    async copyFile(from, to, mode = 0) {
      const [path, dest] = [pathText(from, 'src'), pathText(to, 'dest')]
      const how = wholeNumber('mode', mode, 0, MOST_COPY)
      return call({ syscall: 'copyfile', path, dest }, () => copyFile(door, path, dest, (how & NODE_FS_CONSTANTS.COPYFILE_EXCL) !== 0))
    },
    chmod: async (path, mode) => {
      const bits = modeOf(mode)
      if (bits === undefined) throw wrongType('mode', 'of type number', mode)
      return at('chmod', path, (text) => chmod(door, text, bits))
    },
    utimes: async (path, _atime, mtime) => at('utime', path, (text) => utimes(door, text, millisecondsOf(mtime), 'follow')),
    lutimes: async (path, _atime, mtime) => at('lutime', path, (text) => utimes(door, text, millisecondsOf(mtime), 'keep')),
    async open(path, flags = 'r', mode) {
      const [how, bits] = [openMode(flags), modeOf(mode)]
      return at('open', path, async (text) => toldAsNode(await openHandle(door, text, how, bits), text))
    },
    constants: NODE_FS_CONSTANTS,
  }
}

function nodeFs(door: Door): NodeFs {
  const promises = promisesOn(door)
  const { constants, exists: _, ...calls } = promises
  const either = Object.entries(calls).map(([name, act]) => [name, withCallback(act as Call)])
  return { ...Object.fromEntries(either), exists: promises.exists, promises, constants }
}

type Call = (...args: unknown[]) => Promise<unknown>

/** A function that answers by a callback if its last argument is one, else by a promise. */
function withCallback(act: Call): (...args: unknown[]) => Promise<unknown> | undefined {
  return (...args) => {
    const told = args.at(-1)
    if (typeof told !== 'function') return act(...args)
    // A callback that throws is its own affair, and must not be called again with what it threw.
    act(...args.slice(0, -1)).then(
      (result) => queueMicrotask(() => told(null, result)),
      (error) => queueMicrotask(() => told(error)),
    )
    return undefined
  }
}

/** A handle whose failures are told as Node would. */
function toldAsNode(handle: NodeFsHandle, path: string): NodeFsHandle {
  const calls = Object.entries(handle).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value]
    const call = async (...args: unknown[]): Promise<unknown> => {
      try {
        return await Reflect.apply(value, handle, args)
      } catch (error) {
        throw nodeFsError(error, { syscall: name, path })
      }
    }
    return [name, call]
  })
  const made = Object.fromEntries(calls) as NodeFsHandle
  return { ...made, [Symbol.asyncDispose]: () => made.close() }
}

function optionsOf<Options extends object>(options: unknown): Partial<Options> {
  return typeof options === 'object' && options !== null ? options : {}
}

/** All flags of a copy that Node knows. */
const MOST_COPY = 7
const MOST_MODE = 0xffff_ffff

/** A mode as a number, or as octal digits. Throws what Node throws for others. */
function modeOf(mode: unknown): number | undefined {
  if (mode === undefined || mode === null) return undefined
  if (typeof mode !== 'string') return wholeNumber('mode', mode, 0, MOST_MODE)
  if (!/^[0-7]+$/.test(mode)) throw wrongValue('mode', mode, 'must be a number or octal digits')
  return Number.parseInt(mode, 8)
}

/** As Node throws it. */
function requireNotAborted({ signal }: { readonly signal?: AbortSignal | undefined }): void {
  if (!signal?.aborted) return
  const error = new Error('The operation was aborted', { cause: signal.reason })
  throw Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' })
}

function randomLetters(count: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(count)), (byte) => LETTERS[byte % LETTERS.length]).join('')
}
