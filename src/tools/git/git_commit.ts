/** `git_commit`: makes a commit of what changed, or of a part of it, on the workspace's own branch. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { Path } from '../../core/path.ts'
import type { Oid, RepositoryReads, RepositoryStatus, TreeChange } from '../../core/repository.ts'
import { checkSensitive } from '../../policy/sensitive.ts'
import { isBinary } from '../../text/utf8.ts'
import { boolean, content, text, textList } from '../arguments.ts'
import { counted } from '../counted.ts'
import { allowancesOf } from '../guarded.ts'
import { type ActPlan, defineTool, type Identity, type Tool, type ToolContext } from '../tool.ts'
import { COMPARED_BYTES } from './file_diff.ts'
import { isMoved } from './git_status.ts'
import {
  changeLine,
  commitNamed,
  escapePath,
  ignoredAmong,
  kindOf,
  MOST_PATHS,
  pathsNamed,
  pathTargets,
  repositoryOf,
  short,
  subjectOf,
} from './repository_of.ts'
import type { GitCommitResult } from './results.ts'

/** Longest message, in UTF-16 units. */
const LONGEST_MESSAGE = 16 * 1024
/** Most paths that an answer tells of, in each of its lists. */
const TOLD = 200

/** A name or address as a commit can hold it. */
const identity = (what: string): z.ZodString =>
  content(what)
    .trim()
    .regex(/^[^<>\p{Cc}]{1,200}$/u, 'must have 1 to 200 characters, and no < or > or control characters')

const input = z.strictObject({
  message: content('A line of at most 72 characters; then, after an empty line, more.')
    .max(LONGEST_MESSAGE, `must be at most ${LONGEST_MESSAGE} characters long`)
    .refine((message) => message.trim() !== '' && !message.includes('\0'), 'must not be blank, and hold no NUL'),
  paths: textList('Only what changed at or below these.').min(1).max(MOST_PATHS).optional(),
  author: z
    .strictObject({ name: identity('Name.'), email: identity('Address.') })
    .describe("Default: the operator's choice.")
    .optional(),
  expected_base: text('Only if the workspace is at this commit.').optional(),
  allow_empty: boolean('Also when nothing changed.').default(false),
  dry_run: boolean('Commit nothing, show what would be.').default(false),
  allow_ignored: boolean('Also new files that are ignored.').optional(),
  allow_sensitive: boolean('Also files that may hold secrets. Only if the user agrees.').optional(),
  allow_markers: boolean('Also files that still hold conflict markers, after a merge.').default(false),
})

type Arguments = z.output<typeof input>

const told = z.object({ path: z.string(), kind: z.enum(['added', 'deleted', 'modified', 'type-changed']) })

const output: z.ZodType<GitCommitResult> = z.object({
  commit: z.string().nullable().describe('Null in a dry run.'),
  branch: z.string(),
  parents: z.array(z.string()),
  total: z.int(),
  changes: z.array(told).describe(`What it takes; at most ${TOLD} are told.`),
  left_out: z.array(z.object({ path: z.string(), reason: z.enum(['ignored', 'sensitive', 'not named']) })).describe(`At most ${TOLD}.`),
  left_out_total: z.int(),
  dry_run: z.boolean(),
  change: z.string().optional().describe('The record of it in the journal.'),
  content: z.string(),
})

/** Commits. What is ignored and new, and what may hold secrets, is left out unless it is allowed; named by its own path it is refused. */
export const gitCommit: Tool = defineTool({
  name: 'git_commit',
  title: 'Git commit',
  description:
    "Commits what changed, or only paths, to the workspace's own branch; no other branch moves, and nothing is pushed. Ignored new files and files that may hold secrets are left out. There is no amend, and undo does not take a commit back.",
  kind: 'write',
  idempotent: false,
  destructive: false,
  needs: 'repository',
  input,
  output,
  targets: pathTargets,
  allowances: allowancesOf,
  risk: () => 'lasting',
  failed: () => ({}),
  async run(context, args) {
    const repository = repositoryOf(context.view)
    const status = await repository.status()
    await requireBase(repository, status, args.expected_base)
    const named = await pathsNamed(context.view, args.paths)
    const chosen = await choose(context, args, status, named)
    if (status.merging !== null) await requireWholeMerge(repository, args, status, chosen)
    if (chosen.taken.length === 0 && status.merging === null && !args.allow_empty) throw nothing(status, chosen)
    return planOf(context, args, status, chosen)
  },
  text: ({ content: shown }) => shown,
})

