/** `filewright git workspaces` and `fork`: the workspaces of a repository. */
import type { WorkspaceGit } from '../../workspace/git/git.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'
import { visibleName } from '../terminal.ts'
import { withRepository } from './session.ts'

/** Lists them; the one of the settings has a star. */
export async function workspaces(settings: Settings, output: Output): Promise<void> {
  const names = await withRepository(settings, output, (repository) => repository.workspaces())
  const current = settings.workspace ?? 'main'
  output.answer(
    { workspaces: names },
    () =>
      names.map((name) => (name === current ? output.paint.green(`* ${visibleName(name)}`) : `  ${visibleName(name)}`)).join('\n') ||
      'No workspaces yet.',
  )
}

/** Begins a workspace as this one is now. */
export async function fork(settings: Settings, output: Output, name: string): Promise<void> {
  const record = await withRepository(settings, output, (_, workspace) => (workspace.git as WorkspaceGit).fork(name))
  output.answer(
    { record, workspace: name },
    () => `The workspace ${visibleName(name)} begins as this one is now: open it with --workspace ${visibleName(name)}.`,
  )
}
