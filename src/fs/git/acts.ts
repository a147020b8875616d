/** Acts on the references of a repository, with the record of each in the workspace's journal. */
import { FilewrightError } from '../../core/errors.ts'
import type { Hasher } from '../../core/hash.ts'
import { type JournalRecord, type RecordDraft, sealRecord } from '../../core/record.ts'
import type { Commit, CommitRequest, Oid, Repository, TreeChange } from '../../core/repository.ts'
import type { GitDirectory } from '../../git/directory.ts'
import { commitGraph } from '../../git/history/commit_graph.ts'
import { diffTrees } from '../../git/history/diff_trees.ts'
import { isAncestor } from '../../git/history/merge_base.ts'
import { newCommit, newTag } from '../../git/history/new_objects.ts'
import { type NewTree, treeWithChanges } from '../../git/history/tree_with_changes.ts'
import type { ObjectDatabase } from '../../git/objects.ts'
import { branchRef, tagRef } from '../../git/ref_names.ts'
import { checkWorkspaceName, ownBranch, shortName } from './names.ts'
import { createSavings } from './save.ts'
import { type Pending, type Standing, type State, saveState } from './state.ts'
import { type Store, WORKSPACES } from './store.ts'

/** What acts are done with. */
export interface Acting {
  readonly git: GitDirectory
  readonly store: Store
  readonly hasher: Hasher
  now(): number
}

/** The acts of {@link Repository}. */
export type Acts = Pick<Repository, 'makeCommit' | 'createBranch' | 'deleteBranch' | 'createTag' | 'fork'>

/**
 * The acts on one workspace. A commit is made in three steps, so that whatever ends the process between them, the next one finds out
 * what came of it: the state says which commit the branch is about to be moved to, the branch is moved, the state says so.
 */
export function createActs(acting: Acting): Acts {
  const { git, store, hasher, now } = acting
  const { objects, refs } = git

  const record = (draft: RecordDraft, note: string): Promise<JournalRecord> =>
    store.act(async (state, savings) => {
      const sealed = sealRecord(hasher, actDraft(draft, note), [], state.journal.head()).record
      return [{ journal: await state.journal.with(savings, [sealed]) }, sealed]
    })

  return {
    async makeCommit(request, draft) {
      await finishPending(acting)
      const { branch } = (await store.latest()).standing
      await requireItself(acting, branch)
      if ((await refs.checkedOut()).has(branch)) {
        throw new FilewrightError(
          'unsupported',
          `A worktree has ${shortName(branch)} checked out: check out another branch there, or \`git worktree prune\` when it is gone.`,
        )
      }
      const tip = await refs.read(branch)
      const { commit, pending } = await announce(acting, request, draft, tip)
      const by = request.committer ?? request.author
      const message = `commit: ${commit.message.slice(0, commit.message.indexOf('\n'))}`
      const isMoved = await refs.update({ name: branch, from: tip, to: commit.oid, message, by }).catch(async (error) => {
        // It may have failed after the branch was moved.
        if ((await refs.read(branch)) !== commit.oid) await withdraw(acting, pending)
        throw error
      })
      if (!isMoved) {
        await withdraw(acting, pending)
        throw movedOn(branch)
      }
      return { commit, record: await finish(acting, pending) }
    },

    async createBranch(name, at, draft) {
      await objects.readAs(at, 'commit')
      await requireItself(acting, branchRef(name))
      const message = `branch: Created from ${at}`
      if (!(await refs.update({ name: branchRef(name), from: null, to: at, message }))) {
        throw new FilewrightError('already_exists', `There is a branch ${name} already.`, { field: 'name' })
      }
      return record(draft, `Created the branch ${name} at ${at.slice(0, 7)}`)
    },

    async deleteBranch(name, draft, expected) {
      const ref = branchRef(name)
      if ((await store.latest()).standing.branch === ref) {
        throw new FilewrightError('unsupported', `${name} is the workspace's own branch; it cannot be deleted from here.`, {
          field: 'name',
        })
      }
      const at = await refs.read(ref)
      if (at === null) throw new FilewrightError('not_found', `There is no branch ${name}.`, { field: 'name' })
      if (expected !== undefined && at !== expected) throw movedOn(ref)
      await requireItself(acting, ref)
      if ((await refs.checkedOut()).has(ref)) {
        throw new FilewrightError('unsupported', `A worktree has ${name} checked out.`, { field: 'name' })
      }
      if (!(await refs.update({ name: ref, from: at, to: null }))) throw movedOn(ref)
      return record(draft, `Deleted the branch ${name}, which was at ${at.slice(0, 7)}`)
    },

    async createTag(name, at, draft, annotation) {
      const ref = tagRef(name)
      // Nothing is written for a tag that is not made.
      if ((await refs.read(ref)) !== null) throw tagExists(name)
      const { type } = await objects.header(at)
      const tag = annotation && newTag(objects, { object: at, type, name, ...annotation })
      if (tag) await objects.write([tag])
      if (!(await refs.update({ name: ref, from: null, to: tag?.oid ?? at }))) throw tagExists(name)
      return record(draft, `Tagged ${at.slice(0, 7)} as ${name}`)
    },

    async fork(name, draft) {
      checkWorkspaceName(name, 'name')
      const state = await store.latest()
      const standing = { ...state.standing, branch: branchRef(ownBranch(name)), pending: [] }
      const savings = createSavings(objects)
      const { commit } = await saveState(objects, savings, { ...state, standing }, name, now())
      await objects.write(savings.objects())
      if (!(await refs.update({ name: WORKSPACES + name, from: null, to: commit }))) {
        throw new FilewrightError('already_exists', `There is a workspace ${name} already.`, { field: 'name' })
      }
      return record(draft, `Forked as the workspace ${name}`)
    },
  }
}

