/** What a person is shown before it decides: the changes of a call with their diffs, bounded, and marked where they could deceive. */
import type { Change } from '../../core/change.ts'
import { isFilewrightError } from '../../core/errors.ts'
import type { Entry, FileSystem } from '../../core/file_system.ts'
import type { Path } from '../../core/path.ts'
import { readAll } from '../../core/read.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { View } from '../../core/view.ts'
import { type Described, type DescribedSide, describeChange } from '../past/show.ts'
import { createView } from '../view.ts'
import { boundedPreview, type DescribedChange } from './preview_bounds.ts'
import type { ApprovalPreview, PreviewedChange } from './request.ts'

/** The preview of changes that were planned on what `fs` holds. A change is shown on top of those before it. */
export async function previewChanges(fs: FileSystem, changes: readonly Change[]): Promise<ApprovalPreview> {
  const view = createView(fs)
  async function* described(): AsyncGenerator<DescribedChange> {
    for (const change of changes) {
      const entry = await entryAt(view, change.path)
      const source = change.kind === 'copy' ? await entryAt(view, change.from) : null
      yield {
        kind: change.kind,
        path: change.path,
        ...(change.kind === 'move' && { to: change.to }),
        ...(change.kind === 'copy' && { from: change.from }),
        ...(await describe(fs, view, change, { entry, source })),
        kept: !('keep' in change) || change.keep !== false,
      }
      stageAgain(view, change, { entry, source })
    }
  }
  return boundedPreview(changes.length, described())
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
