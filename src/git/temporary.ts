/** Temporary files among the objects: named so that git's own garbage collection, and ours, take away what a crash left. */
import type { GitFiles } from './files.ts'

const PREFIX = 'tmp_filewright_'
const STALE_MS = 24 * 3600_000

/** A path that nobody else uses, below a directory. */
export function temporaryPath(dir: string, now: number = Date.now()): string {
  return `${dir}/${PREFIX}${now.toString(36)}_${Math.random().toString(36).slice(2)}`
}

/** Removes those that are so old that whoever made them is gone. */
export async function sweepTemporary(files: GitFiles, dir: string, now: number = Date.now()): Promise<void> {
  for (const name of await files.list(dir)) {
    if (!name.startsWith(PREFIX)) continue
    const made = Number.parseInt(name.slice(PREFIX.length).split('_', 1)[0] as string, 36)
    if (!(now - made < STALE_MS)) await files.remove(`${dir}/${name}`)
  }
}
