/** Content staged ahead of its commit, by hash; what a dead process left is swept. */
import type { Content } from '../../core/change.ts'
import { attempt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash, Hasher } from '../../core/hash.ts'
import { inDir, isMissing, type Root } from './handles.ts'
import { backOf, locate, type PlaceParts, removeEntry } from './places.ts'
import type { Plan } from './plan.ts'
import type { Store } from './store.ts'
import { closeQuietly, type HostPath, OPEN, writeAll } from './syscalls.ts'

/** Older than this, staged content is swept whoever owns it. */
const STAGED_MS = 24 * 60 * 60 * 1000
/** Names: of one process's staged content, and of what a commit prepares. */
const OWNED = /^s-([0-9]+)\.([0-9]+)-/
/** What names begin with that a commit prepares. */
export const COMMIT_PREFIX = 't-'

/** The staged content of one open storage. */
export interface StagedFiles {
  stage(store: Store, body: Uint8Array | AsyncIterable<Uint8Array>, limit: number): Promise<Content>
  /** Place of staged content. */
  find(store: Store, hash: Hash): HostPath | null
  /** Its name in the store. */
  nameOf(hash: Hash): string | null
  /** Says that a commit used it up. */
  taken(hash: Hash): void
  /** Removes everything that is staged here. */
  clear(store: Store): void
}

export function createStagedFiles(root: Root, hasher: Hasher): StagedFiles {
  const { sys } = root
  const names = new Map<Hash, string>()
  const unique = Math.random().toString(36).slice(2)
  const owner = `s-${sys.pid}.${sys.startOf(sys.pid) ?? 0}-${unique}`
  let count = 0
  return {
    async stage(store, body, limit) {
      const name = `${owner}.${++count}`
      const at = inDir(store.staged, name)
      const check = (size: number): void => {
        if (size > limit) throw new FilewrightError('too_large', `The content is larger than the ${limit} bytes of the largest file.`)
      }
      const stream = hasher.stream()
      let size = 0
      const fd = attempt('Staged content', () => sys.open(at, OPEN.create, 0o600))
      let stored = false
      try {
        const add = (part: Uint8Array): void => {
          check(size + part.length)
          attempt('Staged content', () => writeAll(sys, fd, part, size))
          stream.update(part)
          size += part.length
        }
        if (body instanceof Uint8Array) add(body)
        else for await (const part of body) add(part)
        if (attempt('Staged content', () => sys.fstat(fd)).size !== size)
          throw new FilewrightError('io_error', 'Staged content was not stored whole.')
        const hash = stream.digest()
        stored = !names.has(hash)
        if (stored) names.set(hash, name)
        return { hash, size }
      } finally {
        closeQuietly(sys, fd)
        if (!stored) removeQuietly(root, at)
      }
    },
    find(store, hash) {
      const name = names.get(hash)
      return name === undefined ? null : inDir(store.staged, name)
    },
    nameOf: (hash) => names.get(hash) ?? null,
    taken: (hash) => void names.delete(hash),
    clear(store) {
      for (const name of names.values()) removeQuietly(root, inDir(store.staged, name))
      names.clear()
    },
  }
}

/** Removes what no living process will commit. */
export function sweep(root: Root, store: Store, now: number): void {
  for (const { name } of root.sys.list(store.staged.self)) {
    if (isLeftover(root, store, name, now)) removeEntry(root, inDir(store.staged, name))
  }
}

/** Whether a sweep would find something. */
export function hasLeftovers(root: Root, store: Store, now: number): boolean {
  return root.sys.list(store.staged.self).some(({ name }) => isLeftover(root, store, name, now))
}

function isLeftover(root: Root, store: Store, name: string, now: number): boolean {
  if (name.startsWith(COMMIT_PREFIX)) return true
  const owner = OWNED.exec(name)
  if (!owner) return false
  if (root.sys.startOf(Number(owner[1])) === Number(owner[2])) {
    const stats = root.sys.lstat(inDir(store.staged, name))
    return stats !== undefined && now - stats.mtimeMs > STAGED_MS
  }
  return true
}

/** Removes what a commit prepared: everything whose name begins with `prefix`. */
export function sweepCommit(root: Root, store: Store, prefix: string): void {
  for (const { name } of root.sys.list(store.staged.self)) {
    if (name.startsWith(prefix)) removeEntry(root, inDir(store.staged, name))
  }
}

/** Removes a staged entry; when that fails, the next sweep gets it. */
export function removeQuietly(root: Root, at: HostPath): void {
  try {
    removeEntry(root, at)
  } catch {
    // Nothing depends on it.
  }
}

/** Removes what a plan staged beside its targets; what is in the store, a sweep finds by name. */
export function sweepBeside(parts: PlaceParts, plan: Plan): void {
  for (const step of plan.steps) {
    const refs = step.do === 'put' ? [step.staged, step.saved, step.saved && backOf(step.saved)] : step.do === 'drop' ? [step.staged] : []
    for (const ref of refs) {
      if (!ref?.includes('/')) continue
      try {
        removeEntry(parts.root, locate(parts, { staged: ref }))
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    }
  }
}
