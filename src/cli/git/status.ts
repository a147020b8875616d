/** `filewright git status`: what the next commit would take. */
import { FilewrightError } from '../../core/errors.ts'
import type { Path } from '../../core/path.ts'
import { gitStatus } from '../../tools/git/git_status.ts'
import type { GitStatusResult } from '../../tools/git/results.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { counted } from '../counted.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'
import { type Paint, visibleName } from '../terminal.ts'
import { pathText } from './printed.ts'
import { withRepository } from './session.ts'

/** Most changes of one call. */
const PAGE = 1000
/** Most paths of those that commits do not hold, for people. */
const BESIDE = 10
const WORDS = { added: 'new file', deleted: 'deleted', modified: 'modified', 'type-changed': 'typechange' } as const
const SHORT = 7

/** Prints how the workspace stands. */
export async function status(settings: Settings, output: Output, paths: readonly string[], all: boolean): Promise<void> {
  const { content: _, ...told } = await withRepository(settings, output, (_repository, workspace) => statusOf(workspace, paths, all))
  output.answer(told, () => statusText(told, output.paint))
}

/** The whole of what the tool tells, which is asked page by page. Throws what it answers as an error. */
export async function statusOf(workspace: Workspace, paths: readonly string[], all: boolean): Promise<GitStatusResult> {
  const changes: GitStatusResult['changes'][number][] = []
  for (;;) {
    const args = { all, limit: PAGE, offset: changes.length, ...(paths.length > 0 && { paths }) }
    const { result, error } = await workspace.run(gitStatus, args)
    if (error) throw new FilewrightError(error.code, error.message, error.field === undefined ? {} : { field: error.field })
    const { next_offset: next, ...told } = result as unknown as GitStatusResult
    changes.push(...told.changes)
    if (next === undefined) return { ...told, changes }
  }
}

/** What is new and ignored, and so shown only to those who ask for all. */
export async function ignoredPaths(workspace: Workspace): Promise<ReadonlySet<Path>> {
  const shown = new Set((await statusOf(workspace, [], false)).changes.map(({ path }) => path))
  const all = await statusOf(workspace, [], true)
  return new Set(all.changes.flatMap(({ path }) => (shown.has(path) ? [] : [path as Path])))
}

function statusText(told: Omit<GitStatusResult, 'content'>, paint: Paint): string {
  const { branch, base, tip, moved, merging, changes, ignored, beside, beside_total: besides } = told
  const short = (oid: string | null): string => String(oid).slice(0, SHORT)
  const lines = [`On branch ${visibleName(branch)}`]
  if (base === null) lines.push('No commits yet')
  else if (tip === null) lines.push(`It begins at ${short(base)}; the first commit makes the branch.`)
  if (moved) lines.push(`The branch is at ${short(tip)} now, and this workspace at ${short(base)}: merge it first.`)
  if (merging !== null) lines.push(`Merging ${short(merging)}: the next commit ends that, \`filewright git merge --abort\` forgets it.`)
  lines.push(...changesText(changes, paint))
  if (ignored > 0) lines.push(`${counted(ignored, 'ignored new file')} left out: --all shows them`)
  if (besides > 0) {
    lines.push('', 'What a commit does not hold:', ...beside.slice(0, BESIDE).map((path) => paint.dim(`\t${pathText(path)}`)))
    if (besides > BESIDE) lines.push(paint.dim(`\tand ${besides - BESIDE} more`))
  }
  return lines.join('\n')
}

function changesText(changes: GitStatusResult['changes'], paint: Paint): string[] {
  if (changes.length === 0) return ['nothing to commit']
  const lines = changes.map(({ kind, path, old_mode: before, mode: after }) => {
    const modes = kind === 'modified' && before !== after ? ` (${before} -> ${after})` : ''
    return (kind === 'deleted' ? paint.red : paint.green)(`\t${`${WORDS[kind]}:`.padEnd(12)}${pathText(path)}${modes}`)
  })
  return [`Changes to be committed (${counted(changes.length, 'path')}):`, ...lines]
}
