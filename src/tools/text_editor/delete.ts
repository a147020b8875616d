/** `delete` of the memory tool: a file, or a directory with all that is in it. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { requireLeadsInside } from '../delete_file.ts'
import { entriesBelow, foundTarget } from '../entries_below.ts'
import { expectationOf } from '../stored_state.ts'
import { defineTool, type Tool } from '../tool.ts'
import { changeTarget, editedPath, isMemoriesRoot, MEMORIES, saying } from './place.ts'

const input = z.object({ path: editedPath })

/** Deletes what is at a path below `/memories`; a link is removed itself. */
export const deleteCommand: Tool = defineTool({
  name: 'delete',
  title: 'Delete',
  description: 'Deletes a file, or a directory with all that is in it.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  ...saying,
  targets: changeTarget(MEMORIES, 'change-entry'),
  risk: () => 'always',
  async run(context, { path }) {
    const { view } = context
    const target = await MEMORIES.resolve(view, path, { last: 'keep', field: 'path' })
    if (isMemoriesRoot(target))
      throw new FilewrightError('protected_path', 'Cannot delete the /memories directory itself', { field: 'path' })
    const { entry } = target
    if (!entry) throw new FilewrightError('not_found', `The path ${path} does not exist`, { field: 'path' })
    const below = entry.kind === 'directory' ? await entriesBelow(context, target, (path) => `/${path}`) : []
    for (const one of [...below.reverse(), entry]) {
      const shown = `/${one.path}`
      if (one.kind === 'special') throw new FilewrightError('not_regular', `${shown} is neither a file, a directory nor a link.`)
      if (one.kind === 'link') await requireLeadsInside(view, view.display(one.path), 'path', shown)
      view.remove(foundTarget(shown, one), { expect: await expectationOf(view, one) })
    }
    return { result: { text: `Successfully deleted ${path}` } }
  },
})
