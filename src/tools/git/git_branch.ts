/** `git_branch`: lists, makes and deletes branches; lists and makes tags. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { Branch, NamedCommit, Oid, RepositoryReads } from '../../core/repository.ts'
import { branchRef, tagRef } from '../../git/ref_names.ts'
import { boolean, checkedTogether, content, integer, text } from '../arguments.ts'
import { defineTool, type RepositoryAct, type Tool, type ToolFacts } from '../tool.ts'
import { escapeName } from '../tree_picture.ts'
import { commitNamed, repositoryOf, short } from './repository_of.ts'
import type { GitBranchResult } from './results.ts'

const LIMIT = 200
/** Commits that are counted before a branch is deleted. */
const COUNTED = 1000

const shape = {
  name: text('Of the branch or tag: topic/one.'),
  from: text('Commit, branch or tag where it begins; default: the commit that the workspace is at.').optional(),
  message: content('create_tag: makes an annotated tag.').optional(),
  dry_run: boolean('Change nothing, show what would.').default(false),
}
const page = {
  limit: integer('Of a list.', { min: 1, max: 1000 }).default(LIMIT),
  offset: integer('Of a list: how many to skip.', { min: 0 }).default(0),
}

const ACTIONS = ['list', 'create', 'delete', 'list_tags', 'create_tag'] as const

const output: z.ZodType<GitBranchResult> = z.object({
  action: z.enum(ACTIONS),
  total: z.int().optional(),
  branches: z.array(z.object({ name: z.string(), oid: z.string(), current: z.boolean(), checked_out: z.boolean() })).optional(),
  tags: z.array(z.object({ name: z.string(), oid: z.string() })).optional(),
  next_offset: z.int().optional(),
  name: z.string().optional(),
  oid: z.string().optional(),
  lost: z.int().optional().describe('delete: commits that are then on no branch and no tag.'),
  dry_run: z.boolean().optional(),
  change: z.string().optional().describe('The record of it in the journal.'),
  content: z.string(),
})

/** What is published: all actions in one. */
export const gitBranch: ToolFacts = {
  name: 'git_branch',
  title: 'Git branch',
  description:
    'Lists branches or tags, creates one, or deletes a branch. Files stay as they are: this switches to no other branch. That of the workspace and those that a worktree has checked out are not deleted.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  needs: 'repository',
  input: z.strictObject({ action: z.enum(ACTIONS).default('list'), ...shape, name: shape.name.optional(), ...page }),
  output,
}

const facts = { name: 'git_branch', title: 'Git branch', description: gitBranch.description, needs: 'repository', output } as const

/** A branch or a tag. */
type Listed = NamedCommit & Partial<Branch>

function lineOf({ name, oid, current, checkedOut }: Listed): string {
  const marks = [...(current ? ['this workspace'] : []), ...(checkedOut ? ['checked out'] : [])]
  return `${short(oid)} ${escapeName(name)}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`
}

/** The lists. */
export const gitBranches: Tool = defineTool({
  ...facts,
  kind: 'read',
  idempotent: true,
  destructive: false,
  input: z.strictObject({ action: z.enum(['list', 'list_tags']).default('list'), ...page }),
  targets: () => [],
  failed: () => ({}),
  async run({ view }, { action, limit, offset }) {
    const repository = repositoryOf(view)
    const tags = action === 'list_tags'
    const all: readonly Listed[] = tags ? await repository.tags() : await repository.branches()
    const shown = all.slice(offset, offset + limit)
    const end = offset + shown.length
    const more = end < all.length && shown.length > 0
    const notes = [
      ...(all.length === 0 ? [tags ? '[no tags]' : '[no branches]'] : []),
      ...(more ? [`[${offset + 1}-${end} of ${all.length}: go on with offset ${end}]`] : []),
    ]
    const listed = tags
      ? { tags: shown.map(({ name, oid }) => ({ name, oid })) }
      : {
          branches: shown.map(({ name, oid, current = false, checkedOut = false }) => ({ name, oid, current, checked_out: checkedOut })),
        }
    const result: GitBranchResult = {
      action,
      total: all.length,
      ...listed,
      ...(more && { next_offset: end }),
      content: [...shown.map(lineOf), ...notes].join('\n'),
    }
    return { result }
  },
  text: ({ content: told }) => told,
})

