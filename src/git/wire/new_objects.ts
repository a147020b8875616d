/** Which objects some tips lead to that others do not: what a push must send, and what a fetch must have brought. */
import { FilewrightError } from '../../core/errors.ts'
import type { Oid } from '../../core/repository.ts'
import { parseTag } from '../commit.ts'
import type { GitDirectory } from '../directory.ts'
import type { ObjectType } from '../objects.ts'
import { type TreeCursor, treeCursor } from '../tree.ts'
import { checkCanceled } from './body.ts'
import type { Graph } from './graph.ts'
import type { WireLimits } from './limits.ts'
import { newCommits } from './new_commits.ts'
import { isHostileName } from './tree_names.ts'

/** What is asked. */
export interface NewObjectsQuery {
  readonly graph: Graph
  readonly tips: readonly Oid[]
  /** What these lead to is left out. Those that are not here count for nothing. */
  readonly except: ReadonlySet<Oid>
  /** A server holds what is not here: it is left out. Otherwise a missing object is `corrupt`. */
  readonly promised: boolean
  /** Whether files are looked at; default true. Without them, only names and trees are. */
  readonly files?: boolean
  readonly limits: Pick<WireLimits, 'pathBytes' | 'depth'>
  readonly signal?: AbortSignal | undefined
}

/** Objects by type, each once. */
export type ObjectsByType = { readonly [type in ObjectType]: ReadonlySet<Oid> }

/**
 * Walks commits newest first, and the trees of those that are new. Nothing is fetched. Throws `corrupt` for a missing or damaged
 * object and for names that git refuses, `too_large` for trees beyond the limits.
 */
export async function newObjects(git: GitDirectory, query: NewObjectsQuery): Promise<ObjectsByType> {
  const { objects } = git
  const { graph, promised, files = true, limits, signal } = query
  const found = { commit: new Set<Oid>(), tree: new Set<Oid>(), blob: new Set<Oid>(), tag: new Set<Oid>() }
  /** Trees and blobs that are not new. */
  const old = new Set<Oid>()

  async function isHere(oid: Oid): Promise<boolean> {
    if (await objects.has(oid)) return true
    if (promised) return false
    throw new FilewrightError('corrupt', `The object ${oid} is missing, although others lead to it.`, { details: { oid } })
  }

  /** Everything below a tree, into `trees` and `blobs`. */
  async function walk(root: Oid, trees: Set<Oid>, blobs: Set<Oid>, check: boolean): Promise<void> {
    const stack = [{ oid: root, bytes: 0, depth: 0 }]
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const { oid, bytes, depth } = at
      if (old.has(oid) || trees.has(oid) || !(await isHere(oid))) continue
      checkCanceled(signal)
      trees.add(oid)
      const entry = treeCursor(await objects.readAs(oid, 'tree'), oid)
      while (entry.next()) {
        const length = bytes + entry.nameEnd - entry.nameStart + 1
        if (check) checkEntry(entry, oid, length, depth)
        const { mode } = entry
        if (mode === '040000') stack.push({ oid: entry.oid, bytes: length, depth: depth + 1 })
        else if (files && mode !== '160000') {
          const { oid: file } = entry
          if (blobs.has(file) || old.has(file)) continue
          // Mostly known at once: waiting for each would cost more than asking.
          const here = check ? objects.has(file) : true
          if ((here instanceof Promise ? await here : here) || (await isHere(file))) blobs.add(file)
        }
      }
    }
  }

  function checkEntry({ bytes, nameStart, nameEnd }: TreeCursor, tree: Oid, length: number, depth: number): void {
    if (isHostileName(bytes, nameStart, nameEnd)) throw refused(tree, bytes.subarray(nameStart, nameEnd))
    if (depth >= limits.depth || length > limits.pathBytes) {
      throw new FilewrightError('too_large', `Paths in ${tree} are longer than ${limits.depth} directories or ${limits.pathBytes} bytes.`)
    }
  }

  const starts: Oid[] = []
  for (const tip of query.tips) {
    // Tags lead to commits, and rarely to other things.
    for (let oid: Oid | null = query.except.has(tip) ? null : tip; oid !== null && (await isHere(oid)); ) {
      const { type } = await objects.header(oid)
      if (type === 'commit') starts.push(oid)
      else if (type === 'tree') await walk(oid, found.tree, found.blob, true)
      else if (type === 'blob') found.blob.add(oid)
      else found.tag.add(oid)
      oid = type === 'tag' ? parseTag(await objects.readAs(oid, 'tag'), oid).object : null
    }
  }

  const { commits, edge } = await newCommits({ graph, from: starts, except: query.except, isHere, signal })
  for (const end of edge) {
    const node = await graph.node(end)
    if (node) await walk(node.tree, old, old, false)
  }
  for (const oid of commits) {
    found.commit.add(oid)
    const node = await graph.node(oid)
    if (node) await walk(node.tree, found.tree, found.blob, true)
  }
  for (const excepted of query.except) found.tag.delete(excepted)
  return found
}

function refused(oid: Oid, name: Uint8Array): FilewrightError {
  const text = JSON.stringify(new TextDecoder().decode(name.subarray(0, 100)))
  return new FilewrightError('corrupt', `The tree ${oid} holds the name ${text}, which git refuses.`, { details: { oid } })
}
