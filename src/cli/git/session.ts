/** A command of `filewright git`: the workspace that it acts through, and the repository of it. */
import { FilewrightError } from '../../core/errors.ts'
import type { Repository } from '../../core/repository.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { Output } from '../output.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'

/** Opens the workspace, runs `use`, closes it. Throws `invalid_argument` for settings of another storage, and what those throw. */
export function withRepository<Result>(
  settings: Settings,
  output: Output,
  use: (repository: Repository, workspace: Workspace) => Promise<Result>,
): Promise<Result> {
  return withWorkspace(onGit(settings), output, (workspace) => use(workspace.fs.repository as Repository, workspace))
}

/** The settings with the storage that these commands are for. */
export function onGit(settings: Settings): Settings {
  if (settings.fs === undefined || settings.fs === 'git') return { ...settings, fs: 'git' }
  throw new FilewrightError('invalid_argument', `\`filewright git\` is for --fs git, and the settings say ${settings.fs}.`, { field: 'fs' })
}
