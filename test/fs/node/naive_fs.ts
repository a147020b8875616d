/** The storage that everybody writes first: real path, prefix check, then by path and in place. The security tests must catch it. */
import { constants, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Change } from '../../../src/core/change.ts'
import { failureAt } from '../../../src/core/errno.ts'
import { FilewrightError } from '../../../src/core/errors.ts'
import type { Entry, FileSystem, Reader } from '../../../src/core/file_system.ts'
import { platformHasher } from '../../../src/core/hash.ts'
import type { Path } from '../../../src/core/path.ts'
import { type JournalRecord, sealRecord } from '../../../src/core/record.ts'
import { TEXT_BYTES } from '../../../src/core/traits.ts'
import { entryOf } from '../../../src/fs/node/entries.ts'
import { nodeSys, type Sys } from '../../../src/fs/node/syscalls.ts'

/** Opens a folder carelessly. It keeps no history and no before-images, and expects whatever is there. */
export function openNaiveFs(root: string, sys: Sys = nodeSys): FileSystem {
  const hasher = platformHasher()
  const real = realpathSync(root)
  const journal: JournalRecord[] = []

  const inside = (path: string): string => {
    if (path !== real && !path.startsWith(`${real}/`)) throw new FilewrightError('outside_root', 'outside')
    return path
  }
  const existing = (path: Path): string => inside(realpathSync(join(real, path)))
  const target = (path: Path): string => join(inside(realpathSync(dirname(join(real, path)))), basename(path))
  const guarded = <T>(path: Path, action: () => T): T => {
    try {
      return action()
    } catch (error) {
      if (error instanceof FilewrightError) throw error
      throw failureAt(path, error)
    }
  }

  const statOf = (path: Path): Entry =>
    guarded(path, () => {
      const stats = sys.lstat(existing(path))
      if (!stats) throw new FilewrightError('not_found', 'missing')
      return entryOf(path, stats)
    })
  const readerOf = (path: Path): Reader =>
    guarded(path, () => {
      const fd = sys.open(existing(path), constants.O_RDONLY)
      const stats = sys.fstat(fd)
      return {
        entry: entryOf(path, stats),
        size: stats.size,
        read: (offset, into) => sys.read(fd, into, offset),
        close: () => sys.close(fd),
      }
    })
  const childrenOf = (dir: Path): Entry[] =>
    guarded(dir, () => {
      const folder = existing(dir)
      return sys.list(folder).map(({ name }) => {
        const stats = sys.lstat(join(folder, name))
        if (!stats) throw new FilewrightError('not_found', 'missing')
        return entryOf((dir ? `${dir}/${name}` : name) as Path, stats)
      })
    })

  const apply = (change: Change): void => {
    switch (change.kind) {
      case 'write': {
        const fd = sys.open(target(change.path), constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, change.mode ?? 0o666)
        try {
          sys.write(fd, change.content.bytes ?? new Uint8Array(), 0)
        } finally {
          sys.close(fd)
        }
        return
      }
      case 'remove':
        if (sys.lstat(target(change.path))?.isDirectory()) sys.removeDirectory(target(change.path))
        else sys.unlink(target(change.path))
        return
      case 'copy': {
        const reader = readerOf(change.from)
        const bytes = new Uint8Array(reader.size)
        reader.read(0, bytes)
        reader.close()
        const content = { hash: hasher.hash(bytes), size: bytes.length, bytes }
        apply({ kind: 'write', path: change.path, content, expect: change.expect })
        return
      }
      case 'snapshot':
        return
      case 'move':
        sys.rename(target(change.path), target(change.to))
        return
      case 'makeDirectory':
        sys.makeDirectory(target(change.path), change.mode ?? 0o777)
        return
      case 'link':
        if (sys.lstat(target(change.path))) sys.unlink(target(change.path))
        sys.symlink(change.target, target(change.path))
        return
    }
  }

  return {
    traits: {
      adapter: 'naive',
      root: real,
      aliases: [],
      symlinks: true,
      modes: 'posix',
      caseSensitive: true,
      confinement: 'check-after-open',
      durability: 'process',
      atomic: false,
      shared: true,
      limits: { fileBytes: 2 ** 40, textBytes: TEXT_BYTES, inlineBytes: 2 ** 30, changes: 1e6 },
    },
    hasher,
    stat: async (path) => statOf(path),
    statMany: async (paths) => paths.map(statOf),
    list: async (dir) => childrenOf(dir),
    async *scan(dir) {
      const entries = childrenOf(dir)
      yield entries
      for (const entry of entries) if (entry.kind === 'directory') yield* this.scan(entry.path)
    },
    open: async (path) => readerOf(path),
    async readEach(paths, { maxBytes }, visit) {
      for (const path of paths) {
        const reader = readerOf(path)
        const bytes = new Uint8Array(Math.min(reader.size, maxBytes))
        reader.read(0, bytes)
        reader.close()
        if (visit(path, bytes, null) === false) return
      }
    },
    readLink: async (path) => sys.readLink(target(path)).toString(),
    async stage(body) {
      const parts: Uint8Array[] = []
      if (body instanceof Uint8Array) parts.push(body)
      else for await (const part of body) parts.push(part)
      const bytes = Buffer.concat(parts)
      return { hash: hasher.hash(bytes), size: bytes.length, bytes }
    },
    async commit(changes, draft) {
      for (const change of changes) guarded(change.path, () => apply(change))
      const { record } = sealRecord(hasher, draft, [], journal.at(-1) ?? { sequence: 0, hash: null })
      journal.push(record)
      return record
    },
    records: async () => journal,
    object: async () => {
      throw new FilewrightError('not_found', 'nothing is kept')
    },
    async *contents() {},
    forget: async () => 0,
    adopt: async () => {
      throw new FilewrightError('unsupported', 'nothing is taken over')
    },
    notes: { list: async () => [], swap: async () => false },
    close: async () => {},
  }
}