/** Throws `conflict` when the branch is not where the workspace left it, or that is not what the caller knows. */
async function requireBase(repository: RepositoryReads, status: RepositoryStatus, expected: string | undefined): Promise<void> {
  const { branch, base, tip } = status
  const at = base === null ? 'no commit yet' : `at ${short(base)}`
  if (expected !== undefined && (await commitNamed(repository, expected, 'expected_base')) !== base) {
    throw new FilewrightError('conflict', `The workspace is ${at}, not at ${expected}; nothing was committed. Look at git_log.`, {
      field: 'expected_base',
      details: { base },
    })
  }
  if (!isMoved(status)) return
  const where = `the branch ${branch} was moved to ${short(tip as Oid)} by somebody else, and the workspace is ${at}`
  const isBack = base !== null && (await repository.log({ from: tip as Oid, except: [base], limit: 1 })).length === 0
  const advice = isBack ? 'A person has to switch there too, or put the branch where it was' : 'Merge that commit first'
  throw new FilewrightError('conflict', `Nothing was committed: ${where}. ${advice}.`, { details: { base, tip } })
}

interface Chosen {
  readonly taken: readonly TreeChange[]
  readonly ignored: ReadonlySet<Path>
  readonly leftOut: readonly { readonly path: Path; readonly reason: GitCommitResult['left_out'][number]['reason'] }[]
}

/** What a commit takes. A path that is named itself is taken whatever it is: the guards refuse it by name. */
async function choose(
  context: ToolContext,
  args: Arguments,
  { changes, merging }: RepositoryStatus,
  named: readonly Path[] | undefined,
): Promise<Chosen> {
  const within = named && (({ path }: TreeChange): boolean => named.some((one) => one === '' || path === one || path.startsWith(`${one}/`)))
  const itself = new Set(named)
  // What a merge brings is in a commit already.
  const ignored = await ignoredAmong(context, changes, merging)
  const taken: TreeChange[] = []
  const leftOut: Chosen['leftOut'][number][] = []
  for (const change of changes) {
    const { path } = change
    const isNamed = itself.has(path)
    if (within && !within(change)) leftOut.push({ path, reason: 'not named' })
    else if (!args.allow_sensitive && !isNamed && checkSensitive(path)) leftOut.push({ path, reason: 'sensitive' })
    else if (!args.allow_ignored && !isNamed && ignored.has(path)) leftOut.push({ path, reason: 'ignored' })
    else taken.push(change)
  }
  return { taken, ignored, leftOut }
}

/**
 * A commit that ends a merge has all of it: what is left out would be undone by it. Files of the workspace alone, with which the merge
 * has nothing to do, may stay out. Throws `unsupported`, `sensitive_path`, `conflict`.
 */
async function requireWholeMerge(
  repository: RepositoryReads,
  args: Arguments,
  status: RepositoryStatus,
  { taken, leftOut }: Chosen,
): Promise<void> {
  const [base, merging] = [status.base as Oid, status.merging as Oid]
  if (leftOut.some(({ reason }) => reason === 'not named')) {
    throw new FilewrightError('unsupported', `The merge of ${short(merging)} is committed as a whole: call without paths.`, {
      field: 'paths',
    })
  }
  for (const { path, reason } of leftOut) {
    if (reason !== 'sensitive') continue
    const [ours, theirs] = [await repository.entryAt(base, path), await repository.entryAt(merging, path)]
    if (ours?.oid === theirs?.oid && ours?.mode === theirs?.mode) continue
    const message = `${path} may hold secrets, and the merge of ${short(merging)} is committed as a whole: pass allow_sensitive if the user agrees.`
    throw new FilewrightError('sensitive_path', message, { field: 'allow_sensitive' })
  }
  if (args.allow_markers) return
  for (const change of taken) {
    if (!(await holdsMarkers(repository, change))) continue
    const message = `${change.path} still holds conflict markers of the merge; nothing was committed. Edit it, or pass allow_markers.`
    throw new FilewrightError('conflict', message, { field: 'allow_markers', details: { path: change.path } })
  }
}

