/** Merges two commits: finds what they began with, where that is several commits merges those first, and merges the trees. */
import { FilewrightError } from '../../core/errors.ts'
import type { GitEntry, MergeConflict, MergedPath, MergeResult, Oid } from '../../core/repository.ts'
import { type NewObject, newObject, type ObjectDatabase } from '../objects.ts'
import { type CommitGraph, commitGraph } from './commit_graph.ts'
import { mergeBases, mergeBasesOfHeads } from './merge_base.ts'
import { mergeTrees } from './merge_trees.ts'
import { treeWithChanges } from './tree_with_changes.ts'

/** A merge that is asked for. */
export interface CommitMerge {
  readonly ours: Oid
  /** Our side's files where they are not those of the commit: a workspace with changes. */
  readonly oursTree?: Oid
  readonly theirs: Oid
  /** Names of the sides in markers and beside paths; default `ours` and `theirs`. */
  readonly labels?: { readonly ours?: string; readonly theirs?: string }
  /** Whether conflicts show what both sides began with; default no. */
  readonly showBase?: boolean
  /** Commits at which a shallow clone ends. */
  readonly shallow?: ReadonlySet<string>
  readonly signal?: AbortSignal
}

/** What merges read with; names are made, nothing is written. */
export type MergeObjects = Pick<ObjectDatabase, 'readAs' | 'header' | 'prefetch' | 'name'>

/** Git's length of a marker, and how much longer it is in each base that is a merge itself. */
const [MARKER_SIZE, MARKER_STEP] = [7, 2]
/** Bases of bases are merged so far down; the oldest then stands for all. */
const MAX_BASES_DEPTH = 100
/** Digits of a commit's name in a label. */
const SHORT_OID = 7
/** Longest label, UTF-16 units: it becomes a part of names. */
const MAX_LABEL = 60

/**
 * Merges `theirs` into `ours`. Throws `unsupported` for histories that have nothing in common; in a shallow clone what they have in
 * common may not be here.
 */
export async function mergeCommits(objects: MergeObjects, merge: CommitMerge): Promise<MergeResult> {
  const { ours, theirs, signal } = merge
  const graph = commitGraph(objects, merge.shallow)
  const bases = await mergeBases(graph, ours, theirs, signal)
  if (bases.length === 0) throw new FilewrightError('unsupported', 'The histories of the two sides have no commit in common.')
  if (bases[0] === theirs) return { kind: 'up-to-date', theirs, changes: [], conflicts: [] }
  const made = new Map<Oid, NewObject>()
  const reader = withMade(objects, made)
  const showBase = merge.showBase ?? false
  const base = await virtualBase({ graph, objects: reader, made, known: new Map(), showBase, ...(signal ? { signal } : {}) }, bases, 0)
  const { changes, conflicts } = await mergeTrees(reader, {
    base,
    ours: merge.oursTree ?? (await graph.node(ours)).tree,
    theirs: (await graph.node(theirs)).tree,
    style: {
      ours: label(merge.labels?.ours, 'ours'),
      theirs: label(merge.labels?.theirs, 'theirs'),
      base: showBase ? baseLabel(bases) : null,
    },
    ...(signal ? { signal } : {}),
  })
  const told = conflicts.map((conflict) => withoutMade(conflict, made))
  return { kind: bases[0] === ours ? 'fast-forward' : 'merge', theirs, changes, conflicts: told }
}

function baseLabel([base, ...more]: readonly Oid[]): string {
  if (base === undefined) return 'empty tree'
  return more.length === 0 ? base.slice(0, SHORT_OID) : 'merged common ancestors'
}

/** A label stands in one line, and in a name. */
function label(given: string | undefined, otherwise: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a line and a name must not hold.
  const clean = (given ?? '').replace(/[\x00-\x1f\x7f]/g, '').trim()
  return clean === '' ? otherwise : clean.slice(0, MAX_LABEL).toWellFormed()
}

/** A base that only this merge knows is no version that anybody could read later. */
function withoutMade(conflict: MergeConflict, made: ReadonlyMap<Oid, NewObject>): MergeConflict {
  return conflict.base && made.has(conflict.base.oid) ? { ...conflict, base: null } : conflict
}

interface BaseMerge {
  readonly graph: CommitGraph
  readonly objects: MergeObjects
  readonly made: Map<Oid, NewObject>
  /** Trees of merged bases, by the commits that were merged. */
  readonly known: Map<string, Oid>
  readonly showBase: boolean
  readonly signal?: AbortSignal
}

/** The tree that stands for several bases: they are merged one after another, the oldest first, and their own bases before them. */
async function virtualBase(context: BaseMerge, bases: readonly Oid[], depth: number): Promise<Oid | null> {
  const [first, ...rest] = [...bases].reverse()
  if (first === undefined) return null
  let tree = (await context.graph.node(first)).tree
  if (depth > MAX_BASES_DEPTH) return tree
  const merged = [first]
  for (const next of rest) {
    const key = [...merged, next].join()
    tree = context.known.get(key) ?? (await mergeBaseTrees(context, merged, tree, next, depth))
    context.known.set(key, tree)
    merged.push(next)
  }
  return tree
}

async function mergeBaseTrees(context: BaseMerge, merged: readonly Oid[], tree: Oid, next: Oid, depth: number): Promise<Oid> {
  const { graph, objects, made, showBase, signal } = context
  const bases = await mergeBasesOfHeads(graph, merged, [next], signal)
  const { changes } = await mergeTrees(objects, {
    base: await virtualBase(context, bases, depth + 1),
    ours: tree,
    theirs: (await graph.node(next)).tree,
    style: {
      ours: 'Temporary merge branch 1',
      theirs: 'Temporary merge branch 2',
      base: showBase ? baseLabel(bases) : null,
      virtual: true,
      markerSize: MARKER_SIZE + MARKER_STEP * (depth + 1),
    },
    ...(signal ? { signal } : {}),
  })
  const entries = changes.map((change) => ({ path: change.path, after: entryOf(context, change) }))
  const result = await treeWithChanges(objects, tree, entries)
  for (const object of result.objects) made.set(object.oid, object)
  return result.oid
}

function entryOf({ objects, made }: BaseMerge, change: MergedPath): GitEntry | null {
  if (!('bytes' in change)) return change.entry
  const blob = newObject(objects, 'blob', change.bytes)
  made.set(blob.oid, blob)
  return { mode: change.mode, oid: blob.oid }
}

/** Reads also what was made and is nowhere written. */
function withMade(objects: MergeObjects, made: ReadonlyMap<Oid, NewObject>): MergeObjects {
  return {
    name: (type, bytes) => objects.name(type, bytes),
    readAs: (oid, type) => made.get(oid)?.bytes ?? objects.readAs(oid, type),
    prefetch: (oids) => objects.prefetch(oids.filter((oid) => !made.has(oid))),
    header(oid) {
      const object = made.get(oid)
      return object ? { type: object.type, size: object.bytes.length } : objects.header(oid)
    },
  }
}
