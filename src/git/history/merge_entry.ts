/** Merges what is at one path: files, links and submodules. */
import type { GitEntry, GitMode, MergeConflict, Oid } from '../../core/repository.ts'
import type { ObjectDatabase } from '../objects.ts'
import { isMergeable, MAX_TEXT_BYTES, type MarkerStyle, mergeText } from './merge_text.ts'

/** What the merge reads with. */
export type MergeReader = Pick<ObjectDatabase, 'readAs' | 'header' | 'prefetch'>

/** The three versions of a path; directories count as nothing. */
export interface Versions {
  readonly base: GitEntry | null
  readonly ours: GitEntry | null
  readonly theirs: GitEntry | null
}

/** What a path becomes: an entry, a file that has to be written, or nothing. */
export type MergedEntry = GitEntry | { readonly mode: GitMode; readonly bytes: Uint8Array } | null

/** How one path comes out. */
export interface Outcome {
  readonly result: MergedEntry
  readonly conflict: MergeConflict['kind'] | null
}

/** A file that both sides changed: what it becomes is in its contents. */
export interface Contents {
  readonly mode: GitMode
  /** The mode is a conflict as well. */
  readonly modesDiffer: boolean
  /** Null where both added the file. */
  readonly base: Oid | null
  readonly ours: Oid
  readonly theirs: Oid
}

/** How conflicts are answered. */
export interface MergeStyle extends MarkerStyle {
  /** The merge only makes a base for another one: where no side is right, the older version stays. */
  readonly virtual?: boolean
}

/** Whether two entries are the same, mode included. */
export function sameEntry(a: GitEntry | null, b: GitEntry | null): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode
}

/** Merges one path, as far as that can be told without reading files. */
export function mergeEntry({ base, ours, theirs }: Versions, style: MergeStyle): Outcome | Contents {
  if (sameEntry(ours, theirs) || sameEntry(base, theirs)) return { result: ours, conflict: null }
  if (sameEntry(base, ours)) return { result: theirs, conflict: null }
  const fallback = style.virtual ? base : ours
  if (!ours || !theirs) return { result: style.virtual ? base : (ours ?? theirs), conflict: 'modify/delete' }
  if (kindOf(ours) !== kindOf(theirs)) return { result: fallback, conflict: 'mode' }
  const mode = ours.mode === theirs.mode || ours.mode === base?.mode ? theirs.mode : ours.mode
  const modesDiffer = mode !== theirs.mode && theirs.mode !== base?.mode
  // What was another kind of thing is no version of it.
  const common = base && kindOf(base) === kindOf(ours) ? base.oid : null
  if (ours.oid === theirs.oid || common === theirs.oid) return settled(mode, ours.oid, modesDiffer)
  if (common === ours.oid) return settled(mode, theirs.oid, modesDiffer)
  if (kindOf(ours) === 'submodule') return { result: fallback, conflict: 'submodule' }
  if (kindOf(ours) === 'link') return { result: fallback, conflict: 'binary' }
  return { mode, modesDiffer, base: common, ours: ours.oid, theirs: theirs.oid }
}

/** Merges what is in a file. */
export async function mergeContents(objects: MergeReader, contents: Contents, style: MergeStyle): Promise<Outcome> {
  const { mode, modesDiffer, base, ours, theirs } = contents
  const texts = await readTexts(objects, base, ours, theirs)
  if (texts === null) {
    const oid = style.virtual ? base : ours
    return { result: oid === null ? { mode, bytes: new Uint8Array(0) } : { mode, oid }, conflict: 'binary' }
  }
  const { bytes, conflicts } = mergeText(...texts, style)
  const kind = conflicts === 0 ? (modesDiffer ? 'mode' : null) : base === null ? 'add/add' : 'content'
  return { result: { mode, bytes }, conflict: kind }
}

function settled(mode: GitMode, oid: Oid, modesDiffer: boolean): Outcome {
  return { result: { mode, oid }, conflict: modesDiffer ? 'mode' : null }
}

function kindOf({ mode }: GitEntry): 'file' | 'link' | 'submodule' | 'directory' {
  if (mode === '120000') return 'link'
  if (mode === '160000') return 'submodule'
  return mode === '040000' ? 'directory' : 'file'
}

/** The contents of three blobs; null when one of them has no lines that could be merged. */
async function readTexts(
  objects: MergeReader,
  base: Oid | null,
  ours: Oid,
  theirs: Oid,
): Promise<[base: Uint8Array, ours: Uint8Array, theirs: Uint8Array] | null> {
  const read = async (oid: Oid | null): Promise<Uint8Array | null> => {
    if (oid === null) return new Uint8Array(0)
    if ((await objects.header(oid)).size > MAX_TEXT_BYTES) return null
    const bytes = await objects.readAs(oid, 'blob')
    return isMergeable(bytes) ? bytes : null
  }
  const [before, our, their] = [await read(base), await read(ours), await read(theirs)]
  return before && our && their ? [before, our, their] : null
}
