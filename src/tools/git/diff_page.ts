/** A difference between trees, a page at a time: as many characters of patches as are wanted, from where the page before ended. */
import { FilewrightError } from '../../core/errors.ts'
import { compareText } from '../../core/path.ts'
import type { Oid, RepositoryReads, TreeChange } from '../../core/repository.ts'
import { diffOfPath, type FileDiff } from './file_diff.ts'
import { escapePath, kindOf } from './repository_of.ts'
import type { DiffedPath } from './results.ts'

/** Most paths of one page. */
const MOST_FILES = 500
/** Most bytes that are compared for one page; it holds one path at least. */
const MOST_BYTES = 32 * 1024 * 1024
/** Contents that are fetched at once, where a repository has only some of them. */
const BATCH = 100

/** What is wanted. */
export interface DiffPageOptions {
  readonly context: number
  readonly maxChars: number
  /** Only counts, no patches. */
  readonly stat: boolean
  readonly cursor?: string | undefined
  readonly signal: AbortSignal
}

/** A page. Pages put together are the whole. */
export interface DiffPage {
  readonly paths: readonly DiffedPath[]
  /** The patches. */
  readonly diff: string
  /** What the patches do not say, a line each. */
  readonly notes: readonly string[]
  readonly added: number
  readonly removed: number
  /** Absent at the end. */
  readonly cursor?: string
}

/** Makes a page of changes, which are in the order of their paths. Throws `invalid_argument` for a cursor that is none. */
export async function diffPage(repository: RepositoryReads, changes: readonly TreeChange[], options: DiffPageOptions): Promise<DiffPage> {
  const { context, maxChars, stat, signal } = options
  const from = options.cursor === undefined ? null : readCursor(options.cursor)
  // By comparison, not by place: what differed may differ no more.
  const rest = from === null ? changes : changes.filter(({ path }) => compareText(path, from.path) >= (from.at > 0 ? 0 : 1))
  const paths: DiffedPath[] = []
  const notes: string[] = []
  const parts: string[] = []
  let [room, bytes, added, removed] = [maxChars, 0, 0, 0]
  const page = (cursor?: string): DiffPage => {
    return { paths, diff: parts.join(''), notes, added, removed, ...(cursor !== undefined && { cursor }) }
  }
  for (const [index, change] of rest.entries()) {
    signal.throwIfAborted()
    if (index % BATCH === 0) await repository.prefetch(blobsOf(rest.slice(index, index + BATCH)))
    const before = rest[index - 1]
    if (before && (paths.length >= MOST_FILES || bytes > MOST_BYTES)) return page(`0:${before.path}`)
    const told = await diffOfPath(repository, change, context)
    const start = from !== null && from.at > 0 && change.path === from.path ? from.at : 0
    const text = stat ? '' : told.text.slice(start)
    if (before && text.length > room) return page(`0:${before.path}`)
    bytes += (told.bytesBefore ?? 0) + (told.bytesAfter ?? 0)
    if (start === 0) {
      paths.push(pathOf(change, told))
      if (told.note !== null) notes.push(`${escapePath(change.path)}: ${told.note}`)
      added += told.added
      removed += told.removed
    }
    if (text.length > room) {
      const end = lineEndBefore(text, room)
      parts.push(text.slice(0, end))
      return page(`${start + end}:${change.path}`)
    }
    parts.push(text)
    room -= text.length
  }
  return page()
}

/** Where to cut: after the last whole line, or within a line that is longer than all there is room for. */
function lineEndBefore(text: string, room: number): number {
  const line = text.lastIndexOf('\n', room - 1) + 1
  if (line > 0) return line
  const split = /[\ud800-\udbff]/.test(text.charAt(room - 1))
  return split && room > 1 ? room - 1 : room
}

function pathOf(change: TreeChange, { added, removed, note }: FileDiff): DiffedPath {
  return { path: change.path, kind: kindOf(change), added, removed, ...(note !== null && { note }) }
}

function blobsOf(changes: readonly TreeChange[]): Oid[] {
  return changes.flatMap(({ before, after }) => [before, after].flatMap((entry) => (entry && entry.mode !== '160000' ? [entry.oid] : [])))
}

interface Cursor {
  /** How much of the path's own patch was shown; 0 when all of it was. */
  readonly at: number
  readonly path: string
}

function readCursor(cursor: string): Cursor {
  const [, at, path] = /^(\d{1,9}):(.+)$/s.exec(cursor) ?? []
  if (path === undefined) throw new FilewrightError('invalid_argument', 'cursor must be the one of an earlier answer.', { field: 'cursor' })
  return { at: Number(at), path }
}
