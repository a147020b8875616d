/** `git_diff`: how the workspace differs from a commit, or one commit from another. */
import { z } from 'zod'
import type { Oid } from '../../core/repository.ts'
import { boolean, integer, text, textList } from '../arguments.ts'
import { counted } from '../counted.ts'
import { defineTool, type Tool } from '../tool.ts'
import { type DiffPage, diffPage } from './diff_page.ts'
import { commitNamed, escapePath, ignoredAmong, MOST_PATHS, pathsNamed, READS_REPOSITORY, repositoryOf, short } from './repository_of.ts'
import type { DiffedPath, GitDiffResult } from './results.ts'

/** The arguments of a page of patches, for all tools that show some. */
export const pageShape: {
  readonly context: z.ZodDefault<z.ZodNumber>
  readonly max_chars: z.ZodDefault<z.ZodNumber>
  readonly cursor: z.ZodOptional<z.ZodString>
} = {
  context: integer('Equal lines around each change.', { min: 0, max: 100 }).default(3),
  max_chars: integer('Characters of the diff.', { min: 100, max: 200_000 }).default(40_000),
  cursor: text('To go on, from the answer before.').optional(),
}

const input = z.strictObject({
  from: text('Commit, branch or tag; default: the commit that the workspace is at.').optional(),
  to: text('The same; default: the workspace as it is.').optional(),
  paths: textList('Only at or below these.').max(MOST_PATHS).optional(),
  all: boolean('Of the workspace ignored new files, too.').default(false),
  stat: boolean('Only counts of lines.').default(false),
  ...pageShape,
})

/** What is told of each path. */
export const diffedPath: z.ZodType<DiffedPath> = z.object({
  path: z.string(),
  kind: z.enum(['added', 'deleted', 'modified', 'type-changed']),
  added: z.int(),
  removed: z.int(),
  note: z.string().optional().describe('Binary, too large, a submodule, a link, executable, …'),
})

const output: z.ZodType<GitDiffResult> = z.object({
  from: z.string().nullable(),
  to: z.string().describe('A commit, or workspace.'),
  total: z.int().describe('Paths that differ.'),
  changes: z.array(diffedPath).describe('Those of this page.'),
  added: z.int(),
  removed: z.int(),
  cursor: z.string().optional(),
  diff: z.string(),
  content: z.string(),
})

/** Compares trees. */
export const gitDiff: Tool = defineTool({
  name: 'git_diff',
  title: 'Git diff',
  description:
    'Shows a unified diff that git apply takes: of the workspace against its commit, or with from and to against any others. Moved files are deleted and added ones.',
  ...READS_REPOSITORY,
  input,
  output,
  async run(context, args) {
    const { view, signal } = context
    const repository = repositoryOf(view)
    const paths = await pathsNamed(view, args.paths)
    const { base } = await repository.status({ paths: [] })
    const from = args.from === undefined ? base : await commitNamed(repository, args.from, 'from')
    const to = args.to === undefined ? 'workspace' : await commitNamed(repository, args.to, 'to')
    const found = await repository.diff(from, to, paths && { paths })
    const ignored = to === 'workspace' && !args.all ? await ignoredAmong(context, found, base) : new Set()
    const changes = found.filter(({ path }) => !ignored.has(path))
    const { context: lines, max_chars: maxChars, stat, cursor } = args
    const page = await diffPage(repository, changes, { context: lines, maxChars, stat, cursor, signal })
    return {
      result: {
        from,
        to,
        total: changes.length,
        changes: [...page.paths],
        added: page.added,
        removed: page.removed,
        ...(page.cursor !== undefined && { cursor: page.cursor }),
        diff: page.diff,
        content: pageText(
          page,
          changes.length,
          stat,
          `${from === null ? 'nothing' : short(from)}..${to === 'workspace' ? to : short(to as Oid)}`,
        ),
      },
    }
  },
  text: ({ content }) => content,
})

/** A page as text: its patches or its counts, what they do not say, and how to go on. */
export function pageText(page: DiffPage, total: number, stat: boolean, what: string): string {
  const counts = page.paths.map(({ path, kind, added, removed }) => `${escapePath(path as never)} +${added} -${removed} ${kind}`)
  const lines = [
    ...(stat ? counts : page.diff === '' ? [] : [page.diff.replace(/\n$/, '')]),
    ...page.notes.map((note) => `[${note}]`),
    total === 0
      ? `[${what}: no differences]`
      : `[${what}: ${counted(total, 'path')}; here ${page.paths.length}, +${page.added} -${page.removed}]`,
    ...(page.cursor === undefined ? [] : [`[more: go on with cursor ${JSON.stringify(page.cursor)}]`]),
  ]
  return lines.join('\n')
}
