/** `filewright replay`: makes the changes of another workspace again in this one. */
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FilewrightError } from '../../core/errors.ts'
import { openWorkspace } from '../../workspace/open.ts'
import type { Replayed } from '../../workspace/past/replay.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { counted } from '../counted.ts'
import { readFileParts, STANDARD } from '../files.ts'
import type { Output } from '../output.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'
import { openStorage } from '../storage.ts'

/** Which records, and whether it is only tried. */
export interface ReplayFlags {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly dryRun: boolean
}

/** Replays, and tells how much. */
export async function replay(settings: Settings, output: Output, source: string, flags: ReplayFlags): Promise<void> {
  const { dryRun } = flags
  const onProgress = (records: number) => records % 10 === 0 && output.progress(`Replaying: ${counted(records, 'change')}`)
  const replayed: Replayed = await withWorkspace(settings, output, (workspace) =>
    withSource(source, flags, (lines) => workspace.replay(lines, { dryRun, onProgress })),
  ).finally(() => output.progress(''))
  output.answer({ ...replayed, dryRun }, () => `${dryRun ? 'Would replay' : 'Replayed'} ${counted(replayed.records, 'change')}.`)
}

/** Opens what the records come from. */
async function withSource<Result>(
  source: string,
  { from, to }: ReplayFlags,
  use: (lines: AsyncIterable<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const other = source === STANDARD ? null : await workspaceAt(source)
  if (!other) {
    if (from === undefined && to === undefined) return use(readFileParts(source))
    throw new FilewrightError('invalid_argument', '--from and --to choose among the changes of a workspace; this is a file of records.', {
      field: 'from',
    })
  }
  const workspace: Workspace = await openWorkspace({ fs: await openStorage(other), settings: { readOnly: true } })
  try {
    return await use(workspace.exportRecords({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) }))
  } finally {
    await workspace.close()
  }
}

/** The settings that open a folder, a repository or a database; null for any other file. Throws `not_found`. */
async function workspaceAt(path: string): Promise<Settings | null> {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) throw new FilewrightError('not_found', `${path} does not exist.`, { field: 'source' })
  if (stats.isDirectory()) {
    // A worktree that is a workspace itself has its store; what is only a repository has its workspace in there.
    const isFolder = existsSync(join(path, '.filewright')) || !(await import('../git/places.ts')).isRepository(path)
    return isFolder ? { fs: 'node', root: resolve(path) } : { fs: 'git', repo: resolve(path) }
  }
  return isDatabase(path) ? { fs: 'sqlite', db: resolve(path) } : null
}

const DATABASE = 'SQLite format 3\0'

function isDatabase(path: string): boolean {
  const fd = openSync(path, 'r')
  try {
    const head = Buffer.alloc(DATABASE.length)
    return readSync(fd, head, 0, head.length, 0) === head.length && head.toString('latin1') === DATABASE
  } finally {
    closeSync(fd)
  }
}
