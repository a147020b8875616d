/** `filewright git init`: a new repository, which nothing else makes. */
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FilewrightError } from '../../core/errors.ts'
import { initNodeGitDirectory } from '../../fs/git/node_directory.ts'
import { createSqliteGitFiles } from '../../fs/git/sqlite_files.ts'
import type { GitDirectory } from '../../git/directory.ts'
import type { GitFiles } from '../../git/files.ts'
import { initGitDirectory } from '../../git/open.ts'
import { loadNodeSqlite } from '../node_sqlite.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'
import { visibleName } from '../terminal.ts'
import { isRepository } from './places.ts'

/** What kind of repository. */
export interface InitFlags {
  readonly bare: boolean
  /** What HEAD names. */
  readonly initialBranch: string
}

/** A repository that is new. */
export interface MadeRepository {
  readonly directory: GitDirectory
  /** The folder or the database. */
  readonly place: string
  /** What is removed to take it back. */
  readonly made: readonly string[]
}

/** Makes an empty repository. */
export async function init(settings: Settings, output: Output, folder: string | undefined, flags: InitFlags): Promise<void> {
  const { directory, place } = await makeRepository(settings, folder, flags)
  await directory.close()
  output.answer({ repository: place }, () => `Made an empty repository in ${visibleName(place)}.`)
}

/** Makes one in a folder or a database. Throws `already_exists` where there is one, `invalid_argument` for two places or none. */
export async function makeRepository(settings: Settings, folder: string | undefined, flags: InitFlags): Promise<MadeRepository> {
  const { db, durability } = settings
  const how = durability === undefined ? {} : { durability }
  if ((folder === undefined) === (db === undefined)) {
    throw new FilewrightError('invalid_argument', 'Name a folder, or a database with --db; one of them.', { field: 'dir' })
  }
  if (folder === undefined) {
    const place = db as string
    const made = existsSync(place) ? [] : [place, `${place}-wal`, `${place}-shm`]
    const files = createSqliteGitFiles((await loadNodeSqlite()).openNodeSql(place, how))
    if ((await files.read('HEAD')) === null) return { directory: await begin(files, flags.initialBranch), place, made }
    await files.close()
    throw thereAlready(place)
  }
  const place = resolve(folder)
  if (isRepository(place)) throw thereAlready(place)
  const found = statSync(place, { throwIfNoEntry: false })
  if (found && !found.isDirectory()) throw new FilewrightError('already_exists', `${place} is a file.`, { field: 'dir' })
  if (found && flags.bare && readdirSync(place).length > 0) {
    throw new FilewrightError('already_exists', `${place} is not empty: choose another folder.`, { field: 'dir' })
  }
  mkdirSync(place, { recursive: true })
  const directory = await initNodeGitDirectory(place, { bare: flags.bare, defaultBranch: flags.initialBranch, ...how })
  return { directory, place, made: found ? readdirSync(place).map((name) => join(place, name)) : [place] }
}

async function begin(files: GitFiles, defaultBranch: string): Promise<GitDirectory> {
  try {
    return await initGitDirectory(files, { defaultBranch })
  } catch (error) {
    await files.close()
    throw error
  }
}

function thereAlready(place: string): FilewrightError {
  return new FilewrightError('already_exists', `There is a repository in ${place} already.`, { field: 'dir' })
}
