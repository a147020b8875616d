/** `filewright backups` and `rollback`: the backup tools for people. */
import { ERRORS } from '../../core/errors.ts'
import { listBackups } from '../../tools/list_backups.ts'
import { rollbackFile } from '../../tools/rollback_file.ts'
import { sized } from '../counted.ts'
import type { Output } from '../output.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'
import { paintDiff, visible, visibleName } from '../terminal.ts'

/** What the tool answers for each backup. */
interface Backup {
  readonly backup_id: string
  readonly file_path: string
  readonly size_bytes: number
  readonly created_at: string
  readonly label: string | null
  readonly operation: string
}

/** Lists backups, newest first. */
export async function backups(settings: Settings, output: Output, path: string | undefined): Promise<number> {
  const args = path === undefined ? {} : { file_path: path }
  const { result, error, text } = await withWorkspace(settings, output, (workspace) => workspace.run(listBackups, args))
  if (error && !output.json) output.note(text)
  else
    output.answer(
      result,
      () => (result.backups as readonly Backup[]).map((backup) => backupLine(backup, output)).join('\n') || 'No backups.',
    )
  return error ? ERRORS[error.code].exit : 0
}

/** Restores a file, and shows what that changes; in a dry run only that. */
export async function rollback(settings: Settings, output: Output, path: string, id: string, dryRun: boolean): Promise<number> {
  const args = { file_path: path, backup_id: id, dry_run: dryRun }
  const { result, error, text } = await withWorkspace(settings, output, (workspace) => workspace.run(rollbackFile, args))
  if (error && !output.json) output.note(text)
  else output.answer(result, () => rollbackText(result, dryRun, output))
  return error ? ERRORS[error.code].exit : 0
}

function backupLine({ backup_id, file_path, size_bytes, created_at, label, operation }: Backup, { paint }: Output): string {
  return [
    paint.yellow(backup_id),
    paint.dim(created_at.slice(0, 19).replace('T', ' ')),
    visibleName(file_path),
    sized(size_bytes),
    paint.dim(visibleName(label === null ? operation : `${operation}: ${label}`)),
  ].join('  ')
}

function rollbackText({ diff, file_path, backup_id }: { readonly [key: string]: unknown }, dryRun: boolean, output: Output): string {
  const done = `${dryRun ? 'Would restore' : 'Restored'} ${visibleName(String(file_path))} from ${backup_id}.`
  if (typeof diff !== 'string' || diff === '') return done
  return `${output.terminal ? paintDiff(visible(diff), output.paint) : diff}${diff.endsWith('\n') ? '' : '\n'}${done}`
}
