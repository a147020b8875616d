/** Words of a command line that name commits, and those that name paths. */
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import { type Path, parsePath } from '../../core/path.ts'
import type { Oid, Repository } from '../../core/repository.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { Words } from '../command_builder.ts'

/** Words, told apart. */
export interface Revisions {
  readonly commits: readonly Oid[]
  /** What stood on the left of `A..B`, whose `B` is the only commit then. */
  readonly except: Oid | null
  readonly paths: readonly Path[]
}

/**
 * Words are commits until one is not, and paths from there on; behind `--` all are paths. Throws `not_found` for a word that is neither,
 * `invalid_argument` for more than `most` commits.
 */
export async function revisionsOf(workspace: Workspace, { all, paths }: Words, most: number): Promise<Revisions> {
  const words = paths === null ? all : all.slice(0, all.length - paths)
  const commits: Oid[] = []
  let except: Oid | null = null
  for (const word of words) {
    const range = commits.length === 0 && except === null ? /^([^.]*(?:\.[^.]+)*)\.\.([^.].*)?$/.exec(word) : null
    const found = await commitsOf(workspace, range ? [range[1] ?? '', range[2] ?? ''] : [word])
    if (!found) break
    if (range) except = found.shift() as Oid
    commits.push(...found)
  }
  const named = (except === null ? 0 : 1) + commits.length
  const rest = all.slice(except === null ? named : named - 1)
  if (named > most || (except !== null && commits.length > 1)) {
    throw new FilewrightError('invalid_argument', `Too many commits are named: at most ${most}.`)
  }
  const left = rest.length - (paths ?? 0)
  if (left > 0 && (paths !== null || !(await isThere(workspace, rest[0] as string)))) {
    throw new FilewrightError(
      'not_found',
      `${rest[0]} is no commit${paths === null ? ', and no path of the workspace: put -- before paths that are gone' : ''}.`,
    )
  }
  return { commits, except, paths: rest.map(pathOf) }
}

/** The commits that words name; null when one names none. An empty word is the commit that the workspace is at. */
async function commitsOf({ fs }: Workspace, words: readonly string[]): Promise<Oid[] | null> {
  const repository = fs.repository as Repository
  const oids: Oid[] = []
  for (const word of words) {
    try {
      const oid = word === '' ? (await repository.status({ paths: [] })).base : await repository.resolve(word)
      if (oid === null) return null
      oids.push(oid)
    } catch (error) {
      if (isFilewrightError(error) && ['not_found', 'invalid_argument', 'invalid_name'].includes(error.code)) return null
      throw error
    }
  }
  return oids
}

async function isThere({ fs }: Workspace, word: string): Promise<boolean> {
  return fs.stat(pathOf(word)).then(
    () => true,
    () => false,
  )
}

/** A path as commands take it: from the root of the workspace. Throws `outside_root` for one that climbs. */
export function pathOf(given: string): Path {
  const { parts } = parsePath(given, { root: '', aliases: [] })
  if (!parts.includes('..')) return parts.join('/') as Path
  throw new FilewrightError('outside_root', `${given} cannot be followed: write the path from the root of the workspace.`)
}
