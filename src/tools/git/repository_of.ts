/** What the git tools have in common: the repository, revisions and paths as callers name them, and words for what they find. */
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { Path } from '../../core/path.ts'
import type { GitEntry, Oid, RepositoryReads, Signature, TreeChange } from '../../core/repository.ts'
import type { View } from '../../core/view.ts'
import type { Tool, ToolContext } from '../tool.ts'
import { escapeName } from '../tree_picture.ts'

/** Most paths that a call names. */
export const MOST_PATHS = 1000

/** The repository of a call. Its tools are only run where there is one. */
export function repositoryOf({ repository }: View): RepositoryReads {
  if (!repository) throw new FilewrightError('unsupported', 'This workspace is of no repository: open one with `--fs git`.')
  return repository
}

/** The commit that a caller means. What is wrong with it is thrown on the field. */
export async function commitNamed(repository: RepositoryReads, revision: string, field: string): Promise<Oid> {
  try {
    return await repository.resolve(revision)
  } catch (error) {
    if (!isFilewrightError(error)) throw error
    const { code, message, details } = error
    if (code !== 'not_found') {
      throw error.field === undefined ? error : new FilewrightError(code, message, { field, cause: error, ...(details && { details }) })
    }
    const advice = 'Pass a branch, a tag, HEAD, or the digits of a commit as git_log shows them, with ~2 or ^ behind it'
    throw new FilewrightError('not_found', `There is no commit ${revision}. ${advice}.`, { field, cause: error })
  }
}

/** The paths that a call names, resolved; undefined when it names none. A path need not be there now: a commit may have it. */
export async function pathsNamed(view: View, given: readonly string[] | undefined): Promise<readonly Path[] | undefined> {
  if (given === undefined) return undefined
  const paths: Path[] = []
  for (const [index, path] of given.entries()) paths.push((await view.resolve(path, { last: 'keep', field: `paths[${index}]` })).path)
  return paths
}

/** The paths of a call for the guards: named to be looked at. */
export function pathTargets({
  paths = [],
}: {
  readonly paths?: readonly string[] | undefined
}): readonly { readonly path: string; readonly field: string; readonly use: 'read' }[] {
  return paths.map((path, index) => ({ path, field: `paths[${index}]`, use: 'read' }))
}

/** What the tools have in common that only look. */
export const READS_REPOSITORY: Pick<
  Tool<{ readonly paths?: readonly string[] | undefined }>,
  'kind' | 'idempotent' | 'destructive' | 'needs' | 'targets' | 'failed'
> = {
  kind: 'read',
  idempotent: true,
  destructive: false,
  needs: 'repository',
  targets: pathTargets,
  failed: () => ({}),
}

/** What happened at a path. */
export type ChangeKind = 'added' | 'deleted' | 'modified' | 'type-changed'

export function kindOf({ before, after }: TreeChange): ChangeKind {
  if (!before) return 'added'
  if (!after) return 'deleted'
  const type = ({ mode }: GitEntry): string => (mode === '100755' ? '100644' : mode)
  return type(before) === type(after) ? 'modified' : 'type-changed'
}

const LETTERS: { readonly [kind in ChangeKind]: string } = { added: 'A', deleted: 'D', modified: 'M', 'type-changed': 'T' }

/** A change as a line: `M run.sh (100644 → 100755)`. */
export function changeLine(change: TreeChange): string {
  const { before, after, path } = change
  const mode = before && after && before.mode !== after.mode ? ` (${before.mode} → ${after.mode})` : submodule(after ?? before)
  return `${LETTERS[kindOf(change)]} ${escapePath(path)}${mode}`
}

function submodule(entry: GitEntry | null): string {
  return entry?.mode === '160000' ? ' (submodule)' : ''
}

/** A path in one line. */
export function escapePath(path: Path): string {
  return escapeName(path)
}

/** The first digits of an object's name: enough to find it again in a large repository. */
export function short(oid: Oid): string {
  return oid.slice(0, 10)
}

/** The first line of a message. */
export function subjectOf(message: string): string {
  return escapeName(message.trimStart().split('\n', 1)[0] as string)
}

/**
 * ISO 8601 with the offset of where it was written: `2026-01-02T03:04:05+01:00`. A time that no calendar has, which git takes all the
 * same, is told in seconds since 1970, after an `@`.
 */
export function isoTime({ timeMs, offsetMinutes }: Signature): string {
  const date = new Date(timeMs + offsetMinutes * 60_000)
  if (Number.isNaN(date.getTime())) return `@${Math.floor(timeMs / 1000)}`
  const local = date.toISOString().replace(/\.\d+Z$/, '')
  const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60]
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`
}

/**
 * The changes that git ignores unless it is told otherwise: new to it, and excluded by the rules. What is in the commit `known` is not
 * new.
 */
export async function ignoredAmong(
  { ignore, view }: ToolContext,
  changes: readonly TreeChange[],
  known: Oid | null,
): Promise<ReadonlySet<Path>> {
  const repository = repositoryOf(view)
  const ignored = new Set<Path>()
  for (const { path, before } of changes) {
    if (before !== null || !(await ignore.check(path, false)).ignored) continue
    if (known === null || !(await repository.entryAt(known, path))) ignored.add(path)
  }
  return ignored
}
