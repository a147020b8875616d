/** Opens the storage that the operator named. Each adapter is loaded only when it is asked for. */
import { FilewrightError } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'
import type { Settings } from './settings.ts'

/** Opens it. Throws `invalid_argument` for settings that this storage has no use for, `not_found` for a root that is missing. */
export async function openStorage(settings: Settings): Promise<FileSystem> {
  const name = settings.fs ?? 'node'
  refuseUseless(settings, name)
  if (name === 'memory') return (await import('../fs/memory.ts')).createMemoryFs()
  if (name === 'memfs') return openVolume()
  const durability = settings.durability === undefined ? {} : { durability: settings.durability }
  if (name === 'sqlite') {
    const { openNodeSqliteFs } = await withoutSqliteWarning(() => import('../fs/sqlite/node_sqlite.ts'))
    return openNodeSqliteFs(databaseFile(settings), durability)
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

/** Node 22 warns on standard error that its SQLite may change, which tells the users of this command nothing. */
async function withoutSqliteWarning<Result>(load: () => Promise<Result>): Promise<Result> {
  const { emitWarning } = process
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).includes('SQLite')) Reflect.apply(emitWarning, process, [warning, ...rest])
  }
  return load().finally(() => {
    process.emitWarning = emitWarning
  })
}

/** A setting that would have no effect is an error: nobody should believe that it holds. */
function refuseUseless(settings: Settings, name: string): void {
  const refuse = (flag: string, hint: string): never => {
    throw new FilewrightError('invalid_argument', `--${flag} has no meaning with --fs ${name}${hint}.`, { field: flag })
  }
  if (settings.root !== undefined && name !== 'node') refuse('root', ': use --seed to load a folder')
  if (settings.db !== undefined && name !== 'sqlite') refuse('db', '')
  if (settings.durability !== undefined && (name === 'memory' || name === 'memfs')) refuse('durability', ', which outlives nothing')
}
