/** The notes of the `node` adapter: a file for each in the store. */

import { attempt, unless } from '../../core/errno.ts'
import type { Note, Notes } from '../../core/file_system.ts'
import { checkNote } from '../../core/notes.ts'
import { compareText } from '../../core/path.ts'
import type { CommitParts } from './commit_parts.ts'
import type { Committer } from './committer.ts'
import { type Dir, inDir, type Root } from './handles.ts'
import { COMMIT_PREFIX, removeQuietly } from './staged_files.ts'
import { syncDirectory } from './steps.ts'
import { ensureDirectory, type Store } from './store.ts'
import { closeQuietly, OPEN, writeAll } from './syscalls.ts'

const NOTES = 'notes'
/** Stands between group and name in the name of a file; neither can hold it. */
const BETWEEN = '~'
const SHOWN = 'The notes'
const PRIVATE_FILE = 0o600

/** Notes in files. `check` throws once the storage is closed. */
export function createNotes(parts: CommitParts, committer: Committer, check: () => void): Notes {
  const { root, durable } = parts
  const { sys } = root
  return {
    async list(prefix) {
      check()
      const store = parts.store()
      return store ? attempt(SHOWN, () => withNotes(root, store, (dir) => readNotes(root, dir, prefix)) ?? []) : []
    },
    async swap(key, from, to) {
      check()
      checkNote(key, to)
      const name = key.replace('/', BETWEEN)
      return committer.inTurn(async (session) => {
        const before = await session.store()
        const current = before && attempt(SHOWN, () => withNotes(root, before, (dir) => readNote(root, dir, name)) ?? null)
        if (!sameBytes(current, from)) return false
        if (to === null && current === null) return true
        const store = await session.makeStore()
        await put(store, name, to)
        return true
      })
    },
  }

  /** The new value is written whole before it takes the place of the old one. */
  async function put(store: Store, name: string, value: string | null): Promise<void> {
    const staged = inDir(store.staged, `${COMMIT_PREFIX}note`)
    try {
      attempt(SHOWN, () => ensureDirectory(root, store.self, NOTES))
      if (durable) await syncDirectory(root, store.self)
      if (value !== null) await write(staged, value)
      const dir = attempt(SHOWN, () => root.enter(store.self, NOTES))
      try {
        attempt(SHOWN, () => (value === null ? sys.unlink(inDir(dir, name)) : sys.rename(staged, inDir(dir, name))))
        if (durable) await syncDirectory(root, dir)
      } finally {
        root.leave(dir)
      }
    } catch (error) {
      removeQuietly(root, staged)
      throw error
    }
  }

  async function write(at: ReturnType<typeof inDir>, value: string): Promise<void> {
    const fd = attempt(SHOWN, () => sys.open(at, OPEN.create, PRIVATE_FILE))
    try {
      attempt(SHOWN, () => writeAll(sys, fd, Buffer.from(value), 0))
      if (durable) await sys.sync(fd)
    } finally {
      closeQuietly(sys, fd)
    }
  }
}

/** Runs `use` with the folder of notes, if there is one. */
function withNotes<T>(root: Root, store: Store, use: (dir: Dir) => T): T | undefined {
  return unless('ENOENT', () => {
    const dir = root.enter(store.self, NOTES)
    try {
      return use(dir)
    } finally {
      root.leave(dir)
    }
  })
}

function readNotes(root: Root, dir: Dir, prefix: string): Note[] {
  const notes: Note[] = []
  for (const { name } of root.sys.list(dir.self)) {
    const key = name.replace(BETWEEN, '/')
    if (!key.startsWith(prefix) || !isKey(key)) continue
    const bytes = readNote(root, dir, name)
    if (bytes) notes.push({ key, value: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) })
  }
  return notes.sort((a, b) => compareText(a.key, b.key))
}

/** What somebody else put there is no note. */
function isKey(key: string): boolean {
  try {
    checkNote(key, null)
    return true
  } catch {
    return false
  }
}

function readNote({ sys }: Root, dir: Dir, name: string): Uint8Array | null {
  // A link is none of ours.
  const fd = unless('ENOENT', () => unless('ELOOP', () => sys.open(inDir(dir, name), OPEN.read)))
  if (fd === undefined) return null
  try {
    const stats = sys.fstat(fd)
    if (!stats.isFile()) return null
    const bytes = new Uint8Array(stats.size)
    let at = 0
    for (let count = 1; at < bytes.length && count > 0; at += count) count = sys.read(fd, bytes.subarray(at), at)
    return bytes.subarray(0, at)
  } finally {
    closeQuietly(sys, fd)
  }
}

function sameBytes(bytes: Uint8Array | null, text: string | null): boolean {
  if (bytes === null || text === null) return bytes === text
  return Buffer.compare(bytes, Buffer.from(text)) === 0
}
