/** What a workspace begins as, before anything was written to it. */
import { parseCommit } from '../../git/commit.ts'
import type { GitDirectory } from '../../git/directory.ts'
import { EMPTY_TREE } from '../../git/oid.ts'
import { branchRef } from '../../git/ref_names.ts'
import { ownBranch } from './names.ts'
import { commitNamed } from './revisions.ts'
import { newState, type State } from './state.ts'

/** Where a new workspace begins. */
export interface Beginning {
  /** Short name of its branch. */
  readonly branch?: string
  readonly from?: string
}

/** With the files of a commit, or none. Throws `not_found` for a revision that there is not. */
export async function firstState(git: GitDirectory, workspace: string, { branch = ownBranch(workspace), from }: Beginning): Promise<State> {
  const { objects, refs } = git
  const ref = branchRef(branch)
  const base = from === undefined ? ((await refs.read(ref)) ?? (await refs.head()).oid) : await commitNamed(git, null, from)
  const tree = base === null ? null : parseCommit(await objects.readAs(base, 'commit'), base).tree
  return newState(objects, tree === EMPTY_TREE ? null : tree, { branch: ref, base, merging: null, pending: [] })
}
