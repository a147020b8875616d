/** The storage of `--fs git`: a workspace of a repository. */

import type { FileSystem } from '../../core/file_system.ts'
import { createGitFs } from '../../fs/git.ts'
import { attachPromisor } from '../../git/wire/promisor.ts'
import type { Settings } from '../settings.ts'
import { credentialsOf } from './credentials.ts'
import { openDirectory, repositoryPlace } from './places.ts'

/** Opens it. What a partial clone lacks is fetched when it is read. Throws what finding and opening the repository throw. */
export async function openGitStorage(settings: Settings): Promise<FileSystem> {
  const { workspace, branch, base, credentials } = settings
  const git = await openDirectory(repositoryPlace(settings), settings)
  try {
    await attachPromisor(git, { credentials: credentialsOf({ helpers: credentials === true }) })
    return await createGitFs({
      git,
      ...(workspace !== undefined && { workspace }),
      ...(branch !== undefined && { branch }),
      ...(base !== undefined && { from: base }),
    })
  } catch (error) {
    await git.close()
    throw error
  }
}
