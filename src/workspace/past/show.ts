/** One recorded change, as a diff or a line that says why there is none. */
import type { RecordedChange, Side } from '../../core/change.ts'
import type { Path } from '../../core/path.ts'
import { unifiedDiff } from '../../text/diff/unified.ts'
import { isBinary } from '../../text/utf8.ts'
import type { ShownChange } from '../workspace.ts'

/** Largest side that is compared for showing, in bytes. */
const MOST_BYTES = 2 * 1024 * 1024

/** Finds the bytes of a side; null when nobody holds them any more. */
export type ContentSource = (path: Path, side: Extract<Side, { kind: 'file' }>) => Promise<Uint8Array | null>

const NOTHING = new Uint8Array()

/** The note of a diff that is not whole. */
export const DIFF_IS_CUT = 'The diff is cut.'

/** A side as far as it is described. */
export type DescribedSide =
  | { readonly kind: 'file'; readonly size: number; readonly mode: number }
  | { readonly kind: 'directory' }
  | { readonly kind: 'link'; readonly target: string }

/** A change as far as it is described. */
export interface Described {
  readonly kind: RecordedChange['kind']
  readonly path: Path
  readonly to?: Path
  readonly before: DescribedSide | null
  readonly after: DescribedSide | null
}

/** The change with its diff. */
export async function showChange(change: RecordedChange, contentOf: ContentSource): Promise<ShownChange> {
  const read = async (side: Side | null): Promise<Uint8Array | null> => (side?.kind === 'file' ? contentOf(change.path, side) : NOTHING)
  return { ...change, ...(await describeChange(change, (which) => read(change[which]))) }
}

/** A diff, or a note that says why there is none, or both when it is cut. `read` gives the bytes of a side; null when nobody has them. */
export async function describeChange(
  change: Described,
  read: (which: 'before' | 'after') => Promise<Uint8Array | null>,
): Promise<{ readonly diff: string | null; readonly note: string | null }> {
  const note = noteWithoutContent(change)
  if (note !== null) return { diff: null, note }
  const before = change.before ? await read('before') : NOTHING
  const after = change.after ? await read('after') : NOTHING
  if (!before || !after) return { diff: null, note: `The content ${before ? 'after' : 'before'} it is not kept.` }
  if (isBinary(before) || isBinary(after)) return { diff: null, note: 'Binary content.' }
  const { text, truncated } = unifiedDiff(before, after, {
    oldPath: change.before ? change.path : null,
    newPath: change.after ? change.path : null,
  })
  return { diff: text, note: truncated ? DIFF_IS_CUT : text === '' ? emptyNote(change) : null }
}

function noteWithoutContent({ kind, before, after, to }: Described): string | null {
  if (kind === 'move') return `Moved to ${to}.`
  if (kind === 'snapshot') return 'A backup is kept of it.'
  const sides = [before, after].filter((side) => side !== null)
  if (sides.some((side) => side.kind === 'directory')) return after ? 'A new directory.' : 'The directory was removed.'
  if (sides.some((side) => side.kind === 'link')) return `${sideText(before)} → ${sideText(after)}`
  return sides.some((side) => side.kind === 'file' && side.size > MOST_BYTES) ? 'Too large to compare here.' : null
}

function sideText(side: DescribedSide | null): string {
  if (!side) return 'nothing'
  return side.kind === 'link' ? `link to ${side.target}` : side.kind
}

function emptyNote({ before, after }: Described): string {
  const modes = before?.kind === 'file' && after?.kind === 'file' && before.mode !== after.mode
  return modes ? `Mode ${before.mode.toString(8)} → ${after.mode.toString(8)}.` : 'An empty file.'
}