const MARKERS = /^<{7} .*$[\s\S]*?^={7}$[\s\S]*?^>{7} /m

async function holdsMarkers(repository: RepositoryReads, { after }: TreeChange): Promise<boolean> {
  if (!after || (after.mode !== '100644' && after.mode !== '100755')) return false
  const { bytes } = await repository.blob(after.oid, COMPARED_BYTES)
  return bytes !== null && !isBinary(bytes) && MARKERS.test(new TextDecoder().decode(bytes).replaceAll('\r\n', '\n'))
}

function nothing({ base }: RepositoryStatus, { leftOut }: Chosen): FilewrightError {
  const since = base === null ? '' : ` since ${short(base)}`
  if (leftOut.length === 0) return new FilewrightError('no_match', `Nothing changed${since}: there is nothing to commit.`)
  const told = leftLines(leftOut).join('; ')
  return new FilewrightError('no_match', `Nothing is left to commit: ${told}.`, { details: { left_out: leftOut.slice(0, TOLD) } })
}

function planOf({ author }: ToolContext, args: Arguments, status: RepositoryStatus, chosen: Chosen): ActPlan<GitCommitResult> {
  const { branch, base, merging } = status
  const { taken, ignored, leftOut } = chosen
  const parents = [base, merging].filter((parent) => parent !== null)
  const message = args.message.endsWith('\n') ? args.message : `${args.message}\n`
  const by: Identity = args.author ?? author
  const result = (commit: Oid | null, change?: string): GitCommitResult => ({
    commit,
    branch,
    parents,
    total: taken.length,
    changes: taken.slice(0, TOLD).map((one) => ({ path: one.path, kind: kindOf(one) })),
    left_out: leftOut.slice(0, TOLD).map((one) => ({ ...one })),
    left_out_total: leftOut.length,
    dry_run: args.dry_run,
    ...(change !== undefined && { change }),
    content: shownText(commit, args.message, branch, chosen),
  })
  return {
    act: {
      kind: 'commit',
      branch,
      parents,
      message,
      author: by,
      changes: taken,
      allowEmpty: taken.length === 0,
      ignored: new Set(taken.flatMap(({ path }) => (ignored.has(path) ? [path] : []))),
    },
    title: `Commit to ${branch}${args.author ? ` by ${by.name} <${by.email}>` : ''}${merging === null ? '' : `, with the merge of ${short(merging)}`}: ${message.trimEnd()}`,
    result: result(null),
    dryRun: args.dry_run,
    afterAct: ({ commit, record }) => result(commit, record.id),
  }
}

function shownText(commit: Oid | null, message: string, branch: string, { taken, leftOut }: Chosen): string {
  const what = `${counted(taken.length, 'path')} to ${branch}: ${subjectOf(message)}`
  const more = taken.length - TOLD
  return [
    commit === null ? `[would commit ${what}]` : `[${short(commit)}] committed ${what}`,
    ...taken.slice(0, TOLD).map(changeLine),
    ...(more > 0 ? [`[and ${more} more]`] : []),
    ...leftLines(leftOut).map((line) => `[${line}]`),
  ].join('\n')
}

const ADVICE: { readonly [reason in GitCommitResult['left_out'][number]['reason']]: string } = {
  ignored: 'ignored, left out without allow_ignored',
  sensitive: 'may hold secrets, left out without allow_sensitive',
  'not named': 'not below paths, left out',
}
/** Most paths of one line. */
const NAMED = 10

function leftLines(leftOut: Chosen['leftOut']): string[] {
  return (Object.keys(ADVICE) as (keyof typeof ADVICE)[]).flatMap((reason) => {
    const paths = leftOut.filter((one) => one.reason === reason).map(({ path }) => escapePath(path))
    if (paths.length === 0) return []
    const others = paths.length > NAMED ? `, and ${paths.length - NAMED} more` : ''
    return [`${ADVICE[reason]}: ${paths.slice(0, NAMED).join(', ')}${others}`]
  })
}
