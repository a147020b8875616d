/** Where the repository of a command is. */
import { existsSync, statSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { FilewrightError } from '../../core/errors.ts'
import { openNodeGitDirectory } from '../../fs/git/node_directory.ts'
import { createSqliteGitFiles } from '../../fs/git/sqlite_files.ts'
import type { GitDirectory } from '../../git/directory.ts'
import { createMemoryGitFiles } from '../../git/memory_files.ts'
import { initGitDirectory, openGitDirectory } from '../../git/open.ts'
import { loadNodeSqlite } from '../node_sqlite.ts'
import type { Settings } from '../settings.ts'

/** A folder, a database, or a repository in memory that is gone at the end. */
export type RepositoryPlace = { readonly folder: string } | { readonly database: string } | 'memory'

/** What the settings name. Throws `invalid_argument` for two places at once, `not_found` where there is no repository: none is made unasked. */
export function repositoryPlace({ repo, db, seed, durability }: Settings): RepositoryPlace {
  if (repo !== undefined && db !== undefined) {
    throw new FilewrightError('invalid_argument', '--repo and --db are two places for a repository: choose one.', { field: 'db' })
  }
  if (db !== undefined) return { database: db }
  if (repo !== undefined) return { folder: requireRepository(repo) }
  if (seed === undefined) return { folder: requireAround(process.cwd()) }
  if (durability === undefined) return 'memory'
  throw new FilewrightError('invalid_argument', '--durability has no meaning for a repository in memory: name one with --repo or --db.', {
    field: 'durability',
  })
}

function requireRepository(dir: string): string {
  if (isRepository(dir)) return dir
  const around = repositoryAround(dir)
  const advice = around === null ? `make one with \`filewright git init ${dir}\`` : `it is inside of ${around}, name that`
  throw new FilewrightError('not_found', `${dir} is no git repository: ${advice}.`, { field: 'repo' })
}

function requireAround(dir: string): string {
  const around = repositoryAround(dir)
  if (around !== null) return around
  const advice = 'name one with --repo, or make one with `filewright git init DIR`'
  throw new FilewrightError('not_found', `Neither this folder nor one above it is a git repository: ${advice}.`, { field: 'repo' })
}

/** The nearest repository at or above a folder, as git looks for it. */
function repositoryAround(from: string): string | null {
  const ceilings = new Set(
    (process.env.GIT_CEILING_DIRECTORIES ?? '')
      .split(delimiter)
      .filter(Boolean)
      .map((dir) => resolve(dir)),
  )
  for (let dir = from; ; dir = dirname(dir)) {
    if (isRepository(dir)) return dir
    const above = dirname(dir)
    if (above === dir || ceilings.has(above)) return null
  }
}

/** The branch that commits of the workspace go to. */
export function branchOf({ workspace = 'main', branch = `filewright/${workspace}` }: Settings): string {
  return branch
}

/** Opens the repository; one in memory is new and empty. Throws `not_found` for a database without one. */
export async function openDirectory(place: RepositoryPlace, { durability }: Pick<Settings, 'durability'>): Promise<GitDirectory> {
  const how = durability === undefined ? {} : { durability }
  if (place === 'memory') return initGitDirectory(createMemoryGitFiles(), { bare: true })
  if ('folder' in place) return openNodeGitDirectory(place.folder, how)
  if (!existsSync(place.database)) throw noDatabase(place.database)
  const sql = (await loadNodeSqlite()).openNodeSql(place.database, how)
  const files = createSqliteGitFiles(sql)
  if ((await files.read('HEAD')) !== null) return openGitDirectory(files)
  await files.close()
  throw noDatabase(place.database)
}

function noDatabase(file: string): FilewrightError {
  return new FilewrightError('not_found', `${file} holds no git repository: make one with \`filewright git init --db ${file}\`.`, {
    field: 'db',
  })
}

/** A worktree with its `.git`, or a git directory itself. */
export function isRepository(dir: string): boolean {
  if (existsSync(join(dir, '.git'))) return true
  const isDirectory = (name: string): boolean => statSync(join(dir, name), { throwIfNoEntry: false })?.isDirectory() === true
  return existsSync(join(dir, 'HEAD')) && isDirectory('objects') && isDirectory('refs')
}
