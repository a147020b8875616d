/** A view of one directory of the workspace, for calls that name their own root (contract F-6, B-2). */
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import { joinPath, type Path, ROOT } from '../core/path.ts'
import { type ResolveSource, resolvePath } from '../core/resolve.ts'
import type { View } from '../core/view.ts'
import type { Target } from '../tools/tool.ts'

/** A view, and the directory that its callers' paths are relative to. */
export interface Narrowed {
  readonly view: View
  readonly root: Path
}

/**
 * The view in which a directory takes the place of the root: what leads above it is outside, absolute paths must lie below it.
 * Canonical paths and output paths stay those of the workspace. Throws `not_directory` when there is no such directory, and what
 * resolving it throws.
 */
export async function narrowView(view: View, target: Omit<Target, 'use'> | undefined): Promise<Narrowed> {
  const root = target === undefined ? ROOT : await rootOf(view, target)
  if (root === ROOT) return { view, root }
  const { aliases } = view.traits
  const traits = {
    ...view.traits,
    root: view.display(root),
    aliases: aliases.map((alias) => `${alias.replace(/\/$/, '')}/${root}`),
  }
  const below = (path: Path): Path => (path === ROOT ? root : joinPath(root, path))
  const source: ResolveSource = {
    traits,
    readLink: (path) => view.readLink(below(path)),
    async stat(path) {
      // Folders of backups are not there; no tool with a root of its own has to do with them.
      if (view.isHidden(below(path))) throw new FilewrightError('not_found', `${path} does not exist.`)
      return view.stat(below(path))
    },
  }
  const resolve: View['resolve'] = async (given, how = {}) => {
    const { path, missingParents, links, ...rest } = await resolvePath(source, given, { last: 'follow', ...how })
    return { ...rest, path: below(path), missingParents: missingParents.map(below), links: links.map(below) }
  }
  return { view: { ...view, traits, resolve }, root }
}

async function rootOf(view: View, { path, field }: Omit<Target, 'use'>): Promise<Path> {
  try {
    const { entry, path: root } = await view.resolve(path, { field })
    if (entry?.kind === 'directory') return root
  } catch (error) {
    if (!isFilewrightError(error, 'not_found') && !isFilewrightError(error, 'not_directory')) throw error
  }
  throw new FilewrightError('not_directory', `root is not a directory: ${String(path)}.`, { field })
}
