/** The calls of `fs` that read. */
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import { relativePath } from '../../core/path.ts'
import { readAll } from '../../core/read.ts'
import type { View } from '../../core/view.ts'
import { NODE_FS_CONSTANTS as BITS } from './constants.ts'
import { wholeNumber } from './errors.ts'
import { find, findPresent, type Present, requireDirectory, requireFile } from './paths.ts'
import { direntOf, type NodeFsDirent, type NodeFsStats, statsOf } from './stats.ts'

/** How a directory is listed. */
export interface ListOptions {
  readonly withFileTypes?: boolean
  readonly recursive?: boolean
}

/** The bytes of a file, in an array of the caller's own. */
export async function readBytes(view: View, path: string): Promise<Uint8Array> {
  const found = await findPresent(view, path, 'follow')
  requireFile(found)
  return wholeFile(view, found)
}

export async function wholeFile(view: View, { path, given }: Present): Promise<Uint8Array> {
  const reader = await view.open(path)
  try {
    return await readAll(reader, view.traits.limits.fileBytes, given)
  } finally {
    await reader.close()
  }
}

export async function stat(view: View, path: string, last: 'follow' | 'keep'): Promise<NodeFsStats> {
  const { entry } = await findPresent(view, path, last)
  return statsOf(entry.kind === 'link' && entry.target === null ? { ...entry, target: await view.readLink(entry.path) } : entry)
}

export async function readdir(view: View, path: string, { withFileTypes, recursive }: ListOptions): Promise<(string | NodeFsDirent)[]> {
  const found = await findPresent(view, path, 'follow')
  requireDirectory(found)
  const entries = recursive ? await entriesBelow(view, found) : await view.list(found.path)
  const base = path.replace(/\/+$/, '')
  return entries.map((entry) => {
    const name = relativePath(entry.path, found.path)
    if (!withFileTypes) return name
    const slash = name.lastIndexOf('/')
    return direntOf(entry, slash < 0 ? path : `${base}/${name.slice(0, slash)}`)
  })
}

async function entriesBelow(view: View, { path }: Present): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const page of view.scan(path)) for (const entry of page) entries.push(entry)
  return entries
}

export async function readlink(view: View, path: string): Promise<string> {
  const { entry } = await findPresent(view, path, 'keep')
  if (entry.kind !== 'link') throw new FilewrightError('invalid_argument', `${path} is no link.`)
  return entry.target ?? view.readLink(entry.path)
}

export async function realpath(view: View, path: string): Promise<string> {
  return view.display((await findPresent(view, path, 'follow')).path)
}

/** Throws unless the entry is there, and allows what is asked. */
export async function access(view: View, path: string, mode: number): Promise<void> {
  wholeNumber('mode', mode, BITS.F_OK, BITS.R_OK | BITS.W_OK | BITS.X_OK)
  const found = await findPresent(view, path, 'follow')
  if (mode === BITS.F_OK) return
  const { access: may, mode: bits, kind } = await view.stat(found.path, { stat: true, access: true })
  const denied =
    (mode & BITS.R_OK && may?.read === false) ||
    (mode & BITS.W_OK && may?.write === false) ||
    (mode & BITS.X_OK && kind === 'file' && ((bits ?? 0) & 0o111) === 0)
  if (denied) throw new FilewrightError('permission_denied', `${path} does not allow it.`)
}

export async function isThere(view: View, path: string): Promise<boolean> {
  try {
    return (await find(view, path, 'follow')).entry !== null
  } catch (error) {
    if (isFilewrightError(error)) return false
    throw error
  }
}
