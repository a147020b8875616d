/** A directory two levels deep, hidden names left out: as paths, or in `/memories` with their sizes. */

import { isFilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import { nameOf, namesOf, type Path, parentOf, relativePath } from '../../core/path.ts'
import type { Resolved } from '../../core/resolve.ts'
import { behindLink } from '../linked_entry.ts'
import type { ToolContext } from '../tool.ts'
import { MEMORIES, type Place } from './place.ts'

const LEVELS = 2
/** Most entries of one answer. */
const MAX_ENTRIES = 1000

/** The listing of a directory, or of `/memories` while there is none. */
export async function listing(context: ToolContext, place: Place, target: Resolved): Promise<string> {
  const isMemories = place.name === 'memories'
  const { entries, sizes } = target.entry ? await collect(context, target.path, isMemories) : { entries: [], sizes: new Map() }
  const base = target.given.replace(/\/+$/, '')
  const paths = entries.slice(0, MAX_ENTRIES).map((entry) => {
    const path = `${base}/${relativePath(entry.path, target.path)}${entry.kind === 'directory' ? '/' : ''}`
    return isMemories ? `${sizeText(sizes.get(entry.path) ?? 0)}\t${path}` : path
  })
  const head = isMemories
    ? [
        `Here're the files and directories up to 2 levels deep in ${target.given}, excluding hidden items and node_modules:`,
        `${sizeText(sizes.get(target.path) ?? 0)}\t${target.given}`,
      ]
    : [`Here's the files and directories up to 2 levels deep in ${target.given}, excluding hidden items:`, target.given]
  const more = entries.length > MAX_ENTRIES ? [`[${entries.length - MAX_ENTRIES} more entries]`] : []
  return [...head, ...paths, ...more].join('\n')
}

interface Collected {
  readonly entries: readonly Entry[]
  /** Bytes of files; of a directory, of all files in it that are not hidden. */
  readonly sizes: ReadonlyMap<Path, number>
}

/** The entries of two levels; where sizes are wanted, all below is walked. Links stand for what they lead to and are not entered. */
async function collect({ view, signal }: ToolContext, dir: Path, withSizes: boolean): Promise<Collected> {
  const entries: Entry[] = []
  const sizes = new Map<Path, number>()
  const depth = namesOf(dir).length
  const filter = (_: Path, children: Entry[]): Entry[] =>
    children.filter(({ path }) => !nameOf(path).startsWith('.') && !(withSizes && nameOf(path) === 'node_modules'))
  const how = { filter, signal, stat: withSizes, ...(!withSizes && { maxDepth: LEVELS }) }
  for await (const page of view.scan(dir, how)) {
    for (const entry of page) {
      const behind = await behindLink(view, entry)
      if (!behind || behind.kind === 'special' || (withSizes && entry.kind === 'link' && !(await staysInside(view, entry)))) continue
      const size = behind.kind === 'file' ? (behind.size ?? 0) : 0
      sizes.set(entry.path, (sizes.get(entry.path) ?? 0) + size)
      if (entry.kind === 'file') addAbove(sizes, entry.path, dir, size)
      if (namesOf(entry.path).length - depth <= LEVELS) entries.push({ ...behind, path: entry.path })
    }
  }
  return { entries, sizes }
}

function addAbove(sizes: Map<Path, number>, path: Path, top: Path, size: number): void {
  for (let at = parentOf(path); ; at = parentOf(at)) {
    sizes.set(at, (sizes.get(at) ?? 0) + size)
    if (at === top) return
  }
}

/** Whether a link of `/memories` leads to something in it. */
async function staysInside(view: ToolContext['view'], { path }: Entry): Promise<boolean> {
  try {
    await MEMORIES.resolve(view, `/${path}`, { field: 'path' })
    return true
  } catch (error) {
    if (isFilewrightError(error)) return false
    throw error
  }
}

const UNITS = ['B', 'K', 'M', 'G', 'T']

/** `0B`, `512B`, `5.5K`, `1.2M`. */
function sizeText(bytes: number): string {
  let size = bytes
  let unit = 0
  for (; size >= 1024 && unit < UNITS.length - 1; unit++) size /= 1024
  const rounded = Math.round(size * 10) / 10
  return `${rounded}${UNITS[unit]}`
}
