/** Merges two trees that come from a third one. Directories that one side left alone are not entered. */
import { FilewrightError } from '../../core/errors.ts'
import { bytesOfText } from '../../core/name_bytes.ts'
import { compareText, joinPath, namesOf, type Path, ROOT } from '../../core/path.ts'
import type { GitEntry, MergeConflict, MergedPath, Oid } from '../../core/repository.ts'
import { parseTree, type TreeEntry } from '../tree.ts'
import { isHostileName } from '../wire/tree_names.ts'
import { checkDepth, diffTrees, entryAt, treeBytes } from './diff_trees.ts'
import {
  type Contents,
  type MergedEntry,
  type MergeReader,
  type MergeStyle,
  mergeContents,
  mergeEntry,
  type Outcome,
  sameEntry,
  type Versions,
} from './merge_entry.ts'
import { followRenames } from './merge_renames.ts'

/** Three trees; null stands for the empty one. */
export interface TreeMerge {
  readonly base: Oid | null
  readonly ours: Oid | null
  readonly theirs: Oid | null
  readonly style: MergeStyle
  readonly signal?: AbortSignal
}

/** What a merge of trees comes to: what changes on our side, by path. */
export interface MergedTrees {
  readonly changes: readonly MergedPath[]
  readonly conflicts: readonly MergeConflict[]
}

/**
 * Merges. Where both sides changed a path in ways that do not go together, the conflict says so, and the change holds what git leaves
 * in the worktree: text with markers, our version of what has no lines, the version that one side kept of what the other deleted. A
 * file in the place of a directory is put beside it, as `path~label` of its side; the conflict names that path.
 *
 * A file that one side moved without changing it takes along what the other side changed in it; other renames are a deletion and a
 * new file. `.gitattributes` are not read. Throws `invalid_name` when their side brings a name that git refuses, such as `.git`.
 */
