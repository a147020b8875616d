/** Where the git directory of a folder on disk is. */
import fs from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { errnoOf, failureAt } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'

/** Where the files are. The two differ in a linked worktree. */
export interface Places {
  readonly own: string
  readonly common: string
}

/** The directories of a repository that is there. Throws `not_found`. */
export function findPlaces(dir: string): Places {
  const dotGit = join(dir, '.git')
  const text = textAt(dotGit)
  const leads = /^gitdir: (.+?)\n*$/.exec(text ?? '')?.[1]
  const found = [text === null ? dotGit : resolve(dir, leads ?? ''), dir].find((candidate) => isGitDirectory(candidate))
  if (found === undefined) {
    throw new FilewrightError('not_found', `${dir} is not a git repository. Give the folder of a worktree, or that of a bare repository.`)
  }
  const own = fs.realpathSync.native(found)
  return { own, common: commonOf(own) }
}

function isGitDirectory(dir: string): boolean {
  if (!fs.lstatSync(join(dir, 'HEAD'), { throwIfNoEntry: false })) return false
  const common = commonOf(dir)
  return ['objects', 'refs'].every((name) => fs.statSync(join(common, name), { throwIfNoEntry: false })?.isDirectory())
}

/** Where what all worktrees share is. */
function commonOf(dir: string): string {
  const text = textAt(join(dir, 'commondir'))
  if (text === null) return dir
  const common = resolve(dir, text.trim())
  return fs.existsSync(common) ? fs.realpathSync.native(common) : dir
}

/** Makes the directory of a new repository. */
export function makePlace(dir: string, kind: 'worktree' | 'bare'): Places {
  const place = kind === 'bare' ? dir : join(dir, '.git')
  try {
    fs.mkdirSync(place, { recursive: true })
    const own = fs.realpathSync.native(place)
    return { own, common: own }
  } catch (error) {
    throw failureAt(dir, error)
  }
}

function textAt(path: string): string | null {
  try {
    const fd = openRegular(basename(path), path, fs.constants.O_RDONLY)
    try {
      return fs.readFileSync(fd, 'utf8')
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    if (isMissing(error)) return null
    throw failureAt(path, error)
  }
}

/** Opens a file. Of anything else, such as a pipe that nobody writes to, it is `not_regular` at once; a directory is as good as nothing. */
export function openRegular(name: string, at: string, flags: number, mode?: number): number {
  const fd = fs.openSync(at, flags | (fs.constants.O_NONBLOCK ?? 0), mode)
  const stats = fs.fstatSync(fd)
  if (stats.isFile()) return fd
  fs.closeSync(fd)
  if (stats.isDirectory()) throw Object.assign(new Error('It is a directory.'), { code: 'EISDIR' })
  throw new FilewrightError('not_regular', `${name} of the repository is no regular file, but a pipe or a device: remove it.`)
}

/** True of a failure that means: no such file. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errnoOf(error) ?? '')
}

/** A directory as it really is; null when there is none. */
export function placeOf(dir: string): string | null {
  return fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory() ? fs.realpathSync.native(dir) : null
}
