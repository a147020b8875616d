/** `git_log`: the commits that led to one, newest first; or one commit with what it changed. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { Path } from '../../core/path.ts'
import type { Commit, Oid, RepositoryReads, Signature } from '../../core/repository.ts'
import type { View } from '../../core/view.ts'
import { boolean, integer, text, textList } from '../arguments.ts'
import { defineTool, type Tool } from '../tool.ts'
import { escapeName } from '../tree_picture.ts'
import { diffPage } from './diff_page.ts'
import { diffedPath, pageShape, pageText } from './git_diff.ts'
import { commitNamed, isoTime, MOST_PATHS, pathsNamed, READS_REPOSITORY, repositoryOf, short, subjectOf } from './repository_of.ts'
import type { GitLogResult } from './results.ts'

/** Longest message in a list, in UTF-16 units. */
const LIST_MESSAGE = 1000
/** Longest message of a commit that is shown whole. */
const WHOLE_MESSAGE = 20_000

const input = z.strictObject({
  from: text('Commit, branch or tag to begin with, or a range a..b; default: the commit that the workspace is at.').optional(),
  show: text('Instead: this one commit whole, with its diff.').optional(),
  paths: textList('Only commits that changed something at or below these.').max(MOST_PATHS).optional(),
  first_parent: boolean('Of merges follow the first parent only.').default(false),
  limit: integer('Commits.', { min: 1, max: 1000 }).default(30),
  ...pageShape,
})

type Arguments = z.output<typeof input>

const commit = z.object({
  oid: z.string(),
  parents: z.array(z.string()),
  author: z.string(),
  date: z.string().describe('Of the author.'),
  committer: z.string(),
  commit_date: z.string(),
  message: z.string(),
  message_cut: z.boolean().optional(),
})

const output: z.ZodType<GitLogResult> = z.object({
  commits: z.array(commit),
  cursor: z.string().optional(),
  changes: z.array(diffedPath).optional().describe('With show.'),
  total: z.int().optional().describe('With show: paths that it changed.'),
  diff: z.string().optional(),
  content: z.string(),
})

/** Reads history. */
export const gitLog: Tool = defineTool({
  name: 'git_log',
  title: 'Git log',
  description: 'Lists commits, newest first; with show, one commit with its whole message and its diff against its first parent.',
  ...READS_REPOSITORY,
  input,
  output,
  async run({ view, signal }, args) {
    const repository = repositoryOf(view)
    const paths = await pathsNamed(view, args.paths)
    return {
      result: args.show === undefined ? await list(repository, args, paths) : await show(view, repository, args, args.show, paths, signal),
    }
  },
  text: ({ content }) => content,
})

/** Where a list goes on: the same commits are left out, whatever became of the names since. */
interface Start {
  readonly from: Oid
  readonly except: readonly Oid[]
  readonly skip: number
}

async function list(repository: RepositoryReads, args: Arguments, paths: readonly Path[] | undefined): Promise<GitLogResult> {
  const start = args.cursor === undefined ? await startOf(repository, args.from) : await startAt(repository, args.cursor)
  if (!start) return { commits: [], content: '[no commits]' }
  const { limit, first_parent: firstParent } = args
  const found = await repository.log({ ...start, limit: limit + 1, firstParent, ...(paths && { paths }) })
  const commits = found.slice(0, limit)
  const cursor = found.length > limit ? [start.skip + limit, start.from, ...start.except].join(':') : undefined
  const lines = commits.map(
    ({ oid, author, message }) => `${short(oid)} ${isoTime(author).split('T', 1)[0]} ${oneLine(author.name)}: ${subjectOf(message)}`,
  )
  const note =
    cursor === undefined ? (commits.length === 0 ? '[no commits]' : '[end]') : `[more: go on with cursor ${JSON.stringify(cursor)}]`
  return {
    commits: commits.map((one) => factsOf(one, LIST_MESSAGE)),
    ...(cursor !== undefined && { cursor }),
    content: [...lines, note].join('\n'),
  }
}