const change = checkedTogether(z.strictObject({ action: z.enum(['create', 'delete', 'create_tag']), ...shape }), (args) => {
  const stray =
    args.action === 'delete' && args.from !== undefined
      ? 'from'
      : args.action !== 'create_tag' && args.message !== undefined
        ? 'message'
        : null
  if (stray !== null) throw new FilewrightError('invalid_argument', `${stray} is not for ${args.action}.`, { field: stray })
  return args
})

/** What moves references. */
export const gitBranchChange: Tool = defineTool({
  ...facts,
  kind: 'write',
  idempotent: false,
  destructive: true,
  input: change,
  targets: () => [],
  risk: ({ action }) => (action === 'create' ? 'small' : 'lasting'),
  failed: () => ({}),
  async run(context, { action, name, from, message, dry_run: dryRun }) {
    const repository = repositoryOf(context.view)
    const act = action === 'delete' ? await deletion(repository, name) : await creation(repository, action, { name, from })
    const whole: RepositoryAct =
      act.kind === 'create-tag'
        ? { ...act, author: context.author, ...(message !== undefined && { message: `${message.trimEnd()}\n` }) }
        : act
    const title = titleOf(act)
    const result = (done: boolean, changeId?: string): GitBranchResult => ({
      action,
      name,
      oid: act.at,
      ...(act.kind === 'delete-branch' && { lost: act.lost }),
      dry_run: dryRun,
      ...(changeId !== undefined && { change: changeId }),
      content: done ? `${title}.` : `[would: ${title}]`,
    })
    return { act: whole, title, result: result(false), dryRun, afterAct: ({ record }) => result(true, record.id) }
  },
  text: ({ content: told }) => told,
})

type BranchAct =
  | Extract<RepositoryAct, { kind: 'create-branch' | 'delete-branch' }>
  | Omit<Extract<RepositoryAct, { kind: 'create-tag' }>, 'author'>

async function creation(
  repository: RepositoryReads,
  action: 'create' | 'create_tag',
  { name, from }: { readonly name: string; readonly from: string | undefined },
): Promise<BranchAct> {
  const kind = action === 'create' ? 'create-branch' : 'create-tag'
  await requireNew(repository, action, name)
  if (from !== undefined) return { kind, name, at: await commitNamed(repository, from, 'from') }
  const { base } = await repository.status({ paths: [] })
  if (base === null)
    throw new FilewrightError('not_found', 'There is no commit yet that it could begin at: make one first.', { field: 'from' })
  return { kind, name, at: base }
}

/** Throws `invalid_name` for what git refuses, `already_exists`. */
async function requireNew(repository: RepositoryReads, action: 'create' | 'create_tag', name: string): Promise<void> {
  const [what, ref] = action === 'create' ? ['branch', branchRef(name)] : ['tag', tagRef(name)]
  try {
    await repository.resolve(ref)
  } catch {
    // What is there and no commit, the act finds.
    return
  }
  throw new FilewrightError('already_exists', `There is a ${what} ${JSON.stringify(name)} already: choose another name.`, { field: 'name' })
}

async function deletion(repository: RepositoryReads, name: string): Promise<Extract<RepositoryAct, { kind: 'delete-branch' }>> {
  const branches = await repository.branches()
  const branch = branches.find((one) => one.name === name)
  if (!branch) throw new FilewrightError('not_found', `There is no branch ${JSON.stringify(name)}: list them.`, { field: 'name' })
  const reason = branch.current ? 'it is the branch of this workspace' : branch.checkedOut ? 'a worktree has it checked out' : null
  if (reason !== null) throw new FilewrightError('unsupported', `The branch ${name} is not deleted: ${reason}.`, { field: 'name' })
  const { base } = await repository.status({ paths: [] })
  const others = [...branches.filter((one) => one !== branch), ...(await repository.tags())].map(({ oid }) => oid)
  const except: Oid[] = [...new Set([...others, ...(base === null ? [] : [base])])]
  const lost = await repository.log({ from: branch.oid, except, limit: COUNTED })
  return { kind: 'delete-branch', name, at: branch.oid, lost: lost.length }
}

function titleOf(act: BranchAct): string {
  const where = `${escapeName(act.name)} at ${short(act.at)}`
  if (act.kind === 'create-branch') return `New branch ${where}`
  if (act.kind === 'create-tag') return `New tag ${where}`
  const lost = act.lost >= COUNTED ? `${COUNTED} or more` : `${act.lost}`
  return `Delete branch ${where}${act.lost === 0 ? ', whose commits are on others too' : `; commits that are then on no branch and no tag: ${lost}`}`
}