/** Makes the commit's objects, and says in the state that the branch is about to be moved to it. */
function announce(
  { git: { objects }, store }: Acting,
  request: CommitRequest,
  draft: RecordDraft,
  tip: Oid | null,
): Promise<{ readonly commit: Commit; readonly pending: Pending }> {
  return store.act(async (state, savings) => {
    const { base, merging, branch } = state.standing
    if (tip !== null && tip !== base) throw movedOn(branch)
    const { tree, changes } = await chosenTree(objects, state, request)
    if (changes.length === 0 && merging === null && !request.allowEmpty) {
      throw new FilewrightError('no_match', 'There is nothing to commit: no chosen file differs from the last commit.')
    }
    const { message, author, committer = author } = request
    const parents = [base, merging].filter((oid) => oid !== null)
    const { oid, bytes } = newCommit(objects, { tree: tree.oid, parents, author, committer, message })
    for (const object of tree.objects) savings.add(object.type, object.bytes)
    savings.add('commit', bytes)
    const files = `${changes.length} ${changes.length === 1 ? 'file' : 'files'}`
    const pending = { commit: oid, from: tip, draft: actDraft(draft, `Committed ${files} as ${oid.slice(0, 7)} on ${shortName(branch)}`) }
    const commit = await commitGraph({ readAs: () => bytes }).commit(oid)
    return [{ standing: { ...state.standing, pending: [...state.standing.pending, pending] } }, { commit, pending }]
  })
}

/** The branch was not moved. */
function withdraw({ store }: Acting, { commit }: Pending): Promise<void> {
  return store.act(async ({ standing }) => {
    return [{ standing: { ...standing, pending: standing.pending.filter((other) => other.commit !== commit) } }, undefined]
  })
}

/** Finds out what came of commits that a process did not live to finish. */
export async function finishPending(acting: Acting): Promise<void> {
  const { git, store } = acting
  const { standing } = await store.latest()
  if (standing.pending.length === 0) return
  for (const one of await reached(git, standing, await git.refs.read(standing.branch))) await finish(acting, one)
}