async function startOf(repository: RepositoryReads, from: string | undefined): Promise<Start | null> {
  if (from === undefined) {
    const { base } = await repository.status({ paths: [] })
    return base && { from: base, except: [], skip: 0 }
  }
  const [, left, right] = /^(.*?)\.\.(?!\.)(.*)$/s.exec(from) ?? []
  if (left === undefined || right === undefined) return { from: await commitNamed(repository, from, 'from'), except: [], skip: 0 }
  const end = await commitNamed(repository, right === '' ? 'HEAD' : right, 'from')
  return { from: end, except: [await commitNamed(repository, left === '' ? 'HEAD' : left, 'from')], skip: 0 }
}

/** Where a cursor goes on: at commits that could be named, too. */
async function startAt(repository: RepositoryReads, cursor: string): Promise<Start> {
  const start = readCursor(cursor)
  for (const oid of [start.from, ...start.except]) await commitNamed(repository, oid, 'cursor')
  return start
}

function readCursor(cursor: string): Start {
  const [, skip, from, except] = /^(\d{1,9}):([0-9a-f]{40})(?::([0-9a-f]{40}))?$/.exec(cursor) ?? []
  if (from === undefined) throw new FilewrightError('invalid_argument', 'cursor must be the one of an earlier answer.', { field: 'cursor' })
  return { from: from as Oid, except: except === undefined ? [] : [except as Oid], skip: Number(skip) }
}

async function show(
  view: View,
  repository: RepositoryReads,
  args: Arguments,
  revision: string,
  paths: readonly Path[] | undefined,
  signal: AbortSignal,
): Promise<GitLogResult> {
  const oid = await commitNamed(repository, revision, 'show')
  const shown = await repository.commit(oid)
  const changes = await repository.diff(shown.parents[0] ?? null, oid, paths && { paths })
  // Who must stay in a part of the workspace is told of commits that touched it.
  if (view.places && changes.length === 0) {
    throw new FilewrightError('outside_root', `The commit ${short(oid)} changed nothing inside the roots of the client.`, { field: 'show' })
  }
  const { context, max_chars: maxChars, cursor } = args
  const page = await diffPage(repository, changes, { context, maxChars, stat: false, cursor, signal })
  const head = cursor === undefined ? [...headLines(shown), ''] : []
  return {
    commits: [factsOf(shown, WHOLE_MESSAGE)],
    ...(page.cursor !== undefined && { cursor: page.cursor }),
    changes: [...page.paths],
    total: changes.length,
    diff: page.diff,
    content: [...head, pageText(page, changes.length, false, short(oid))].join('\n'),
  }
}

function headLines(shown: Commit): string[] {
  const { oid, parents, author, committer } = shown
  const { message } = factsOf(shown, WHOLE_MESSAGE)
  return [
    `commit ${oid}`,
    ...(parents.length > 0 ? [`parents ${parents.map(short).join(' ')}`] : []),
    `author ${who(author)} ${isoTime(author)}`,
    ...(who(author) === who(committer) ? [] : [`committer ${who(committer)} ${isoTime(committer)}`]),
    '',
    ...message
      .trimEnd()
      .split('\n')
      .map((line) => `    ${escapeName(line)}`),
  ]
}

function factsOf({ oid, parents, author, committer, message }: Commit, longest: number): GitLogResult['commits'][number] {
  const cut = message.length > longest
  return {
    oid,
    parents: [...parents],
    author: who(author),
    date: isoTime(author),
    committer: who(committer),
    commit_date: isoTime(committer),
    message: cut ? message.slice(0, longest).toWellFormed() : message,
    ...(cut && { message_cut: true }),
  }
}

const who = ({ name, email }: Signature): string => `${oneLine(name)} <${oneLine(email)}>`

function oneLine(text: string): string {
  return subjectOf(text)
}
