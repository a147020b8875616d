/** A git directory in memory. */
import { concatBytes } from '../core/bytes.ts'
import { FilewrightError } from '../core/errors.ts'
import { createTurns } from './file_turns.ts'
import type { GitFile, GitFiles } from './files.ts'
import { checkGitPath } from './git_paths.ts'

interface MemoryFile {
  readonly bytes: Uint8Array
  readonly stamp: number
}

interface MemoryDirectory {
  /** Names, those of directories with `/`. */
  readonly names: Set<string>
  stamp: number
}

/** An empty git directory in memory, gone with the object. */
export function createMemoryGitFiles(now: () => number = Date.now): GitFiles {
  const files = new Map<string, MemoryFile>()
  const directories = new Map<string, MemoryDirectory>([['', { names: new Set(), stamp: 0 }]])
  const turns = createTurns()
  /** Files that nothing needs, and since when. */
  const needless = new Map<string, number>()
  let clock = 0

  const put = (path: string, bytes: Uint8Array): void => {
    if (!files.has(path)) enter(path)
    files.set(path, { bytes, stamp: ++clock })
    needless.delete(path)
  }

  /** Notes a new file in its directory, and new directories in theirs. */
  const enter = (path: string): void => {
    if (directories.has(path)) throw new FilewrightError('conflict', `${path} is a directory in the repository.`)
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const dir = path.slice(0, slash)
      if (files.has(dir)) throw new FilewrightError('conflict', `${dir} is a file in the repository, so ${path} cannot be made.`)
    }
    for (let name = path; ; ) {
      const [dir, last] = split(name.replace(/\/$/, ''))
      const known = directories.get(dir)
      const directory = known ?? { names: new Set(), stamp: 0 }
      directory.names.add(name.endsWith('/') ? `${last}/` : last)
      directory.stamp = ++clock
      if (known) return
      directories.set(dir, directory)
      name = `${dir}/`
    }
  }

  const drop = (path: string): boolean => {
    if (!files.delete(path)) return false
    needless.delete(path)
    for (let name = path; ; ) {
      const [dir, last] = split(name.replace(/\/$/, ''))
      const directory = directories.get(dir) as MemoryDirectory
      directory.names.delete(name.endsWith('/') ? `${last}/` : last)
      directory.stamp = ++clock
      if (directory.names.size > 0 || dir === '') return true
      directories.delete(dir)
      name = `${dir}/`
    }
  }

  return {
    durability: 'memory',
    shared: false,
    read: (path) => files.get(path)?.bytes ?? null,
    open: (path) => openBytes(files.get(path)?.bytes),
    list: (dir) => [...(directories.get(dir.replace(/\/$/, ''))?.names ?? [])],
    stamp(path) {
      const found = files.get(path) ?? directories.get(path)
      return found ? String(found.stamp) : null
    },
    async write(path, body) {
      checkGitPath(path)
      put(path, body instanceof Uint8Array ? body.slice() : await collected(body))
    },
    async writeMany(many) {
      for (const { path, bytes } of many) {
        checkGitPath(path)
        put(path, bytes.slice())
      }
    },
    async append(path, bytes) {
      checkGitPath(path)
      put(path, concatBytes([files.get(path)?.bytes ?? new Uint8Array(0), bytes]))
    },
    touch(path) {
      needless.delete(path)
      return files.has(path)
    },
    needless: {
      now,
      async settle(found, before, pause) {
        for (const path of needless.keys()) if (!found.has(path)) needless.delete(path)
        let [removed, bytes] = [0, 0]
        for (const [path, along] of found) {
          await pause()
          const since = needless.get(path)
          if (since === undefined) {
            if (files.has(path)) needless.set(path, now())
          } else if (since <= before) {
            for (const gone of [...along, path]) {
              bytes += files.get(gone)?.bytes.length ?? 0
              drop(gone)
            }
            removed++
          }
        }
        return { removed, bytes }
      },
    },
    remove: async (path) => drop(path),
    async rename(from, to) {
      checkGitPath(to)
      const file = files.get(from)
      if (!file) throw new FilewrightError('not_found', `${from} is not in the repository.`)
      if (from === to) return
      put(to, file.bytes)
      drop(from)
    },
    update: (path, change) =>
      turns(path, async () => {
        checkGitPath(path)
        for (;;) {
          const before = files.get(path)
          const wanted = await change(before?.bytes ?? null)
          if (files.get(path) !== before) continue
          if (wanted === null) drop(path)
          else if (wanted !== undefined) put(path, wanted.slice())
          return
        }
      }),
    close() {},
  }
}

function split(path: string): [dir: string, name: string] {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? ['', path] : [path.slice(0, slash), path.slice(slash + 1)]
}

function openBytes(bytes: Uint8Array | undefined): GitFile | null {
  return bytes ? { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length), close() {} } : null
}

async function collected(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part.slice())
  return concatBytes(parts)
}
