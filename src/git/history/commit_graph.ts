/** Commits as a graph: who is whose parent, read once. */
import type { Commit, Oid } from '../../core/repository.ts'
import { parseCommit } from '../commit.ts'
import { type CommitLinks, parseLinks } from '../commit_links.ts'
import type { ObjectDatabase } from '../objects.ts'

/** A commit in a graph: one at which a shallow clone ends has no parents. */
export interface CommitNode extends CommitLinks {
  readonly oid: Oid
}

/**
 * The commits of a repository. It remembers every one that it read (some hundred bytes each), so calls that belong together share
 * one, and none is kept for ever. A commit that is missing is `not_found`, what is none `corrupt`.
 */
export interface CommitGraph {
  readonly objects: Pick<ObjectDatabase, 'readAs'>
  node(oid: Oid): Promise<CommitNode>
  /** With names and message, and the parents that a walk finds. */
  commit(oid: Oid): Promise<Commit>
}

/** A graph whose commits in `shallow` have no parents. */
export function commitGraph(objects: Pick<ObjectDatabase, 'readAs'>, shallow: ReadonlySet<string> = new Set()): CommitGraph {
  const nodes = new Map<Oid, CommitNode>()
  const commit = async (oid: Oid): Promise<Commit> => {
    const { tree, parents, author, committer, message } = parseCommit(await objects.readAs(oid, 'commit'), oid)
    return { oid, tree, parents: shallow.has(oid) ? [] : parents, author, committer, message }
  }
  return {
    objects,
    commit,
    async node(oid) {
      const known = nodes.get(oid)
      if (known) return known
      const links = parseLinks(await objects.readAs(oid, 'commit'), oid)
      const node = { oid, ...links, ...(shallow.has(oid) && { parents: [] }) }
      nodes.set(oid, node)
      return node
    },
  }
}
