/** Opens the storage that the operator named. Each adapter is loaded only when it is asked for. */
import { FilewrightError } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'
import { loadNodeSqlite } from './node_sqlite.ts'
import type { Settings, StorageName } from './settings.ts'

/** Opens it. Throws `invalid_argument` for settings that this storage has no use for, `not_found` for a root that is missing. */
export async function openStorage(settings: Settings): Promise<FileSystem> {
  const name = settings.fs ?? 'node'
  refuseUseless(settings, name)
  if (name === 'git') return (await import('./git/storage.ts')).openGitStorage(settings)
  if (name === 'memory') return (await import('../fs/memory.ts')).createMemoryFs()
  if (name === 'memfs') return openVolume()
  const durability = settings.durability === undefined ? {} : { durability: settings.durability }
  if (name === 'sqlite') {
    return (await loadNodeSqlite()).openNodeSqliteFs(databaseFile(settings), durability)
  }
  return (await import('../fs/node.ts')).openNodeFs({ root: settings.root ?? process.cwd(), ...durability })
}

/** An empty volume. Throws `unsupported` where memfs, which nothing else needs, is not installed. */
async function openVolume(): Promise<FileSystem> {
  const { createMemfsFs } = await import('../fs/memfs.ts')
  const { createFsFromVolume, Volume } = await import('memfs').catch((error: unknown) => {
    throw new FilewrightError('unsupported', '--fs memfs needs the package memfs: npm install memfs.', { field: 'fs', cause: error })
  })
  return createMemfsFs(createFsFromVolume(new Volume()))
}

/** The database's file. Without a name there is one in memory, for a seeded workspace that is gone at the end. */
function databaseFile({ db, seed }: Settings): string {
  if (db !== undefined) return db
  if (seed !== undefined) return ':memory:'
  throw new FilewrightError('missing_argument', '--fs sqlite needs --db FILE, or --seed DIR for a temporary database.', { field: 'db' })
}

/** A setting that would have no effect is an error: nobody should believe that it holds. */
function refuseUseless(settings: Settings, name: StorageName): void {
  for (const [key, storages, hint = ''] of MEANT_FOR) {
    if (settings[key] === undefined || storages.includes(name)) continue
    throw new FilewrightError('invalid_argument', `--${key} has no meaning with --fs ${name}${hint}.`, { field: key })
  }
}

const MEANT_FOR: readonly [key: keyof Settings, storages: readonly StorageName[], hint?: string][] = [
  ['root', ['node'], ': use --seed to load a folder'],
  ['db', ['sqlite', 'git']],
  ['durability', ['node', 'sqlite', 'git'], ', which outlives nothing'],
  ['repo', ['git']],
  ['workspace', ['git']],
  ['branch', ['git']],
  ['base', ['git']],
  ['credentials', ['git']],
  ['author', ['git']],
]