export async function mergeTrees(objects: MergeReader, merge: TreeMerge): Promise<MergedTrees> {
  const { style, signal } = merge
  const changes = new Map<Path, MergedPath>()
  const conflicts: MergeConflict[] = []
  const pending: { readonly path: Path; readonly files: Versions; readonly contents: Contents }[] = []
  await mergeDirectories(ROOT, merge.base, merge.ours, merge.theirs, 0)
  await settleContents()
  const settled = style.virtual ? conflicts : await followRenames(objects, merge, changes, conflicts)
  return {
    changes: [...changes.values()].sort((a, b) => compareText(a.path, b.path)),
    conflicts: [...settled].sort((a, b) => compareText(a.path, b.path)),
  }

  async function mergeDirectories(dir: Path, base: Oid | null, ours: Oid | null, theirs: Oid | null, depth: number): Promise<void> {
    if (theirs === base || theirs === ours) return
    checkDepth(depth)
    signal?.throwIfAborted()
    if (ours === base) return takeTheirs(dir, ours, theirs)
    const [before, our, their] = [await entriesOf(base), await entriesOf(ours), await entriesOf(theirs)]
    for (const name of new Set([...before.keys(), ...our.keys(), ...their.keys()])) {
      const versions = { base: before.get(name) ?? null, ours: our.get(name) ?? null, theirs: their.get(name) ?? null }
      await mergeName(joinPath(dir, name), versions, depth)
    }
  }

  async function entriesOf(tree: Oid | null): Promise<ReadonlyMap<string, TreeEntry>> {
    return new Map(parseTree(await treeBytes(objects, tree), tree ?? undefined).map((entry) => [entry.name, entry]))
  }

  /** What is below a directory that only they changed. */
  async function takeTheirs(dir: Path, ours: Oid | null, theirs: Oid | null): Promise<void> {
    for (const { path, after } of await diffTrees(objects, ours, theirs, signal ? { signal } : {})) put(below(dir, path), after)
  }

  function put(path: Path, result: MergedEntry): void {
    if (result !== null) checkNames(path)
    changes.set(path, result !== null && 'bytes' in result ? { path, ...result } : { path, entry: bare(result) })
  }

  async function mergeName(path: Path, versions: Versions, depth: number): Promise<void> {
    const { base, ours, theirs } = versions
    if (sameEntry(theirs, base) || sameEntry(theirs, ours)) return
    const files: Versions = { base: fileOf(base), ours: fileOf(ours), theirs: fileOf(theirs) }
    const outcome = mergeEntry(files, style)
    await mergeDirectories(path, treeOf(base), treeOf(ours), treeOf(theirs), depth + 1)
    // Where both sides have a file, there is no directory that could be in its place.
    if (!('result' in outcome)) pending.push({ path, files, contents: outcome })
    else if (outcome.result && (treeOf(ours) ?? treeOf(theirs)) && (await isDirectoryLeft(path, treeOf(ours)))) {
      await putBeside(path, files, outcome.result)
    } else settle(path, files, outcome)
  }

  function settle(path: Path, files: Versions, { result, conflict }: Outcome): void {
    if (!isUnchanged(files.ours, result)) put(path, result)
    if (conflict) conflicts.push({ path, kind: conflict, ...bareVersions(files) })
  }

  /** Contents are read last, so that a partial clone fetches them at once. */
  async function settleContents(): Promise<void> {
    const oids = pending.flatMap(({ contents: { base, ours, theirs } }) => (base ? [base, ours, theirs] : [ours, theirs]))
    if (oids.length > 0) await objects.prefetch(oids)
    for (const { path, files, contents } of pending) {
      signal?.throwIfAborted()
      settle(path, files, await mergeContents(objects, contents, style))
    }
  }

  /** Whether anything is left below a path, of ours or of what the merge brings. */
  async function isDirectoryLeft(dir: Path, ours: Oid | null): Promise<boolean> {
    for (const change of changes.values()) {
      if (change.path.startsWith(`${dir}/`) && ('bytes' in change || change.entry)) return true
    }
    const kept = ours === null ? [] : await diffTrees(objects, null, ours, signal ? { signal } : {})
    return kept.some(({ path }) => !changes.has(below(dir, path)))
  }

  /** A directory is in the place of a file that is to stay: the file goes beside it. */
  async function putBeside(path: Path, files: Versions, result: MergedEntry): Promise<void> {
    if (files.ours) put(path, null)
    const label = files.ours ? style.ours : style.theirs
    const free = await freeName(`${path}~${label.replaceAll('/', '_')}` as Path)
    put(free, result)
    conflicts.push({ path: free, kind: 'directory/file', ...bareVersions(files) })
  }

  async function freeName(wanted: Path): Promise<Path> {
    for (let at = 0; ; at++) {
      const path = (at === 0 ? wanted : `${wanted}_${at - 1}`) as Path
      const taken = changes.has(path) || (await entryAt(objects, merge.ours, path)) || (await entryAt(objects, merge.theirs, path))
      if (!taken) return path
    }
  }
}

/** What git would never write into a worktree is not merged into a workspace. */
function checkNames(path: Path): void {
  for (const name of namesOf(path)) {
    const bytes = bytesOfText(name)
    if (isHostileName(bytes, 0, bytes.length)) {
      throw new FilewrightError(
        'invalid_name',
        `The other side holds ${JSON.stringify(path)}, a name that git refuses. Remove it there first.`,
      )
    }
  }
}

function below(dir: Path, path: Path): Path {
  return dir === ROOT ? path : joinPath(dir, path)
}

function fileOf(entry: GitEntry | null): GitEntry | null {
  return entry?.mode === '040000' ? null : entry
}

function treeOf(entry: GitEntry | null): Oid | null {
  return entry?.mode === '040000' ? entry.oid : null
}

function isUnchanged(ours: GitEntry | null, result: MergedEntry): boolean {
  return result === null || !('bytes' in result) ? sameEntry(ours, result) : false
}

/** An entry of a tree without its name. */
function bare(entry: GitEntry | null): GitEntry | null {
  return entry && { mode: entry.mode, oid: entry.oid }
}

function bareVersions({ base, ours, theirs }: Versions): Versions {
  return { base: bare(base), ours: bare(ours), theirs: bare(theirs) }
}
