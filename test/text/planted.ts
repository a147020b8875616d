/** Trees for the tests of search, ignore rules and globs: the same files in memory and, for an oracle, on disk. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Change } from '../../src/core/change.ts'
import type { FileSystem } from '../../src/core/file_system.ts'
import type { Path } from '../../src/core/path.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { commit, link, makeDirectory, write } from '../../src/testing/setup.ts'

/** Path → content; a path that ends in `/` is an empty directory, `{link}` a symbolic link. Parents are made. */
export type Tree = { readonly [path: string]: string | Uint8Array | { readonly link: string } }

/** The tree in a new workspace in memory. */
export async function inMemory(tree: Tree): Promise<FileSystem> {
  const fs = createMemoryFs()
  const made = new Set<string>()
  const changes: Change[] = []
  const makeParents = (path: string): void => {
    const slash = path.lastIndexOf('/')
    if (slash < 0 || made.has(path.slice(0, slash))) return
    makeParents(path.slice(0, slash))
    made.add(path.slice(0, slash))
    changes.push(makeDirectory(path.slice(0, slash)))
  }
  for (const [path, what] of Object.entries(tree)) {
    makeParents(path)
    if (path.endsWith('/')) continue
    changes.push(typeof what === 'object' && 'link' in what ? link(path, what.link) : write(fs, path, what))
  }
  if (changes.length > 0) await commit(fs, ...changes)
  return fs
}

/** The same tree in a directory on disk. */
export function onDisk(root: string, tree: Tree): void {
  for (const [path, what] of Object.entries(tree)) {
    const full = join(root, path)
    mkdirSync(path.endsWith('/') ? full : dirname(full), { recursive: true })
    if (path.endsWith('/')) continue
    if (typeof what === 'object' && 'link' in what) symlinkSync(what.link, full)
    else writeFileSync(full, what)
  }
}

/** Every path below the root, directories too, in the order of a scan. */
export async function allPaths(fs: FileSystem): Promise<{ readonly path: Path; readonly directory: boolean }[]> {
  const found: { path: Path; directory: boolean }[] = []
  for await (const page of fs.scan('' as Path)) for (const { path, kind } of page) found.push({ path, directory: kind === 'directory' })
  return found
}

/** Repeatable random numbers: the same sequence for the same seed. */
export function random(seed: number): { int(below: number): number; pick<T>(from: readonly T[]): T } {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const int = (below: number): number => Math.floor(next() * below)
  return { int, pick: (from) => from[int(from.length)] as never }
}
