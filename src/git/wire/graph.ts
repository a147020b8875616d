/** The few facts of commits and tags that a conversation with a remote is about. */
import { FilewrightError } from '../../core/errors.ts'
import type { Oid } from '../../core/repository.ts'
import type { GitDirectory } from '../directory.ts'
import type { CommitNode } from '../history/commit_graph.ts'
import { isAncestor } from '../history/merge_base.ts'
import type { ObjectDatabase } from '../objects.ts'
import { EMPTY_TREE } from '../oid.ts'

/** Where a commit stands. */
export interface CommitLinks {
  readonly tree: Oid
  /** Without those that a shallow clone lacks. */
  readonly parents: readonly Oid[]
  /** Of the committer, seconds since 1970. */
  readonly time: number
}

/** Reads commits, each once. */
export interface Graph {
  /** Null when it is not here. */
  links(oid: Oid): Promise<CommitLinks | null>
  /** What a tag stands for in the end, if that is a commit that is here. */
  commitOf(oid: Oid): Promise<Oid | null>
  /** Whether `ancestor` is `oid` or one of its ancestors, whatever the committers' clocks said; tags are followed. What is no commit, or is not here, is not. */
  reaches(oid: Oid, ancestor: Oid): Promise<boolean>
}

/** The graph of a repository, which ends at the commits in `shallow`. */
export function openGraph({ objects }: Pick<GitDirectory, 'objects'>, shallow: ReadonlySet<Oid>): Graph {
  const known = new Map<Oid, CommitLinks | null>()

  async function links(oid: Oid): Promise<CommitLinks | null> {
    const found = known.get(oid)
    if (found !== undefined) return found
    const read = (await objects.has(oid)) ? parseCommit(oid, await objects.readAs(oid, 'commit')) : null
    const made = read && shallow.has(oid) ? { ...read, parents: [] } : read
    known.set(oid, made)
    return made
  }

  return {
    links,
    commitOf: (oid) => peel(objects, oid),
    async reaches(oid, ancestor) {
      const [descendant, looked] = [await peel(objects, oid), await peel(objects, ancestor)]
      if (descendant === null || looked === null) return false
      const node = async (at: Oid): Promise<CommitNode> => {
        const commit = await links(at)
        return { oid: at, tree: commit?.tree ?? EMPTY_TREE, parents: commit?.parents ?? [], timeMs: (commit?.time ?? 0) * 1000 }
      }
      return isAncestor({ node }, looked, descendant)
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
    oid = tagTarget(oid, bytes)
  }
  return null
}

/** What a tag object points to. Throws `corrupt`. */
export function tagTarget(oid: Oid, bytes: Uint8Array): Oid {
  const target = /^object ([0-9a-f]{40})\n/.exec(latin(bytes.subarray(0, 48)))?.[1]
  if (target === undefined) throw damaged(oid, 'tag')
  return target as Oid
}

/** Reads the links of a commit. Throws `corrupt`. */
export function parseCommit(oid: Oid, bytes: Uint8Array): CommitLinks {
  const end = headEnd(bytes)
  const head = latin(bytes.subarray(0, end))
  const links = /^tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)/.exec(head)
  if (!links) throw damaged(oid, 'commit')
  const parents = [...(links[2] as string).matchAll(/parent ([0-9a-f]{40})/g)].map(([, parent]) => parent as Oid)
  return { tree: links[1] as Oid, parents, time: Number(/\ncommitter [^\n]*> (\d{1,15})/.exec(head)?.[1] ?? 0) }
}

function damaged(oid: Oid, what: string): FilewrightError {
  return new FilewrightError('corrupt', `The ${what} ${oid} is damaged.`, { details: { oid } })
}

/** Where the head of a commit ends: at the first empty line. */
function headEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) if (bytes[at + 1] === 10) return at + 1
  return bytes.length
}

function latin(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes)
}
