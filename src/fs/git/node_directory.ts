/** A repository on disk, opened or begun. */
import type { ObjectsPlace } from '../../git/alternates.ts'
import type { GitDirectory } from '../../git/directory.ts'
import { type InitGitOptions, initGitDirectory, type OpenGitOptions, openGitDirectory } from '../../git/open.ts'
import { type NodeGitFilesOptions, openNodeGitFiles, openNodeObjects } from './node_files.ts'

/** Options of {@link openNodeGitDirectory}. */
export type NodeGitOptions = Omit<NodeGitFilesOptions, 'create'> & Omit<OpenGitOptions, 'openAlternate'>

/**
 * Opens the repository of a folder: of a worktree, also a linked one or a submodule, or a bare one. The user's own git can be used on it
 * at any time. Throws `not_found` when the folder is none, `unsupported` for a format that is not known.
 */
export async function openNodeGitDirectory(dir: string, options: NodeGitOptions = {}): Promise<GitDirectory> {
  const files = openNodeGitFiles(dir, options)
  return openGitDirectory(files, { ...options, openAlternate: (path) => openAlternate(files.place, path) })
}

/** Begins a repository in a folder, which is made: `.git` in it, or with `bare` the folder itself. Opens one that is there. */
export async function initNodeGitDirectory(
  dir: string,
  options: NodeGitOptions & Omit<InitGitOptions, 'openAlternate'> = {},
): Promise<GitDirectory> {
  const isBare = options.bare ?? false
  const files = openNodeGitFiles(dir, { ...options, create: isBare ? 'bare' : 'worktree' })
  return initGitDirectory(files, { ...options, bare: isBare, openAlternate: (path) => openAlternate(files.place, path) })
}

/** Where a repository borrows objects from, as an absolute path or from its git directory on. */
function openAlternate(place: string, path: string): ObjectsPlace | null {
  const files = openNodeObjects(/^(?:\/|[A-Za-z]:[\\/])/.test(path) ? path : `${place}/${path}`)
  return files && { files, dir: '' }
}
