/** `git_status`: what the next commit would change, and how the workspace's branch stands. */
import { z } from 'zod'
import type { RepositoryStatus } from '../../core/repository.ts'
import { boolean, integer, textList } from '../arguments.ts'
import { counted } from '../counted.ts'
import { defineTool, type Tool } from '../tool.ts'
import {
  changeLine,
  escapePath,
  ignoredAmong,
  kindOf,
  MOST_PATHS,
  pathsNamed,
  READS_REPOSITORY,
  repositoryOf,
  short,
} from './repository_of.ts'
import type { GitStatusResult } from './results.ts'

const LIMIT = 200
/** Most paths that are told of what a commit cannot hold. */
const BESIDE = 50

const input = z.strictObject({
  paths: textList('Only at or below these.').max(MOST_PATHS).optional(),
  all: boolean('Ignored files, too.').default(false),
  limit: integer('Changes.', { min: 1, max: 1000 }).default(LIMIT),
  offset: integer('Changes to skip.', { min: 0 }).default(0),
})

const change = z.object({
  path: z.string(),
  kind: z.enum(['added', 'deleted', 'modified', 'type-changed']),
  old_mode: z.string().optional(),
  mode: z.string().optional(),
})

const output: z.ZodType<GitStatusResult> = z.object({
  branch: z.string(),
  base: z.string().nullable().describe('The commit that is compared with.'),
  tip: z.string().nullable().describe('Where the branch is; null before its first commit.'),
  moved: z.boolean().describe('Somebody else moved the branch: a commit would be refused.'),
  merging: z.string().nullable().describe('The other parent of the next commit.'),
  total: z.int(),
  changes: z.array(change),
  next_offset: z.int().optional(),
  ignored: z.int().describe('Ignored new files that are left out.'),
  beside: z.array(z.string()).describe('What a commit cannot hold.'),
  beside_total: z.int(),
  content: z.string(),
})

/** Compares the workspace with its base. */
export const gitStatus: Tool = defineTool({
  name: 'git_status',
  title: 'Git status',
  description:
    'Shows what changed since the commit that the workspace is at, and its branch. There is no index: every change counts for the next git_commit.',
  ...READS_REPOSITORY,
  input,
  output,
  async run(context, args) {
    const repository = repositoryOf(context.view)
    const paths = await pathsNamed(context.view, args.paths)
    const status = await repository.status(paths && { paths })
    const ignored = args.all ? new Set() : await ignoredAmong(context, status.changes, status.merging)
    const changes = status.changes.filter(({ path }) => !ignored.has(path))
    const page = changes.slice(args.offset, args.offset + args.limit)
    const end = args.offset + page.length
    const more = end < changes.length && page.length > 0
    const { branch, base, tip, merging, beside } = status
    const notes = [
      ...(changes.length === 0 ? ['nothing to commit'] : []),
      ...(more ? [`${args.offset + 1}-${end} of ${changes.length}: go on with offset ${end}`] : []),
      ...(ignored.size > 0 ? [`${counted(ignored.size, 'ignored new file')} left out: all shows them`] : []),
      ...(beside.length > 0 ? [`a commit cannot hold: ${named(beside)}`] : []),
    ]
    const lines = [...headLines(status), ...page.map(changeLine), ...notes.map((note) => `[${note}]`)]
    return {
      result: {
        branch,
        base,
        tip,
        moved: isMoved(status),
        merging,
        total: changes.length,
        changes: page.map((one) => ({
          path: one.path,
          kind: kindOf(one),
          ...(one.before && { old_mode: one.before.mode }),
          ...(one.after && { mode: one.after.mode }),
        })),
        ...(more && { next_offset: end }),
        ignored: ignored.size,
        beside: beside.slice(0, BESIDE),
        beside_total: beside.length,
        content: lines.join('\n'),
      },
    }
  },
  text: ({ content }) => content,
})

/** Whether the branch is at another commit than the workspace left it at. A workspace without commits of its own has no branch yet. */
export function isMoved({ base, tip }: Pick<RepositoryStatus, 'base' | 'tip'>): boolean {
  return tip !== null && tip !== base
}

function headLines(status: RepositoryStatus): string[] {
  const { branch, base, tip, merging } = status
  const at = base === null ? 'no commit yet' : `at ${short(base)}`
  return [
    `branch ${branch}, ${at}${base !== null && tip === null ? ' (the branch begins with the next commit)' : ''}`,
    ...(isMoved(status)
      ? [`[somebody else moved the branch to ${short(tip as NonNullable<typeof tip>)}: merge that before a commit]`]
      : []),
    ...(merging === null ? [] : [`[merging ${short(merging)}: the next commit ends it]`]),
  ]
}

function named(paths: RepositoryStatus['beside']): string {
  const shown = paths.slice(0, BESIDE).map(escapePath).join(', ')
  return paths.length > BESIDE ? `${shown}, and ${paths.length - BESIDE} more` : shown
}
