/** `resources/read`: files, directories, and what was changed. */
import type { BlobResourceContents, TextResourceContents } from '@modelcontextprotocol/server'
import { FilewrightError } from '../../core/errors.ts'
import type { Reader } from '../../core/file_system.ts'
import { nameOf, type Path } from '../../core/path.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { View } from '../../core/view.ts'
import { mimeTypeByName } from '../../text/mime.ts'
import type { Bounds } from '../../workspace/within.ts'
import type { LogEntry, ShownChange, Workspace } from '../../workspace/workspace.ts'
import { DIRECTORY_TYPE } from './listing.ts'
import { readPart, type Source } from './part.ts'
import { type Address, changeUri, type Part, type ResourceUris } from './uri.ts'

/** Entries of one answer about a directory. */
const ENTRIES = 1000
/** Records of the log, and changes of one record, in one answer. */
const RECORDS = 50
const CHANGES = 500
/** Diffs that are made at once. */
const DIFFS = 20

type Contents = TextResourceContents | BlobResourceContents

/** What resources are read from. */
export interface ReaderParts {
  readonly workspace: Workspace
  readonly uris: ResourceUris
  /** Most bytes of one answer. */
  readonly limit: number
}

/** A file, or the entries of a directory. Throws what resolving the path throws; a link that leads outside is `outside_root`. */
export async function readPath(
  { uris, limit }: ReaderParts,
  view: View,
  { names, directory, part }: Extract<Address, { kind: 'path' }>,
): Promise<Contents[]> {
  const target = await view.resolve(names.length === 0 ? '.' : `${names.join('/')}${directory ? '/' : ''}`, { field: 'uri' })
  if (!target.entry) throw new FilewrightError('not_found', `${target.given} does not exist.`)
  if (target.entry.kind === 'directory') return [await readDirectory(uris, view, target, part)]
  const reader = await view.open(target.path)
  try {
    return [await readPart(sourceOf(reader), { uri: uris.file(target.path), name: nameOf(target.path) }, part, limit)]
  } finally {
    await reader.close()
  }
}

function sourceOf(reader: Reader): Source {
  return {
    size: reader.size,
    async read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, reader.size - offset)))
      let at = 0
      while (at < bytes.length) {
        const count = await reader.read(offset + at, bytes.subarray(at))
        if (count === 0) break
        at += count
      }
      return bytes.subarray(0, at)
    },
  }
}

async function readDirectory(uris: ResourceUris, view: View, { path }: Resolved, part: Part | null): Promise<Contents> {
  const entries = await view.list(path, { stat: true, target: true })
  const offset = Math.min(part?.offset ?? 0, entries.length)
  const page = entries.slice(offset, offset + Math.min(part?.length ?? ENTRIES, ENTRIES))
  const next = offset + page.length
  const listing = {
    path: view.display(path),
    entries: page.map((entry) => ({
      name: nameOf(entry.path),
      kind: entry.kind,
      uri: uris.file(entry.path, entry.kind === 'directory'),
      ...(entry.kind === 'file' && { size: entry.size, mimeType: mimeTypeByName(nameOf(entry.path)) }),
      ...(entry.target !== null && { target: entry.target }),
      ...(entry.mtimeMs !== null && { lastModified: new Date(entry.mtimeMs).toISOString() }),
    })),
    total: entries.length,
    ...(next < entries.length && { next: `${uris.file(path, true)}?offset=${next}` }),
  }
  return { uri: uris.file(path, true), mimeType: DIRECTORY_TYPE, text: JSON.stringify(listing) }
}

/** The newest changes, each with its URI. */
export async function readLog({ workspace }: ReaderParts, bounds: Bounds | null, uri: string): Promise<Contents[]> {
  const entries = await workspace.log({ limit: RECORDS })
  const shown = entries.map((entry) => told(entry, bounds)).filter((entry) => bounds === null || entry.paths.length > 0)
  return [{ uri, mimeType: 'application/json', text: JSON.stringify({ changes: shown }) }]
}

function told({ record, undone, paths }: LogEntry, bounds: Bounds | null) {
  const { id, sequence, time, kind, tool, subject, note } = record
  const seen = bounds ? paths.filter((path) => bounds.holds(path as Path)) : paths
  return { uri: changeUri(id), id, sequence, time, kind, tool, subject, ...(note !== undefined && { note }), undone, paths: seen }
}

/** A record, and its changes as a patch; or the patch alone. Throws `not_found`, also when all of it lies outside the bounds. */
export async function readChange(
  { workspace, limit }: ReaderParts,
  bounds: Bounds | null,
  { kind, id }: Extract<Address, { kind: 'change' | 'patch' }>,
  signal: AbortSignal,
): Promise<Contents[]> {
  const { record, changes, undone } = await workspace.show(id, { limit: CHANGES, diff: false })
  const isHeld = ({ path, to }: ShownChange): boolean => !bounds || (bounds.holds(path) && (to === undefined || bounds.holds(to)))
  const held = changes.filter(isHeld)
  if (bounds && held.length === 0) throw new FilewrightError('not_found', `There is no change ${id}.`)
  const uri = changeUri(record.id)
  const patch = await patchOf(workspace, record, isHeld, limit / 2, signal)
  const contents: Contents = { uri: `${uri}/patch`, mimeType: 'text/x-diff', text: patch.text }
  if (kind === 'patch') return [contents]
  const told = {
    ...tellRecord(record),
    undone,
    count: bounds ? held.length : record.count,
    changes: held.map(({ diff: _diff, note: _note, ...change }) => change),
    patch: { uri: contents.uri, whole: patch.whole },
  }
  return [{ uri, mimeType: 'application/json', text: JSON.stringify(told) }, contents]
}

function tellRecord({ id, sequence, time, kind, tool, subject, note, target, approval }: LogEntry['record']): object {
  return { id, sequence, time, kind, tool, subject, note, target, approval }
}

/**
 * The diffs one after another, as far as they have room: a patch ends with a whole file, never inside one. It is not whole either
 * where something has no diff, such as what is no text.
 */
async function patchOf(
  workspace: Workspace,
  { id, count }: LogEntry['record'],
  isHeld: (change: ShownChange) => boolean,
  limit: number,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly whole: boolean }> {
  let [text, whole] = ['', true]
  for (let offset = 0; offset < count; offset += DIFFS) {
    signal.throwIfAborted()
    const { changes } = await workspace.show(id, { offset, limit: DIFFS })
    for (const { diff } of changes.filter(isHeld)) {
      if (diff === null) whole = false
      else if (text.length + diff.length > limit) return { text, whole: false }
      else text += diff
    }
    if (offset + DIFFS >= CHANGES) return { text, whole: whole && count <= CHANGES }
  }
  return { text, whole }
}
