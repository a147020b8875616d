/** `rename` of the memory tool: a file or directory gets another path. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { comparedPath, isWithin } from '../../core/path.ts'
import { text } from '../arguments.ts'
import { requireLeadsInside } from '../delete_file.ts'
import { expectationOf } from '../stored_state.ts'
import { defineTool, type Tool } from '../tool.ts'
import { samenessOf } from '../transfer.ts'
import { isMemoriesRoot, MEMORIES, saying } from './place.ts'

const input = z.object({ old_path: text('The file or directory.'), new_path: text('Its new path; nothing may be there.') })

/** Moves what is at a path below `/memories` to another there; replaces nothing. */
export const renameCommand: Tool = defineTool({
  name: 'rename',
  title: 'Rename',
  description: 'Renames or moves a file or directory; replaces nothing.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  ...saying,
  targets: ({ old_path, new_path }) => [
    { path: MEMORIES.pathOf(old_path, 'old_path'), as: old_path, field: 'old_path', use: 'change-entry' },
    { path: MEMORIES.pathOf(new_path, 'new_path'), as: new_path, field: 'new_path', use: 'change-entry' },
  ],
  risk: () => 'always',
  async run({ view }, { old_path, new_path }) {
    const source = await MEMORIES.resolve(view, old_path, { last: 'keep', field: 'old_path' })
    if (isMemoriesRoot(source)) {
      throw new FilewrightError('protected_path', 'Cannot rename the /memories directory itself', { field: 'old_path' })
    }
    const { entry } = source
    if (!entry) throw new FilewrightError('not_found', `The path ${old_path} does not exist`, { field: 'old_path' })
    if (entry.kind === 'special') throw new FilewrightError('not_regular', `${old_path} is neither a file, a directory nor a link.`)
    if (entry.kind === 'link') await requireLeadsInside(view, view.display(source.path), 'old_path', old_path)
    const target = await MEMORIES.resolve(view, new_path, { last: 'keep', field: 'new_path' })
    // Where case does not count, a change of case finds the entry itself.
    const sameness = samenessOf(view, source, target)
    if (target.entry && sameness !== 'case')
      throw new FilewrightError('already_exists', `The destination ${new_path} already exists`, { field: 'new_path' })
    if (sameness === null && isWithin(comparedPath(target.path, view.traits), comparedPath(source.path, view.traits))) {
      throw new FilewrightError('invalid_argument', `${new_path} is in ${old_path}: a directory cannot go into itself.`, {
        field: 'new_path',
      })
    }
    if (target.directory && entry.kind !== 'directory') {
      throw new FilewrightError('is_directory', `${new_path} names a directory: leave the final slash out.`, { field: 'new_path' })
    }
    view.move(source, { ...target, entry: null }, { expect: await expectationOf(view, entry) })
    if (entry.kind === 'link') await requireLeadsInside(view, view.display(target.path), 'new_path', new_path)
    return { result: { text: `Successfully renamed ${old_path} to ${new_path}` } }
  },
})
