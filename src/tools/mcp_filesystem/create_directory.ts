/** `create_directory`: makes a directory, with its parents. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool } from '../tool.ts'
import { answering } from './answer.ts'
import { directoryPath, resolveGiven } from './given_path.ts'

const input = z.strictObject({ path: directoryPath })

/** Makes a directory; one that is there stays as it is. */
export const createDirectory: Tool = defineTool({
  name: 'create_directory',
  title: 'Create Directory',
  description: 'Makes a directory with its missing parents. One that is there already is no error. Only in the allowed directories.',
  kind: 'write',
  idempotent: true,
  destructive: false,
  input,
  ...answering,
  targets: pathTarget('change'),
  async run({ view }, { path }) {
    const target = await resolveGiven(view, path)
    if (target.entry && target.entry.kind !== 'directory') {
      throw new FilewrightError('already_exists', `${path} is there, and is no directory.`, { field: 'path' })
    }
    if (!target.entry) view.makeDirectory(target)
    return { result: { content: `Successfully created directory ${path}` } }
  },
})
