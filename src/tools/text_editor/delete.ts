/** `delete` of the memory tool: a file, or a directory with all that is in it. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import type { Path } from '../../core/path.ts'
import type { Resolved } from '../../core/resolve.ts'
import { requireLeadsInside } from '../delete_file.ts'
import { expectationOf } from '../stored_state.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { changeTarget, editedPath, isMemoriesRoot, MEMORIES, said, saidText } from './place.ts'

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
  output: said,
  targets: changeTarget(MEMORIES, 'change-entry'),
  risk: () => 'always',
  failed: () => ({}),
  async run(context, { path }) {
    const { view } = context
    const target = await MEMORIES.resolve(view, path, { last: 'keep', field: 'path' })
    if (isMemoriesRoot(target))
      throw new FilewrightError('protected_path', 'Cannot delete the /memories directory itself', { field: 'path' })
    const { entry } = target
    if (!entry) throw new FilewrightError('not_found', `The path ${path} does not exist`, { field: 'path' })
    const below = entry.kind === 'directory' ? await entriesBelow(context, target) : []
    for (const one of [...below.reverse(), entry]) {
      const shown = `/${one.path}`
      if (one.kind === 'special') throw new FilewrightError('not_regular', `${shown} is neither a file, a directory nor a link.`)
      if (one.kind === 'link') await requireLeadsInside(view, view.display(one.path), 'path', shown)
      view.remove(at(shown, one), { expect: await expectationOf(view, one) })
    }
    return { result: { text: `Successfully deleted ${path}` } }
  },
  text: saidText,
})

/** All that is in a directory, each directory before what is in it. */
async function entriesBelow({ view, signal }: ToolContext, { path, given }: Resolved): Promise<Entry[]> {
  if (view.isHidden(path) || view.holdsHidden(path)) {
    throw new FilewrightError('protected_path', `${given} holds backups, and is not deleted.`, { field: 'path' })
  }
  const entered = new Set<Path>([path])
  const filter = (dir: Path, children: Entry[]): Entry[] => {
    entered.add(dir)
    return children
  }
  const entries: Entry[] = []
  for await (const page of view.scan(path, { stat: true, target: true, filter, signal })) {
    for (const entry of page) entries.push(entry)
    if (entries.length < view.traits.limits.changes) continue
    throw new FilewrightError('too_large', `${given} holds more entries than one call can delete: delete its parts one by one.`)
  }
  const closed = entries.find((entry) => entry.kind === 'directory' && !entered.has(entry.path))
  if (closed) throw new FilewrightError('permission_denied', `/${closed.path} cannot be read; nothing was deleted.`)
  return entries
}

function at(given: string, entry: Entry): Resolved {
  return { given, path: entry.path, entry, missingParents: [], links: [], directory: false }
}
