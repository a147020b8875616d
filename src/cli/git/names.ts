/** `filewright git branch` and `tag`: lists, new ones, and branches that go. */
import { FilewrightError } from '../../core/errors.ts'
import { gitBranchChange } from '../../tools/git/git_branch.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'
import { visibleName } from '../terminal.ts'
import { act } from './act.ts'
import { shortOid } from './printed.ts'
import { withRepository } from './session.ts'

/** Lists branches, or makes or deletes one. */
export async function branch(
  settings: Settings,
  output: Output,
  name: string | undefined,
  from: string | undefined,
  deletes: boolean,
): Promise<number> {
  if (name !== undefined) {
    if (!deletes) return act(settings, output, gitBranchChange, { action: 'create', name, ...(from !== undefined && { from }) })
    if (from === undefined) return act(settings, output, gitBranchChange, { action: 'delete', name })
    throw new FilewrightError('invalid_argument', 'A branch is deleted by its name alone.', { field: 'revision' })
  }
  if (deletes) throw new FilewrightError('missing_argument', '--delete needs the name of a branch.', { field: 'name' })
  const branches = await withRepository(settings, output, (repository) => repository.branches())
  const { paint } = output
  output.answer(
    { branches },
    () =>
      branches
        .map(({ name: shown, oid, current, checkedOut }) => {
          // As git marks them: its own with a star, those of worktrees with a plus.
          const text = `${current ? '*' : checkedOut ? '+' : ' '} ${visibleName(shown)}`
          return `${current ? paint.green(text) : checkedOut ? paint.cyan(text) : text} ${paint.yellow(shortOid(oid))}`
        })
        .join('\n') || 'No branches yet.',
  )
  return 0
}

/** Lists tags, or makes one; with a message it is an object of its own. */
export async function tag(
  settings: Settings,
  output: Output,
  name: string | undefined,
  from: string | undefined,
  message: string | undefined,
): Promise<number> {
  if (name !== undefined) {
    const more = { ...(from !== undefined && { from }), ...(message !== undefined && { message }) }
    return act(settings, output, gitBranchChange, { action: 'create_tag', name, ...more })
  }
  if (message !== undefined) throw new FilewrightError('missing_argument', '--message needs the name of a tag.', { field: 'name' })
  const tags = await withRepository(settings, output, (repository) => repository.tags())
  output.answer(
    { tags },
    () => tags.map((one) => `${visibleName(one.name)} ${output.paint.yellow(shortOid(one.oid))}`).join('\n') || 'No tags.',
  )
  return 0
}
