/** Commits as callers name them. The product's own ones, which hold the states of workspaces, are no part of history. */
import { FilewrightError } from '../../core/errors.ts'
import type { Oid } from '../../core/repository.ts'
import { parseCommit } from '../../git/commit.ts'
import type { GitDirectory } from '../../git/directory.ts'
import { type RevisionSource, resolveCommit } from '../../git/history/resolve_revision.ts'
import { isStateCommit } from './state.ts'

/** Where revisions of a workspace are looked up: HEAD is its base, where it has one. */
export async function revisionsOf({ objects, refs, shallow }: GitDirectory, head: Oid | null): Promise<RevisionSource> {
  const read: RevisionSource['refs']['read'] = async (name) => (name === 'HEAD' && head !== null ? head : refs.read(name))
  return { objects, refs: { read }, shallow: await shallow() }
}

/**
 * The commit that a text names. A state of a workspace is `not_found`: it holds what nobody committed, such as secrets and the contents
 * of the past, and all of it below other paths than those that the policy judges.
 */
export async function commitNamed(git: GitDirectory, head: Oid | null, revision: string): Promise<Oid> {
  const oid = await resolveCommit(await revisionsOf(git, head), revision)
  if (!isStateCommit(parseCommit(await git.objects.readAs(oid, 'commit'), oid))) return oid
  throw new FilewrightError('not_found', `There is no commit ${revision} in the history: that is a state of a workspace.`, {
    field: 'revision',
  })
}
