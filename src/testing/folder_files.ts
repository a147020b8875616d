/** A folder on disk as the files of a test. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { FilewrightError } from '../core/errors.ts'
import type { FixtureFile, FixtureFiles } from './fixture.ts'

/** Names that are never a part of what a folder holds. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.filewright', 'node_modules'])

/**
 * Everything below a folder but `.git`, `.filewright` and `node_modules`. Only the executable bit of modes counts, so that the umask
 * of whoever unpacked it does not. Throws `not_found` where there is no such folder.
 */
export function filesOfFolder(folder: string): FixtureFiles {
  const files: Record<string, FixtureFile> = {}
  const walk = (dir: string, prefix: string): void => {
    for (const entry of readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (LEFT_OUT.has(entry.name)) continue
      const [path, place] = [prefix + entry.name, join(dir, entry.name)]
      if (entry.isDirectory()) walk(place, `${path}/`)
      else if (entry.isSymbolicLink()) files[path] = { link: readlinkSync(place) }
      else if (entry.isFile()) files[path] = { bytes: new Uint8Array(readFileSync(place)), mode: fileMode(lstatSync(place).mode) }
    }
  }
  try {
    walk(folder, '')
  } catch (error) {
    throw new FilewrightError('not_found', `${folder} is no folder that can be read.`, { cause: error })
  }
  return files
}

/** The modes that git knows. */
export function fileMode(mode: number): number {
  return mode & 0o100 ? 0o755 : 0o644
}
