/** One recorded change, as a diff or a line that says why there is none. */
import type { RecordedChange, Side } from '../core/change.ts'
import type { Path } from '../core/path.ts'
import { unifiedDiff } from '../text/unified.ts'
import { isBinary } from '../text/utf8.ts'
import type { ShownChange } from './workspace.ts'

/** Largest side that is compared for showing, in bytes. */
const MOST_BYTES = 2 * 1024 * 1024

/** Finds the bytes of a side; null when nobody holds them any more. */
export type ContentSource = (path: Path, side: Extract<Side, { kind: 'file' }>) => Promise<Uint8Array | null>

const NOTHING = new Uint8Array()

/** The change with its diff. */
export async function showChange(change: RecordedChange, contentOf: ContentSource): Promise<ShownChange> {
  const note = noteWithoutContent(change)
  if (note !== null) return { ...change, diff: null, note }
  const before = await sideBytes(change, change.before, contentOf)
  const after = await sideBytes(change, change.after, contentOf)
  if (!before || !after) return { ...change, diff: null, note: `The content ${before ? 'after' : 'before'} it is not kept.` }
  if (isBinary(before) || isBinary(after)) return { ...change, diff: null, note: 'Binary content.' }
  const { text, truncated } = unifiedDiff(before, after, {
    oldPath: change.before ? change.path : null,
    newPath: change.after ? change.path : null,
  })
  return { ...change, diff: text, note: truncated ? 'The diff is cut.' : text === '' ? emptyNote(change) : null }
}

function noteWithoutContent({ kind, before, after, to }: RecordedChange): string | null {
  if (kind === 'move') return `Moved to ${to}.`
  const sides = [before, after].filter((side) => side !== null)
  if (sides.some((side) => side.kind === 'directory')) return after ? 'A new directory.' : 'The directory was removed.'
  if (sides.some((side) => side.kind === 'link')) return `${sideText(before)} → ${sideText(after)}`
  return sides.some((side) => side.kind === 'file' && side.size > MOST_BYTES) ? 'Too large to compare here.' : null
}

function sideText(side: Side | null): string {
  if (!side) return 'nothing'
  return side.kind === 'link' ? `link to ${side.target}` : side.kind
}

function emptyNote({ before, after }: RecordedChange): string {
  const modes = before?.kind === 'file' && after?.kind === 'file' && before.mode !== after.mode
  return modes ? `Mode ${before.mode.toString(8)} → ${after.mode.toString(8)}.` : 'An empty file.'
}

async function sideBytes({ path }: RecordedChange, side: Side | null, contentOf: ContentSource): Promise<Uint8Array | null> {
  return side?.kind === 'file' ? contentOf(path, side) : NOTHING
}
