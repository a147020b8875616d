/** `move_file`: moves or renames a file, a link or a directory to a free name. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { requireLeadsInside } from '../delete_file.ts'
import { expectationOf } from '../stored_state.ts'
import { defineTool, type Tool } from '../tool.ts'
import { requireDestination, requireSource, samenessOf } from '../transfer.ts'
import { answering } from './answer.ts'
import { filePath, resolveGiven } from './given_path.ts'

const input = z.strictObject({
  source: filePath.describe('The file or directory. A link is moved itself, not what it leads to.'),
  destination: filePath.describe('Its new path: the final name, which must be free. Missing directories are made.'),
})

/** Moves what a path names; nothing is ever replaced. */
export const moveFile: Tool = defineTool({
  name: 'move_file',
  title: 'Move File',
  description:
    'Moves or renames a file, a link or a directory with all that is in it. Fails when something is at the destination already. Both paths must be in the allowed directories.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  ...answering,
  targets: ({ source, destination }) => [
    { path: source, field: 'source', use: 'change-entry' },
    { path: destination, field: 'destination', use: 'change-entry' },
  ],
  risk: () => 'always',
  async run({ view }, { source, destination }) {
    const from = requireSource(await resolveGiven(view, source, { last: 'keep', field: 'source' }), 'source')
    const to = await resolveGiven(view, destination, { last: 'keep', field: 'destination' })
    if (from.path === '') throw new FilewrightError('invalid_argument', 'source is the root of the workspace.', { field: 'source' })
    if (from.entry.kind === 'link') await requireLeadsInside(view, source, 'source')
    // Where case does not count, a change of case finds the source at its destination: that is a rename.
    if (to.entry && samenessOf(view, from, to) !== 'case') throw new FilewrightError('already_exists', `${destination} exists.`)
    const free = { ...to, entry: null }
    await requireDestination(view, from, free, {
      source_path: source,
      destination_path: destination,
      overwrite: false,
      create_dirs: true,
      dry_run: false,
    })
    view.move(from, free, { expect: await expectationOf(view, from.entry) })
    if (from.entry.kind === 'link') await requireLeadsInside(view, view.display(to.path), 'destination')
    return { result: { content: `Successfully moved ${source} to ${destination}` } }
  },
})
