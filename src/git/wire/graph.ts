/** The few facts of commits and tags that a conversation with a remote is about. */
import type { Oid } from '../../core/repository.ts'
import { parseTag } from '../commit.ts'
import { parseLinks } from '../commit_links.ts'
import type { GitDirectory } from '../directory.ts'
import type { CommitNode } from '../history/commit_graph.ts'
import { isAncestor } from '../history/merge_base.ts'
import type { ObjectDatabase } from '../objects.ts'
import { EMPTY_TREE } from '../oid.ts'

/** Reads commits, each once. */
export interface Graph {
  /** Null when it is not here. */
  node(oid: Oid): Promise<CommitNode | null>
  /** What a tag stands for in the end, if that is a commit that is here. */
  commitOf(oid: Oid): Promise<Oid | null>
  /** Whether `ancestor` is `oid` or one of its ancestors, whatever the committers' clocks said; tags are followed. What is no commit, or is not here, is not. */
  reaches(oid: Oid, ancestor: Oid): Promise<boolean>
}

/** The graph of a repository, which ends at the commits in `shallow`. */
export function openGraph({ objects }: Pick<GitDirectory, 'objects'>, shallow: ReadonlySet<Oid>): Graph {
  const known = new Map<Oid, CommitNode | null>()

  async function node(oid: Oid): Promise<CommitNode | null> {
    const found = known.get(oid)
    if (found !== undefined) return found
    const links = (await objects.has(oid)) ? parseLinks(await objects.readAs(oid, 'commit'), oid) : null
    const made = links && { oid, ...links, ...(shallow.has(oid) && { parents: [] }) }
    known.set(oid, made)
    return made
  }

  return {
    node,
    commitOf: (oid) => peel(objects, oid),
    async reaches(oid, ancestor) {
      const [descendant, looked] = [await peel(objects, oid), await peel(objects, ancestor)]
      if (descendant === null || looked === null) return false
      const orEnd = async (at: Oid): Promise<CommitNode> => (await node(at)) ?? { oid: at, tree: EMPTY_TREE, parents: [], timeMs: 0 }
      return isAncestor({ node: orEnd }, looked, descendant)
    },
  }
}

/** What a tag stands for in the end, if that is a commit that is here. */
async function peel(objects: ObjectDatabase, start: Oid): Promise<Oid | null> {
  let oid = start
  for (let steps = 0; steps < 10 && (await objects.has(oid)); steps++) {
    const { type, bytes } = await objects.read(oid)
    if (type === 'commit') return oid
    if (type !== 'tag') return null
    oid = parseTag(bytes, oid).object
  }
  return null
}