/**
 * A standing as it is once those commits are finished whose branch was moved already: another process is about to, or died before it
 * could. For reading; an act finishes them.
 */
export async function withReached({ git }: Pick<Acting, 'git'>, standing: Standing): Promise<Standing & { readonly tip: Oid | null }> {
  const tip = await git.refs.read(standing.branch)
  const last = (await reached(git, standing, tip)).at(-1)
  return last ? { ...standing, tip, base: last.commit, merging: null } : { ...standing, tip }
}

/** The commits under way that the branch is at, or has behind it: others may have gone on from there since. */
async function reached(git: GitDirectory, { pending }: Standing, tip: Oid | null): Promise<Pending[]> {
  if (tip === null) return []
  const found: Pending[] = []
  for (const one of pending) {
    if (tip === one.commit || (await isAncestor(commitGraph(git.objects, await git.shallow()), one.commit, tip))) found.push(one)
  }
  return found
}

/** The branch is where it was to go: so is the base. Somebody else may have finished this first. */
async function finish({ store, hasher }: Acting, { commit, draft }: Pending): Promise<JournalRecord> {
  return store.act(async (state, savings) => {
    const { standing } = state
    if (!standing.pending.some((other) => other.commit === commit)) {
      const [known] = await state.journal.read({ id: draft.id, limit: 1 })
      if (known) return [{}, known]
    }
    const sealed = sealRecord(hasher, draft, [], state.journal.head()).record
    const journal = await state.journal.with(savings, [sealed])
    const pending = standing.pending.filter(({ from }) => from === commit)
    return [{ journal, standing: { ...standing, base: commit, merging: null, pending } }, sealed]
  })
}

/** The tree of a commit: the files as they are, or the base with the chosen paths as they are. */
async function chosenTree(
  objects: ObjectDatabase,
  { root, standing }: State,
  { paths, expect }: CommitRequest,
): Promise<{ readonly tree: NewTree; readonly changes: readonly TreeChange[] }> {
  const base = standing.base === null ? null : (await commitGraph(objects).node(standing.base)).tree
  const all = await diffTrees(objects, base, root.stored.tree)
  const changes = paths ? await diffTrees(objects, base, root.stored.tree, { paths }) : all
  if (expect && !sameChanges(expect, changes)) {
    throw new FilewrightError('conflict', 'What there is to commit is not what was expected any more; look at the status again.')
  }
  // Of everything there is a tree already.
  if (root.stored.tree !== null && changes.length === all.length) return { tree: { oid: root.stored.tree, objects: [] }, changes }
  return { tree: await treeWithChanges(objects, base, changes), changes }
}

function sameChanges(a: readonly TreeChange[], b: readonly TreeChange[]): boolean {
  const text = ({ path, before, after }: TreeChange): string => JSON.stringify([path, before?.mode, before?.oid, after?.mode, after?.oid])
  const [one, other] = [a, b].map((changes) => changes.map(text).sort())
  return JSON.stringify(one) === JSON.stringify(other)
}

function actDraft(draft: RecordDraft, note: string): RecordDraft {
  return { note, ...draft, kind: 'git' }
}

/** A branch that stands for another reference is not moved: the other one may be anybody's. Throws `unsupported`. */
async function requireItself({ git: { refs } }: Acting, ref: string): Promise<void> {
  const other = await refs.leadsTo(ref)
  if (other === ref) return
  throw new FilewrightError(
    'unsupported',
    `${shortName(ref)} is a symbolic reference to ${shortName(other)}, which is not moved from here: \`git symbolic-ref -d ${ref}\` removes it.`,
  )
}

function tagExists(name: string): FilewrightError {
  return new FilewrightError('already_exists', `There is a tag ${name} already.`, { field: 'name' })
}

function movedOn(ref: string): FilewrightError {
  return new FilewrightError(
    'conflict',
    `${shortName(ref)} is not where this workspace left it: somebody else moved it. Merge what came, or commit to another branch.`,
  )
}
