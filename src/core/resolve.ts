/** From a caller's path to a canonical one: `..` is physical, links are followed only inside the root. */
import { FilewrightError, isFilewrightError } from './errors.ts'
import type { Entry, FileSystem } from './file_system.ts'
import { belowAnchor, joinPath, type Path, type PathSpec, parentOf, parsePath, ROOT } from './path.ts'

/** Most links followed in one path, as the Linux kernel does. */
export const MAX_LINKS = 40

/** A caller's path, decided. */
export interface Resolved {
  /** As the caller wrote it, for messages. */
  readonly given: string
  readonly path: Path
  /** What is there; null when nothing is. */
  readonly entry: Entry | null
  /** Directories that do not exist on the way to `path`, outermost first. Empty when `entry` is there. */
  readonly missingParents: readonly Path[]
  /** Real paths of the links that were followed. */
  readonly links: readonly Path[]
  /** The caller wrote a trailing slash. */
  readonly directory: boolean
}

/** What a resolver reads. */
export type ResolveSource = Pick<FileSystem, 'stat' | 'readLink' | 'traits'>

/**
 * Resolves a caller's path against what is stored. With `last: 'keep'` a link in the last place stands for itself (C-6).
 * Names that do not exist yet are allowed at the end of the path; a dangling link resolves to the place it names (C-4).
 * Throws `outside_root`, `loop`, `not_directory`, `not_found` (a `..` after a missing name), and what `parsePath` throws.
 */
export async function resolvePath(
  source: ResolveSource,
  given: unknown,
  options: { readonly last: 'follow' | 'keep'; readonly field?: string; readonly as?: string },
): Promise<Resolved> {
  const parsed = parsePath(given, source.traits, options.field)
  const spec = options.as === undefined ? parsed : { ...parsed, given: options.as }
  return (await resolvePlain(source, spec, options.last)) ?? (await walk(source, spec, options.last))
}

/** The common case in one step: no `..`, no links, and it is there. Null when it takes a walk. */
async function resolvePlain(source: ResolveSource, spec: PathSpec, last: 'follow' | 'keep'): Promise<Resolved | null> {
  if (spec.parts.includes('..')) return null
  const path = spec.parts.join('/') as Path
  try {
    const entry = await source.stat(path)
    if (entry.kind === 'link' && (last === 'follow' || spec.directory)) return null
    return decided(spec, path, entry, [], [])
  } catch (error) {
    if (isFilewrightError(error, 'not_found') || isFilewrightError(error, 'not_directory')) return null
    throw error
  }
}

async function walk(source: ResolveSource, spec: PathSpec, last: 'follow' | 'keep'): Promise<Resolved> {
  const queue = [...spec.parts]
  const links: Path[] = []
  const missing: Path[] = []
  let at: Path = ROOT
  let entry: Entry | null = await source.stat(ROOT)
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (entry && entry.kind !== 'directory') throw notDirectory(spec)
    if (name === '.' || name === '..') {
      if (!entry) throw new FilewrightError('not_found', `${spec.given} does not exist.`)
      if (name === '.') continue
      if (at === ROOT) throw outside(spec)
      at = parentOf(at)
      entry = await source.stat(at)
      continue
    }
    if (!entry) missing.push(at)
    at = joinPath(at, name)
    entry = missing.length > 0 ? null : await statOrNull(source, at)
    const final = queue.length === 0
    if (entry?.kind !== 'link' || (final && last === 'keep' && !spec.directory)) continue
    links.push(at)
    if (links.length > MAX_LINKS) throw new FilewrightError('loop', `${spec.given} passes more than ${MAX_LINKS} links.`)
    const target = await source.readLink(at)
    queue.unshift(...linkParts(source, spec, target))
    at = target.startsWith('/') ? ROOT : parentOf(at)
    entry = await source.stat(at)
  }
  return decided(spec, at, entry, missing, links)
}

/** The names that a link's text stands for. Its text must stay inside, whatever it would come back to (settled detail 37). */
function linkParts(source: ResolveSource, spec: PathSpec, target: string): string[] {
  let inside: string
  try {
    inside = target.startsWith('/') ? belowAnchor(target, source.traits) : target
  } catch {
    throw outside(spec)
  }
  const parts = inside.split('/').filter((part) => part !== '')
  // A text that ends in a slash can only lead to a directory, as for the kernel.
  return inside.endsWith('/') ? [...parts, '.'] : parts
}

function decided(spec: PathSpec, path: Path, entry: Entry | null, missingParents: readonly Path[], links: readonly Path[]): Resolved {
  if (spec.directory && entry && entry.kind !== 'directory') throw notDirectory(spec)
  return { given: spec.given, path, entry, missingParents, links, directory: spec.directory }
}

async function statOrNull(source: ResolveSource, path: Path): Promise<Entry | null> {
  try {
    return await source.stat(path)
  } catch (error) {
    if (isFilewrightError(error, 'not_found')) return null
    throw error
  }
}

/** How a refusal ends of a path that leaves by a link, or by its `..`. */
export const LEADS_OUTSIDE = ' leads outside the workspace.'

function outside(spec: PathSpec): FilewrightError {
  return new FilewrightError('outside_root', `${spec.given}${LEADS_OUTSIDE}`)
}

function notDirectory(spec: PathSpec): FilewrightError {
  return new FilewrightError('not_directory', `${spec.given} passes through something that is not a directory.`)
}
