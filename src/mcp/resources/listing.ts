/** `resources/list`: the root, the newest changes, and every file and directory that is not ignored, a page at a time. */
import { type ListResourcesResult, ProtocolError, ProtocolErrorCode, type Resource } from '@modelcontextprotocol/server'
import type { Entry } from '../../core/file_system.ts'
import { compareText, nameOf, type Path, ROOT } from '../../core/path.ts'
import type { View } from '../../core/view.ts'
import { fromBase64, toBase64 } from '../../text/base64.ts'
import { createIgnoreRules, type IgnoreTest } from '../../text/glob/ignore.ts'
import { mimeTypeByName } from '../../text/mime.ts'
import { LOG_URI, type ResourceUris } from './uri.ts'

/** Resources of one page. */
export const PAGE: number = 200
/** Of directories. */
export const DIRECTORY_TYPE = 'inode/directory'
/** What a cursor of this server begins with. */
const CURSOR = 'after:'

/**
 * One page, in the order of a scan. A cursor holds the last place rather than a number, so that what comes and goes meanwhile neither
 * repeats nor skips others. `whole` is where ignore rules are read. Throws -32602 for a cursor that is none of ours.
 */
export async function listPage(
  view: View,
  whole: View,
  uris: ResourceUris,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListResourcesResult> {
  const after = cursor === undefined ? null : placeOf(cursor)
  const resources: Resource[] = after === null ? first(uris) : []
  const rules = await createIgnoreRules(whole).walk(ROOT)
  const filter = (dir: Path, children: Entry[]): Entry[] | Promise<Entry[]> => {
    const keep = (ignored: IgnoreTest): Entry[] => children.filter((entry) => isListed(entry, after) && !ignored(entry))
    const test = rules.enter(dir, children)
    return test instanceof Promise ? test.then(keep) : keep(test)
  }
  let last = ''
  for await (const page of view.scan(ROOT, { filter, stat: true, signal })) {
    for (const entry of page) {
      const place = placeIn(entry)
      if (after !== null && compareText(place, after) <= 0) continue
      if (resources.length === PAGE) return { resources, nextCursor: cursorOf(last) }
      resources.push(resourceOf(uris, entry))
      last = place
    }
  }
  return { resources }
}

/** What is listed of a file or directory. */
export function resourceOf(uris: ResourceUris, { path, kind, size, mtimeMs }: Entry): Resource {
  const directory = kind === 'directory'
  const type = directory ? DIRECTORY_TYPE : mimeTypeByName(nameOf(path))
  return {
    uri: uris.file(path, directory),
    name: `${path.toWellFormed()}${directory ? '/' : ''}`,
    ...(type !== undefined && { mimeType: type }),
    ...(!directory && size !== null && { size }),
    ...(mtimeMs !== null && { annotations: { lastModified: new Date(mtimeMs).toISOString() } }),
  }
}

function first(uris: ResourceUris): Resource[] {
  return [
    { uri: uris.file(ROOT), name: '/', title: 'Root of the workspace', mimeType: DIRECTORY_TYPE },
    { uri: LOG_URI, name: 'changes', title: 'Newest changes', mimeType: 'application/json' },
  ]
}

/** Links are left out, since what they lead to is listed where it is; so is what holds no content, and git's own store. */
function isListed(entry: Entry, after: string | null): boolean {
  if ((entry.kind !== 'file' && entry.kind !== 'directory') || nameOf(entry.path) === '.git') return false
  if (after === null) return true
  const place = placeIn(entry)
  // A directory before the place is entered only when the place is in it.
  return compareText(place, after) > 0 || (entry.kind === 'directory' && after.startsWith(place))
}

function placeIn({ kind, path }: Entry): string {
  return kind === 'directory' ? `${path}/` : path
}

function cursorOf(place: string): string {
  // JSON keeps a name that is no UTF-8.
  return toBase64(new TextEncoder().encode(CURSOR + JSON.stringify(place)))
}

function placeOf(cursor: string): string {
  const bytes = fromBase64(cursor)
  const text = bytes === null ? '' : new TextDecoder().decode(bytes)
  try {
    const place: unknown = text.startsWith(CURSOR) ? JSON.parse(text.slice(CURSOR.length)) : null
    if (typeof place === 'string') return place
  } catch {
    // As any other cursor that is none of ours.
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The cursor is none of this server: begin the list anew, without one.')
}
