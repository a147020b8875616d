/**
 * The repository of a workspace over HTTP. Without one every route answers `unsupported`.
 *
 * | method, path below `/v1/workspaces/:id/git` | takes | answers |
 * |---|---|---|
 * | GET `/status` | `path`…, `all`, `limit`, `offset` | {@link GitStatus} |
 * | GET `/diff` | `from`, `to`, `path`…, `all`, `stat`, `context`, `max_chars`, `cursor` | {@link GitDiff} |
 * | GET `/log` | `from`, `path`…, `first_parent`, `limit`, `cursor` | {@link GitLog} |
 * | GET `/show` | `revision`, `path`…, `context`, `max_chars`, `cursor` | {@link GitLog} of one commit, with its diff |
 * | GET `/branches`, `/tags` | `limit`, `offset` | {@link GitBranches} |
 * | GET `/workspaces` | | {@link GitWorkspaces}: those in the same repository |
 * | POST `/commits` | the arguments of `git_commit` | 201 {@link GitCommitted}; 200 for a dry run |
 * | POST `/branches`, `/tags` | `name`, `from`; for a tag `message` | 201 {@link GitBranches} |
 * | DELETE `/branches/*name` | | {@link GitBranches} |
 * | POST `/merge` | {@link GitOther} | {@link GitMerged}; conflicts are part of the answer |
 * | DELETE `/merge` | | {@link RecordAnswer}: a merge that was not committed is forgotten |
 * | POST `/switch` | {@link GitOther} | {@link GitBrought} |
 * | POST `/workspaces` | `name` | 201 {@link RecordAnswer}: a fork |
 *
 * `path…` may be given several times. An agent's token opens what is read; it commits by its tools.
 */
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import { parseArguments } from '../tools/arguments.ts'
import { gitBranchChange, gitBranches } from '../tools/git/git_branch.ts'
import { gitCommit } from '../tools/git/git_commit.ts'
import { gitDiff } from '../tools/git/git_diff.ts'
import { gitLog } from '../tools/git/git_log.ts'
import { gitStatus } from '../tools/git/git_status.ts'
import type { GitBranchResult, GitCommitResult, GitDiffResult, GitLogResult, GitStatusResult } from '../tools/git/results.ts'
import type { Tool } from '../tools/tool.ts'
import type { Brought, Merged, WorkspaceGit } from '../workspace/git/git.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { readJson } from './body.ts'
import { workspaceFor } from './callers.ts'
import { summaryOf } from './changes.ts'
import { booleanParameter, integerParameter } from './query.ts'
import { HTTP_LIMITS, type RecordAnswer, type RecordSummary } from './routes.ts'
import { withinTime } from './time_limit.ts'

/** As the tools answer, without the text that is made of it. */
export type GitStatus = Omit<GitStatusResult, 'content'>
export type GitDiff = Omit<GitDiffResult, 'content'>
export type GitLog = Omit<GitLogResult, 'content'>
export type GitCommitted = Omit<GitCommitResult, 'content'>
export type GitBranches = Omit<GitBranchResult, 'content'>

/** Names of workspaces, sorted. */
export interface GitWorkspaces {
  readonly workspaces: readonly string[]
}

/** A branch, a tag or a commit; `dry_run` only tells what would be done. */
export interface GitOther {
  readonly revision: string
  readonly dry_run?: boolean
}

/** What came to the files. The record is null in a dry run, and when there was nothing to do. */
export interface GitBrought extends Omit<Brought, 'record'> {
  readonly record: RecordSummary | null
}

export interface GitMerged extends Omit<Merged, 'record'> {
  readonly record: RecordSummary | null
}

const JSON_BODY = { bytes: HTTP_LIMITS.jsonBytes }
const other = z.strictObject({ revision: z.string(), dry_run: z.boolean().default(false) })
const fork = z.strictObject({ name: z.string() })

