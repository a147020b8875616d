/** What is learned of the places that a commit touches, before it is decided on without waiting. */

import type { Change } from '../../core/change.ts'
import type { Hasher } from '../../core/hash.ts'
import { textOfBytes } from '../../core/name_bytes.ts'
import { namesOf, type Path } from '../../core/path.ts'
import type { TreeEdit } from '../../core/tree/edit.ts'
import { childrenOf } from '../../core/tree/nodes.ts'
import type { ObjectDatabase } from '../../git/objects.ts'
import { contentFault } from './content_fault.ts'
import { loadDirectory } from './load.ts'
import type { GitDirectoryNode, GitFileNode, GitKinds, GitNode } from './nodes.ts'
import { isRefused } from './refused.ts'

/** Loads the directories on the way to what a change names, and what is there. */
export async function learnAbout(objects: ObjectDatabase, hasher: Hasher, tree: TreeEdit<GitKinds>, change: Change): Promise<void> {
  const found = await walk(objects, tree.root(), change.path)
  await learn(objects, hasher, found)
  if (change.kind === 'copy') await learn(objects, hasher, await walk(objects, tree.root(), change.from))
  if (change.kind !== 'move') return
  await learn(objects, hasher, await walk(objects, tree.root(), change.to))
  // It is stored in another way from now on, with all that is in it.
  if (isBesidePath(change.path) !== isBesidePath(change.to)) await loadAll(objects, found)
}

/** Fetches together what a partial clone lacks of the files that changes name. */
export async function prefetchFor(objects: ObjectDatabase, root: GitDirectoryNode, changes: readonly Change[]): Promise<void> {
  const wanted: GitFileNode['oid'][] = []
  for (const change of changes) {
    for (const path of change.kind === 'copy' ? [change.path, change.from] : [change.path]) {
      const node = await walk(objects, root, path)
      if (node?.kind === 'file' && node.hash === null) wanted.push(node.oid)
    }
  }
  if (wanted.length > 1) await objects.prefetch(wanted)
}

/** What is at a path; null when nothing is. All directories on the way are loaded. */
export async function walk(objects: ObjectDatabase, root: GitDirectoryNode, path: Path): Promise<GitNode | null> {
  let node: GitNode | undefined = root
  for (const name of namesOf(path)) {
    if (node?.kind !== 'directory') return null
    const loading = loadDirectory(objects, node)
    if (loading) await loading
    node = childrenOf<GitKinds>(node).get(name)
  }
  return node ?? null
}

async function learn(objects: ObjectDatabase, hasher: Hasher, node: GitNode | null): Promise<void> {
  if (node?.kind === 'directory') {
    await loadDirectory(objects, node)
  } else if (node?.kind === 'link') {
    await learnTarget(objects, node)
  } else if (node?.kind === 'file' && node.hash === null) {
    const stream = hasher.stream()
    const { size, chunks } = await objects.stream(node.oid).catch((error) => Promise.reject(contentFault(error)))
    for await (const chunk of chunks) stream.update(chunk)
    node.size = size
    node.hash = stream.digest()
  }
}

/** The text of a link. */
export async function learnTarget(objects: ObjectDatabase, node: GitNode & { kind: 'link' }): Promise<string> {
  try {
    node.target ??= textOfBytes(await objects.readAs(node.oid, 'blob'))
    return node.target
  } catch (error) {
    throw contentFault(error)
  }
}

async function loadAll(objects: ObjectDatabase, node: GitNode | null): Promise<void> {
  if (node?.kind !== 'directory') return
  await loadDirectory(objects, node)
  for (const child of childrenOf<GitKinds>(node).values()) await loadAll(objects, child)
}

/** Whether git refuses what is at a path, whatever it is. */
export function isBesidePath(path: Path): boolean {
  return namesOf(path).some((name) => isRefused(name, 'link'))
}
