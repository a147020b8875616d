/** What a person is shown before it decides: the changes of a call with their diffs, bounded, and marked where they could deceive. */
import type { Change } from '../../core/change.ts'
import { isFilewrightError } from '../../core/errors.ts'
import type { Entry, FileSystem } from '../../core/file_system.ts'
import type { Path } from '../../core/path.ts'
import { readAll } from '../../core/read.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { View } from '../../core/view.ts'
import { markHidden } from '../../text/hidden_characters.ts'
import { type Described, type DescribedSide, DIFF_IS_CUT, describeChange } from '../past/show.ts'
import { createView } from '../view.ts'
import type { ApprovalPreview, PreviewedChange } from './request.ts'

/** Most changes that are shown. */
const MOST_CHANGES = 200
/** Longest diff of one change, and of all that is shown, as JSON, in UTF-16 units: with three bytes each it fits into a note. */
const LONGEST_DIFF = 32 * 1024
const LONGEST_PREVIEW = 256 * 1024
/** Room that is left to the fields beside a diff. */
const BESIDE_DIFF = 1024

/** The preview of changes that were planned on what `fs` holds. A change is shown on top of those before it. */
export async function previewChanges(fs: FileSystem, changes: readonly Change[]): Promise<ApprovalPreview> {
  const view = createView(fs)
  const shown: PreviewedChange[] = []
  let room = LONGEST_PREVIEW
  let truncated = false
  for (const change of changes.slice(0, MOST_CHANGES)) {
    const entry = await entryAt(view, change.path)
    const source = change.kind === 'copy' ? await entryAt(view, change.from) : null
    const one = bounded(change, await describe(fs, view, change, { entry, source }), Math.max(0, room / 2 - BESIDE_DIFF))
    room -= JSON.stringify(one).length
    if (room < 0) break
    truncated ||= one.note === DIFF_IS_CUT
    shown.push(one)
    stageAgain(view, change, { entry, source })
  }
  return { changes: shown, count: changes.length, truncated: truncated || shown.length < changes.length }
}

/** The change with its marks, its diff cut before and after they make it longer. */
function bounded(change: Change, whole: Description, room: number): PreviewedChange {
  if (whole.diff === null) return marked(change, whole)
  const diff = cutText(whole.diff, LONGEST_DIFF)
  const shown = marked(change, { ...whole, diff })
  const rest = cutText(shown.diff ?? '', Math.min(LONGEST_DIFF, room))
  return diff === whole.diff && rest === shown.diff ? shown : { ...shown, diff: rest, note: DIFF_IS_CUT }
}

/** What is there before a change, and at the source of a copy. */
interface There {
  readonly entry: Entry | null
  readonly source: Entry | null
}

type Description = Pick<PreviewedChange, 'diff' | 'note' | 'bytesBefore' | 'bytesAfter'>

async function describe(fs: FileSystem, view: View, change: Change, { entry, source }: There): Promise<Description> {
  const before = entry && sideOf(entry)
  const bytesBefore = before?.kind === 'file' ? before.size : null
  if (change.kind === 'snapshot') return { diff: null, note: 'A backup is kept of it.', bytesBefore, bytesAfter: bytesBefore }
  const after = sideAfter(change, { entry, source })
  const bytesAfter = after?.kind === 'file' ? after.size : null
  const described: Described = { kind: change.kind, path: change.path, before, after, ...(change.kind === 'move' && { to: change.to }) }
  const { textBytes } = fs.traits.limits
  const readPath = async (path: Path): Promise<Uint8Array> => {
    const reader = await view.open(path)
    return readAll(reader, textBytes, path).finally(() => reader.close())
  }
  const readAfter = async (): Promise<Uint8Array | null> => {
    if (change.kind === 'copy') return readPath(change.from)
    if (change.kind !== 'write') return null
    if (change.content.bytes) return change.content.bytes
    const reader = await fs.object(change.content.hash)
    return readAll(reader, textBytes, change.path).finally(() => reader.close())
  }
  const told = await describeChange(described, (which) => (which === 'before' ? readPath(change.path) : readAfter()))
  return {
    ...told,
    note: change.kind === 'remove' && entry?.kind === 'directory' ? 'The directory is removed.' : told.note,
    bytesBefore,
    bytesAfter,
  }
}

function sideOf(entry: Entry): DescribedSide {
  if (entry.kind === 'link') return { kind: 'link', target: entry.target ?? '' }
  return entry.kind === 'directory' ? { kind: 'directory' } : { kind: 'file', size: entry.size ?? 0, mode: entry.mode ?? 0 }
}

function sideAfter(change: Exclude<Change, { kind: 'snapshot' }>, { entry, source }: There): DescribedSide | null {
  switch (change.kind) {
    case 'write':
      return { kind: 'file', size: change.content.size, mode: change.mode ?? entry?.mode ?? 0 }
    case 'copy':
      return { kind: 'file', size: source?.size ?? 0, mode: change.mode ?? source?.mode ?? 0 }
    case 'makeDirectory':
      return { kind: 'directory' }
    case 'link':
      return { kind: 'link', target: change.target }
    case 'move':
      return entry && sideOf(entry)
    case 'remove':
      return null
  }
}

/** The change in words that deceive nobody. */
function marked(change: Change, { diff, note, bytesBefore, bytesAfter }: Description): PreviewedChange {
  const warnings = new Set<string>()
  const mark = (text: string): string => {
    const { text: safe, warnings: found } = markHidden(text)
    for (const warning of found) warnings.add(warning)
    return safe
  }
  return {
    kind: change.kind,
    path: mark(change.path),
    ...(change.kind === 'move' && { to: mark(change.to) }),
    ...(change.kind === 'copy' && { from: mark(change.from) }),
    diff: diff === null ? null : mark(diff),
    note: note === null ? null : mark(note),
    bytesBefore,
    bytesAfter,
    kept: !('keep' in change) || change.keep !== false,
    warnings: [...warnings],
  }
}

/** At the end of a line where there is one, never within a mark or a character. */
function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text
  const end = text.lastIndexOf('\n', longest - 1) + 1
  if (end > longest / 2) return text.slice(0, end)
  return text.slice(0, longest).replace(/\u27e6[^\u27e7]*$|[\ud800-\udbff]$/, '')
}

async function entryAt(view: View, path: Path): Promise<Entry | null> {
  try {
    return await view.stat(path)
  } catch (error) {
    if (isFilewrightError(error, 'not_found') || isFilewrightError(error, 'not_directory')) return null
    throw error
  }
}

/** Stages a planned change as it is, so that the next one is seen on top of it. */
function stageAgain(view: View, change: Change, { entry, source }: There): void {
  const at = (path: Path, there: Entry | null): Resolved => {
    return { given: path, path, entry: there, missingParents: [], links: [], directory: false }
  }
  const target = at(change.path, entry)
  if (change.kind === 'write') view.write(target, change.content, change)
  else if (change.kind === 'remove') view.remove(target, change)
  else if (change.kind === 'makeDirectory') view.makeDirectory(target, change)
  else if (change.kind === 'link') view.link(target, change.target, change)
  else if (change.kind === 'move') view.move(target, at(change.to, null), change)
  else if (change.kind === 'copy') view.copy(at(change.from, source), target, change)
  else view.snapshot(target, change)
}
