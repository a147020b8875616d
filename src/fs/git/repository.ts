/** The repository of a workspace: its state against history, and acts that move references. */

import { FilewrightError } from '../../core/errors.ts'
import type { Commit, NamedCommit, Oid, PathFilter, Repository } from '../../core/repository.ts'
import { type CommitGraph, commitGraph } from '../../git/history/commit_graph.ts'
import { diffTrees, entryAt } from '../../git/history/diff_trees.ts'
import { mergeBase } from '../../git/history/merge_base.ts'
import { mergeCommits } from '../../git/history/merge_commits.ts'
import { resolveCommit } from '../../git/history/resolve_revision.ts'
import { walkCommits } from '../../git/history/walk_commits.ts'
import { EMPTY_TREE } from '../../git/oid.ts'
import { type Acting, createActs, withReached } from './acts.ts'
import { besideIn } from './beside.ts'
import { shortName } from './names.ts'
import { commitNamed, revisionsOf } from './revisions.ts'
import type { Standing, State } from './state.ts'
import { WORKSPACES } from './store.ts'

const [HEADS, TAGS] = ['refs/heads/', 'refs/tags/']

/** The repository of one workspace, whose base is its HEAD. `check` throws once the storage is closed. */
export function createRepository(acting: Acting, workspace: string, check: () => void): Repository {
  const { git, store } = acting
  const { objects, refs } = git
  const graph = async (): Promise<CommitGraph> => commitGraph(objects, await git.shallow())
  const treeOf = async (commit: Oid | null): Promise<Oid | null> => (commit === null ? null : (await (await graph()).node(commit)).tree)
  const standingNow = async (): Promise<Standing> => withReached(acting, (await store.latest()).standing)
  /** A state and the branch as they were together: another process may commit between one look and the other. */
  const atOneTime = async (): Promise<Standing & { readonly root: State['root']; readonly tip: Oid | null }> => {
    for (;;) {
      const { commit, root, standing } = await store.latest()
      const reached = await withReached(acting, standing)
      if (reached.tip === reached.base || (await store.latest()).commit === commit) return { ...reached, root }
    }
  }
  const filesTree = async (): Promise<Oid | null> => (await store.latest()).root.stored.tree
  return {
    async status(filter = {}) {
      check()
      const { root, branch, base, merging, tip } = await atOneTime()
      const changes = await diffTrees(objects, await treeOf(base), root.stored.tree, filter)
      const changed = new Set(changes.map(({ path }) => path))
      const beside = (await besideIn(objects, root, filter)).filter((path) => !changed.has(path))
      return { branch: shortName(branch), base, tip, merging, changes, beside }
    },
    async log(query = {}) {
      check()
      const from = query.from ?? (await standingNow()).base
      if (from === null) return []
      const commits: Commit[] = []
      for await (const commit of walkCommits(await graph(), { ...query, from })) commits.push(commit)
      return commits
    },
    async resolve(revision) {
      check()
      return commitNamed(git, (await standingNow()).base, revision)
    },
    async commit(oid) {
      check()
      return (await graph()).commit(oid)
    },
    async diff(from, to, filter: PathFilter = {}) {
      check()
      return diffTrees(objects, await treeOf(from), to === 'workspace' ? await filesTree() : await treeOf(to), filter)
    },
    async entryAt(commit, path) {
      check()
      return entryAt(objects, await treeOf(commit), path)
    },
    async blob(oid, maxBytes) {
      check()
      const { size } = await objects.header(oid)
      return { size, bytes: size > maxBytes ? null : await objects.readAs(oid, 'blob') }
    },
    async prefetch(oids) {
      check()
      await objects.prefetch(oids)
    },
    async branches() {
      check()
      const { branch } = (await store.latest()).standing
      const checkedOut = await refs.checkedOut()
      return (await refs.list(HEADS)).map(({ name, oid, leadsTo = name }) => ({
        name: shortName(name),
        oid,
        current: name === branch,
        checkedOut: checkedOut.has(leadsTo),
      }))
    },
    async tags() {
      check()
      const tags: NamedCommit[] = []
      const source = await revisionsOf(git, null)
      for (const { name, oid, peeled } of await refs.list(TAGS)) {
        // Some stand for a tree or a blob.
        const commit = await resolveCommit(source, peeled ?? oid).catch(() => null)
        if (commit) tags.push({ name: name.slice(TAGS.length), oid: commit })
      }
      return tags
    },
    async mergeBase(a, b) {
      check()
      return mergeBase(await graph(), a, b)
    },
    async merge(theirs, labels) {
      check()
      const { base: ours } = await standingNow()
      if (ours === null) throw new FilewrightError('unsupported', 'There is no commit yet that something could be merged into.')
      const oursTree = (await filesTree()) ?? EMPTY_TREE
      return mergeCommits(objects, { ours, oursTree, theirs, shallow: await git.shallow(), ...(labels ? { labels } : {}) })
    },
    ...createActs(acting),
    async workspaces() {
      check()
      const names = (await refs.list(WORKSPACES)).map(({ name }) => name.slice(WORKSPACES.length))
      return [...new Set([...names, workspace])].sort()
    },
  }
}
