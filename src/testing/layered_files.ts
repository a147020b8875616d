/** A git directory in memory over another one, which stays as it is. */
import { concatBytes } from '../core/bytes.ts'
import { FilewrightError } from '../core/errors.ts'
import type { GitFiles } from '../git/files.ts'
import { checkGitPath } from '../git/git_paths.ts'
import { createMemoryGitFiles } from '../git/memory_files.ts'

/**
 * What is written goes to memory; what is not written there is read from `base`, of which nothing is ever changed. Any number of layers
 * can lie over one base. Closing a layer closes the base only where that is asked for.
 */
export function layeredGitFiles(base: GitFiles, { closeBase = false }: { readonly closeBase?: boolean } = {}): GitFiles {
  const top = createMemoryGitFiles()
  /** What the base still has and the layer has not any more. */
  const removed = new Set<string>()
  let removals = 0

  const isAbove = async (path: string): Promise<boolean> => removed.has(path) || (await top.stamp(path)) !== null
  const read = async (path: string): Promise<Uint8Array | null> => {
    if (await isAbove(path)) return top.read(path)
    return base.read(path)
  }

  async function remove(path: string): Promise<boolean> {
    const was = await top.remove(path)
    if (removed.has(path) || (await base.stamp(path)) === null) return was
    removed.add(path)
    removals++
    return true
  }

  /** A file of the base, whole. */
  async function whole(path: string): Promise<Uint8Array | null> {
    const file = await base.open(path)
    if (!file) return null
    const bytes = await file.read(0, file.size)
    await file.close()
    return bytes
  }

  /** What is a file below cannot be a directory above, nor the other way round. Objects have names of one kind only. */
  async function checkPlace(path: string): Promise<void> {
    checkGitPath(path)
    if (path.startsWith('objects/')) return
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      const dir = path.slice(0, slash)
      if ((await read(dir)) !== null)
        throw new FilewrightError('conflict', `${dir} is a file in the repository, so ${path} cannot be made.`)
    }
    if ((await list(path)).length > 0) throw new FilewrightError('conflict', `${path} is a directory in the repository.`)
  }

  async function list(dir: string): Promise<string[]> {
    const prefix = dir === '' || dir.endsWith('/') ? dir : `${dir}/`
    const below: string[] = []
    for (const name of await base.list(dir)) {
      const path = prefix + name
      // A directory of which everything was removed is gone.
      if (name.endsWith('/') ? (await list(path)).length > 0 : !removed.has(path)) below.push(name)
    }
    return [...new Set([...below, ...(await top.list(dir))])]
  }

  return {
    durability: 'memory',
    shared: base.shared,
    read,
    async open(path) {
      return (await isAbove(path)) ? top.open(path) : base.open(path)
    },
    list,
    async stamp(path) {
      const [above, below] = [await top.stamp(path), removed.has(path) ? null : await base.stamp(path)]
      // Of a directory both sides count, and what was removed from it.
      return above === null && below === null ? null : `${above ?? ''}/${below ?? ''}/${removals}`
    },
    async write(path, body) {
      await checkPlace(path)
      await top.write(path, body)
      removed.delete(path)
    },
    async writeMany(files) {
      for (const { path } of files) await checkPlace(path)
      await top.writeMany(files)
      for (const { path } of files) removed.delete(path)
    },
    async append(path, bytes) {
      if (await isAbove(path)) await top.append(path, bytes)
      else await top.write(path, concatBytes([(await base.read(path)) ?? new Uint8Array(0), bytes]))
      removed.delete(path)
    },
    touch: async (path) => (await top.touch(path)) || (!removed.has(path) && (await base.stamp(path)) !== null),
    remove,
    async rename(from, to) {
      if ((await top.stamp(from)) !== null) await top.rename(from, to)
      else {
        const bytes = removed.has(from) ? null : await whole(from)
        if (bytes === null) throw new FilewrightError('not_found', `${from} is not in the repository.`)
        await top.write(to, bytes)
      }
      removed.delete(to)
      await remove(from)
    },
    async update(path, change) {
      await checkPlace(path)
      let gone = false
      await top.update(path, async (above) => {
        const current = above ?? (removed.has(path) ? null : await base.read(path))
        const wanted = await change(current)
        gone = wanted === null
        return wanted
      })
      if (gone) await remove(path)
      else if ((await top.stamp(path)) !== null) removed.delete(path)
    },
    makeDirectories: (dirs) => top.makeDirectories?.(dirs),
    async close() {
      await top.close()
      if (closeBase) await base.close()
    },
  }
}
