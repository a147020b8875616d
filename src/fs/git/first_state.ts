/** What a workspace begins as, before anything was written to it. */
import { FilewrightError } from '../../core/errors.ts'
import type { Oid } from '../../core/repository.ts'
import { parseCommit } from '../../git/commit.ts'
import type { GitDirectory } from '../../git/directory.ts'
import { EMPTY_TREE } from '../../git/oid.ts'
import { branchRef, ownBranch } from './names.ts'
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
  const base = from === undefined ? ((await refs.read(ref)) ?? (await refs.head()).oid) : await resolve(git, from)
  const tree = base === null ? null : parseCommit(await objects.readAs(base, 'commit'), base).tree
  return newState(objects, tree === EMPTY_TREE ? null : tree, { branch: ref, base, merging: null, pending: null })
}

async function resolve({ refs }: GitDirectory, revision: string): Promise<Oid> {
  for (const prefix of ['', 'refs/heads/', 'refs/tags/', 'refs/remotes/']) {
    const oid = await refs.read(prefix + revision)
    if (oid) return oid
  }
  throw new FilewrightError('not_found', `There is no commit ${revision}.`, { field: 'from' })
}
