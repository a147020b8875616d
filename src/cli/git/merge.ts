/** `filewright git merge` and `switch`: what another commit has comes into the files of the workspace. */
import { ERRORS, FilewrightError } from '../../core/errors.ts'
import type { Brought, Merged, WorkspaceGit } from '../../workspace/git/git.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { counted } from '../counted.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'
import { visibleName } from '../terminal.ts'
import { pathText, shortOid } from './printed.ts'
import { withRepository } from './session.ts'

/** Merges, or forgets a merge. With conflicts the exit status is that of a state that differs, as scripts want it. */
export async function merge(
  settings: Settings,
  output: Output,
  revision: string | undefined,
  { abort, dryRun }: { readonly abort: boolean; readonly dryRun: boolean },
): Promise<number> {
  if (abort === (revision !== undefined)) {
    throw new FilewrightError('invalid_argument', 'Name what to merge, or --abort; one of them.', { field: 'revision' })
  }
  if (abort) {
    const record = await withRepository(settings, output, (_, workspace) => gitOf(workspace).abandonMerge())
    output.answer({ record }, () => `The merge is forgotten; the files stay as they are. This is change ${record.sequence}.`)
    return 0
  }
  const merged = await withRepository(settings, output, (_, workspace) => gitOf(workspace).merge(revision as string, { dryRun }))
  output.answer({ ...merged, dryRun }, () => mergedText(merged, dryRun, output))
  return merged.conflicts.length > 0 ? ERRORS.conflict.exit : 0
}

/** Makes the files those of another commit. */
export async function switchTo(settings: Settings, output: Output, revision: string, dryRun: boolean): Promise<void> {
  const brought = await withRepository(settings, output, (_, workspace) => gitOf(workspace).switchTo(revision, { dryRun }))
  output.answer({ ...brought, dryRun }, () => broughtText(brought, dryRun, `at ${shortOid(brought.oid)}`))
}

function gitOf({ git }: Workspace): WorkspaceGit {
  return git as WorkspaceGit
}

function mergedText(merged: Merged, dryRun: boolean, { paint }: Output): string {
  if (merged.kind === 'up-to-date') return 'Already up to date.'
  const conflicts = merged.conflicts.map(({ kind, path }) => paint.red(`CONFLICT (${kind}): ${pathText(path)}`))
  const next =
    merged.kind === 'fast-forward'
      ? `at ${shortOid(merged.oid)}: nothing of its own was to be kept beside it`
      : merged.conflicts.length > 0
        ? `merged with ${shortOid(merged.oid)}. Edit what conflicts, then \`filewright git commit\``
        : `merged with ${shortOid(merged.oid)}. \`filewright git commit\` makes the commit of both`
  return [broughtText(merged, dryRun, next), ...conflicts].join('\n')
}

function broughtText({ paths, record }: Brought, dryRun: boolean, where: string): string {
  if (dryRun)
    return [`Would be ${where}; ${counted(paths.length, 'path')} would change:`, ...paths.map((path) => `  ${visibleName(path)}`)].join(
      '\n',
    )
  if (!record) return `The workspace is ${where} already.`
  return `The workspace is ${where}. This is change ${record.sequence}, with ${counted(paths.length, 'path')}.`
}