/** The routes, below `/git`. */
export function createGitRoutes(workspace: Workspace): Hono {
  const app = new Hono()

  /** Runs a tool through the door. Throws what it failed with, with the facts of that. */
  async function run({ req }: Context, tool: Tool, args: object): Promise<{ readonly [name: string]: unknown }> {
    const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))
    const { result, error, approvalId } = await withinTime(workspaceFor(workspace, req.raw)).run(tool, given, { signal: req.raw.signal })
    const { content: _, error: __, ...facts } = result
    if (!error) return facts
    const { code, message, field } = error
    const details = { ...facts, ...(approvalId !== null && { approval_id: approvalId }) }
    // The one argument that has another name here.
    throw new FilewrightError(code, message, { details, ...(field !== undefined && { field: field === 'show' ? 'revision' : field }) })
  }

  const read = (path: string, tool: Tool, args: (query: URLSearchParams) => object): void => {
    app.get(path, async (context) => context.json(await run(context, tool, args(new URL(context.req.url).searchParams))))
  }

  read('/status', gitStatus, (query) => ({ ...pathsOf(query), all: booleanParameter(query, 'all'), ...pageOf(query) }))
  read('/diff', gitDiff, (query) => {
    return {
      from: textOf(query, 'from'),
      to: textOf(query, 'to'),
      stat: booleanParameter(query, 'stat'),
      ...pathsOf(query),
      ...partOf(query),
    }
  })
  read('/log', gitLog, (query) => {
    const limit = integerParameter(query, 'limit', { min: 1 })
    const follows = { first_parent: booleanParameter(query, 'first_parent'), cursor: textOf(query, 'cursor') }
    return { from: textOf(query, 'from'), ...pathsOf(query), limit, ...follows }
  })
  read('/show', gitLog, (query) => {
    const show = textOf(query, 'revision')
    if (show === undefined) throw new FilewrightError('missing_argument', 'revision is required.', { field: 'revision' })
    return { show, ...pathsOf(query), ...partOf(query) }
  })
  read('/branches', gitBranches, (query) => ({ action: 'list', ...pageOf(query) }))
  read('/tags', gitBranches, (query) => ({ action: 'list_tags', ...pageOf(query) }))

  app.get('/workspaces', async (context) => {
    gitOf(workspace)
    const answer: GitWorkspaces = { workspaces: (await workspace.fs.repository?.workspaces()) ?? [] }
    return context.json(answer)
  })

  app.post('/commits', async (context) => {
    const committed = await run(context, gitCommit, await readJson(context.req.raw, JSON_BODY))
    return context.json(committed, committed.commit === null ? 200 : 201)
  })
  for (const [path, action] of [
    ['/branches', 'create'],
    ['/tags', 'create_tag'],
  ] as const) {
    app.post(path, async (context) => {
      return context.json(await run(context, gitBranchChange, { ...(await readJson(context.req.raw, JSON_BODY)), action }), 201)
    })
  }
  app.delete('/branches/:name{.+}', async (context) => {
    return context.json(await run(context, gitBranchChange, { action: 'delete', name: context.req.param('name') }))
  })

  app.post('/merge', async (context) => {
    const { revision, dry_run: dryRun } = parseArguments({ input: other }, await readJson(context.req.raw, JSON_BODY))
    const { record, ...merged } = await gitOf(workspace).merge(revision, { dryRun })
    const answer: GitMerged = { ...merged, record: record && summaryOf(record) }
    return context.json(answer)
  })
  app.delete('/merge', async (context) => {
    const answer: RecordAnswer = { record: summaryOf(await gitOf(workspace).abandonMerge()) }
    return context.json(answer)
  })
  app.post('/switch', async (context) => {
    const { revision, dry_run: dryRun } = parseArguments({ input: other }, await readJson(context.req.raw, JSON_BODY))
    const { record, ...brought } = await gitOf(workspace).switchTo(revision, { dryRun })
    const answer: GitBrought = { ...brought, record: record && summaryOf(record) }
    return context.json(answer)
  })
  app.post('/workspaces', async (context) => {
    const { name } = parseArguments({ input: fork }, await readJson(context.req.raw, JSON_BODY))
    const answer: RecordAnswer = { record: summaryOf(await gitOf(workspace).fork(name)) }
    return context.json(answer, 201)
  })
  return app
}

function gitOf({ git }: Workspace): WorkspaceGit {
  if (git) return git
  throw new FilewrightError('unsupported', 'This workspace is of no repository: the operator opens one with `--fs git`.')
}

function textOf(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) ?? undefined
}

function pathsOf(query: URLSearchParams): object {
  const paths = query.getAll('path')
  return paths.length === 0 ? {} : { paths }
}

function pageOf(query: URLSearchParams): object {
  return { limit: integerParameter(query, 'limit', { min: 1 }), offset: integerParameter(query, 'offset', { min: 0 }) }
}

function partOf(query: URLSearchParams): object {
  const context = integerParameter(query, 'context', { min: 0 })
  return { context, max_chars: integerParameter(query, 'max_chars', { min: 1 }), cursor: textOf(query, 'cursor') }
}
