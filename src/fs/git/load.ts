/** Loading a directory: its tree as git has it, and beside it what git cannot hold. */
import { FilewrightError } from '../../core/errors.ts'
import type { MaybePromise } from '../../core/file_system.ts'
import type { GitMode, Oid } from '../../core/repository.ts'
import type { ObjectDatabase } from '../../git/objects.ts'
import { parseTree, type TreeCursor, type TreeEntry, treeCursor } from '../../git/tree.ts'
import { besideName, FACTS, parseFacts, usualIdOf } from './facts.ts'
import type { ChildFacts, DirectoryFacts } from './known_facts.ts'
import {
  DIRECTORY_MODE,
  EXECUTABLE_MODE,
  type GitDirectoryNode,
  type GitNode,
  LINK_MODE,
  PLAIN_MODE,
  type Stored,
  storedDirectory,
} from './nodes.ts'
import { isRefused } from './refused.ts'

const NO_FACTS: DirectoryFacts = { own: { mode: null, mtimeMs: null, createdMs: null, id: null }, children: new Map() }
const UNKNOWN: ChildFacts = { mode: null, mtimeMs: null, createdMs: null, revision: null, hash: null, size: null }

/** Loads the children of a directory, unless that is done. At once where the objects are at hand. */
export function loadDirectory(objects: ObjectDatabase, directory: GitDirectoryNode): MaybePromise<void> {
  if (directory.children !== null) return
  const { tree, facts } = directory.stored
  if (facts === null && tree !== null) {
    const bytes = objects.readAs(tree, 'tree')
    if (!(bytes instanceof Promise)) return fill(directory, treeCursor(bytes, tree), [], NO_FACTS)
  }
  return loadWithFacts(objects, directory, directory.stored)
}

async function loadWithFacts(objects: ObjectDatabase, directory: GitDirectoryNode, { tree, facts }: Stored): Promise<void> {
  const items = tree && treeCursor(await objects.readAs(tree, 'tree'), tree)
  const beside = await readTree(objects, facts)
  const blob = beside.find(({ name }) => name === FACTS)
  const known = blob ? parseFacts(await objects.readAs(blob.oid, 'blob')) : NO_FACTS
  fill(directory, items, beside, known)
}

/** The entries of a tree; none of no tree. */
export async function readTree(objects: ObjectDatabase, tree: Oid | null): Promise<TreeEntry[]> {
  return tree === null ? [] : parseTree(await objects.readAs(tree, 'tree'), tree)
}

function fill(directory: GitDirectoryNode, items: TreeCursor | null, beside: readonly TreeEntry[], facts: DirectoryFacts): void {
  // Somebody else was faster.
  if (directory.children !== null) return
  const factsOf = new Map<string, Oid>()
  const entriesBeside: TreeEntry[] = []
  for (const { name, mode, oid } of beside) {
    const known = besideName(name)
    if (known?.kind === 'facts') factsOf.set(known.name, oid)
    else if (known?.kind === 'entry') entriesBeside.push({ name: known.name, mode, oid })
  }
  const { recent } = directory
  const own = recent?.own ?? facts.own
  directory.mode = own.mode ?? DIRECTORY_MODE
  directory.mtimeMs = own.mtimeMs
  directory.createdMs = own.createdMs
  directory.id = own.id ?? directory.id
  const children = new Map<string, GitNode>()
  const add = (name: string, node: GitNode): void => {
    if (name === '.' || name === '..' || children.has(name)) throw impossibleName(name)
    children.set(name, node)
  }
  const addStored = (name: string, mode: GitMode, oid: Oid): void => {
    if (mode === '040000') {
      add(name, subdirectory(directory, name, oid, factsOf.get(name) ?? null))
      factsOf.delete(name)
    } else {
      add(name, leafOf(mode, oid, recent?.children.get(name) ?? facts.children.get(name) ?? UNKNOWN))
    }
  }
  // No list of them is made: it would cost as much as the nodes.
  while (items?.next()) addStored(items.name, items.mode, items.oid)
  for (const { name, mode, oid } of entriesBeside) addStored(name, mode, oid)
  // Empty ones, and those that hold nothing but what git refuses.
  for (const [name, oid] of factsOf) add(name, subdirectory(directory, name, null, oid))
  directory.earlier = undefined
  directory.children = children
  directory.inOrder = beside.length === 0
}

/** A directory that holds this, or holds it twice, is damaged. */
export function impossibleName(name: string): FilewrightError {
  return new FilewrightError('corrupt', `A directory holds ${JSON.stringify(name)}, which cannot be.`)
}

function subdirectory(above: GitDirectoryNode, name: string, tree: Oid | null, facts: Oid | null): GitDirectoryNode {
  const stored = { tree, facts, beside: above.stored.beside || isRefused(name, 'directory') }
  const recent = above.recent?.below.get(name) ?? null
  const id = usualIdOf(above, name)
  const known = above.earlier?.children?.get(name)
  if (known?.kind !== 'directory') return storedDirectory(stored, id, recent)
  const unsettled = known.changed || known.recent !== null || recent !== null
  const same = !unsettled && known.stored.tree === tree && known.stored.facts === facts && known.usualId === id
  return same ? known : storedDirectory(stored, id, recent, known)
}

function leafOf(mode: Exclude<GitMode, '040000'>, oid: Oid, { mode: odd, mtimeMs, createdMs, revision, hash, size }: ChildFacts): GitNode {
  switch (mode) {
    case '120000':
      return { kind: 'link', oid, revision, mode: odd ?? LINK_MODE, mtimeMs, createdMs, target: null }
    case '160000':
      return { kind: 'special', oid, mode: PLAIN_MODE, mtimeMs, createdMs }
    default:
      return {
        kind: 'file',
        oid,
        revision,
        mode: odd ?? (mode === '100755' ? EXECUTABLE_MODE : PLAIN_MODE),
        mtimeMs,
        createdMs,
        hash,
        size,
      }
  }
}

/** Loads what has to be loaded before facts that are recent are stored where they belong. */
export async function loadUnsettled(objects: ObjectDatabase, directory: GitDirectoryNode): Promise<void> {
  if (!directory.changed && directory.recent === null) return
  const loading = loadDirectory(objects, directory)
  if (loading) await loading
  for (const node of directory.children?.values() ?? []) if (node.kind === 'directory') await loadUnsettled(objects, node)
}
